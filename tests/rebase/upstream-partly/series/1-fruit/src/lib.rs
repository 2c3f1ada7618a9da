//! Made up for tests: a small shop.

/// The price of one apple, in cents.
pub const APPLE: u64 = 40;

/// The price of some apples.
pub fn apples(count: u64) -> u64 {
    count * APPLE
}

/// The price of one pear, in cents.
pub const PEAR: u64 = 55;

/// The price of some pears.
pub fn pears(count: u64) -> u64 {
    count * PEAR
}

/// What a customer pays who has a card.
pub fn with_card(price: u64) -> u64 {
    let discount = price / 10;
    price - discount
}

/// The bill, as text.
pub fn bill(price: u64) -> String {
    let euros = price / 100;
    let cents = price % 100;
    format!("{euros}.{cents:02}")
}
