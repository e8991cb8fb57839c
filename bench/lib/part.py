"""A part of a bench: a table, and what was found to hold or not."""

import sys

from lib import table


class Part:
    def __init__(self, title, ledger):
        self.ledger, self.verdicts = ledger, []
        print(f"\n### {title}\n")

    def say(self, holds, sentence):
        """Tells at the end whether a bound holds."""
        self.verdicts.append({"says": sentence, "holds": holds})

    def end(self, header, rows):
        print(table.markdown(header, rows) + "\n")
        for verdict in self.verdicts:
            print(f"- {'holds' if verdict['holds'] else 'MISSED'}: {verdict['says']}")
        sys.stdout.flush()
