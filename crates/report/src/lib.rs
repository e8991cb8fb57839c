//! photofinish-report
pub mod audit;
