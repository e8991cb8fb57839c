//! What grows with generators: slices of so many are read, put together and added up, as photofinish does with what agents send.
//!
//!     cargo run --release --locked -p photofinish-load --example merge -- 1000
//!
//! Prints JSON: bytes of one generator's slice as it travels, milliseconds for all of them, MB that are kept of one target's level, MB at most;
//! and, of few generators, by how many bins percentiles are off those of all raw times.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::Histogram;
use photofinish_load::{Ahead, Compact, Opening, Outcome, Part};
use photofinish_stats::Random;

/// Requests of each generator's slice: half a second at 20,000 per second.
const REQUESTS: u64 = 10_000;
/// How long a response takes on average, in nanoseconds.
const MEAN: f64 = 1e6;
/// A target's level in turns has so many slices in a round.
const SLICES: u32 = 10;
/// Of so many generators the raw times are kept beside the histograms; those of more would be most of the memory.
const POOLED: u64 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).unwrap_or("1000".to_owned());
    let count: u64 = count.parse()?;
    let mut wire = 0;
    let [mut decode, mut together, mut add] = [Duration::ZERO; 3];
    let before = resident("VmRSS:")?;
    let mut level: Option<Outcome> = None;
    let mut raw = Vec::new();
    for slice in 0..SLICES {
        let mut parts = Vec::new();
        for generator in 0..count {
            let measured = outcome(generator, slice, &mut |time| {
                if count <= POOLED {
                    raw.push(time);
                }
            })?;
            let bytes = postcard::to_extend(&measured, Vec::new())?;
            drop(measured);
            wire += bytes.len() as u64;
            let begun = Instant::now();
            let came: Outcome = postcard::from_bytes(&bytes)?;
            parts.push(Part {
                machine: format!("generator-{generator}"),
                connections: 8,
                clock: Ahead::default(),
                outcome: Compact::from(came),
            });
            decode += begun.elapsed();
        }
        let begun = Instant::now();
        let all = Outcome::together(parts).ok_or("no generator")?;
        together += begun.elapsed();
        let begun = Instant::now();
        match &mut level {
            Some(level) => level.add(&all),
            level @ None => *level = Some(all),
        }
        add += begun.elapsed();
    }
    let level = level.ok_or("no slice")?;
    let off = bins_off(&level.latency, raw);
    // What was freed and not given back is not kept.
    // SAFETY: it has no preconditions.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
    let kept = resident("VmRSS:")?.saturating_sub(before);
    let expected = count * u64::from(SLICES) * REQUESTS;
    if level.latency.len() != expected {
        return Err(format!("{} requests of {expected}", level.latency.len()).into());
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(SLICES);
    println!(
        "{{\"generators\": {count}, \"wire_bytes\": {}, \"decode_ms\": {:.2}, \"together_ms\": {:.2}, \"add_ms\": {:.2}, \"kept_mb\": {:.1}, \"peak_mb\": {:.1}, \"bins_off\": {}}}",
        wire / (count * u64::from(SLICES)),
        ms(decode),
        ms(together),
        ms(add),
        kept as f64 / 1e3,
        resident("VmHWM:")? as f64 / 1e3,
        off.map_or("null".to_owned(), |off| off.to_string())
    );
    Ok(())
}

/// By how many bins any percentile is off that of all raw times; `None` where those were not kept.
fn bins_off(histogram: &Histogram<u64>, mut raw: Vec<u64>) -> Option<u64> {
    raw.sort_unstable();
    let last = raw.len().checked_sub(1)?;
    let off = |permille: usize| {
        let place = (raw.len() * permille).div_ceil(1_000).saturating_sub(1);
        let (pooled, merged) = (
            raw[place.min(last)],
            histogram.value_at_quantile(permille as f64 / 1_000.0),
        );
        let [pooled, merged] = [pooled, merged].map(|time| histogram.lowest_equivalent(time));
        let width = histogram.equivalent_range(pooled.max(merged));
        pooled.abs_diff(merged).div_ceil(width)
    };
    (1..=1_000).map(off).max()
}

/// What one of them measured in one slice; each raw time is passed on.
fn outcome(
    generator: u64,
    slice: u32,
    raw: &mut dyn FnMut(u64),
) -> Result<Outcome, Box<dyn Error>> {
    let mut random = Random::stream(generator, u64::from(slice));
    let [mut latency, mut lag] = [histogram()?, histogram()?];
    for _ in 0..REQUESTS {
        let time = 50_000 + (random.exponential() * MEAN) as u64;
        latency.record(time)?;
        raw(time);
        lag.record(1_000 + (random.exponential() * 3_000.0) as u64)?;
    }
    Ok(Outcome {
        started: SystemTime::UNIX_EPOCH,
        duration: Duration::from_millis(500),
        requests: REQUESTS,
        responses_in_window: REQUESTS,
        errors: BTreeMap::new(),
        unopened: BTreeMap::new(),
        idle_ends: BTreeMap::new(),
        service: latency.clone(),
        latency,
        lost: None,
        late: None,
        lag: Some(lag),
        turnaround: Some(Duration::from_micros(2)),
        turnarounds: REQUESTS,
        first_response: Some(Duration::from_micros(500)),
        all_responded: Some(Duration::from_micros(900)),
        drained: 4,
        mute: 0,
        idle: Duration::ZERO,
        firsts: 0,
        carried: Duration::from_micros(1),
        outlasted: Duration::from_micros(1),
        draining: Duration::from_millis(1),
        gaps: Vec::new(),
        lead_in: Duration::ZERO,
        censored: 0,
        lead_in_requests: 2_000,
        sent: REQUESTS + 2_000,
        good: REQUESTS + 2_000,
        changed: 0,
        first_change: None,
        first_change_at: None,
        offered: None,
        sent_late: 0,
        status: BTreeMap::from([(200, REQUESTS)]),
        bytes_in: 150 * REQUESTS,
        bytes_out: 60 * REQUESTS,
        connects: 0,
        reconnects: 0,
        opening: Opening::default(),
        thread_cpu: vec![Duration::from_millis(200); 2],
        windows: Vec::new(),
        kernel_timestamps: true,
        first_error: None,
        first_error_at: None,
        clock_step: Duration::ZERO,
        astray: 0,
        parts: Vec::new(),
    })
}

/// As the load generator makes them: nanoseconds up to a minute, with 3 digits.
fn histogram() -> Result<Histogram<u64>, Box<dyn Error>> {
    Ok(Histogram::new_with_bounds(1, 60_000_000_000, 3)?)
}

/// A line of this process's status, in kB.
fn resident(line: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let mut lines = status.lines().filter_map(|text| text.strip_prefix(line));
    let figure = lines.next().and_then(|text| text.split_whitespace().next());
    Ok(figure.ok_or("no such line in /proc/self/status")?.parse()?)
}
