//! What to send, to whom, how fast and for how long: data that can be sent to another machine.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use photofinish_model::{
    Address, Arrivals, Exchange, Load, Requests, SHORTEST_TIMEOUT, Stage, Tls, Version,
};
use serde::{Deserialize, Serialize};

use crate::baseline::Baseline;
use crate::clock::{self, MILLISECOND, Nanos, SECOND};
use crate::error::ConfigError;
use crate::protocols::Terms;

/// One load run: connections are opened, load flows for one [`Slice`], connections are closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The server.
    pub address: Address,
    /// What requests call it: the `Host` header's value.
    pub authority: String,
    /// What goes out and what must come back.
    pub exchange: Exchange,
    /// How TLS is spoken; `None`: it is not.
    pub tls: Option<Tls>,
    /// After how many requests a connection is closed and another opened in its place; `None`: only when the server wishes so. With 1
    /// the requests say so (`Connection: close`). HTTP/1.1 only.
    pub requests_per_connection: Option<u32>,
    /// What responses were like when the server was verified; `None` where that is not known, they differ from one another, or
    /// the exchange itself states what must come back.
    pub baseline: Option<Baseline>,
    /// How many connections are open, and when requests are due. A search is many runs, and none by itself.
    pub load: Load,
    /// Which part of that load this generator sends.
    pub share: Share,
    /// The rate of an open loop over time, in place of its constant one; empty = that.
    pub stages: Vec<Stage>,
    /// When the run ends.
    pub until: Until,
    /// How long load flows before the window opens; requests due in it are not measured.
    pub lead_in: Duration,
    /// How long each window is that is reported while the run goes on, and in its outcome; 1 ms at least.
    pub window: Duration,
    /// How long a response may take; also how long the run waits for responses after its end.
    pub timeout: Duration,
    /// The cores to run on, one thread each; empty = `threads` threads that are not pinned.
    pub cpus: Vec<usize>,
    /// Threads when `cpus` is empty.
    pub threads: usize,
    /// The seed of random choices: Poisson arrivals, and what varies in requests.
    pub seed: u64,
    /// Whether threads of a closed loop look for a millisecond whether something comes before they sleep. For those that have cores of their
    /// own: a thread that sleeps has to be woken by the server, late by more than a response takes on many machines, and whether both sides
    /// keep each other awake is a matter of luck that differs from slice to slice.
    pub eager: bool,
    /// How long a thread of a closed loop sleeps after it has sent requests, so that it handles all responses that come
    /// meanwhile together; zero = not at all. Each request costs less CPU time and fewer system calls. Response times stay
    /// those of the kernel, but each next request waits up to this time, which is part of the turnaround.
    pub batch: Duration,
}

impl Config {
    /// The longest [`batch`](Config::batch): a load with longer pauses is none that a closed loop stands for.
    pub const LONGEST_BATCH: Duration = Duration::from_millis(10);

    /// A plain load: without TLS, ramp-up and baseline, from one thread, with windows of 1 s and a timeout of 10 s.
    pub fn new(
        address: impl Into<Address>,
        exchange: Exchange,
        load: Load,
        until: Until,
    ) -> Config {
        let address = address.into();
        Config {
            authority: address.authority(),
            address,
            exchange,
            tls: None,
            requests_per_connection: None,
            baseline: None,
            load,
            share: Share::WHOLE,
            stages: Vec::new(),
            until,
            lead_in: Duration::ZERO,
            window: Duration::from_secs(1),
            timeout: Duration::from_secs(10),
            cpus: Vec::new(),
            threads: 1,
            seed: 1,
            eager: false,
            batch: Duration::ZERO,
        }
    }

    /// Whether it can be, apart from what it says of a slice and of the exchange.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self.connections() == 0 {
            return Err(ConfigError::NoConnection);
        }
        if self.share.index >= self.share.of {
            return Err(ConfigError::Share);
        }
        if self.cpus.is_empty() && self.threads == 0 {
            return Err(ConfigError::NoThread);
        }
        if self.timeout < SHORTEST_TIMEOUT {
            return Err(ConfigError::ShortTimeout);
        }
        if self.batch > Config::LONGEST_BATCH || (self.is_open() && !self.batch.is_zero()) {
            let most = Config::LONGEST_BATCH;
            return Err(ConfigError::Batch { most });
        }
        if let Some(requests) = self.requests_per_connection {
            let http1 = matches!(
                self.exchange,
                Exchange::Http {
                    version: Version::Http1,
                    ..
                } | Exchange::Requests(Requests {
                    version: Version::Http1,
                    ..
                })
            );
            if !http1 || requests == 0 {
                return Err(ConfigError::RequestsPerConnection);
            }
        }
        match self.load {
            Load::Capacity(_) => Err(ConfigError::Search),
            Load::Closed { .. } | Load::Open { .. } => Ok(()),
        }
    }

    /// Whether a slice of it can be.
    pub(crate) fn validate_slice(&self, slice: &Slice) -> Result<(), ConfigError> {
        if let Some((_, stages)) = self.schedule(slice) {
            let mut rates = stages.iter().flat_map(|stage| [stage.from, stage.to]);
            if !rates.clone().all(|rate| (0.0..1e9).contains(&rate)) {
                return Err(ConfigError::Rate);
            }
            if rates.all(|rate| rate == 0.0) {
                return Err(ConfigError::NoRate);
            }
        }
        match slice.until {
            Until::Requests(requests) if self.share.dealt(requests) == 0 => {
                Err(ConfigError::NoRequest)
            }
            Until::Elapsed(duration) if duration.is_zero() => Err(ConfigError::NoDuration),
            Until::Elapsed(duration) if clock::nanos(duration) > 1_000_000_000 * SECOND => {
                Err(ConfigError::TooLong)
            }
            _ => Ok(()),
        }
    }

    /// What its protocol needs to know.
    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms {
            exchange: &self.exchange,
            authority: &self.authority,
            encrypted: self.tls.is_some(),
            requests_per_connection: self.requests_per_connection,
            baseline: self.baseline.as_ref(),
            connections: self.load.connections() as usize,
            seed: self.seed,
        }
    }

    /// The only slice of the run.
    pub fn slice(&self) -> Slice {
        Slice {
            stages: self.stages.clone(),
            until: self.until,
            lead_in: self.lead_in,
            window: self.window,
            seed: self.seed,
            begin: None,
        }
    }

    /// How many connections are open: those of its share.
    pub fn connections(&self) -> u32 {
        // A part of a u32.
        self.share.dealt(self.load.connections().into()) as u32
    }

    /// Whether requests are due by a schedule.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.load, Load::Open { .. })
    }

    /// When requests of an open loop are due in a slice; `None`: it is a closed one.
    pub(crate) fn schedule<'s>(&self, slice: &'s Slice) -> Option<(Arrivals, Cow<'s, [Stage]>)> {
        let Load::Open { rate, arrivals, .. } = self.load else {
            return None;
        };
        let stages = match slice.stages.is_empty() {
            false => Cow::Borrowed(&slice.stages[..]),
            // The last stage's rate holds on.
            true => Cow::Owned(vec![Stage {
                duration: Duration::from_secs(1),
                from: rate,
                to: rate,
            }]),
        };
        Some((arrivals, stages))
    }
}

/// One stretch of load on connections that stay open: when it ends, and what of it is measured. The fields are those of
/// [`Config`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// The rate of an open loop over time, in place of its constant one; empty = that.
    pub stages: Vec<Stage>,
    /// When it ends.
    pub until: Until,
    /// How long load flows before the window opens; requests due in it are not measured.
    pub lead_in: Duration,
    /// How long each window is that is reported while load flows, and in the outcome; 1 ms at least.
    pub window: Duration,
    /// The seed of Poisson arrivals.
    pub seed: u64,
    /// When load begins by this machine's clock; `None` = at once. Where that is too soon for this machine the lead-in is shorter, and
    /// the window opens when it was to; where that has passed too, it opens late ([`Outcome::started`](crate::Outcome::started)).
    pub begin: Option<SystemTime>,
}

/// One generator's part of a load that several send: a fair one, so that together they send what one would.
///
/// Connections and requests are dealt out evenly. Of constant arrivals each takes every so-manieth, of Poisson arrivals a stream of
/// its own at the same part of the rate: their sum is a Poisson process of the whole rate (superposition).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Which one, from 0.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

impl Share {
    /// One generator sends it all.
    pub const WHOLE: Share = Share { index: 0, of: 1 };

    /// How many of so many things it gets.
    pub fn dealt(self, all: u64) -> u64 {
        let of = self.of.max(1) as u64;
        all / of + u64::from((self.index as u64) < all % of)
    }

    /// How many of them those before it get.
    pub fn before(self, all: u64) -> u64 {
        let of = self.of.max(1) as u64;
        let index = self.index as u64;
        all / of * index + index.min(all % of)
    }
}

impl Slice {
    /// The length of a window on the run's clock.
    pub(crate) fn window_length(&self) -> Nanos {
        clock::nanos(self.window).max(MILLISECOND)
    }

    /// How many requests a share of it sends; `None`: it ends by time.
    pub(crate) fn requests(&self, share: Share) -> Option<u64> {
        match self.until {
            Until::Requests(requests) => Some(share.dealt(requests)),
            Until::Elapsed(_) => None,
        }
    }

    /// When load begins where it could at `soonest`: the origin of schedule and window.
    pub(crate) fn begins(&self, soonest: Nanos) -> Nanos {
        let begin = self.begin.map(|begin| {
            let since = begin.duration_since(SystemTime::UNIX_EPOCH);
            clock::nanos(since.unwrap_or_default())
        });
        let lead_in = clock::nanos(self.lead_in());
        begin.map_or(soonest, |begin| begin.max(soonest.saturating_sub(lead_in)))
    }

    /// How long load flows before the window opens: where requests are counted, not at all.
    pub fn lead_in(&self) -> Duration {
        match self.until {
            Until::Requests(_) => Duration::ZERO,
            Until::Elapsed(_) => self.lead_in,
        }
    }
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// After exactly so many requests.
    Requests(u64),
    /// After this long.
    Elapsed(Duration),
}

#[cfg(test)]
mod tests {
    use photofinish_model::secret::exposing;
    use photofinish_model::{Expect, Request};

    use super::*;

    #[test]
    fn a_batch_is_short_and_of_a_closed_loop() {
        let server = std::net::SocketAddr::from(([127, 0, 0, 1], 80));
        let echo = Exchange::TcpEcho { size: 1 };
        let closed = Load::Closed { connections: 1 };
        let open = Load::Open {
            rate: 1.0,
            arrivals: Arrivals::Constant,
            connections: 1,
        };
        let most = Config::LONGEST_BATCH;
        let refused = Err(ConfigError::Batch { most });
        for (load, batch, expected) in [
            (&closed, most, Ok(())),
            (&closed, most + Duration::from_nanos(1), refused),
            (&open, Duration::ZERO, Ok(())),
            (
                &open,
                Duration::from_micros(1),
                Err(ConfigError::Batch { most }),
            ),
        ] {
            let until = Until::Requests(1);
            let config = Config {
                batch,
                ..Config::new(server, echo.clone(), load.clone(), until)
            };
            assert_eq!(config.validate(), expected, "{load:?}, {batch:?}");
        }
    }

    #[test]
    fn what_is_to_be_done_survives_a_journey() {
        let address: std::net::SocketAddr = "[::1]:80".parse().unwrap();
        let config = Config {
            address: address.into(),
            authority: "localhost:80".to_owned(),
            baseline: Some(Baseline::of(200, b"\xff")),
            tls: Some(Tls::default()),
            requests_per_connection: Some(7),
            exchange: Exchange::Http {
                request: Request::get("/a?{random:1..9}"),
                expect: Expect::default(),
                version: Version::Http1,
            },
            load: Load::Closed { connections: 3 },
            share: Share { index: 1, of: 2 },
            stages: vec![Stage {
                duration: Duration::from_millis(1),
                from: 0.1,
                to: 1e6,
            }],
            until: Until::Elapsed(Duration::from_nanos(1)),
            lead_in: Duration::MAX,
            window: Duration::ZERO,
            timeout: Duration::from_secs(1),
            cpus: vec![0, 3],
            threads: 2,
            seed: u64::MAX,
            eager: true,
            batch: Duration::from_micros(100),
        };
        let sent = |config: &Config| -> Config {
            let json = exposing(|| serde_json::to_string(config)).unwrap();
            serde_json::from_str(&json).unwrap()
        };
        assert_eq!(sent(&config), config);
        let by_number = Config {
            until: Until::Requests(u64::MAX),
            ..config
        };
        assert_eq!(sent(&by_number), by_number);
    }

    #[test]
    fn shares_add_up_and_are_fair() {
        for (all, of) in [(10, 3), (2, 2), (1, 1), (7, 7), (1_000_003, 1_000)] {
            let shares: Vec<Share> = (0..of).map(|index| Share { index, of }).collect();
            let dealt: Vec<u64> = shares.iter().map(|share| share.dealt(all)).collect();
            assert_eq!(dealt.iter().sum::<u64>(), all);
            assert!(
                dealt
                    .iter()
                    .max()
                    .zip(dealt.iter().min())
                    .is_some_and(|(most, least)| most - least <= 1)
            );
            let mut before = 0;
            for (share, dealt) in shares.iter().zip(dealt) {
                assert_eq!(share.before(all), before);
                before += dealt;
            }
        }
    }

    #[test]
    fn a_slice_begins_when_it_was_agreed_or_as_little_later_as_can_be() {
        let at = |nanos| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos);
        let slice = |begin| Slice {
            stages: Vec::new(),
            until: Until::Elapsed(Duration::from_secs(1)),
            lead_in: Duration::from_nanos(100),
            window: Duration::from_secs(1),
            seed: 1,
            begin,
        };
        assert_eq!(slice(None).begins(5_000), 5_000);
        assert_eq!(slice(Some(at(9_000))).begins(5_000), 9_000);
        // The window opens at 5,090 as it was to.
        assert_eq!(slice(Some(at(4_990))).begins(5_000), 4_990);
        // It was to open at 4,900, which is over.
        assert_eq!(slice(Some(at(4_800))).begins(5_000), 4_900);
    }
}
