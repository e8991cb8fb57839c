//! The kinds of databases that there are.

use photofinish_study::plan::ServiceKind;

use super::kinds::Kind;
use super::{mariadb, postgresql};

/// What is known of a kind.
pub(super) fn kind(kind: ServiceKind) -> &'static Kind {
    match kind {
        ServiceKind::Postgresql => &postgresql::KIND,
        ServiceKind::Mariadb => &mariadb::KIND,
    }
}
