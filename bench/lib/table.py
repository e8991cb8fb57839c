"""Tables as Markdown, which reads well in a terminal too."""

import json
import os
import platform
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "out"


def markdown(header, rows):
    """The first column to the left, figures to the right."""
    cells = [[str(c) for c in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]

    def line(row):
        parts = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        return "| " + " | ".join(parts) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])])


def machine():
    """The machine in a line, with its load, which says whether to believe the figures."""
    model = "unknown CPU"
    for text in Path("/proc/cpuinfo").read_text().splitlines():
        if text.startswith("model name"):
            model = text.split(":", 1)[1].strip()
            break
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, load average {load:.1f} at the start"


def say(text):
    print(text, file=sys.stderr, flush=True)


def keep(name, record):
    """Writes a record to bench/out, for whoever compares runs."""
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
