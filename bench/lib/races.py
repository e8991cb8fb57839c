"""Races of photofinish's own: a comparison as a user starts it, and what its report holds."""

import contextlib
import json
import math
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from lib import noise, process
from lib.peers import BENCH, PHOTOFINISH
from lib.spread import Spread

#: Where the studies are.
STUDIES = BENCH.parent / "studies"
#: A race that takes longer than this is stuck.
LIMIT_S = 1800


@dataclass
class Ratio:
    """A over B, with its interval."""

    ratio: float
    low: float
    high: float
    #: `above`, `below`, `tie` or `undecided`; None where it is not judged.
    direction: str

    @property
    def half(self):
        """Half of the interval's width on the scale of the logarithm, as a share: what '±' says."""
        return math.exp((math.log(self.high) - math.log(self.low)) / 2) - 1

    @property
    def differs(self):
        return self.direction in ("above", "below")

    def __str__(self):
        return f"{self.ratio:.4f} ±{self.half:.2%}"


@dataclass
class Pieces:
    """A level's ratio in one piece, right after the turns of the same processes, and in these turns, over the rounds in which nothing
    disturbed the pieces."""

    rounds: int
    ratio: float
    turns_ratio: float
    #: The 95% interval of the one over the other.
    low: float
    high: float

    @property
    def over_turns(self):
        return self.ratio / self.turns_ratio


@dataclass
class Race:
    """What one race came to: ratios by metric, and how long it took."""

    ratios: dict
    took_s: float
    rounds: int
    #: Turns that were made and that were set aside because something disturbed them; 0 of blocks.
    turns: int
    disturbed: int
    #: The checks that failed.
    failed: list
    #: The metric that its headline states: CPU time per request where the generator was the bottleneck.
    headline: str = "throughput"
    #: Where its variance is left; None where it had no two rounds in turns, or not two targets.
    spread: Spread = None
    #: Throughput in one piece; None where fewer than two rounds have it undisturbed.
    pieces: Pieces = None

    def direction(self, metric):
        """What its verdict says, `none` where there is no interval."""
        return self.ratios[metric].direction if metric in self.ratios else "none"

    def differs(self, metric):
        return metric in self.ratios and self.ratios[metric].differs

    def record(self):
        """Itself as JSON has it; `of` reads it."""
        ratios = {metric: vars(ratio) for metric, ratio in self.ratios.items()}
        return {**vars(self), "ratios": ratios, "spread": self.spread and vars(self.spread), "pieces": self.pieces and vars(self.pieces)}

    @classmethod
    def of(cls, record):
        ratios = {metric: Ratio(**ratio) for metric, ratio in record["ratios"].items()}
        left, pieces = record.get("spread"), record.get("pieces")
        return cls(**{**record, "ratios": ratios, "spread": left and Spread(**left), "pieces": pieces and Pieces(**pieces)})


def server(kind, *flags):
    """The command of a built-in server on one core."""
    own = ("--threads", "1") if kind == "event-loop" else ()
    return " ".join([str(PHOTOFINISH), "server", kind, "--port", "{port}", *own, *flags])


#: A comparison that is not cut short by what it shows takes the time that a default one takes at most.
FIXED = ("--within", "85s")


def comparison(servers, *flags, seed, fixed=True):
    """`photofinish compare` of servers with its defaults, but for the flags. `fixed`: its rounds go on when it is decided, too."""
    chosen = {"--within", "--rounds", "--until-decided", "--half-width"} & set(flags)
    own = FIXED if fixed and not chosen else ()
    return ["compare", *servers, "--url", "http://127.0.0.1:{port}/plaintext", "--seed", str(seed), *own, *flags]


def compare(a, b, *flags, seed):
    """Compares two servers, by the names a and b."""
    return race(comparison((a, b), "--names", "a,b", *flags, seed=seed))


def race(command, cwd=BENCH.parent):
    """Runs a race to its end: what it came to."""
    with ran(command, cwd) as (results, took):
        return kept(results, took)


@contextlib.contextmanager
def ran(command, cwd=BENCH.parent):
    """Runs a race to its end: the folder of its results, for as long as the block takes, and how many seconds it took. Lanes are
    photofinish's own: its server on the first core, where the noise is."""
    with tempfile.TemporaryDirectory() as results:
        began = time.monotonic()
        done = subprocess.run([PHOTOFINISH, *command, "--quiet", "--results", results], cwd=cwd, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False, preexec_fn=noise.ends_with_parent(signal.SIGTERM))
        took = time.monotonic() - began
        if done.returncode:
            raise process.Failed(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        yield Path(results), took


def only(results):
    """The folder of the one race whose results are in a folder."""
    return next(path.parent for path in Path(results).rglob("measurements.jsonl"))


def report(results):
    """The JSON report of the one race whose results are in a folder."""
    told = subprocess.run([PHOTOFINISH, "report", only(results), "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


def kept(results, took):
    """What the one race came to whose results are in a folder; it took so many seconds."""
    lines = [json.loads(line) for line in (only(results) / "measurements.jsonl").read_text().splitlines()]
    told = report(results)
    turns = [turn for line in lines if line.get("turns") for turn in line["turns"]["turns"]]
    return Race(
        ratios=dict(ratio for cell in told["cells"][:1] for ratio in [*verdicts(cell), *floors(cell)]),
        took_s=took,
        rounds=told["head"]["rounds_done"],
        turns=len(turns),
        disturbed=sum(turn["disturbed"] is not None for turn in turns),
        failed=[check["name"] for check in told["checks"] if check["status"] == "failed"],
        headline=next(cell["headline_metric"] for cell in told["cells"]),
        spread=Spread.of(lines, took),
        pieces=next((found for cell in told["cells"][:1] for found in in_one_piece(cell)), None),
    )


def verdicts(cell):
    """Metrics and ratios of a cell's verdicts; nothing where there is no interval."""
    for verdict in cell["verdicts"]:
        if verdict["interval"]:
            direction = (verdict.get("judgement") or {}).get("direction")
            yield verdict["metric"], Ratio(verdict["ratio"], **verdict["interval"], direction=direction)


def in_one_piece(cell):
    """What a cell has of throughput in one piece beside its turns."""
    for verdict in cell["verdicts"]:
        found = (verdict.get("turns") or {}).get("blocks")
        if verdict["metric"] == "throughput" and found and found["over_turns"]:
            yield Pieces(found["rounds"], found["ratio"], found["turns_ratio"], **found["over_turns"])


def floors(cell):
    """The same of a target against itself, which has no verdict: whether the two were called different."""
    for floor in cell["noise"]:
        if floor["interval"]:
            different = "above" if floor["ratio"] > 1 else "below"
            yield floor["metric"], Ratio(floor["ratio"], **floor["interval"], direction=different if floor["different"] else "undecided")


def with_noise(noisy, seed):
    """The noise maker on the server's core for as long as the block takes, if it is wanted; `noisy` may be where and what else it is."""
    if not noisy:
        return contextlib.nullcontext()
    core, kind = (process.SERVER_CORE, "spin") if noisy is True else noisy
    return noise.beside(core, seed, kind)
