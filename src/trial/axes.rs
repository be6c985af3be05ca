//! What a sweep varies: keys with their values, and every combination of them.

use super::Set;

/// More settings than this are a slip: at a second a slice they would take the better part of an hour.
pub const MOST_ARMS: usize = 1000;

/// One key and the values it takes, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub key: String,
    pub values: Vec<String>,
}

/// Why a list of values is none. One sentence, without the key.
pub type BadList = String;

impl Axis {
    /// Reads `1,2,4`, `1..8`, `1..33:4`, or a mixture with commas; ends are inclusive.
    ///
    /// # Errors
    /// An empty list, a range that does not rise, or more values than a sweep may have.
    pub fn parse(key: &str, list: &str) -> Result<Axis, BadList> {
        let mut values: Vec<String> = Vec::new();
        for part in list.split(',').map(str::trim) {
            match range(part) {
                _ if part.is_empty() => return Err(format!("\"{list}\" has an empty value. As 1,2,4 or 1..33:4")),
                Some(range) => values.extend(range?),
                None => values.push(part.to_owned()),
            }
            if values.len() > MOST_ARMS {
                return Err(format!("more than {MOST_ARMS} values"));
            }
        }
        if let Some(twice) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return Err(format!("{} stands twice", twice.1));
        }
        Ok(Axis { key: key.to_owned(), values })
    }
}

/// `A..B` or `A..B:STEP` as the numbers in it; `None`: no range of whole numbers.
fn range(text: &str) -> Option<Result<Vec<String>, BadList>> {
    let (from, rest) = text.split_once("..")?;
    let (to, step) = rest.trim_start_matches('=').split_once(':').unwrap_or((rest.trim_start_matches('='), "1"));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    let count = to.checked_sub(from).and_then(|span| span.checked_div(step));
    Some(match count {
        None => Err(format!("{text} does not rise. As 1..33:4")),
        Some(count) if count >= MOST_ARMS as u64 => Err(format!("{text} is more than {MOST_ARMS} values")),
        Some(count) => Ok((0..=count).map(|nth| (from + nth * step).to_string()).collect()),
    })
}

/// Every combination, the last axis fastest. `None`: more than [`MOST_ARMS`], or no axis at all.
pub fn grid(axes: &[Axis]) -> Option<Vec<Vec<Set>>> {
    let arms = axes.iter().try_fold(1usize, |product, axis| product.checked_mul(axis.values.len()))?;
    if axes.is_empty() || arms > MOST_ARMS {
        return None;
    }
    let with = |arms: Vec<Vec<Set>>, axis: &Axis| {
        let set = |value: &String| Set { key: axis.key.clone(), value: value.clone() };
        arms.iter()
            .flat_map(|arm| axis.values.iter().map(move |value| [arm.clone(), vec![set(value)]].concat()))
            .collect()
    };
    Some(axes.iter().fold(vec![Vec::new()], with))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(list: &str) -> Vec<String> {
        Axis::parse("k", list).unwrap().values
    }

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(values("1, 2,4"), ["1", "2", "4"]);
        assert_eq!(values("1..5:2,32"), ["1", "3", "5", "32"]);
        assert_eq!(values("1..=3"), ["1", "2", "3"]);
        assert_eq!(values("10k,max"), ["10k", "max"]);
        assert_eq!(values("7..7"), ["7"]);
    }

    #[test]
    fn what_is_no_list_is_told() {
        for (list, words) in [
            ("", "empty"),
            ("1,,2", "empty"),
            ("5..1", "rise"),
            ("1..9:0", "rise"),
            ("0..1000", "1000"),
            ("2,1..3", "twice"),
        ] {
            let told = Axis::parse("k", list).unwrap_err();
            assert!(told.contains(words), "{list}: {told}");
        }
        assert!(Axis::parse("k", "0..18446744073709551615").is_err());
    }

    #[test]
    fn a_grid_has_every_combination_once_and_the_last_axis_fastest() {
        let axis = |key: &str, list: &str| Axis::parse(key, list).unwrap();
        let arms = grid(&[axis("a", "1,2"), axis("b", "x,y,z")]).unwrap();
        let told: Vec<String> = arms.iter().map(|arm| arm.iter().map(|set| set.value.as_str()).collect()).collect();
        assert_eq!(told, ["1x", "1y", "1z", "2x", "2y", "2z"]);
        assert_eq!(grid(&[axis("a", "1..100"), axis("b", "1..11")]), None);
        assert_eq!(grid(&[]), None);
    }
}
