//! One file a command.

pub mod agent;
pub mod audit;
pub mod cache;
pub mod capacity;
pub mod compare;
pub mod doctor;
pub mod history;
pub mod list;
pub mod load;
pub mod manual;
pub mod plan;
pub mod report;
pub mod revisions;
pub mod run;
pub mod schema;
pub mod server;
pub mod stages;
