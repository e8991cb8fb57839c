//! The words of gRPC itself, which are the same in every language.

/// The statuses that have a meaning, from 1 on, as gRPC writes them.
const STATUSES: [&str; 16] = [
    "grpc-status 1 CANCELLED",
    "grpc-status 2 UNKNOWN",
    "grpc-status 3 INVALID_ARGUMENT",
    "grpc-status 4 DEADLINE_EXCEEDED",
    "grpc-status 5 NOT_FOUND",
    "grpc-status 6 ALREADY_EXISTS",
    "grpc-status 7 PERMISSION_DENIED",
    "grpc-status 8 RESOURCE_EXHAUSTED",
    "grpc-status 9 FAILED_PRECONDITION",
    "grpc-status 10 ABORTED",
    "grpc-status 11 OUT_OF_RANGE",
    "grpc-status 12 UNIMPLEMENTED",
    "grpc-status 13 INTERNAL",
    "grpc-status 14 UNAVAILABLE",
    "grpc-status 15 DATA_LOSS",
    "grpc-status 16 UNAUTHENTICATED",
];

/// A status that has a meaning, with its name.
pub(crate) fn named(status: u64) -> Option<&'static str> {
    let at = usize::try_from(status).ok()?.checked_sub(1)?;
    STATUSES.get(at).copied()
}

/// A kind of errors that is a status of gRPC, such as `grpc-not-found`, likewise.
pub fn status(kind: &str) -> Option<&'static str> {
    let name = kind.strip_prefix("grpc-")?.replace('-', "_").to_uppercase();
    let is_it = |text: &&&str| text.rsplit(' ').next() == Some(&name);
    STATUSES.iter().find(is_it).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_its_name_by_number_and_by_kind() {
        assert_eq!(named(5), Some("grpc-status 5 NOT_FOUND"));
        assert_eq!(status("grpc-not-found"), named(5));
        assert_eq!(status("grpc-unauthenticated"), named(16));
        for none in ["grpc-framing", "grpc-5", "timeout", "grpc-"] {
            assert_eq!(status(none), None, "{none}");
        }
        for none in [0, 17, u64::MAX] {
            assert_eq!(named(none), None, "{none}");
        }
        for (at, text) in STATUSES.iter().enumerate() {
            assert!(
                text.starts_with(&format!("grpc-status {} ", at + 1)),
                "{text}"
            );
        }
    }
}
