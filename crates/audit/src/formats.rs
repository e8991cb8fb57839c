//! The registry of formats. To add one: a file here, its `mod`, and its line in [`all`].

mod ab;
mod artillery;
mod autocannon;
mod bombardier;
mod fortio;
mod gatling;
mod go_stress_testing;
mod h2load;
mod hey;
mod jmeter;
mod jtl;
mod k6;
mod locust;
mod oha;
mod siege;
mod table;
mod vegeta;
mod wrk;

use crate::format::Format;
use crate::gather::Gather;

/// One reader of each format, in the order in which they see a line.
pub fn all() -> Vec<Box<dyn Format>> {
    vec![
        // A result file of JMeter may be large and its fields may hold any text: the others skip its rows.
        Box::<jtl::Reader>::default(),
        Box::<Gather<ab::Report>>::default(),
        Box::<Gather<wrk::Report>>::default(),
        Box::<jmeter::Reader>::default(),
        Box::<Gather<go_stress_testing::Report>>::default(),
        Box::<Gather<artillery::Report>>::default(),
        Box::<Gather<autocannon::Report>>::default(),
        Box::<Gather<bombardier::Report>>::default(),
        Box::<Gather<fortio::Report>>::default(),
        Box::<Gather<gatling::Report>>::default(),
        Box::<Gather<h2load::Report>>::default(),
        Box::<Gather<hey::Report>>::default(),
        Box::<Gather<k6::Report>>::default(),
        Box::<Gather<locust::Report>>::default(),
        Box::<Gather<oha::Report>>::default(),
        Box::<Gather<siege::Report>>::default(),
        Box::<Gather<vegeta::Report>>::default(),
        Box::<table::Reader>::default(),
    ]
}
