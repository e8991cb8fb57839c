//! The words of HTTP/2 itself, which are the same in every language.

/// Returns an error's name by its number, as in RFC 9113, section 7.
pub(super) fn error_name(number: u32) -> &'static str {
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
    let name = NAMES.get(number as usize);
    name.copied().unwrap_or("an unknown code")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_standards_names() {
        assert_eq!(error_name(0x7), "REFUSED_STREAM");
        assert_eq!(error_name(0xd), "HTTP_1_1_REQUIRED");
        assert_eq!(error_name(99), "an unknown code");
    }
}
