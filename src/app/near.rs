//! How well a known text answers to what was typed.

/// How well a text answers to what was typed: every word of it must be there. `None`: it does not. Greater is better:
/// a word's beginning counts more than its middle, its middle more than letters strewn over the text in order.
pub(super) fn answers(text: &str, typed: &str) -> Option<u32> {
    let text = text.to_lowercase();
    typed.to_lowercase().split_whitespace().map(|word| word_score(&text, word)).sum()
}

fn word_score(text: &str, word: &str) -> Option<u32> {
    let begins = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
    if text.match_indices(word).any(|(at, _)| begins(at)) {
        return Some(100);
    }
    if text.contains(word) {
        return Some(10);
    }
    // Strewn letters of a short word are found in every sentence.
    let mut rest = text.chars();
    let is_strewn = word.chars().count() >= 3 && word.chars().all(|wanted| rest.any(|c| c == wanted));
    is_strewn.then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_beat_middles_beat_strewn_letters() {
        let score = |typed: &str| answers("hold graphs and figures still", typed);
        assert_eq!((score("graph"), score("raph"), score("hgfs"), score("x")), (Some(100), Some(10), Some(1), None));
        assert_eq!(score("still graph"), Some(200));
        assert_eq!(score("graph zebra"), None);
        assert_eq!(score(""), Some(0));
        assert_eq!(score("hx"), None);
    }
}
