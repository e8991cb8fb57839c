"""What the truth tests share."""

import json
from dataclasses import dataclass, field

from lib import peers, process


@dataclass
class Finding:
    """One test's table, and what must hold of photofinish's own figures."""

    header: list
    rows: list = field(default_factory=list)
    #: (sentence, True, False or None = cannot be told here).
    verdicts: list = field(default_factory=list)
    #: What could not be run, and other remarks.
    notes: list = field(default_factory=list)

    def verdict(self, holds, sentence):
        self.verdicts.append((sentence, holds))


def photofinish(port, path="/plaintext", *flags, during=None, codes=(0,)):
    """One `photofinish load` on the generator's core: its JSON, and what the process used."""
    # What fails is compared with the truth, too.
    command = [peers.PHOTOFINISH, "load", f"http://127.0.0.1:{port}{path}", "-t", "1", "--json"]
    command += ["--fail-if", "errors > 100%", *map(str, flags)]
    used = process.run(command, during=during, codes=codes)
    return json.loads(used.out), used


def truth(port, scheme="http"):
    """What the delay server noted of its own answers, in microseconds."""
    return json.loads(process.get(port, "/truth", scheme))


def arrivals(port):
    """When the kernel got each request at the server, in seconds."""
    return [ns / 1e9 for ns in json.loads(process.get(port, "/truth/arrivals"))]


def ms(us):
    return f"{us / 1e3:.3f}"

