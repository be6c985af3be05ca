//! Sizes by weight (IMIX): which of them are sent, over how many builds their shares are exact, what that comes to.
//!
//! Over a cycle of as many builds as the weights add up to, once their common divisor is taken out, each size comes
//! exactly as often as its weight says: 7, 4 and 1 are twelve packets, 1200, 400 and 400 are five. No rounding to
//! hundredths as in kernel pktgen, so a share of 0.1 % is sent as well.

use super::Share;

/// Sizes in one mix.
pub const MOST_SHARES: usize = 256;
/// Of one size; 0 leaves it out.
pub const MOST_WEIGHT: u32 = 65_535;
/// Builds of a cycle: its order is kept as a table.
pub const LONGEST_CYCLE: u64 = 65_536;

/// The shares that are sent at all.
pub fn sent(shares: &[Share]) -> impl Iterator<Item = &Share> {
    shares.iter().filter(|share| share.weight > 0)
}

/// Builds after which every share is exact; 0 when all weights are 0.
pub fn cycle(shares: &[Share]) -> u64 {
    let sum: u64 = shares.iter().map(|share| u64::from(share.weight)).sum();
    sum / u64::from(divisor(shares).max(1))
}

/// The shares that are sent, with how often each comes in a cycle.
pub fn counts(shares: &[Share]) -> Vec<(u128, u64)> {
    let divisor = divisor(shares).max(1);
    sent(shares).map(|share| (share.value, u64::from(share.weight / divisor))).collect()
}

/// The mean over a cycle; 0 when nothing is sent.
pub fn mean(shares: &[Share]) -> f64 {
    let weigh = |share: &Share| share.value as f64 * f64::from(share.weight);
    let sum: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
    if sum > 0.0 { shares.iter().map(weigh).sum::<f64>() / sum } else { 0.0 }
}

/// The greatest common divisor of the weights.
fn divisor(shares: &[Share]) -> u32 {
    shares.iter().fold(0, |divisor, share| {
        let (mut a, mut b) = (divisor, share.weight);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(pairs: &[(u128, u32)]) -> Vec<Share> {
        pairs.iter().map(|&(value, weight)| Share { value, weight }).collect()
    }

    #[test]
    fn c41_the_mean_is_that_of_true_bytes() {
        let mix = shares(&[(60, 7), (590, 4), (1514, 1)]);
        assert_eq!(cycle(&mix), 12);
        // With FCS 361.8, as the report has it.
        assert!((mean(&mix) + 4.0 - 361.833).abs() < 0.001, "{}", mean(&mix));
    }

    #[test]
    fn a_common_divisor_shortens_the_cycle_and_nothing_is_sent_by_weight_0() {
        let mix = shares(&[(60, 1200), (9, 0), (590, 400), (1514, 400)]);
        assert_eq!(counts(&mix), [(60, 3), (590, 1), (1514, 1)]);
        assert_eq!((cycle(&mix), sent(&mix).count()), (5, 3));
        assert_eq!((cycle(&shares(&[(60, 0)])), mean(&shares(&[(60, 0)]))), (0, 0.0));
    }
}
