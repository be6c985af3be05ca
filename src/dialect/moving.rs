//! What of a flow varies, said the shortest way: other tools know fewer forms, and a form that never moves is none.

use crate::profile::{Flow, Profile, Value};

/// The same frames in plainer values: what never changes is fixed, and a sweep ends at the last value it takes.
pub fn settled(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    profile.flows.iter_mut().for_each(|flow| flow.each_value(|value| *value = plainer(value)));
    profile
}

fn plainer(value: &Value) -> Value {
    let (low, high) = (value.min(), value.max());
    match value {
        _ if low == high => Value::Fixed(low),
        Value::Sweep { from, step, every, .. } => Value::Sweep { from: *from, to: high, step: *step, every: *every },
        other => other.clone(),
    }
}

/// Fields that go through more than one value in order.
pub fn walking(flow: &Flow) -> usize {
    values(flow).iter().filter(|value| !is_drawn(value) && value.min() != value.max()).count()
}

/// Whether any field takes random values.
pub fn is_random(flow: &Flow) -> bool {
    values(flow).iter().any(is_drawn)
}

/// Whether any field takes more than one value.
pub fn varies(flow: &Flow) -> bool {
    walking(flow) > 0 || is_random(flow)
}

fn is_drawn(value: &Value) -> bool {
    matches!(value, Value::Random { .. } | Value::Masked { .. })
}

/// Everything of a flow that may vary.
fn values(flow: &Flow) -> Vec<Value> {
    let mut all = Vec::new();
    flow.clone().each_value(|value| all.push(value.clone()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_changes_is_fixed() {
        let sweep = |to, step| Value::Sweep { from: 5, to, step, every: 3 };
        let list = |values: &[u128]| Value::List { values: values.to_vec(), every: 1 };
        for still in [sweep(9, 7), sweep(9, 0), list(&[5, 5]), Value::Masked { base: 5, mask: 0, every: 2 }] {
            assert_eq!(plainer(&still), Value::Fixed(5), "{still:?}");
        }
        assert_eq!(plainer(&sweep(9, 3)), sweep(8, 3), "9 is never reached");
        assert_eq!(plainer(&list(&[5, 6])), list(&[5, 6]));
    }
}
