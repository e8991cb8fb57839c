//! Reading the databases' packets; `None` where one is shorter than it should be.

/// What is left of a packet.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// So many bytes.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// One byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Two bytes, the low one first.
    pub fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes, the lowest first.
    pub fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes, the lowest first, with a sign.
    pub fn i64_le(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    /// Two bytes, the high one first, with a sign.
    pub fn i16_be(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    /// Four bytes, the highest first, with a sign.
    pub fn i32_be(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// Text up to a zero, or to the end.
    pub fn until_zero(&mut self) -> &'a [u8] {
        let end = memchr::memchr(0, self.0);
        let (text, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest.get(1..).unwrap_or_default();
        text
    }

    /// MariaDB's number of variable length.
    pub fn variable(&mut self) -> Option<u64> {
        let wide = match self.u8()? {
            0xfc => 2,
            0xfd => 3,
            0xfe => 8,
            0xfb | 0xff => return None,
            small => return Some(u64::from(small)),
        };
        let bytes = self.take(wide)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(bytes.iter().rev().fold(0, add))
    }

    /// MariaDB's text that begins with its length.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.variable()?;
        self.take(usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_variable_length() {
        for (bytes, value) in [
            (&[250][..], Some(250)),
            (&[0xfc, 0xfb, 0x00], Some(251)),
            (&[0xfd, 1, 2, 3], Some(0x03_0201)),
            (&[0xfe, 1, 0, 0, 0, 0, 0, 0, 1], Some(0x0100_0000_0000_0001)),
            (&[0xfd, 1, 2], None),
            (&[], None),
        ] {
            assert_eq!(Reader(bytes).variable(), value);
        }
    }

    #[test]
    fn text_ends_where_it_says_or_at_a_zero() {
        let mut reader = Reader(b"ab\0\x02cdef");
        assert_eq!(reader.until_zero(), b"ab");
        assert_eq!(reader.text(), Some(&b"cd"[..]));
        assert_eq!(reader.take(3), None);
        assert_eq!(reader.until_zero(), b"ef");
        assert_eq!(reader.until_zero(), b"");
    }
}
