//! Bytes as text.

/// Two hexadecimal digits a byte, in lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
