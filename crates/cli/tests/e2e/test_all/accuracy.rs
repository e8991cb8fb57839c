//! The protocols of `accuracy` in the remaining combinations.

use crate::accuracy::{GRPC_TLS, HTTP2, TLS, UNIX_SOCKET, WEBSOCKET_TLS};

#[test]
fn of_calls_over_grpc_and_tls() {
    GRPC_TLS.measures_the_truth();
}

#[test]
fn of_messages_over_websocket_and_tls() {
    WEBSOCKET_TLS.measures_the_truth();
}

#[test]
fn over_http2_with_ten_streams_on_each_of_ten_connections() {
    HTTP2.measures_the_truth();
}

#[test]
fn of_a_freeze_over_a_unix_socket() {
    UNIX_SOCKET.measures_a_freeze();
}

#[test]
fn of_a_freeze_over_tls() {
    TLS.measures_a_freeze();
}

#[test]
fn of_a_freeze_over_http2() {
    HTTP2.measures_a_freeze();
}

#[test]
fn of_a_freeze_over_grpc_and_tls() {
    GRPC_TLS.measures_a_freeze();
}

#[test]
fn of_a_freeze_over_websocket_and_tls() {
    WEBSOCKET_TLS.measures_a_freeze();
}
