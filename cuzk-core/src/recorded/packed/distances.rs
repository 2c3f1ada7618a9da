//! Rows and private variables as distances from those before.

use super::super::format::INPUT;

/// Bits of the first word of a group that are its row.
const ROW: u32 = 0xfff << 1;

/// Where a walk through the words of a block is. They come in pairs: the head of a group, then its terms or runs, a variable
/// first.
#[derive(Default)]
struct Walk {
    row: u32,
    variable: u32,
    /// Pairs of this group that are still to come.
    left: u32,
}

impl Walk {
    /// Steps over the head of a group.
    #[inline(always)]
    fn head(&mut self, row: u32, [first, second]: [u32; 2]) {
        self.row = row;
        self.left = match first & 1 {
            0 => second & 0xff,
            _ => second,
        };
    }
}

/// The bytes of `words` with distances for rows and private variables.
pub(super) fn relative(words: &[u32]) -> Vec<u8> {
    let mut walk = Walk::default();
    let mut bytes = Vec::with_capacity(size_of_val(words));
    for &[first, second] in words.as_chunks::<2>().0 {
        let mut distance = first;
        if walk.left == 0 {
            let row = first & ROW;
            distance = first & !ROW | row.wrapping_sub(walk.row) & ROW;
            walk.head(row, [first, second]);
        } else {
            walk.left -= 1;
            if first & INPUT == 0 {
                distance = first.wrapping_sub(walk.variable) & !INPUT;
                walk.variable = first;
            }
        }
        bytes.extend(distance.to_le_bytes());
        bytes.extend(second.to_le_bytes());
    }
    bytes
}

/// Undoes [`relative`], in place.
pub(super) fn absolute(words: &mut [u32]) {
    let mut walk = Walk::default();
    for pair in words.as_chunks_mut::<2>().0 {
        let [first, second] = pair.map(u32::from_le);
        let place;
        if walk.left == 0 {
            let row = first.wrapping_add(walk.row) & ROW;
            place = first & !ROW | row;
            walk.head(row, [first, second]);
        } else {
            walk.left -= 1;
            // Without a branch: where inputs stand among private variables is not to be foreseen.
            let is_input = 0u32.wrapping_sub(first >> 31);
            walk.variable = walk.variable.wrapping_add(first & !is_input) & !INPUT;
            place = first & is_input | walk.variable & !is_input;
        }
        *pair = [place, second];
    }
}

/// As [`absolute`], group by group; `None` where a group ends early.
pub(super) fn absolute_plainly(words: &mut [u32]) -> Option<()> {
    let (mut at, mut row, mut variable) = (0, 0, 0);
    while at < words.len() {
        let terms = match words[at] & 1 {
            0 => words.get(at + 1)? & 0xff,
            _ => *words.get(at + 1)?,
        };
        row = (row + (words[at] >> 1 & 0xfff)) % 4096;
        words[at] = words[at] & !ROW | row << 1;
        let end = at + 2 + 2 * terms as usize;
        for word in words.get_mut(at + 2..end)?.iter_mut().step_by(2) {
            if *word < INPUT {
                variable = (variable + *word) % INPUT;
                *word = variable;
            }
        }
        at = end;
    }
    Some(())
}
