//! photofinish as a person uses it: the binary, in a folder of its own, with real servers.
//!
//! One binary for all topics, a module each, so that they share one link and one set of helpers.

mod accuracy;
mod action;
mod already;
mod around;
mod attacks;
mod audit;
mod bad_files;
mod bad_flags;
mod capacity;
mod changing;
mod compare;
mod endings;
mod failures;
mod files;
mod grpc;
mod harm;
mod http2;
mod https;
mod interrupts;
mod killed;
mod limit;
mod load;
mod loopback;
mod namespaces;
mod newcomers;
mod open_loop;
mod ports;
mod preparing;
mod profiles;
mod readme;
mod redirects;
mod reports;
mod repository;
mod requests;
mod revisions;
mod running;
mod secrets;
mod signals;
mod support;
mod terminal;
mod test_all;
mod turns;
mod unix;
mod websocket;
