//! All of a flow that may vary, out of the one table of fields.

use super::{
    Flow, Mac, Value,
    field::{FIELDS, Lens},
    setting::Slot,
};

impl Flow {
    /// Calls `each` with every value that the flow sends and that may vary; what a raw frame or a capture says by itself
    /// is left out.
    pub fn each_value(&mut self, mut each: impl FnMut(&mut Value)) {
        let mut visit = |slot: Slot<'_>| match slot {
            Slot::Varying(value) | Slot::MaybeVarying(Some(value)) | Slot::Mac(Mac::Is(value), _) => each(value),
            _ => {}
        };
        for field in FIELDS {
            match &field.lens {
                Lens::Nowhere | Lens::Profile(_) => {}
                Lens::Flow(lens) => lens(self).into_iter().for_each(&mut visit),
                Lens::Vlan(lens) => self.vlan.iter_mut().map(lens).for_each(&mut visit),
                Lens::Mpls(lens) => self.mpls.iter_mut().map(lens).for_each(&mut visit),
                Lens::Patch(lens) => self.patch.iter_mut().map(lens).for_each(&mut visit),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Document;

    #[test]
    fn every_field_that_may_vary_is_visited_once() {
        let text = "version = 1\n[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\nvlan = [{}, {}]\nipv4 = {}\n\
                    udp = {}\n";
        let mut flow = Document::parse("t", text).expect("valid").profile().flows[0].clone();
        let mut seen = 0;
        flow.each_value(|value| {
            seen += 1;
            *value = Value::Fixed(1);
        });
        // size, eth.dst, three of each tag, seven of ipv4 (its protocol is that of udp), two ports; eth.src is the device's.
        assert_eq!(seen, 2 + 2 * 3 + 7 + 2);
        flow.each_value(|value| assert_eq!(*value, Value::Fixed(1)));
    }
}
