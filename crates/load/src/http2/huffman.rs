//! HPACK's Huffman code (RFC 7541, appendix B), decoded.
//!
//! The code is canonical: codes of one length follow one another in the order of their symbols, so the lengths alone
//! are the whole table.

/// The end of the text, which must never stand in one.
const END: usize = 256;
const SYMBOLS: usize = 257;
const LONGEST: usize = 30;
const SHORTEST: usize = 5;

/// How many bits the code of each symbol has.
#[rustfmt::skip]
const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
     6, 10, 10, 12, 13,  6,  8, 11, 10, 10,  8, 11,  8,  6,  6,  6,  5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8, 15,  6, 12, 10,
    13,  6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8, 13, 19, 13, 14,  6,
    15,  5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,  5,  6,  7,  7,  7,  7,  7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

/// The code, by length.
struct Code {
    /// The symbols in the order of their codes.
    symbols: [u16; SYMBOLS],
    /// Of each length: its first code, how many there are, and where they begin in `symbols`.
    first: [u32; LONGEST + 1],
    count: [u32; LONGEST + 1],
    begins: [u32; LONGEST + 1],
}

const CODE: Code = code();

const fn code() -> Code {
    let mut code = Code {
        symbols: [0; SYMBOLS],
        first: [0; LONGEST + 1],
        count: [0; LONGEST + 1],
        begins: [0; LONGEST + 1],
    };
    let (mut length, mut next, mut placed) = (1, 0, 0);
    while length <= LONGEST {
        next <<= 1;
        code.first[length] = next;
        code.begins[length] = placed;
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if LENGTHS[symbol] as usize == length {
                code.symbols[placed as usize] = symbol as u16;
                placed += 1;
                next += 1;
            }
            symbol += 1;
        }
        code.count[length] = placed - code.begins[length];
        length += 1;
    }
    code
}

/// Adds the text that `coded` stands for, until `into` holds `most` bytes; whether that is all of it. `None`: `coded` is no text,
/// be that so only behind those bytes.
pub fn decode(coded: &[u8], most: usize, into: &mut Vec<u8>) -> Option<bool> {
    let mut whole = true;
    // At most 7 bits are left over from a byte, and at most 30 make a code.
    let (mut bits, mut count) = (0u64, 0usize);
    let mut bytes = coded.iter();
    loop {
        while count <= LONGEST
            && let Some(byte) = bytes.next()
        {
            bits = bits << 8 | u64::from(*byte);
            count += 8;
        }
        let Some((symbol, length)) = first_symbol(bits, count) else {
            // What is left is padding: fewer than 8 bits, all of them 1.
            let padding = (1 << count) - 1;
            return (count < 8 && bits & padding == padding).then_some(whole);
        };
        if symbol == END {
            return None;
        }
        match into.len() < most {
            true => into.push(symbol as u8),
            false => whole = false,
        }
        count -= length;
        bits &= (1 << count) - 1;
    }
}

/// The symbol that the last `count` bits of `bits` begin with, and its length.
fn first_symbol(bits: u64, count: usize) -> Option<(usize, usize)> {
    (SHORTEST..=count.min(LONGEST)).find_map(|length| {
        let code = (bits >> (count - length)) as u32;
        let nth = code.checked_sub(CODE.first[length])?;
        (nth < CODE.count[length]).then(|| {
            (
                CODE.symbols[(CODE.begins[length] + nth) as usize].into(),
                length,
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(coded: &[u8]) -> Option<Vec<u8>> {
        let mut into = Vec::new();
        decode(coded, 1_000, &mut into).map(|whole| {
            assert!(whole);
            into
        })
    }

    /// The code's own definition the other way round.
    fn encoded(text: &[u8]) -> Vec<u8> {
        let mut coded = Vec::new();
        let (mut bits, mut count) = (0u64, 0);
        for byte in text {
            let length = LENGTHS[usize::from(*byte)];
            let at = CODE
                .symbols
                .iter()
                .position(|symbol| *symbol == u16::from(*byte));
            let nth = at.expect("a symbol") as u32 - CODE.begins[usize::from(length)];
            bits = bits << length | u64::from(CODE.first[usize::from(length)] + nth);
            count += length;
            while count >= 8 {
                count -= 8;
                coded.push((bits >> count) as u8);
                bits &= (1 << count) - 1;
            }
        }
        if count > 0 {
            coded.push((bits << (8 - count)) as u8 | (0xff >> count) as u8);
        }
        coded
    }

    #[test]
    fn the_examples_of_the_standard_are_read() {
        // RFC 7541, C.4 and C.6.
        let cases: [(&[u8], &str); 5] = [
            (
                b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff",
                "www.example.com",
            ),
            (b"\xa8\xeb\x10\x64\x9c\xbf", "no-cache"),
            (b"\x64\x02", "302"),
            (b"\x64\x0e\xff", "307"),
            (
                b"\xd0\x7a\xbe\x94\x10\x54\xd4\x44\xa8\x20\x05\x95\x04\x0b\x81\x66\xe0\x82\xa6\x2d\x1b\xff",
                "Mon, 21 Oct 2013 20:13:21 GMT",
            ),
        ];
        for (coded, text) in cases {
            assert_eq!(decoded(coded).as_deref(), Some(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_code_is_complete() {
        // Kraft: a code without a gap.
        let sum: u64 = LENGTHS
            .iter()
            .map(|length| 1 << (LONGEST - usize::from(*length)))
            .sum();
        assert_eq!(sum, 1 << LONGEST);
        // RFC 7541, appendix B: the end is thirty ones.
        assert_eq!(CODE.symbols[SYMBOLS - 1], END as u16);
        assert_eq!(
            first_symbol((1 << LONGEST) - 1, LONGEST),
            Some((END, LONGEST))
        );
    }

    #[test]
    fn what_is_no_text_is_refused() {
        // A whole byte of padding, padding of zeros, the end in the text, a code that is cut off.
        for coded in [
            &b"\x64\x02\xff"[..],
            b"\x18",
            b"\xff\xff\xff\xff",
            b"\xff\xff",
        ] {
            assert_eq!(decoded(coded), None, "{coded:02x?}");
        }
    }

    #[test]
    fn no_more_is_held_than_is_wanted_and_the_rest_is_looked_at_all_the_same() {
        let long = encoded(b"aaaa");
        let bad = [&long[..], b"\xff"].concat();
        for (coded, says) in [(&long, Some(false)), (&bad, None)] {
            let mut into = Vec::new();
            assert_eq!(decode(coded, 3, &mut into), says);
            assert_eq!(into, b"aaa");
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decoded(&encoded(&text)), Some(text));
        }

        #[test]
        fn any_bytes_are_survived(coded in proptest::collection::vec(any::<u8>(), 0..100)) {
            decoded(&coded);
        }
    }
}
