//! What photofinish says: a catalogue of sentences in English and one in Chinese, over the same findings.
//!
//! Whatever is shown is a *finding*: a code with arguments, an enum of `photofinish_model::finding`, made by whoever found it. The
//! words are here and nowhere else, one file an area in `en` and in `zh`. A `match` without a wildcard over the codes makes a
//! sentence that is lacking in either language an error of the compiler.

#![forbid(unsafe_code)]

mod because;
pub mod check;
mod en;
mod grpc;
mod http2;
pub mod label;
pub mod noise;
mod rounds;
mod typeset;
mod zh;

use photofinish_model::finding::asked::Asked;
use photofinish_model::finding::because::Because;
use photofinish_model::finding::capacity::{Broken, CapacityFinding, LowerBound};
use photofinish_model::finding::check::{CheckFinding, Difference};
use photofinish_model::finding::claim::{ClaimFinding, ClaimVerdict, Stated};
use photofinish_model::finding::complaint::Complaint;
use photofinish_model::finding::days::{Changed, Differs};
use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::finding::ending::EndingFinding;
use photofinish_model::finding::failure::{
    FailureFinding, LoadTrouble, NoResponse, PortHolder, Printed, RequestFault, ServiceTrouble,
    StartedDatabase, Wrong,
};
use photofinish_model::finding::figures::FigureFinding;
use photofinish_model::finding::headline::{Headline, Place};
use photofinish_model::finding::history::HistoryFinding;
use photofinish_model::finding::latency::LatencyProblem;
use photofinish_model::finding::left_out::LeftOut;
use photofinish_model::finding::network::NetworkFinding;
use photofinish_model::finding::noise::NoiseFinding;
use photofinish_model::finding::run_check::RunCheckFinding;
use photofinish_model::finding::scaling::ScalingFinding;
use photofinish_model::finding::single::SingleFinding;
use photofinish_model::finding::sustained::SustainedFinding;
use photofinish_model::finding::sweep::SweepFinding;
use photofinish_model::finding::threshold::Threshold;
use photofinish_model::finding::verdict::{Amount, Needed, Note, Outcome, VerdictFinding, Void};
use photofinish_model::finding::windows::WindowsFinding;
use photofinish_model::{Load, Metric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use photofinish_model::message::Language;

/// What can be said in words.
pub trait Say {
    /// The sentence, or the part of one, in a language.
    fn say(&self, language: Language) -> String;
}

/// A finding with its sentence in each language, as a comparison and the page carry it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Message_for_{F}")]
pub struct Message<F> {
    /// What was found: a code with its arguments.
    pub finding: F,
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

impl<F: Say> From<F> for Message<F> {
    fn from(finding: F) -> Message<F> {
        Message {
            en: finding.say(Language::En),
            zh: finding.say(Language::Zh),
            finding,
        }
    }
}

impl<F> Message<F> {
    /// The sentence in a language.
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

/// Makes what is listed sayable: the area of the catalogues, the function in it, and what it says.
macro_rules! said {
    ($($area:ident :: $function:ident($what:ty);)+) => {
        $(impl Say for $what {
            fn say(&self, language: Language) -> String {
                match language {
                    Language::En => en::$area::$function(self).into(),
                    Language::Zh => {
                        let text: String = zh::$area::$function(self).into();
                        typeset::spaced(&text)
                    }
                }
            }
        })+
    };
}

said! {
    asked::asked(Asked);
    because::because(Because);
    capacity::broken(Broken);
    capacity::finding(CapacityFinding);
    capacity::lower_bound(LowerBound);
    check::finding(CheckFinding);
    claim::claim(ClaimFinding);
    claim::stated(Stated);
    claim::verdict(ClaimVerdict);
    complaint::complaint(Complaint);
    complaint::difference(Difference);
    days::changed(Changed);
    days::differs(Differs);
    doubt::doubt(DoubtFinding);
    ending::finding(EndingFinding);
    failure::database(StartedDatabase);
    failure::fault(RequestFault);
    failure::finding(FailureFinding);
    failure::holder(PortHolder);
    failure::no_load(LoadTrouble);
    failure::no_response(NoResponse);
    failure::printed(Printed);
    failure::trouble(ServiceTrouble);
    failure::wrong(Wrong);
    figures::finding(FigureFinding);
    headline::headline(Headline);
    history::finding(HistoryFinding);
    latency::problem(LatencyProblem);
    left_out::finding(LeftOut);
    load::level(Load);
    load::place(Place);
    metric::name(Metric);
    network::finding(NetworkFinding);
    noise::finding(NoiseFinding);
    run_check::finding(RunCheckFinding);
    scaling::finding(ScalingFinding);
    single::finding(SingleFinding);
    sustained::finding(SustainedFinding);
    sweep::finding(SweepFinding);
    threshold::threshold(Threshold);
    verdict::amount(Amount);
    verdict::needed(Needed);
    verdict::note(Note);
    verdict::outcome(Outcome);
    verdict::verdict(VerdictFinding);
    verdict::void(Void);
    windows::finding(WindowsFinding);
}
