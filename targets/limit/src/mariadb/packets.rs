//! What MariaDB's packets are made of.

use sha1::{Digest, Sha1};

use crate::database::NewItem;
use crate::json;
use crate::wire::Reader;

const TYPE_BIGINT: u8 = 0x08;
const TYPE_STRING: u8 = 0xfd;

/// What is told of a packet that cannot be read.
pub const SHORT: &str = "MariaDB sent a packet that is shorter than it should be";

/// The bytes of a salt.
pub const SALT: usize = 20;

/// What the server sends first.
pub struct Greeting {
    /// What it can do.
    pub can: u32,
    /// What else, among MariaDB's own.
    pub can_more: u32,
    /// What the password is mixed with.
    pub salt: Vec<u8>,
}

impl Greeting {
    /// Reads it.
    ///
    /// # Errors
    /// It is none.
    pub fn read(bytes: &[u8]) -> Result<Greeting, String> {
        let mut reader = Reader(bytes);
        if reader.u8() != Some(10) {
            return Err("what listens there does not greet as MariaDB does".to_owned());
        }
        let _version = reader.until_zero();
        let mut fields = || {
            let _thread = reader.u32_le()?;
            let begin = reader.take(8)?;
            let _filler = reader.u8()?;
            let low = reader.u16_le()?;
            let _character_set_and_status = reader.take(3)?;
            let high = reader.u16_le()?;
            let _length_and_filler = reader.take(7)?;
            let can_more = reader.u32_le()?;
            let end = reader.take(SALT - 8)?;
            Some(Greeting {
                can: u32::from(high) << 16 | u32::from(low),
                can_more,
                salt: [begin, end].concat(),
            })
        };
        fields().ok_or_else(|| SHORT.to_owned())
    }
}

/// What proves the password: SHA1(password) xor SHA1(salt + SHA1(SHA1(password))).
pub fn scrambled(password: &[u8], salt: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let once = Sha1::digest(password);
    let twice = Sha1::digest(once);
    let salted = Sha1::new()
        .chain_update(salt)
        .chain_update(twice)
        .finalize();
    once.iter().zip(salted).map(|(a, b)| a ^ b).collect()
}

/// A prepared statement's number, and how many descriptions follow.
pub fn prepared(bytes: &[u8]) -> Result<(u32, u32), String> {
    let mut reader = Reader(bytes);
    let mut fields = || {
        let _ok = reader.u8()?;
        let statement = reader.u32_le()?;
        let columns = reader.u16_le()?;
        let values = reader.u16_le()?;
        Some((statement, u32::from(columns) + u32::from(values)))
    };
    fields().ok_or_else(|| SHORT.to_owned())
}

/// Appends a packet: three bytes of length, its number, and what `write` appends.
pub fn packet(out: &mut Vec<u8>, sequence: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend([0, 0, 0, sequence]);
    write(out);
    // Nothing here is as long as 16 MiB: a request's body has at most one.
    let length = (out.len() - at - 4) as u32;
    out[at..at + 3].copy_from_slice(&length.to_le_bytes()[..3]);
}

/// Appends text and the zero that ends it.
pub fn zero_ended(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(text);
    out.push(0);
}

/// Appends whole numbers as a statement's values: which are null, that types follow, types, values.
pub fn keys(out: &mut Vec<u8>, values: &[i64]) {
    out.extend([0, 1]);
    for _ in values {
        out.extend([TYPE_BIGINT, 0]);
    }
    for value in values {
        out.extend(value.to_le_bytes());
    }
}

/// Appends an item's texts as a statement's values.
pub fn texts(out: &mut Vec<u8>, item: &NewItem) {
    let values = [&item.name, &item.code, &item.note];
    let nulls = values.iter().enumerate();
    let nulls = nulls.fold(0, |bits, (at, value)| {
        bits | u8::from(value.is_none()) << at
    });
    out.extend([nulls, 1]);
    for _ in values {
        out.extend([TYPE_STRING, 0]);
    }
    for value in values.into_iter().flatten() {
        length(out, value.len());
        out.extend(value.as_bytes());
    }
}

/// Appends a number of variable length.
pub fn length(out: &mut Vec<u8>, value: usize) {
    let bytes = (value as u64).to_le_bytes();
    match value {
        0..=250 => out.push(bytes[0]),
        251..=0xffff => {
            out.push(0xfc);
            out.extend(&bytes[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend(&bytes[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend(bytes);
        }
    }
}

/// Appends a binary row as study 3's targets write it.
pub fn item(row: &[u8], body: &mut Vec<u8>) -> Result<(), String> {
    let mut reader = Reader(row);
    // A zero, then which columns are null, two bits late. The table allows none.
    if reader.take(2).ok_or(SHORT)? != [0, 0] {
        return Err("MariaDB sent a row with a null where the table allows none".to_owned());
    }
    body.extend_from_slice(br#"{"id":"#);
    json::integer(body, reader.i64_le().ok_or(SHORT)?);
    for name in [&br#","name":"#[..], br#","code":"#, br#","note":"#] {
        body.extend_from_slice(name);
        json::text(body, Some(reader.text().ok_or(SHORT)?))?;
    }
    body.extend_from_slice(br#","created":"#);
    let moment = reader.text().ok_or(SHORT)?;
    let mut moment_reader = Reader(moment);
    let mut next = || moment_reader.u8().unwrap_or(0);
    // What is zero at the end is left out: the time, or all.
    let year = u16::from_le_bytes([next(), next()]);
    json::moment(body, (year, next(), next()), (next(), next(), next()));
    body.push(b'}');
    Ok(())
}

/// The words of an error: its code, `#` and five letters of SQLSTATE, text.
pub fn complaint(bytes: &[u8]) -> String {
    let mut reader = Reader(bytes.get(1..).unwrap_or_default());
    let code = reader.u16_le().unwrap_or_default();
    let text = match reader.0 {
        [b'#', rest @ ..] => rest.get(5..).unwrap_or_default(),
        rest => rest,
    };
    format!("MariaDB: {} (error {code})", String::from_utf8_lossy(text))
}
