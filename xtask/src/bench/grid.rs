//! Columns that line up.

use std::fmt::Write;

/// Rows of cells as lines: columns in `left` are flush left, the others flush right, two spaces between them.
pub fn render<const N: usize>(rows: &[[String; N]], left: &[usize]) -> String {
    let widths = widths(rows.iter());
    rows.iter()
        .map(|row| line(row, &widths, left) + "\n")
        .collect()
}

/// The width of each column.
pub fn widths<'a, const N: usize>(rows: impl Iterator<Item = &'a [String; N]>) -> [usize; N] {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    widths
}

/// One row as a line, without its end.
pub fn line<const N: usize>(row: &[String; N], widths: &[usize; N], left: &[usize]) -> String {
    let mut out = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        // Writing to a string cannot fail.
        let _ = match left.contains(&column) {
            true => write!(out, "{cell:<width$}  "),
            false => write!(out, "{cell:>width$}  "),
        };
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_flush_left_and_numbers_flush_right() {
        let rows = [["a", "10"], ["µ-b", "9"]].map(|row| row.map(str::to_owned));
        assert_eq!(render(&rows, &[0]), "a    10\nµ-b   9\n");
    }
}
