"""The bounds on photofinish's CPU time per request, each against one rival.

A shared machine's speed changes within seconds, by more than what is to be told apart. So photofinish and its rivals take many
short turns: within one they run right after each other, in random order, and each turn gives a ratio of its own."""

import dataclasses
import math
import random
import statistics

from lib import process, table

#: What photofinish / the rival may be at most.
BOUNDS = (("wrk", 0.82), ("shb", 1.0), ("blind epoll", 1.05))
#: Each run of a turn, in seconds: the start of the program, which is in it, takes less than 1% of its CPU time.
SECONDS = 2


def take(here, once, job, number, faults, bounds=BOUNDS):
    """CPU time per request, a figure a turn, by name; none where photofinish or all rivals are missing. A run that fails
    ends the turns and goes to `faults`."""
    rivals = [peer for peer in here if peer.name in ("photofinish", *dict(bounds)) and peer.name not in faults]
    taken = {peer.name: [] for peer in rivals}
    if "photofinish" not in taken or len(taken) < 2:
        return {}
    job = dataclasses.replace(job, seconds=SECONDS)
    for turn in range(number):
        if turn % 5 == 0:
            table.say(f"turns {turn + 1} to {min(turn + 5, number)} of {number}: {', '.join(taken)}")
        figures = {}
        for peer in random.sample(rivals, len(rivals)):
            try:
                figures[peer.name] = once(peer, job)["cpu_us"]
            except process.Failed as fault:
                faults[peer.name] = str(fault)
                return taken
        for name, cpu_us in figures.items():
            taken[name].append(cpu_us)
    return taken


def ratio(ours, theirs):
    """The median of the turns' ratios, and its interval between order statistics (sign test), which holds in 95 of 100 cases
    whatever their distribution. Not the mean: a few runs cost two or three times as much as the
    others, presumably while another machine had the core."""
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    number = len(ratios)

    def chance(k):
        """That at most k of them lie below the true median."""
        return sum(math.comb(number, i) for i in range(k + 1)) / 2**number

    outside = max((k for k in range(number // 2) if chance(k) <= 0.025), default=0)
    return statistics.median(ratios), ratios[outside], ratios[number - 1 - outside]


def judge(taken, bounds=BOUNDS):
    """Prints what came of each bound, and gives it as a record; of a rival without a bound, the ratio alone."""
    for rival, most in bounds:
        if len(taken.get(rival, ())) < 2:
            continue
        found, low, high = ratio(taken["photofinish"], taken[rival])
        if most is None:
            print(f"\nphotofinish / {rival} = {found:.3f} [{low:.3f} … {high:.3f}] ({len(taken[rival])} turns)")
            yield {"against": rival, "ratio": found, "interval": [low, high]}
            continue
        sure = "" if high <= most or low > most else ", but that is not certain"
        print(f"\n{'holds' if found <= most else 'MISSED'}{sure}: photofinish / {rival} = {found:.3f} [{low:.3f} … {high:.3f}], "
              f"at most {most} ({len(taken[rival])} turns)")
        yield {"against": rival, "ratio": found, "interval": [low, high], "at_most": most, "holds": found <= most}
