//! Requests that never got a response, in a distribution of response times.
//!
//! Of a request that was never sent, whose connection was lost, or that the end of the run cut off, it is known only that its response
//! would have taken longer than it waited: it is censored. To count it at the time that it waited would pull the low end of the
//! distribution down (a request that was due 0.1 µs before the end is no fast one), and to leave it out would drop the slow ones. It is
//! given to the response times above its own instead, in equal parts: the estimator of Kaplan & Meier (*Nonparametric estimation from
//! incomplete observations*, 1958) in the form of Efron's redistribution to the right (1967).

use hdrhistogram::Histogram;

/// The distribution of all requests, from the times of those that were observed and those that were censored. It has as many entries
/// as both. What waited longer than every observed time stays where it is. Where nothing was observed, all do.
pub fn completed(mut observed: Histogram<u64>, censored: &Histogram<u64>) -> Histogram<u64> {
    if censored.is_empty() {
        return observed;
    }
    if observed.is_empty() {
        // Both grow and have the same digits, so that adding cannot fail.
        let _ = observed.add(censored);
        return observed;
    }
    let mut times: Vec<Entry> = entries(&observed).collect();
    let longest = observed.max();
    let mut whole = observed.clone();
    whole.reset();
    // What is known of these is as good as an observation.
    let (beyond, within): (Vec<Entry>, Vec<Entry>) =
        entries(censored).partition(|entry| entry.time > longest);
    let mut at_risk = observed.len() + censored.len();
    let mut cut = within.into_iter().peekable();
    times.extend(beyond);
    // The weight of one observation, and what rounding has kept back so far.
    let (mut weight, mut owed) = (1.0, 0.0);
    for Entry { time, count } in times {
        while let Some(entry) = cut.next_if(|entry| entry.time < time) {
            let rest = at_risk - entry.count;
            weight *= at_risk as f64 / rest as f64;
            at_risk = rest;
        }
        at_risk -= count;
        let due = count as f64 * weight + owed;
        let entries = due.round().max(0.0);
        owed = due - entries;
        let _ = whole.record_n(time, entries as u64);
    }
    // Those that were censored in the bin of the longest time.
    let missing = (observed.len() + censored.len()).saturating_sub(whole.len());
    let _ = whole.record_n(longest, missing);
    whole
}

#[derive(Clone, Copy)]
struct Entry {
    time: u64,
    count: u64,
}

/// What a histogram holds, by rising time.
fn entries(histogram: &Histogram<u64>) -> impl Iterator<Item = Entry> {
    histogram.iter_recorded().map(|bin| Entry {
        time: bin.value_iterated_to(),
        count: bin.count_at_value(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::histogram;

    fn of(times: &[(u64, u64)]) -> Histogram<u64> {
        let mut histogram = histogram();
        for (time, count) in times {
            histogram.record_n(*time, *count).expect("in bounds");
        }
        histogram
    }

    #[test]
    fn without_a_censored_request_nothing_changes() {
        let observed = of(&[(100, 3), (200, 5)]);
        assert_eq!(completed(observed.clone(), &of(&[])), observed);
    }

    #[test]
    fn a_request_that_hardly_waited_is_no_fast_one() {
        // 4 responses at 1000 and 4 at 2000; 8 requests cut off at once: each response stands for two.
        let whole = completed(of(&[(1_000, 4), (2_000, 4)]), &of(&[(1, 8)]));
        assert_eq!(whole, of(&[(1_000, 8), (2_000, 8)]));
    }

    #[test]
    fn what_was_cut_off_between_two_times_counts_for_the_later() {
        // Kaplan and Meier: S(1000) = 1/2; of 4 at risk then 2 are censored, so S(2000) = 0 takes the whole other half.
        let whole = completed(of(&[(1_000, 4), (2_000, 2)]), &of(&[(1_500, 2)]));
        assert_eq!(whole, of(&[(1_000, 4), (2_000, 4)]));
    }

    #[test]
    fn what_waited_longest_stays_where_it_is() {
        let whole = completed(of(&[(1_000, 90)]), &of(&[(5_000, 10)]));
        assert_eq!(whole, of(&[(1_000, 90), (5_000, 10)]));
        let whole = completed(of(&[]), &of(&[(5, 10)]));
        assert_eq!(whole, of(&[(5, 10)]));
    }

    #[test]
    fn all_requests_are_in_it_and_none_below_the_fastest_response() {
        for seed in 1..50_u64 {
            let some = |n: u64, salt: u64| -> Vec<(u64, u64)> {
                (0..n)
                    .map(|i| (1 + (seed * 7919 + i * salt) % 100_000, 1 + (i * seed) % 5))
                    .collect()
            };
            let (observed, censored) = (of(&some(seed, 31_337)), of(&some(60, 271)));
            let whole = completed(observed.clone(), &censored);
            assert_eq!(whole.len(), observed.len() + censored.len());
            assert!(whole.min() >= observed.min());
            assert!(whole.max() >= observed.max());
        }
    }
}
