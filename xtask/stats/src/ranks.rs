//! Ranks with ties.

/// Twice the rank of each value of a sequence in order, so that the mean rank of ties is a whole number; `same` says which
/// neighbours are tied.
pub(crate) fn doubled_mid_ranks<T>(ordered: &[T], same: impl FnMut(&T, &T) -> bool) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(ordered.len());
    for tied in ordered.chunk_by(same) {
        // Ranks first + 1 ..= first + len: twice their mean is the sum of the two ends.
        let first = ranks.len();
        ranks.extend(std::iter::repeat_n(2 * first + tied.len() + 1, tied.len()));
    }
    ranks
}
