//! A simulated run: what truly happened, from which each tool prints its figures.

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Good,
    /// A response with status 404.
    Bad,
    /// No response: given up after the timeout.
    Lost,
}

/// One request. Times in milliseconds from the start of the run.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    pub connection: usize,
    pub start: f64,
    pub latency: f64,
    pub end: End,
}

/// All of them.
#[derive(Debug)]
pub struct Run {
    pub connections: usize,
    /// From the first request to the last response that was waited for.
    pub ms: f64,
    /// The length that was asked for, of a run by time.
    pub asked: Option<f64>,
    /// In the order in which they ended.
    pub requests: Vec<Request>,
}

/// xorshift64*, so that a seed is all that a failure needs.
struct Random(u64);

impl Random {
    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.share() * n as f64) as usize
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.share()).ln()
    }
}

/// How long responses take, in milliseconds.
#[derive(Clone, Copy)]
struct Server {
    kind: usize,
    base: f64,
    slow: f64,
    slow_share: f64,
    bad: f64,
    lost: f64,
}

impl Server {
    fn random(r: &mut Random) -> Self {
        let base = 10f64.powf(r.share() * 4.5 - 2.0);
        Self {
            kind: r.below(4),
            base,
            slow: base * 10f64.powf(r.share() * 2.5),
            slow_share: r.share().powi(3) * 0.5,
            bad: if r.below(4) == 0 { r.share() } else { 0.0 },
            lost: if r.below(4) == 0 {
                r.share() * 0.2
            } else {
                0.0
            },
        }
    }

    fn latency(&self, r: &mut Random) -> f64 {
        let ms = match self.kind {
            0 => self.base,
            1 => self.base * 0.2 + r.exponential(self.base),
            2 if r.share() < self.slow_share => self.slow,
            2 => self.base * (1.0 + 0.1 * r.share()),
            _ => self.base * (r.exponential(1.0) + 0.01).powi(3),
        };
        // A clock of nanoseconds.
        (ms.max(0.003) * 1e6).round() / 1e6
    }

    fn request(&self, r: &mut Random, connection: usize, start: f64) -> Request {
        let end = match r.share() {
            s if s < self.lost => End::Lost,
            s if s < self.lost + self.bad => End::Bad,
            _ => End::Good,
        };
        let latency = if end == End::Lost {
            self.slow.max(self.base) * 1.5
        } else {
            self.latency(r)
        };
        Request {
            connection,
            start,
            latency,
            end,
        }
    }
}

impl Run {
    /// Connections that send their next request after the response to the last, at once or after a pause of the client's.
    pub fn closed(seed: u64) -> Self {
        let r = &mut Random(seed | 1);
        for _ in 0..4 {
            r.share();
        }
        let server = Server::random(r);
        let size = [1, 4, 20][r.below(3)];
        let connections = 1 + r.below(size);
        let pause = if r.below(3) == 0 {
            server.base * r.share() * 2.0
        } else {
            0.0
        };
        let size = [5, 60, 400][r.below(3)];
        let count = 1 + r.below(size);
        let timed = r.below(2) == 0;
        let asked =
            ((server.base * count as f64 / connections as f64).max(50.0) / 10.0).ceil() * 10.0;
        let mut free: Vec<f64> = (0..connections)
            .map(|_| r.share() * server.base * 0.1)
            .collect();
        let mut requests = Vec::new();
        while requests.len() < 400 {
            if !timed && requests.len() >= count {
                break;
            }
            // Whoever is free first sends next.
            let next = (0..connections)
                .min_by(|a, b| free[*a].total_cmp(&free[*b]))
                .unwrap_or(0);
            if timed && free[next] >= asked {
                break;
            }
            let request = server.request(r, next, free[next]);
            free[next] = request.start + request.latency + r.exponential(1.0) * pause;
            requests.push(request);
        }
        Self::of(connections, requests, timed.then_some(asked))
    }

    /// Requests by a schedule, each as soon as it is due, on as many connections as that needs.
    pub fn open(seed: u64) -> Self {
        let r = &mut Random(seed.rotate_left(17) | 1);
        for _ in 0..4 {
            r.share();
        }
        let server = Server::random(r);
        let size = [5, 60, 400][r.below(3)];
        let count = 2 + r.below(size);
        let gap = server.base * 10f64.powf(r.share() * 2.0 - 1.0);
        let requests = (0..count)
            .map(|at| server.request(r, at, at as f64 * gap))
            .collect();
        Self::of(10, requests, None)
    }

    fn of(connections: usize, mut requests: Vec<Request>, asked: Option<f64>) -> Self {
        requests.sort_by(|a, b| (a.start + a.latency).total_cmp(&(b.start + b.latency)));
        let last = requests
            .iter()
            .map(|q| q.start + q.latency)
            .fold(0.0, f64::max);
        Self {
            connections,
            // What the tool itself needs at the end.
            ms: last + 0.01,
            asked,
            requests,
        }
    }

    /// Only what had ended when a run by time was over: tools that do not wait for the rest.
    pub fn cut(&self) -> Self {
        let end = self.asked.unwrap_or(f64::INFINITY);
        let ended = self.requests.iter().filter(|q| q.start + q.latency <= end);
        Self {
            connections: self.connections,
            ms: self.asked.unwrap_or(self.ms),
            asked: self.asked,
            requests: ended.copied().collect(),
        }
    }

    /// Time from the first request to the last, and from there to the last response.
    pub fn attack(&self) -> (f64, f64) {
        let last = self.requests.iter().map(|q| q.start).fold(0.0, f64::max);
        let end = self.requests.iter().map(|q| q.start + q.latency);
        (last, end.fold(0.0, f64::max) - last)
    }

    pub fn count(&self, end: End) -> usize {
        self.requests.iter().filter(|q| q.end == end).count()
    }

    /// Latencies of responses in ascending order.
    pub fn responses(&self) -> Values {
        Values::of(
            self.requests
                .iter()
                .filter(|q| q.end != End::Lost)
                .map(|q| q.latency),
        )
    }

    /// Latencies of all requests in ascending order, those without a response included.
    pub fn all(&self) -> Values {
        Values::of(self.requests.iter().map(|q| q.latency))
    }
}

/// Values in ascending order.
pub struct Values(pub Vec<f64>);

impl Values {
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        Self::of(self.0.iter().map(|v| f(*v)))
    }

    pub fn n(&self) -> usize {
        self.0.len()
    }

    pub fn min(&self) -> f64 {
        self.0[0]
    }

    pub fn max(&self) -> f64 {
        self.0[self.n() - 1]
    }

    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.n() as f64
    }

    /// Standard deviation, of the sample.
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        let sum: f64 = self.0.iter().map(|v| (v - mean).powi(2)).sum();
        (sum / (self.n() as f64 - 1.0).max(1.0)).sqrt()
    }

    /// The value at an index, the last one at the most.
    pub fn at(&self, index: f64) -> f64 {
        self.0[(index.max(0.0) as usize).min(self.n() - 1)]
    }

    /// The value at a share, between two values on a straight line.
    pub fn between(&self, q: f64) -> f64 {
        let at = q * (self.n() - 1) as f64;
        let (low, high) = (self.at(at.floor()), self.at(at.ceil()));
        low + (high - low) * at.fract()
    }
}
