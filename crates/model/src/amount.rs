//! Rates and counts as people write them: `5000`, `20k`, `1.5m`.

use thiserror::Error;

/// Why a text is no rate or no count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AmountError {
    /// Something else than a number, maybe with a suffix.
    #[error("`{0}` is not a number; write 5000, 20k (20,000) or 1.5m (1,500,000)")]
    Malformed(String),
    /// Commas may stand between thousands or before decimals.
    #[error(
        "`{0}` may be read in two ways; write a number without commas, such as 5000, 20k (20,000) or 1.5m (1,500,000)"
    )]
    Ambiguous(String),
    /// Below zero.
    #[error("`{0}` is negative; write 5000, 20k (20,000) or 1.5m (1,500,000)")]
    Negative(String),
    /// A count with a fraction.
    #[error("`{0}` is not a whole number; write 5000, 20k (20,000) or 1.5k (1,500)")]
    Fraction(String),
    /// More than can be counted.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

/// A decimal number: its digits, and the power of ten that they are to be multiplied by.
struct Decimal {
    digits: String,
    exponent: i32,
}

/// The largest power of ten that anybody writes out; it keeps the arithmetic below in bounds.
const MOST_DIGITS: usize = 300;

fn decimal(text: &str) -> Result<Decimal, AmountError> {
    let text = text.trim();
    let malformed = || AmountError::Malformed(text.to_owned());
    if let Some(rest) = text.strip_prefix(['-', '−'])
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return Err(AmountError::Negative(text.to_owned()));
    }
    let only_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (number, thousands) = match text.char_indices().next_back() {
        Some((end, 'k' | 'K')) => (&text[..end], Some(3)),
        Some((end, 'm' | 'M')) => (&text[..end], Some(6)),
        _ => (text, None),
    };
    if number.contains(',') && number.bytes().all(|b| b.is_ascii_digit() || b == b',') {
        return Err(AmountError::Ambiguous(text.to_owned()));
    }
    // `1e6k` would be two powers of ten.
    let (number, power) = match (number.split_once(['e', 'E']), thousands) {
        (Some((number, power)), None) => (number, power.parse().map_err(|_| malformed())?),
        (Some(_), Some(_)) => return Err(malformed()),
        (None, thousands) => (number, thousands.unwrap_or(0)),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let well = |part: &str| !part.is_empty() && only_digits(part) && part.len() < MOST_DIGITS;
    if !well(whole) || !well(fraction) || !(-99..=99).contains(&power) {
        return Err(malformed());
    }
    let fraction = fraction.trim_end_matches('0');
    Ok(Decimal {
        digits: format!("{whole}{fraction}"),
        exponent: power - fraction.len() as i32,
    })
}

/// Parses a number that may have a fraction, such as a rate: 0 or more.
///
/// # Errors
/// What is no number, negative or ambiguous.
pub fn parse_amount(text: &str) -> Result<f64, AmountError> {
    let Decimal { digits, exponent } = decimal(text)?;
    let value: Result<f64, _> = format!("{digits}e{exponent}").parse();
    let value = value.map_err(|_| AmountError::Malformed(text.trim().to_owned()))?;
    match value.is_finite() {
        true => Ok(value),
        false => Err(AmountError::TooLarge(text.trim().to_owned())),
    }
}

/// Parses a count: a whole number, which `1.5k` is.
///
/// # Errors
/// As [`parse_amount`], and what is not whole or too large.
pub fn parse_count(text: &str) -> Result<u64, AmountError> {
    let Decimal { digits, exponent } = decimal(text)?;
    let text = || text.trim().to_owned();
    let significant = digits.trim_end_matches('0');
    let zeros = (digits.len() - significant.len()) as i32 + exponent;
    match (significant.is_empty(), u32::try_from(zeros)) {
        (true, _) => Ok(0),
        (false, Err(_)) => Err(AmountError::Fraction(text())),
        (false, Ok(zeros)) => {
            let power = 10_u64.checked_pow(zeros);
            (significant.parse().ok())
                .and_then(|number: u64| number.checked_mul(power?))
                .ok_or_else(|| AmountError::TooLarge(text()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_and_decimals_come_to_whole_numbers() {
        for (text, count) in [
            ("0", 0),
            ("0k", 0),
            ("5000", 5_000),
            ("10k", 10_000),
            (" 1.5k ", 1_500),
            ("2M", 2_000_000),
            ("0.001m", 1_000),
            ("1.500", 2),
            ("1e6", 1_000_000),
            ("2.50e1", 25),
            ("007", 7),
            ("18446744073709551615", u64::MAX),
        ] {
            let read = parse_count(text);
            match text {
                "1.500" => assert_eq!(read, Err(AmountError::Fraction("1.500".to_owned()))),
                _ => assert_eq!(read, Ok(count), "{text}"),
            }
        }
        for (text, rate) in [
            ("20k", 20_000.0),
            ("0.5", 0.5),
            ("1.1m", 1_100_000.0),
            ("1e-1", 0.1),
        ] {
            assert_eq!(parse_amount(text), Ok(rate));
        }
    }

    #[test]
    fn what_is_no_number_is_said_why() {
        for wrong in [
            "", "k", ".", ".5", "5.", "1e", "1e6k", "10 k", "1kk", "nan", "inf", "1_000", "0x10",
            "+5", "１", "1e999", "--5", "1.2.3", "10,", "a,b",
        ] {
            let malformed = wrong != "10,";
            for error in [
                parse_count(wrong).unwrap_err(),
                parse_amount(wrong).unwrap_err(),
            ] {
                assert_eq!(
                    matches!(error, AmountError::Malformed(_)),
                    malformed,
                    "{wrong}"
                );
            }
        }
        let says = |text| parse_count(text).unwrap_err().to_string();
        assert!(says("1,500").starts_with("`1,500` may be read in two ways; "));
        assert!(says("1,5k").starts_with("`1,5k` may be read in two ways; "));
        assert!(says("-5").starts_with("`-5` is negative; "));
        assert!(says("1.2345k").starts_with("`1.2345k` is not a whole number; "));
        assert_eq!(
            says("18446744073709551616"),
            "`18446744073709551616` is too large"
        );
        assert_eq!(
            says("18446744073709551615k"),
            "`18446744073709551615k` is too large"
        );
    }
}
