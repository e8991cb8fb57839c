"""What the races of a long series came to, one a line, on disk as each ends: an interrupted series resumes where it was."""

import hashlib
import json
import sys

from lib import table
from lib.peers import PHOTOFINISH


class Ledger:
    """bench/out/NAME.jsonl. Records are JSON; what is equal after a way through JSON is the same key."""

    def __init__(self, name, resume):
        table.OUT.mkdir(exist_ok=True)
        self.file = table.OUT / f"{name}.jsonl"
        head = {"photofinish": hashlib.sha256(PHOTOFINISH.read_bytes()).hexdigest()}
        lines = list(whole(self.file)) if resume and self.file.exists() else []
        if lines and lines[0] != head:
            sys.exit(f"bench/{name}: {self.file} is of another photofinish: leave out --resume")
        self.done = {json.dumps(line["key"]): line["race"] for line in lines[1:]}
        # What a kill cut off in the middle of its line is not there.
        self.file.write_text("".join(json.dumps(line) + "\n" for line in lines or [head]))

    def known(self, key):
        """The record of this key; None where it is to be made."""
        return self.done.get(json.dumps(key))

    def add(self, key, record):
        with self.file.open("a") as file:
            file.write(json.dumps({"key": key, "race": record}) + "\n")


def whole(file):
    """The records of a file; its last line may be half a one."""
    for line in file.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return
