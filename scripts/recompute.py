#!/usr/bin/env python3
"""Computes the verdicts of a results folder by docs/statistics.md, without any code of photofinish.

usage: scripts/recompute.py FOLDER [INVALID.json]
INVALID.json: a list of [metric, workload, load, of, over] of the pairs that docs/checks.md makes invalid, which this script does not judge.
Prints a JSON list: metric, workload, load, of, over, rounds, ratio, low, high, direction.
"""

import functools
import json
import math
import statistics
import sys
from itertools import combinations
from pathlib import Path

ALPHA = 0.05
METRICS = {"throughput": None, "mean": "mean", "p50": "p50", "p99": "p99", "p999": "p999", "server-cpu": "server"}
RESOLUTION = {"throughput": 0.0, "mean": 0.0, "p50": 0.001, "p99": 0.001, "p999": 0.001, "server-cpu": 0.0}


# Student's t


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (Lentz)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 500):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            h *= step
        if abs(step - 1.0) < 1e-16:
            break
    return h


def tail(t, freedom):
    """P(T > t) for t ≥ 0."""
    x = freedom / (freedom + t * t)
    a, b = freedom / 2, 0.5
    if x >= 1.0:
        return 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a / 2
    return 0.5 - front * beta_fraction(b, a, 1 - x) / b / 2


@functools.lru_cache(None)
def quantile(level, freedom):
    """The t that |T| exceeds with the probability `level`; None without one."""
    if not 0 < level < 1:
        return None
    low, high = 0.0, 1.0
    while 2 * tail(high, freedom) > level:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * tail(middle, freedom) > level else (low, middle)
    return high


# Analyses

SHORT = [(2, 0.1), (3, 0.24), (4, 0.4), (5, 0.6)]
LONG = [2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80]
SHARES = [0.1, 0.24, 0.36, 0.48, 0.64, 0.76, 0.88, 1.0]


def schedule(most, first, ended):
    """(rounds, share of the error) of each analysis."""
    if most <= 7:
        all_of = [(n, share) for n, share in SHORT if n < most] + [(most, 1.0)]
    else:
        rounds = [n for n in LONG if n < most] + [most]
        places = [i / (len(rounds) - 1) * (len(SHARES) - 1) for i in range(len(rounds))]
        below = [min(int(place), len(SHARES) - 2) for place in places]
        all_of = [(n, SHARES[i] + (place - i) * (SHARES[i + 1] - SHARES[i])) for n, place, i in zip(rounds, places, below)]
    all_of = [one for i, one in enumerate(all_of) if one[0] >= first or i == len(all_of) - 1]
    if ended is not None and ended < all_of[-1][0]:
        all_of = [one for one in all_of if one[0] < ended] + [(ended, 1.0)]
    return all_of


@functools.lru_cache(None)
def bounds(plan, error, points=900, end=12.0, angles=96):
    """The level of each analysis: the chain u_n on a grid in w = artanh |u|."""
    step, levels, mass, at, spent = end / points, {}, None, 0, 0.0
    for rounds, share in plan:
        spend = error * share - spent
        if mass is None:
            above = [2 * tail(math.sqrt(rounds - 1) * math.sinh(i * step), rounds - 1) for i in range(points)] + [0.0]
            mass, at = [above[i] - above[i + 1] for i in range(points)], rounds
        while at < rounds:
            widest = min(7 / math.sqrt(at), math.pi / 2)
            phis = [widest * ((2 * i + 1) / angles - 1) for i in range(angles)]
            weights = [math.cos(phi) ** (at - 1) for phi in phis]
            total = sum(weights)
            parts = [(math.sin(phi), math.cos(phi), w / total) for phi, w in zip(phis, weights)]
            into = [0.0] * (points + 1)
            for cell, own in enumerate(mass):
                if own <= 0:
                    continue
                u = math.tanh((cell + 0.5) * step) * math.sqrt(at)
                for sin, cos, w in parts:
                    v = min(abs(u * cos + sin) / math.sqrt(at + 1), 1 - 1e-16)
                    place = max(min(math.atanh(v), end) / step - 0.5, 0.0)
                    below = min(int(place), points - 1)
                    into[below] += own * w * (1 - (place - below))
                    into[below + 1] += own * w * (place - below)
            into[points - 1] += into.pop()
            mass, at = into, at + 1
        left, bound = spend, 0.0
        for cell in reversed(range(points)):
            if mass[cell] >= left:
                bound = (cell + 1 - left / mass[cell]) * step
                mass[cell] -= left
                break
            left -= mass[cell]
            mass[cell] = 0.0
        first = not levels
        levels[rounds] = spend if first else 2 * tail(math.sqrt(rounds - 1) * math.sinh(bound), rounds - 1)
        spent = error * share
    return levels


def coarse(share):
    comparisons = round(ALPHA / share)
    if comparisons <= 12:
        return share
    return ALPHA / (12 * 1.1 ** math.ceil(math.log(comparisons / 12) / math.log(1.1)))


# What the rounds say


def mean(values):
    return sum(values) / len(values)


def counts(turn):
    return turn["disturbed"] is None or turn.get("spared", False)


def flow(turn, slice_s):
    value = turn.get("flow_s")
    return slice_s if value is None else value


def flowed(turn, slice_s):
    return 2 * flow(turn, slice_s) >= slice_s


def upper_median(values):
    return sorted(values)[len(values) // 2] if values else None


def median(values):
    return statistics.median(values)


class Level:
    """The lines of a workload at a load."""

    def __init__(self, lines, targets):
        self.lines = {(line["target"], line["round"]): line for line in lines}
        self.targets = [t for t in targets if any(t == target for target, _ in self.lines)]
        self.rounds = sorted({line["round"] for line in lines})
        self.excluded = excluded(lines)

    def figure(self, target, number, metric):
        line = self.lines.get((target, number))
        if not line:
            return None
        key = METRICS[metric]
        if key == "server":
            used = line.get("server")
            return (used["cpu_user_us_per_request"] + used["cpu_system_us_per_request"] or None) if used else None
        return line["measurement"]["throughput_rps"] if key is None else line["measurement"]["latency_us"][key]

    def is_measured(self, target, number, metric):
        """A server whose CPU time was not read has no figure in that round; a figure of 0 leaves a pair without a verdict."""
        line = self.lines.get((target, number))
        return bool(line) and (METRICS[metric] != "server" or bool(line.get("server")))

    def turns(self, target, number):
        line = self.lines.get((target, number))
        return line and line.get("turns")


def latencies(line):
    if line.get("turns"):
        found = [t["core_to_core_ns"] for t in line["turns"]["turns"] if counts(t) and t.get("core_to_core_ns") is not None]
        return [upper_median(found)] if found else []
    machine = line.get("machine") or {}
    return list(machine.get("core_to_core_ns") or [])


def excluded(lines):
    """The rounds with another core placement that do not count."""
    by_round = {}
    for line in lines:
        by_round.setdefault(line["round"], []).extend(latencies(line))
    every = sorted(x for of in by_round.values() for x in of if x > 0)
    if not every:
        return set()
    off = lambda a, b: max(a / b, b / a)  # noqa: E731
    group = lambda a: [b for b in every if off(a, b) <= 2]  # noqa: E731
    most = max(len(group(a)) for a in every)
    usual = upper_median(group(next(a for a in every if len(group(a)) == most)))
    away = {n for n, of in by_round.items() if any(off(x, usual) > 2 for x in of)}
    left = len(by_round) - len(away)
    return away if away and len(by_round) >= 4 and left >= 2 else set()


def medians(level, targets, number):
    """The p50 of these servers in each turn that counts; None if slices hold too few requests."""
    every = [level.turns(t, number) for t in targets]
    if any(of is None for of in every) or len({len(of["turns"]) for of in every}) != 1:
        return None
    rows = []
    for at, first in enumerate(every[0]["turns"]):
        if not counts(first) or not all(flowed(of["turns"][at], of["slice_s"]) for of in every):
            continue
        row = []
        for of in every:
            turn = of["turns"][at]
            if turn["p50_us"] is None or turn["throughput_rps"] * flow(turn, of["slice_s"]) < 20:
                return None
            row.append(turn["p50_us"])
        rows.append(row)
    return rows


class EqualSpeed:
    """Two servers at equally fast cores; `of` returns None if nothing is corrected."""

    @classmethod
    def of(cls, level, a, b):
        every = [t for n in level.rounds for t in (level.turns(a, n) or {"turns": []})["turns"] if counts(t)]
        uneven = sum(t["disturbed"] == "uneven-cores" for t in every)
        if uneven <= len(every) - uneven:
            return None
        rounds = {}
        for n in level.rounds:
            of_a, of_b = level.turns(a, n), level.turns(b, n)
            if of_a and of_b:
                rounds[n] = comparable(of_a, of_b)
        own = cls()
        own.rounds = rounds
        usable = {n: [t for t in of if t[2] > 0 and t[3] > 0] for n, of in rounds.items()}
        d = [t[0] for of in usable.values() for t in of]
        g = [t[1] for of in usable.values() for t in of]
        if len(d) < 20:
            return None
        error = statistics.stdev(d) / math.sqrt(len(d))
        if abs(mean(d)) > max(3 * error, 0.001):
            return None
        own.usual = median(d), median(g)
        centred = []
        for of in usable.values():
            w = [own.weight(t) for t in of]
            if not of:
                continue
            mean_d = sum(x * t[0] for x, t in zip(w, of)) / sum(w)
            mean_y = sum(x * math.log(t[2] / t[3]) for x, t in zip(w, of)) / sum(w)
            centred += [(x, t[0] - mean_d, math.log(t[2] / t[3]) - mean_y) for x, t in zip(w, of)]
        squares = sum(w * x * x for w, x, _ in centred)
        slope = sum(w * x * y for w, x, y in centred) / squares
        white = math.sqrt(sum((w * x * (y - slope * x)) ** 2 for w, x, y in centred)) / squares
        if not (slope < 0 and slope <= -3 * white):
            return None
        own.slope = max(slope, -1.5)
        own.uncertainty = abs(own.slope) * error
        return own if own.uncertainty <= 0.02 else None

    def weight(self, turn):
        return 1 / (0.01 + max((turn[0] - self.usual[0]) ** 2, (turn[1] - self.usual[1]) ** 2))

    def pairs(self, number):
        half = lambda t: math.exp(-self.slope * t[0] / 2)  # noqa: E731
        return [(self.weight(t) * t[2] * half(t), self.weight(t) * t[3] / half(t)) for t in self.rounds.get(number, [])]

    def ratio(self, number):
        pairs = self.pairs(number)
        return sum(a for a, _ in pairs) / sum(b for _, b in pairs) if pairs else None


def comparable(of_a, of_b):
    """(d, g, throughput of a, of b) of the turns that nothing but unequal cores disturbed."""
    alone = [t["disturbed"] in (None, "uneven-cores") for t in of_a["turns"]]
    enough = sum(alone) > 0.2 * len(alone)
    found = []
    for a, b, is_alone in zip(of_a["turns"], of_b["turns"], alone):
        if not (is_alone if enough else counts(a)):
            continue
        if not (flowed(a, of_a["slice_s"]) and flowed(b, of_b["slice_s"])) or not (a.get("reference_ns") and b.get("reference_ns")):
            continue
        d, g = (math.log(x / y) for x, y in zip(a["reference_ns"], b["reference_ns"]))
        found.append((d, g, a["throughput_rps"], b["throughput_rps"]))
    return found


def slow_down(level, a, b, number):
    left = []
    for target in (a, b):
        stalls = level.lines[target, number]["measurement"].get("stalls")
        if not stalls:
            return 1.0
        left.append(level.figure(target, number, "throughput") / stalls["flow_rps"])
    return left[0] / left[1]


class Pair:
    """The log ratios of two servers, by round; `aside` are those of excluded rounds."""

    def __init__(self, level, a, b, metric):
        self.level, self.a, self.b, self.metric = level, a, b, metric
        equal = EqualSpeed.of(level, a, b) if metric == "throughput" else None
        self.uncertainty = equal.uncertainty if equal else 0.0
        self.by_turn = False
        self.counted, self.aside, self.implied = {}, {}, {}
        for n in level.rounds:
            x, y = level.figure(a, n, metric), level.figure(b, n, metric)
            if x is None or y is None:
                continue
            d, implied = math.log(x) - math.log(y), None
            rows = medians(level, [a, b], n) if metric == "p50" else None
            if rows:
                self.by_turn = True
                logs = [math.log(p / q) for p, q in rows]
                d = median(logs)
                if len(logs) > 1:
                    mad = median([abs(x - d) for x in logs])
                    implied = math.pi / 2 * (1.482602218505602 * mad) ** 2 / len(logs)
            if equal and equal.ratio(n):
                self.by_turn = True
                d, implied = math.log(equal.ratio(n) * slow_down(level, a, b, n)), of_totals(equal.pairs(n))
            elif metric in ("throughput", "mean") and level.turns(a, n) and level.turns(b, n) and not (equal and metric == "throughput"):
                of_a, of_b = level.turns(a, n), level.turns(b, n)
                implied = of_totals([(p["throughput_rps"], q["throughput_rps"]) for p, q in zip(of_a["turns"], of_b["turns"])
                                     if counts(p) and flowed(p, of_a["slice_s"]) and flowed(q, of_b["slice_s"])])
            (self.aside if n in level.excluded else self.counted)[n] = d
            if implied is not None:
                self.implied[n] = implied

    def kinds(self, upto):
        counted = {n: d for n, d in self.counted.items() if n <= upto}
        aside = {n: d for n, d in self.aside.items() if n <= upto}
        return [counted] if len(counted) >= 3 else [counted, aside]


def of_totals(pairs):
    if len(pairs) < 2:
        return None
    a, b, m = sum(p for p, _ in pairs), sum(q for _, q in pairs), len(pairs)
    return m / (m - 1) * sum((p / a - q / b) ** 2 for p, q in pairs)


# Pooled variances


def freedom_within(kinds):
    return sum(max(len(kind) - 1, 0) for kind in kinds)


def digamma(x):
    total = 0.0
    while x < 8:
        total -= 1 / x
        x += 1
    y = 1 / (x * x)
    return total + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y / 252))


def trigamma(x):
    total = 0.0
    while x < 8:
        total += 1 / (x * x)
        x += 1
    y = 1 / (x * x)
    return total + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))


def inverse_trigamma(value):
    low, high = 1e-3, 1e4
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > value else (low, middle)
    return high


def of_pairs(all_kinds):
    """(variance, degrees of freedom) that pairs say of one another."""
    if len(all_kinds) < 3 or any(freedom_within(kinds) < 2 for kinds in all_kinds):
        return None
    residuals = [{n: d - mean(list(kind.values())) for kind in kinds for n, d in kind.items()} for kinds in all_kinds]
    freedoms = [freedom_within(kinds) for kinds in all_kinds]
    rounds = [[set(kind) for kind in kinds] for kinds in all_kinds]
    product = lambda p, q: sum(x * q[n] for n, x in p.items() if n in q)  # noqa: E731

    def shared(i, j):
        in_both = freedoms[i] if rounds[i] == rounds[j] else 0.0
        if rounds[i] != rounds[j]:
            for one in rounds[i]:
                for other in rounds[j]:
                    c, m, n = len(one & other), len(one), len(other)
                    in_both += c * (1 - 1 / m - 1 / n + c / (m * n)) if c else 0.0
        return product(residuals[i], residuals[j]) ** 2 / (in_both * freedoms[i] * freedoms[j]) if in_both > 0 else 0.0

    count = len(all_kinds)
    variances = [product(r, r) / f for r, f in zip(residuals, freedoms)]
    trace = sum(variances)
    if not trace > 0:
        return None
    least, most = min(freedoms), max(freedoms)
    squares = least * sum(shared(i, j) for i in range(count) for j in range(count))
    unbiased = least**2 / ((least - 1) * (least + 2)) * (squares - trace**2 / least)
    if count >= 6:
        squares = math.sqrt(squares * max(unbiased, trace**2 / count))
    of_mean = least * trace**2 / squares
    logs = [math.log(max(v / (trace / count), 0.0025)) for v in variances]
    apart = statistics.variance(logs)
    freedom = max(min(2 * inverse_trigamma(apart), of_mean - most), 0.0)
    bias = mean([digamma(f / 2) - math.log(f / 2) for f in freedoms])
    return trace / count * math.exp(mean(logs) - bias), freedom


def of_targets(places):
    """(variance, degrees of freedom) of each level by its servers; `places`: lists of (server, kinds)."""
    found, shares = [], {}
    for place in places:
        found.append(None)
        if len(place) < 4 or freedom_within(place[0][1]) < 2:
            continue
        freedom, k = freedom_within(place[0][1]), len(place)
        squares = [0.0] * k
        for kind in range(len(place[0][1])):
            rows = [list(kinds[kind].values()) for _, kinds in place]
            if not rows[0]:
                continue
            by_round = [mean(column) for column in zip(*rows)]
            for i, row in enumerate(rows):
                squares[i] += sum((x - mean(row) - r + mean(by_round)) ** 2 for x, r in zip(row, by_round)) / freedom
        average = sum(squares) * k / (k - 1) / k
        if average > 0:
            found[-1] = average, freedom
            for (target, _), square in zip(place, squares):
                shares.setdefault(target, []).append((square - average / k) / (1 - 2 / k) / average)
    levels, results = sum(one is not None for one in found), []
    for place, one in zip(places, found):
        if one is None:
            results.append(None)
            continue
        average, own = one
        of_place = [max(mean(shares[target]), 0.05) for target, _ in place]
        k = len(of_place)
        in_all = (k - 1) * own * sum(of_place) ** 2 / (k * sum(x * x for x in of_place))
        spread = statistics.variance([math.log(x) for x in of_place])
        smyth = 2 * inverse_trigamma(spread) * (1 + 1 / levels)
        results.append((2 * average, max(min(smyth, in_all - own), 0.0)))
    return results


def rows_of_targets(level, pairs, metric, upto):
    """(server, kinds) of a level's compared servers."""
    targets = [t for t in level.targets if any(t in (p.a, p.b) for p in pairs)]
    if any(pair.by_turn for pair in pairs):
        every = {t: {} for t in targets}
        for n in level.rounds:
            if metric == "p50":
                rows = medians(level, targets, n)
                if not rows:
                    return []
                for at, t in enumerate(targets):
                    every[t][n] = median([math.log(row[at]) - mean([math.log(x) for x in row]) for row in rows])
            else:
                for t in targets:
                    logs = [(p.counted | p.aside).get(n) for p in pairs if t in (p.a, p.b)]
                    signs = [1 if t == p.a else -1 for p in pairs if t in (p.a, p.b)]
                    if all(x is not None for x in logs) and len(logs) == len(targets) - 1:
                        every[t][n] = sum(s * x for s, x in zip(signs, logs)) / len(targets)
    else:
        every = {t: {n: math.log(level.figure(t, n, metric)) for n in level.rounds if level.figure(t, n, metric)} for t in targets}
    common = [n for n in level.rounds if n <= upto and all(n in of for of in every.values())]
    counted = [n for n in common if n not in level.excluded]
    aside = [n for n in common if n in level.excluded]
    few = any(sum(n <= upto and n not in level.excluded for n in of) < 3 for of in every.values())
    few = few or len(counted) < 3
    kinds = lambda of: [{n: of[n] for n in counted}] + ([{n: of[n] for n in aside}] if few else [])  # noqa: E731
    return [(t, kinds(of)) for t, of in every.items()]


# Verdicts


class Summary:
    """Mean, variance, degrees of freedom, and what widens the interval."""

    def __init__(self, pair, upto, pooled):
        logs = [d for n, d in pair.counted.items() if n <= upto]
        aside = [d for n, d in pair.aside.items() if n <= upto]
        self.rounds, self.logs, self.mean = len(logs), logs, mean(logs)
        self.uncertainty, self.correlation = pair.uncertainty, 0.0
        self.variance, self.freedom = (statistics.variance(logs), len(logs) - 1) if len(logs) > 1 else (None, 0)
        if self.variance is None:
            return
        for other in ([(statistics.variance(aside), len(aside) - 1)] if self.rounds < 3 and len(aside) > 1 else []) + ([pooled] if pooled else []):
            both = self.freedom + other[1]
            if other[1] > 0:
                self.variance, self.freedom = (self.freedom * self.variance + other[1] * other[0]) / both, both
        self.variance = max(self.variance, sum(v for n, v in pair.implied.items() if n <= upto) / self.rounds)

    @property
    def error(self):
        n, rho = self.rounds, self.correlation
        v = 1 + 2 * sum((1 - k / n) * rho**k for k in range(1, n)) if rho > 0 else 1.0
        widened = math.sqrt(v / max(1 - (v - 1) / (n - 1), 0.05))
        return widened * math.sqrt(self.variance / n)

    def p(self):
        beyond = max(abs(self.mean) - self.uncertainty, 0.0)
        if self.variance is None:
            return None
        if self.error == 0:
            return 1.0 if beyond == 0 else 0.0
        return min(2 * tail(beyond / self.error, self.freedom), 1.0)

    def interval(self, level, least):
        t = quantile(level, self.freedom) if self.variance is not None else None
        if t is None:
            return None
        least = max(least, 0.1) if self.freedom < 2 else least
        half = max(t * self.error + self.uncertainty, math.log1p(least))
        return math.exp(self.mean - half), math.exp(self.mean + half)


def side(interval):
    if interval and interval[0] > 1:
        return "above"
    return "below" if interval and interval[1] < 1 else None


def analyse(summary, before, bound, share, is_last, margin, resolution):
    """(direction, interval) by the rules."""
    least = 0.1 if summary.rounds <= 2 else 0.03 if summary.rounds == 3 else 0.0
    at_bound = summary.interval(bound, max(resolution, least))
    if at_bound is None:
        return before
    own, alone = summary.interval(share, resolution), summary.interval(ALPHA, resolution)
    called = side(at_bound) or (side(own) if before[0] == side(own) and side(own) else None)
    if called:
        return called, own
    within = 1 / (1 + margin) <= alone[0] and alone[1] <= 1 + margin
    if summary.rounds >= 3 and within and (is_last or summary.p() >= 0.2):
        return "tie", alone
    return "undecided", at_bound


def correlation(all_logs):
    found = []
    for logs in all_logs:
        n = len(logs)
        squares = sum((x - mean(logs)) ** 2 for x in logs)
        if n >= 8 and squares > 0:
            r = sum((a - mean(logs)) * (b - mean(logs)) for a, b in zip(logs, logs[1:])) / squares
            found.append(r + (1 + 4 * r) / n)
    return min(max(mean(found), 0.0), 0.8) if found else 0.0


def holm(p, level):
    """Each comparison's share of α."""
    made = sorted((value, at) for at, value in enumerate(p) if value is not None)
    shares, current, stopped = [ALPHA / max(len(made), 1)] * len(p), ALPHA, False
    for rank, (value, at) in enumerate(made):
        if not stopped:
            current = ALPHA / (len(made) - rank)
            stopped = value >= level(current)
        shares[at] = current
    return shares


def judge(levels, metric, settings, invalid, first, ended):
    """The verdicts of a metric at all levels."""
    groups = []
    for (workload, load), level in levels:
        known = [p for p in combinations(level.targets, 2) if [metric, workload, json.loads(load), *p] not in invalid]
        pairs = [Pair(level, a, b, metric) for a, b in known
                 if all(level.figure(t, n, metric) for t in (a, b) for n in level.rounds if level.is_measured(t, n, metric))]
        groups.append((workload, load, level, [pair for pair in pairs if pair.counted]))
    pairs = [pair for *_, of in groups for pair in of]
    last = max((n for pair in pairs for n in [*pair.counted, *pair.aside]), default=0)
    cap = settings.get("max_rounds") if not settings.get("half_width") else None
    plan = tuple(schedule(cap, first, ended)) if cap else ((last, 1.0),)
    level_of = (lambda share, n: bounds(plan, coarse(share)).get(n, 0.0)) if cap else (lambda share, _: share)
    outcomes = [(None, None)] * len(pairs)
    summaries = [Summary(pair, last, None) for pair in pairs]
    for upto, _ in plan:
        if upto > last:
            break
        takes_part = [pair.kinds(upto) for pair in pairs if freedom_within(pair.kinds(upto)) >= 2]
        by_pairs = of_pairs(takes_part)
        by_targets = of_targets([rows_of_targets(level, of, metric, upto) for _, _, level, of in groups])
        rho = correlation([[d for n, d in pair.counted.items() if n <= upto] for pair in pairs])
        at = 0
        for (*_, of), targets in zip(groups, by_targets):
            for pair in of:
                own = by_pairs if freedom_within(pair.kinds(upto)) >= 2 else None
                options = [x for x in (targets, own) if x]
                summaries[at] = Summary(pair, upto, max(options, key=lambda x: x[1]) if options else None)
                summaries[at].correlation = rho if summaries[at].rounds >= 8 else 0.0
                at += 1
        p = [0.0 if outcome[0] in ("above", "below") else summary.p() for outcome, summary in zip(outcomes, summaries)]
        shares = holm(p, lambda share: level_of(share, upto))
        outcomes = [analyse(summary, before, level_of(share, upto), share, upto == plan[-1][0], settings["margin"], RESOLUTION[metric])
                    for summary, before, share in zip(summaries, outcomes, shares)]
    where = [(workload, load) for workload, load, _, of in groups for _ in of]
    for (workload, load), pair, summary, (direction, interval) in zip(where, pairs, summaries, outcomes):
        if interval:
            yield {"metric": metric, "workload": workload, "load": json.loads(load), "of": pair.a, "over": pair.b, "rounds": summary.rounds,
                   "ratio": math.exp(summary.mean), "low": interval[0], "high": interval[1], "direction": direction}


def verdicts(folder, invalid):
    study = json.loads((folder / "study.json").read_text())
    lines = [json.loads(text) for text in (folder / "measurements.jsonl").read_text().splitlines()]
    lines = [line for line in lines if line["measurement"]]
    contenders = [t["label"] for t in study["targets"] if not t.get("limit") and not t.get("same_as")]
    over = folder / "time-over.jsonl"
    over = [json.loads(text)["rounds"] for text in over.read_text().splitlines()] if over.exists() else []
    begun = max(line["round"] for line in lines)
    ended = over[-1] if over and over[-1] >= begun else None
    compiles = any((line.get("server") or {}).get("compiling_share") for line in lines)
    levels = []
    for workload in study["workloads"]:
        for load in workload["loads"]:
            of = [line for line in lines if line["workload"] == workload["name"] and line["load"] == load]
            if of:
                levels.append(((workload["name"], json.dumps(load)), Level(of, contenders)))
    for metric in METRICS:
        yield from judge(levels, metric, study["settings"], invalid, 3 if compiles else 2, ended)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    invalid = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) == 3 else []
    print(json.dumps(list(verdicts(Path(sys.argv[1]), invalid)), indent=1))


if __name__ == "__main__":
    main()
