//! Blocks of LZ4.

/// A number of which any bytes are one: 32 or 64 bits.
pub(in crate::recorded) trait Number: Copy {}
impl Number for u32 {}
impl Number for u64 {}

/// Whether `block` can stand for so many bytes, at all: LZ4's lengths are sums of bytes.
pub(in crate::recorded) fn may_hold(block: &[u8], bytes: u64) -> bool {
    bytes <= 255 * block.len() as u64
}

/// Fills `numbers`, in little-endian order, with what `block` stands for; false unless it is just as much.
pub(in crate::recorded) fn fill<N: Number>(
    numbers: &mut [N],
    block: &[u8],
    dictionary: &[u8],
) -> bool {
    let length = size_of_val(numbers);
    let start = numbers.as_mut_ptr().cast::<u8>();
    // SAFETY: it is the same memory, borrowed for as long; bytes have no alignment, and any bytes are numbers.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, length) };
    let filled = lz4_flex::block::decompress_into_with_dict(block, bytes, dictionary);
    filled.is_ok_and(|filled| filled == length)
}

/// What `block` stands for, byte by byte: what [`fill`] is held to.
pub(super) fn fill_plainly(mut block: &[u8], dictionary: &[u8]) -> Option<Vec<u8>> {
    fn length(nibble: u8, block: &mut &[u8]) -> Option<usize> {
        let mut length = usize::from(nibble);
        let mut goes_on = nibble == 15;
        while goes_on {
            let more = *block.split_off_first()?;
            length += usize::from(more);
            goes_on = more == 255;
        }
        Some(length)
    }
    let mut bytes = dictionary.to_vec();
    loop {
        let token = *block.split_off_first()?;
        let literals = length(token >> 4, &mut block)?;
        bytes.extend_from_slice(block.split_off(..literals)?);
        if block.is_empty() {
            return Some(bytes.split_off(dictionary.len()));
        }
        let [low, high] = *block.split_off(..2)?.first_chunk()?;
        let start = bytes
            .len()
            .checked_sub(u16::from_le_bytes([low, high]).into())?;
        for i in 0..length(token & 15, &mut block)? + 4 {
            bytes.push(*bytes.get(start + i)?);
        }
    }
}
