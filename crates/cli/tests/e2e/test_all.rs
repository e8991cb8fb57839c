//! What `make test-all` runs and `make test` does not: tests that take databases, containers, other machines or a cluster, and tests
//! that repeat a promise for one more protocol.

mod accuracy;
mod bare;
mod containers;
mod java;
mod kubernetes;
mod machines;
mod packages;
mod services;
mod slurm;
mod ssh;
