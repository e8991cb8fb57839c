//! photofinish-stats
