//! photofinish-report
