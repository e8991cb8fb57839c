//! The words of HTTP/2 itself, which are the same in every language.

/// An error's number, as RFC 9113, section 7, writes it.
pub(crate) fn error(number: u32) -> Option<&'static str> {
    const NAMES: [&str; 14] = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    ];
    NAMES.get(usize::try_from(number).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_standards_names() {
        assert_eq!(error(0x7), Some("REFUSED_STREAM"));
        assert_eq!(error(0xd), Some("HTTP_1_1_REQUIRED"));
        assert_eq!(error(99), None);
    }
}
