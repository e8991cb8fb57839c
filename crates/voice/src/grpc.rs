//! The words of gRPC itself, which are the same in every language.

/// A kind of errors that is a status of gRPC, as gRPC writes it.
pub(crate) fn status(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "grpc-cancelled" => "grpc-status 1 CANCELLED",
        "grpc-unknown" => "grpc-status 2 UNKNOWN",
        "grpc-invalid-argument" => "grpc-status 3 INVALID_ARGUMENT",
        "grpc-deadline-exceeded" => "grpc-status 4 DEADLINE_EXCEEDED",
        "grpc-not-found" => "grpc-status 5 NOT_FOUND",
        "grpc-already-exists" => "grpc-status 6 ALREADY_EXISTS",
        "grpc-permission-denied" => "grpc-status 7 PERMISSION_DENIED",
        "grpc-resource-exhausted" => "grpc-status 8 RESOURCE_EXHAUSTED",
        "grpc-failed-precondition" => "grpc-status 9 FAILED_PRECONDITION",
        "grpc-aborted" => "grpc-status 10 ABORTED",
        "grpc-out-of-range" => "grpc-status 11 OUT_OF_RANGE",
        "grpc-unimplemented" => "grpc-status 12 UNIMPLEMENTED",
        "grpc-internal" => "grpc-status 13 INTERNAL",
        "grpc-unavailable" => "grpc-status 14 UNAVAILABLE",
        "grpc-data-loss" => "grpc-status 15 DATA_LOSS",
        "grpc-unauthenticated" => "grpc-status 16 UNAUTHENTICATED",
        _ => return None,
    })
}
