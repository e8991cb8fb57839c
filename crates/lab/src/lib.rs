//! photofinish-lab
