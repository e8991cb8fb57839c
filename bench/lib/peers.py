"""The generators that run side by side: how each is called, and what it tells."""

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

BENCH = Path(__file__).resolve().parent.parent
TOOLS = BENCH / ".tools" / "bin"
PHOTOFINISH = Path(os.environ.get("PHOTOFINISH", BENCH.parent / "target/release/photofinish"))
#: The loops in C that neither parse nor record.
EPOLL, URING = BENCH / "blind" / "epoll", BENCH / "blind" / "uring"
BODY = "Hello, World!"


@dataclass
class Job:
    """A closed loop: so many connections on one URL for so many seconds."""

    host: str
    port: int
    path: str
    connections: int
    seconds: float
    #: Threads of the generator, which share its one core.
    threads: int = 1

    @property
    def url(self):
        return f"http://{self.host}:{self.port}{self.path}"


@dataclass
class Peer:
    """A generator; `command` makes its argument list from a Job."""

    name: str
    program: str
    command: Callable[[Job], list]
    #: p50, p99 and, for those that the truth tests run, max, in microseconds from its output.
    times: Callable[[str], dict] = lambda _: None
    env: tuple = ()
    #: How many requests it says that it sent, where it tells: the server's count must be the same.
    sent: Callable[[str], int] = lambda _: None


def find(program):
    """The path of a program, from bench/.tools first."""
    places = f"{TOOLS}:{os.environ['PATH']}:/usr/sbin:{Path.home()}/.cargo/bin"
    return shutil.which(str(program), path=places)


def whole(seconds):
    """For tools that take whole seconds."""
    return str(max(1, round(seconds)))


def unit(text):
    """`5.1ms` in microseconds."""
    number, scale = re.fullmatch(r"([\d.]+)\s*(us|µs|ms|s|m)", text.strip()).groups()
    return float(number) * {"us": 1, "µs": 1, "ms": 1e3, "s": 1e6, "m": 6e7}[scale]


def photofinish_times(out):
    latency = json.loads(out)["latency_us"]
    return {p: latency[p] for p in ("p50", "p99", "max")}


def wrk_times(out):
    times = {p: unit(re.search(rf"^\s*{q}%\s+(\S+)", out, re.M).group(1)) for p, q in (("p50", 50), ("p99", 99))}
    # The columns are mean, standard deviation, largest.
    return {**times, "max": unit(re.search(r"Latency\s+\S+\s+\S+\s+(\S+)", out).group(1))}


def ab_times(out):
    # ab rounds to whole milliseconds.
    return {p: float(re.search(rf"^\s*{q}%\s+(\d+)", out, re.M).group(1)) * 1e3 for p, q in (("p50", 50), ("p99", 99))}


def oha_times(out):
    told = json.loads(out)
    times = {**told["latencyPercentiles"], "max": told["summary"]["slowest"]}
    return {p: times[p] * 1e6 for p in ("p50", "p99", "max")}


def k6_times(out):
    # What k6.js prints, in milliseconds.
    told = json.loads(out[out.index("{"):])
    return {"p50": told["med"] * 1e3, "p99": told["p(99)"] * 1e3, "max": told["max"] * 1e3}


def k6_dropped(out):
    """Requests of an open loop that it skipped."""
    return int(json.loads(out[out.index("{"):])["dropped"])


def hey_times(out):
    # In seconds with four digits.
    return {p: float(re.search(rf"{q}%%? in ([\d.]+) secs", out).group(1)) * 1e6 for p, q in (("p50", 50), ("p99", 99))}


def shb_times(out):
    told = json.loads(out)["latencySeconds"]
    times = {**told["percentiles"], "max": told["max"]}
    return {p: times[p] * 1e6 for p in ("p50", "p99", "max")}


def shb(url, *flags):
    """shb, by io_uring; it checks no bodies and accepts every certificate. `url` makes its address from a Job."""
    return Peer("shb", "shb", lambda j: ["-t", str(j.threads), "-c", str(j.connections), "-z", f"{int(j.seconds * 1000)}ms", "-j", *flags, url(j)],
                shb_times)


def fortio_times(out):
    told = {p["Percentile"]: p["Value"] * 1e6 for p in json.loads(out)["DurationHistogram"]["Percentiles"]}
    return {"p50": told[50], "p99": told[99]}


def blind(name, program, *flags):
    """A blind loop; its output begins with how many answers came."""
    return Peer(name, program, lambda j: [str(j.port), j.path, str(j.connections), str(j.seconds), *flags],
                sent=lambda out: int(out.split()[0]))


PEERS = [
    Peer(
        "photofinish", PHOTOFINISH,
        lambda j: ["load", j.url, "-c", str(j.connections), "-d", f"{int(j.seconds * 1000)}ms", "-t", str(j.threads), "--json",
                   "--expect-status", "200", "--expect-body", BODY],
        photofinish_times,
    ),
    blind("blind epoll", EPOLL),
    blind("blind epoll + kernel timestamps", EPOLL, "stamps"),
    blind("blind io_uring", URING),
    blind("blind io_uring + kernel timestamps", URING, "stamps"),
    blind("blind io_uring by 30", URING, "together=30"),
    blind("blind io_uring by 30 + kernel timestamps", URING, "stamps", "together=30"),
    shb(lambda j: j.url),
    Peer("wrk", "wrk", lambda j: ["-t1", f"-c{j.connections}", f"-d{whole(j.seconds)}s", "--latency", j.url], wrk_times),
    Peer("ab", "ab",
         lambda j: ["-k", "-q", "-r", "-c", str(j.connections), "-t", whole(j.seconds), "-n", "100000000", j.url], ab_times),
    Peer("h2load", "h2load",
         lambda j: ["--h1", "-t1", f"-c{j.connections}", f"-D{whole(j.seconds)}", j.url]),
    Peer("oha", "oha",
         lambda j: ["--no-tui", "--output-format", "json", "-c", str(j.connections), "-z", f"{int(j.seconds * 1000)}ms", j.url],
         oha_times, (("TOKIO_WORKER_THREADS", "1"),)),
    Peer("hey", "hey", lambda j: ["-cpus", "1", "-c", str(j.connections), "-z", f"{whole(j.seconds)}s", j.url], hey_times,
         (("GOMAXPROCS", "1"),)),
    Peer("fortio", "fortio",
         lambda j: ["load", "-quiet", "-qps", "0", "-c", str(j.connections), "-t", f"{whole(j.seconds)}s",
                    "-p", "50,99", "-json", "-", j.url], fortio_times, (("GOMAXPROCS", "1"),)),
    Peer("k6", "k6",
         lambda j: ["run", "--quiet", "--no-usage-report", "--vus", str(j.connections), "--duration", f"{int(j.seconds * 1000)}ms",
                    "-e", f"TARGET={j.url}", str(BENCH / "lib/k6.js")], k6_times, (("GOMAXPROCS", "1"),)),
]


def present(names=None):
    """The peers that are here (of `names`), and the names of those that are not."""
    wanted = [p for p in PEERS if names is None or p.name in names]
    here = [p for p in wanted if find(p.program)]
    return here, [p.name for p in wanted if p not in here]
