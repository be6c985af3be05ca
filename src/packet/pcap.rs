//! The classic capture format: one file header, then a record header before each frame. Bytes only, no files.

/// Longest frame a reader must expect.
const SNAP_LEN: u32 = 262_144;

/// The file header: little-endian, version 2.4, nanosecond time stamps, Ethernet.
pub fn header() -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..4].copy_from_slice(&0xa1b2_3c4d_u32.to_le_bytes());
    bytes[4..6].copy_from_slice(&2_u16.to_le_bytes());
    bytes[6..8].copy_from_slice(&4_u16.to_le_bytes());
    bytes[16..20].copy_from_slice(&SNAP_LEN.to_le_bytes());
    bytes[20..].copy_from_slice(&1_u32.to_le_bytes());
    bytes
}

/// What stands before `frame`; `at_ns` counts from 1970.
pub fn record(frame: &[u8], at_ns: u64) -> [u8; 16] {
    let len = (frame.len() as u32).to_le_bytes();
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&((at_ns / 1_000_000_000) as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&((at_ns % 1_000_000_000) as u32).to_le_bytes());
    bytes[8..12].copy_from_slice(&len);
    bytes[12..].copy_from_slice(&len);
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn headers_are_as_every_reader_expects() {
        assert_eq!(super::header()[..8], [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0]);
        let record = super::record(&[0; 60], 1_700_000_000_123_456_789);
        assert_eq!(record[..4], 1_700_000_000_u32.to_le_bytes());
        assert_eq!(record[4..8], 123_456_789_u32.to_le_bytes());
        assert_eq!(record[8..], [60, 0, 0, 0, 60, 0, 0, 0]);
    }
}
