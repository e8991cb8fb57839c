"""Where the variance of a race in turns is left: between turns, or between rounds; and how many turns a round should have.

For two targets, over the turns that count, d is the logarithm of a turn's ratio of throughputs. Kalibera & Jones 2013: with costs c of a
round without its turns and c' of a turn, and variances S of rounds beyond what their turns explain and s of turns, sqrt(c s / (c' S))
turns a round give the narrowest interval for the time.
"""

import math
import statistics
from dataclasses import dataclass


@dataclass
class Spread:
    """Standard deviations of logarithms, and means over the rounds in turns."""

    #: Of a turn's ratio around its round's.
    turn: float
    #: Of a round's ratio as far as its turns explain it.
    explained: float
    #: Of a round's ratio.
    round: float
    #: How many turns of a round count, and how many were made.
    kept: float
    made: float
    #: How long a turn takes all targets, and how long a round takes beside its turns, in seconds.
    turn_s: float
    rest_s: float
    #: The standard deviation of a round's ratio of medians of all requests.
    p50: float

    @property
    def beyond(self):
        """Of a round's ratio beyond what its turns explain."""
        return math.sqrt(max(self.round**2 - self.explained**2, 0))

    @property
    def best(self):
        """How many turns a round should have that count; infinite where rounds do not differ beyond their turns."""
        # A turn that counts costs those that do not, too.
        cost = self.turn_s * self.made / self.kept
        return math.sqrt(self.rest_s / cost) * self.turn / self.beyond if self.beyond else math.inf

    @classmethod
    def of(cls, lines, took_s):
        """That of a race of two targets, from the lines of its measurements and its time; None under two rounds in turns."""
        targets = sorted({line["target"] for line in lines})
        rounds = {}
        for line in lines:
            if line.get("turns") and line.get("measurement"):
                rounds.setdefault(line["round"], {})[line["target"]] = line
        rounds = [found for found in rounds.values() if len(found) == len(targets) == 2]
        if len(rounds) < 2:
            return None
        within, explained, ratios, medians, kept, made, turn_s = [], [], [], [], [], [], []
        for found in rounds:
            of_a, of_b = (found[target]["turns"] for target in targets)
            counted = [(a["throughput_rps"], b["throughput_rps"]) for a, b in zip(of_a["turns"], of_b["turns"])
                       if a["disturbed"] is None or a.get("spared")]
            logs = [math.log(a / b) for a, b in counted if a > 0 and b > 0]
            if len(logs) < 2 or len(logs) < len(counted):
                return None
            within.append(statistics.variance(logs))
            explained.append(statistics.variance(logs) / len(logs))
            ratios.append(math.log(sum(a for a, _ in counted) / sum(b for _, b in counted)))
            p50 = [found[target]["measurement"]["latency_us"]["p50"] for target in targets]
            medians.append(math.log(p50[0] / p50[1]))
            kept.append(len(counted))
            made.append(len(of_a["turns"]))
            turn_s.append(2 * (of_a["slice_s"] + of_a["lead_in_s"]))
        made_s = sum(count * seconds for count, seconds in zip(made, turn_s))
        return cls(
            turn=math.sqrt(statistics.mean(within)),
            explained=math.sqrt(statistics.mean(explained)),
            round=statistics.stdev(ratios),
            kept=statistics.mean(kept),
            made=statistics.mean(made),
            turn_s=made_s / sum(made),
            rest_s=(took_s - made_s) / len(rounds),
            p50=statistics.stdev(medians),
        )
