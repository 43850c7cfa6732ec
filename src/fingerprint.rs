//! Fingerprints of what is counted, the same on every machine.

/// Mixes a word into a running fingerprint (the finaliser of splitmix64).
pub(crate) fn mix(state: u64, word: u64) -> u64 {
    let mut h = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 27)
}
