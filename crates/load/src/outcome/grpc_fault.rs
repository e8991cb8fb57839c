//! How calls fail.

use serde::{Deserialize, Serialize};

/// How a call failed, by its `grpc-status` or before one could count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrpcFault {
    /// Status 1.
    Cancelled,
    /// Status 2, and each that has no meaning.
    Unknown,
    /// Status 3.
    InvalidArgument,
    /// Status 4.
    DeadlineExceeded,
    /// Status 5.
    NotFound,
    /// Status 6.
    AlreadyExists,
    /// Status 7.
    PermissionDenied,
    /// Status 8.
    ResourceExhausted,
    /// Status 9.
    FailedPrecondition,
    /// Status 10.
    Aborted,
    /// Status 11.
    OutOfRange,
    /// Status 12.
    Unimplemented,
    /// Status 13.
    Internal,
    /// Status 14.
    Unavailable,
    /// Status 15.
    DataLoss,
    /// Status 16.
    Unauthenticated,
    /// There is no status, or none that is a number.
    NoStatus,
    /// The response is not gRPC's.
    NotSpoken,
    /// The content is no row of whole messages.
    Framing,
    /// A message is compressed, which was not allowed.
    Compressed,
    /// The reply has another number of messages than its method's replies have.
    Messages,
}

impl GrpcFault {
    /// All of them, those with a status first, by their numbers from 1 on.
    pub const ALL: [GrpcFault; 21] = [
        GrpcFault::Cancelled,
        GrpcFault::Unknown,
        GrpcFault::InvalidArgument,
        GrpcFault::DeadlineExceeded,
        GrpcFault::NotFound,
        GrpcFault::AlreadyExists,
        GrpcFault::PermissionDenied,
        GrpcFault::ResourceExhausted,
        GrpcFault::FailedPrecondition,
        GrpcFault::Aborted,
        GrpcFault::OutOfRange,
        GrpcFault::Unimplemented,
        GrpcFault::Internal,
        GrpcFault::Unavailable,
        GrpcFault::DataLoss,
        GrpcFault::Unauthenticated,
        GrpcFault::NoStatus,
        GrpcFault::NotSpoken,
        GrpcFault::Framing,
        GrpcFault::Compressed,
        GrpcFault::Messages,
    ];

    /// What a `grpc-status` other than 0 means; one without a meaning is [`GrpcFault::Unknown`], as gRPC demands.
    pub fn of_status(status: u64) -> GrpcFault {
        let at = usize::try_from(status).ok().and_then(|n| n.checked_sub(1));
        at.and_then(|at| GrpcFault::ALL[..16].get(at))
            .copied()
            .unwrap_or(GrpcFault::Unknown)
    }

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            GrpcFault::Cancelled => "grpc-cancelled",
            GrpcFault::Unknown => "grpc-unknown",
            GrpcFault::InvalidArgument => "grpc-invalid-argument",
            GrpcFault::DeadlineExceeded => "grpc-deadline-exceeded",
            GrpcFault::NotFound => "grpc-not-found",
            GrpcFault::AlreadyExists => "grpc-already-exists",
            GrpcFault::PermissionDenied => "grpc-permission-denied",
            GrpcFault::ResourceExhausted => "grpc-resource-exhausted",
            GrpcFault::FailedPrecondition => "grpc-failed-precondition",
            GrpcFault::Aborted => "grpc-aborted",
            GrpcFault::OutOfRange => "grpc-out-of-range",
            GrpcFault::Unimplemented => "grpc-unimplemented",
            GrpcFault::Internal => "grpc-internal",
            GrpcFault::Unavailable => "grpc-unavailable",
            GrpcFault::DataLoss => "grpc-data-loss",
            GrpcFault::Unauthenticated => "grpc-unauthenticated",
            GrpcFault::NoStatus => "grpc-no-status",
            GrpcFault::NotSpoken => "grpc-not-spoken",
            GrpcFault::Framing => "grpc-framing",
            GrpcFault::Compressed => "grpc-compressed",
            GrpcFault::Messages => "grpc-messages",
        }
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

    #[test]
    fn all_are_there_in_order() {
        for (at, fault) in GrpcFault::ALL.iter().enumerate() {
            assert_eq!(*fault as usize, at, "{}", fault.name());
        }
    }
}
