//! Filling in what varies: what was drawn for a request, and its decimal digits.

use photofinish_model::{Part, Recall, Template};
use photofinish_stats::Random;

/// What was filled into a request and may have to come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The first random number.
    pub random: u64,
    /// The request's number.
    pub counter: u64,
}

/// The random numbers of a connection's requests, by its number in the run.
pub fn random(seed: u64, connection: usize) -> Random {
    // Streams of their own: an open loop draws its due times from the same seed.
    const STREAMS: u64 = 1 << 40;
    Random::stream(seed, STREAMS + connection as u64)
}

/// Adds a text with its places filled in: the random numbers are those that come next.
pub fn fill(
    template: &Template,
    randoms: &mut impl Iterator<Item = u64>,
    counter: u64,
    into: &mut Vec<u8>,
) {
    for part in &template.0 {
        match part {
            Part::Bytes(bytes) => into.extend_from_slice(bytes),
            Part::Random { .. } => decimal(randoms.next().unwrap_or(0), into),
            Part::Counter => decimal(counter, into),
        }
    }
}

/// Adds the bytes that must come back.
pub fn render(parts: &[Recall], drawn: Drawn, into: &mut Vec<u8>) {
    for part in parts {
        match part {
            Recall::Bytes(bytes) => into.extend_from_slice(bytes),
            Recall::Random => decimal(drawn.random, into),
            Recall::Counter => decimal(drawn.counter, into),
        }
    }
}

/// Adds a number's decimal digits.
pub fn decimal(mut number: u64, into: &mut Vec<u8>) {
    // 2^64 has 20 digits.
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    into.extend_from_slice(&digits[at..]);
}

/// How many digits [`decimal`] adds.
pub fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 9, 10, 99, 100, 12_345, u64::MAX] {
            let mut bytes = Vec::new();
            decimal(number, &mut bytes);
            assert_eq!(bytes, number.to_string().into_bytes());
            assert_eq!(digits(number), bytes.len());
        }
    }
}
