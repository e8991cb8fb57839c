//! Requests that vary: bytes with places that are filled in anew for each request, and what of it an answer must repeat.

/// Bytes with places to fill in. Without such places it is the same each time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(pub Vec<Part>);

/// A part of a [`Template`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// These.
    Bytes(Vec<u8>),
    /// A whole number in decimal digits, each from `low` to `high` (both included) equally likely. Each place has
    /// a number of its own. The numbers of a connection follow from the run's seed and the connection's place alone.
    Random {
        /// The smallest.
        low: u64,
        /// The largest.
        high: u64,
    },
    /// The request's number in the run, the same in all its places. Thread `k` of `T` (from 0) counts
    /// k + 1, k + 1 + T, k + 1 + 2T, …: no number comes twice, the first is 1, and a thread leaves none of its own out.
    Counter,
}

/// A part of what an answer must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recall {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The first random number of the request.
    Random,
    /// The request's number.
    Counter,
}

impl Template {
    /// Whether nothing is filled in.
    pub fn is_fixed(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Bytes(_)))
    }

    /// What is the same each time.
    pub(crate) fn literal(&self) -> Vec<u8> {
        let bytes = |part: &Part| match part {
            Part::Bytes(bytes) => bytes.clone(),
            _ => Vec::new(),
        };
        self.0.iter().flat_map(bytes).collect()
    }

    /// Whether it has no part at all, or only empty ones.
    pub fn is_empty(&self) -> bool {
        self.0
            .iter()
            .all(|part| matches!(part, Part::Bytes(bytes) if bytes.is_empty()))
    }
}

impl From<Vec<u8>> for Template {
    fn from(bytes: Vec<u8>) -> Self {
        Template(vec![Part::Bytes(bytes)])
    }
}

impl From<String> for Template {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        text.as_bytes().to_vec().into()
    }
}

/// What was filled into a request and may have to come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The first random number.
    pub random: u64,
    /// The request's number.
    pub counter: u64,
}

impl Recall {
    /// Adds the bytes that must come back.
    pub(crate) fn render(parts: &[Recall], drawn: Drawn, into: &mut Vec<u8>) {
        for part in parts {
            match part {
                Recall::Bytes(bytes) => into.extend_from_slice(bytes),
                Recall::Random => decimal(drawn.random, into),
                Recall::Counter => decimal(drawn.counter, into),
            }
        }
    }
}

/// Adds a number's decimal digits.
pub(crate) fn decimal(mut number: u64, into: &mut Vec<u8>) {
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
pub(crate) fn digits(number: u64) -> usize {
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
