//! How late something is or how long it takes, noted all the time.

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Serializer as _;
use hdrhistogram::serialization::{Deserializer as Decoder, V2Serializer};
use photofinish_load::Control;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Request;
use crate::Error;
use crate::agent::{Agent, Thing};
use crate::hiccup::{self, FINE};
use crate::host::{Call, Host, Made};
use crate::meter::Noting;
use crate::reference;
use crate::several::Several;

/// Something that is noted until this is dropped, in nanoseconds.
pub struct Meter {
    /// `None`: there could be none.
    made: Option<Made>,
}

impl Host {
    /// Starts a meter: [`Hiccups`], [`Reference`] or [`Wakes`].
    pub fn meter<R: Request<Reply = ()>>(&self, meter: R) -> Meter {
        let made = self.make(meter, &Control::default());
        Meter {
            made: made.ok().map(|(made, ())| made),
        }
    }
}

impl Meter {
    /// What was noted since the last lap; `None` where nothing was.
    pub fn lap(&self) -> Option<Histogram<u64>> {
        let Made { host, number } = self.made.as_ref()?;
        Some(host.known(Lap(*number))?.0)
    }

    /// Ends, and returns the rest.
    pub fn end(self) -> Option<Histogram<u64>> {
        let Made { host, number } = self.made.as_ref()?;
        Some(host.known(EndMeter(*number))?.0)
    }
}

/// How late a thread wakes that only sleeps, on this core where one is given.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hiccups(pub Option<usize>);

/// How long a fixed piece of arithmetic takes on this core.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reference(pub usize);

/// How late this core lets a thread run that no other thread keeps from it; no figure where that priority is not to be had.
#[derive(Debug, Serialize, Deserialize)]
pub struct Wakes(pub usize);

impl Request for Hiccups {
    type Reply = ();

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<(), Error> {
        keep(agent, call, hiccup::hiccups(self.0, FINE))
    }

    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<(), Error> {
        several.start_meters(call, self.0, |host, cpu| host.meter(Hiccups(cpu)))
    }
}

impl Request for Reference {
    type Reply = ();

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<(), Error> {
        keep(agent, call, reference::reference(self.0))
    }

    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<(), Error> {
        several.start_meters(call, Some(self.0), |host, cpu| {
            host.meter(Reference(cpu.unwrap_or(self.0)))
        })
    }
}

impl Request for Wakes {
    type Reply = ();

    fn perform(self, agent: &Agent, call: &Call<'_>) -> Result<(), Error> {
        keep(agent, call, hiccup::wakes(self.0))
    }

    fn of_several(self, several: &Several, call: &Call<'_>) -> Result<(), Error> {
        several.start_meters(call, Some(self.0), |host, cpu| {
            host.meter(Wakes(cpu.unwrap_or(self.0)))
        })
    }
}

fn keep(agent: &Agent, call: &Call<'_>, meter: Noting) -> Result<(), Error> {
    agent.keep(call, Thing::Meter(meter));
    Ok(())
}

/// What the meter of this number has noted since the last lap.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lap(pub u64);

/// The same, which ends it.
#[derive(Debug, Serialize, Deserialize)]
pub struct EndMeter(pub u64);

impl Request for Lap {
    type Reply = Option<Times>;

    fn perform(self, agent: &Agent, _: &Call<'_>) -> Result<Option<Times>, Error> {
        Ok(agent.meter(self.0, Noting::lap)?.map(Times))
    }

    fn of_several(self, several: &Several, _: &Call<'_>) -> Result<Option<Times>, Error> {
        Ok(several.laps(self.0).map(Times))
    }
}

impl Request for EndMeter {
    type Reply = Option<Times>;

    fn perform(self, agent: &Agent, _: &Call<'_>) -> Result<Option<Times>, Error> {
        Ok(agent.meter(self.0, Noting::end)?.map(Times))
    }

    fn of_several(self, several: &Several, _: &Call<'_>) -> Result<Option<Times>, Error> {
        Ok(several.last_laps(self.0).map(Times))
    }
}

/// Times in nanoseconds, which travel in HdrHistogram's own format.
#[derive(Debug)]
pub struct Times(pub Histogram<u64>);

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        let written = V2Serializer::new().serialize(&self.0, &mut bytes);
        written.map_err(S::Error::custom)?;
        serializer.serialize_bytes(&bytes)
    }
}

impl<'d> Deserialize<'d> for Times {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Times, D::Error> {
        let bytes: Vec<u8> = Deserialize::deserialize(deserializer)?;
        let read = Decoder::new().deserialize(&mut &bytes[..]);
        read.map(Times).map_err(D::Error::custom)
    }
}
