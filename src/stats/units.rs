//! Numbers as people read them.

/// Four significant figures with a decimal prefix: `1.130 M`, `890`, `0.500`.
pub fn si(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let (scaled, prefix) = match value.abs() {
        v if v >= 1e9 => (value / 1e9, " G"),
        v if v >= 1e6 => (value / 1e6, " M"),
        v if v >= 1e4 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let decimals = match scaled.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    let digits = format!("{scaled:.decimals$}");
    let digits = if prefix.is_empty() && digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        &digits
    };
    format!("{digits}{prefix}")
}

/// `95412864` as `95 412 864`.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_four_digits() {
        let cases = [
            (1_130_000.0, "1.130 M"),
            (890.0, "890"),
            (0.5, "0.5"),
            (12_345.6, "12.35 k"),
            (0.0, "0"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(si(value), text, "{value}");
        }
    }

    #[test]
    fn thousands_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1000, "1 000"), (95_412_864, "95 412 864")];
        for (value, text) in cases {
            assert_eq!(thousands(value), text);
        }
    }
}
