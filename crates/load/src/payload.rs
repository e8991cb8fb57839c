//! A message of gRPC as it goes out: filled in, measured, framed.

use photofinish_model::finding::failure::RequestFault;
use photofinish_model::{Form, Part, Payload, Piece};

use crate::error::InvalidRequest;
use crate::template::decimal;

/// The bytes before a message.
pub const PREFIX: usize = 5;

/// Adds a message and the five bytes before it; the random numbers are those that come next.
pub fn frame(
    message: &Payload,
    randoms: &mut impl Iterator<Item = u64>,
    counter: u64,
    into: &mut Vec<u8>,
) {
    let at = into.len();
    into.extend_from_slice(&[0; PREFIX]);
    fill(message, randoms, counter, into);
    let length = (into.len() - at - PREFIX) as u32;
    into[at + 1..at + PREFIX].copy_from_slice(&length.to_be_bytes());
}

/// Adds a message with its places filled in.
fn fill(
    message: &Payload,
    randoms: &mut impl Iterator<Item = u64>,
    counter: u64,
    into: &mut Vec<u8>,
) {
    for piece in &message.0 {
        let (part, form) = match piece {
            Piece::Part(part) => (part, None),
            Piece::Number { number, form } => (number, Some(*form)),
            Piece::Measured(inner) => {
                let at = into.len();
                fill(inner, randoms, counter, into);
                // The length stands before what it measures, and is as long as that is.
                let end = into.len();
                varint((end - at) as u64, into);
                let length = into.len() - end;
                into[at..].rotate_right(length);
                continue;
            }
        };
        let number = match part {
            Part::Bytes(bytes) => {
                into.extend_from_slice(bytes);
                continue;
            }
            Part::Random { .. } => randoms.next().unwrap_or(0),
            Part::Counter => counter,
        };
        match form {
            None => decimal(number, into),
            Some(Form::Varint) => varint(number, into),
            Some(Form::Zigzag) => varint(number.wrapping_mul(2), into),
            // Of a number that needs more the highest bits are left out, as a varint's are by who reads it.
            Some(Form::Fixed32) => into.extend_from_slice(&(number as u32).to_le_bytes()),
            Some(Form::Fixed64) => into.extend_from_slice(&number.to_le_bytes()),
        }
    }
}

/// Adds a number as protobuf writes it: seven bits a byte, the lowest first.
fn varint(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// The first place that cannot be filled in.
pub fn wrong(message: &Payload) -> Option<InvalidRequest> {
    message.parts().find_map(|part| match *part {
        Part::Random { low, high } if low > high => {
            Some(InvalidRequest(RequestFault::Bounds { low, high }))
        }
        Part::Random { .. } | Part::Bytes(_) | Part::Counter => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(pieces: Vec<Piece>, randoms: &[u64], counter: u64) -> Vec<u8> {
        let mut bytes = b"x".to_vec();
        let mut randoms = randoms.iter().copied();
        frame(&Payload(pieces), &mut randoms, counter, &mut bytes);
        bytes
    }

    fn bytes(bytes: &[u8]) -> Piece {
        Piece::Part(Part::Bytes(bytes.to_vec()))
    }

    #[test]
    fn lengths_follow_what_is_filled_in() {
        // Field 1 holds a message whose field 2 is the string "n" and the number.
        let pieces = || {
            let string = Payload(vec![bytes(b"n"), Piece::Part(Part::Counter)]);
            let inner = Payload(vec![bytes(b"\x12"), Piece::Measured(string)]);
            vec![bytes(b"\x0a"), Piece::Measured(inner)]
        };
        assert_eq!(framed(pieces(), &[], 7), b"x\0\0\0\0\x06\x0a\x04\x12\x02n7");
        assert_eq!(
            framed(pieces(), &[], 12_345),
            b"x\0\0\0\0\x0a\x0a\x08\x12\x06n12345"
        );
        // A length of two bytes.
        let long = Payload(vec![bytes(&[b'a'; 200])]);
        let framed = framed(vec![Piece::Measured(long)], &[], 0);
        assert_eq!(framed[..8], *b"x\0\0\0\0\xca\xc8\x01");
        assert_eq!(framed.len(), 8 + 200);
    }

    #[test]
    fn numbers_have_protobufs_forms() {
        let number = |form| Piece::Number {
            number: Part::Random { low: 0, high: 999 },
            form,
        };
        let pieces = vec![
            number(Form::Varint),
            number(Form::Zigzag),
            number(Form::Fixed32),
            number(Form::Fixed64),
        ];
        assert_eq!(
            framed(pieces, &[300, 3, 258, 259], 0)[6..],
            *b"\xac\x02\x06\x02\x01\0\0\x03\x01\0\0\0\0\0\0"
        );
    }
}
