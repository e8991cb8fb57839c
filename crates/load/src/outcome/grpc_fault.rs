//! How calls fail.

use serde::{Deserialize, Serialize};

named! {
    /// How a call failed, by its `grpc-status` or before one could count.
    #[serde(rename_all = "kebab-case")]
    GrpcFault, ALL:
    /// Status 1.
    Cancelled "grpc-cancelled";
    /// Status 2, and each that has no meaning.
    Unknown "grpc-unknown";
    /// Status 3.
    InvalidArgument "grpc-invalid-argument";
    /// Status 4.
    DeadlineExceeded "grpc-deadline-exceeded";
    /// Status 5.
    NotFound "grpc-not-found";
    /// Status 6.
    AlreadyExists "grpc-already-exists";
    /// Status 7.
    PermissionDenied "grpc-permission-denied";
    /// Status 8.
    ResourceExhausted "grpc-resource-exhausted";
    /// Status 9.
    FailedPrecondition "grpc-failed-precondition";
    /// Status 10.
    Aborted "grpc-aborted";
    /// Status 11.
    OutOfRange "grpc-out-of-range";
    /// Status 12.
    Unimplemented "grpc-unimplemented";
    /// Status 13.
    Internal "grpc-internal";
    /// Status 14.
    Unavailable "grpc-unavailable";
    /// Status 15.
    DataLoss "grpc-data-loss";
    /// Status 16.
    Unauthenticated "grpc-unauthenticated";
    /// There is no status, or none that is a number.
    NoStatus "grpc-no-status";
    /// The response is not gRPC's.
    NotSpoken "grpc-not-spoken";
    /// The content is no row of whole messages.
    Framing "grpc-framing";
    /// A message is compressed, which was not allowed.
    Compressed "grpc-compressed";
    /// The reply has another number of messages than its method's replies have.
    Messages "grpc-messages";
}

impl GrpcFault {
    /// What a `grpc-status` other than 0 means; one without a meaning is [`GrpcFault::Unknown`], as gRPC demands.
    pub fn of_status(status: u64) -> GrpcFault {
        let at = usize::try_from(status).ok().and_then(|n| n.checked_sub(1));
        at.and_then(|at| GrpcFault::ALL[..16].get(at))
            .copied()
            .unwrap_or(GrpcFault::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_its_number() {
        assert_eq!(GrpcFault::of_status(1), GrpcFault::Cancelled);
        assert_eq!(GrpcFault::of_status(14), GrpcFault::Unavailable);
        assert_eq!(GrpcFault::of_status(16), GrpcFault::Unauthenticated);
        for none in [0, 17, 99, u64::MAX] {
            assert_eq!(GrpcFault::of_status(none), GrpcFault::Unknown, "{none}");
        }
    }
}
