//! The registry of formats. To add one: a file here, its `mod`, and its line in [`all`].

mod ab;
mod go_stress_testing;
mod jmeter;
mod jtl;
mod table;
mod wrk;

use crate::format::Format;

/// One reader of each format, in the order in which they see a line.
pub fn all() -> Vec<Box<dyn Format>> {
    vec![
        // A result file of JMeter may be large and its fields may hold any text: the others skip its rows.
        Box::<jtl::Reader>::default(),
        Box::<ab::Reader>::default(),
        Box::<wrk::Reader>::default(),
        Box::<jmeter::Reader>::default(),
        Box::<go_stress_testing::Reader>::default(),
        Box::<table::Reader>::default(),
    ]
}
