//! A complaint as JSON in a text: it is tagged for people, which a format that does not name its fields (postcard, between machines) cannot
//! read.

use photofinish_model::finding::complaint::Complaint;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub fn serialize<S: Serializer>(complaint: &Option<Complaint>, to: S) -> Result<S::Ok, S::Error> {
    let text = complaint.as_ref().map(serde_json::to_string).transpose();
    text.map_err(ser::Error::custom)?.serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Complaint>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    let complaint = text.map(|text| serde_json::from_str(&text)).transpose();
    complaint.map_err(de::Error::custom)
}
