"""Machines in pods of the cluster that scripts/test-cluster starts on this one: one for servers, one or two for load.

They share this machine's cores, as those of `namespaces` do."""

import contextlib
import subprocess
import tempfile
from pathlib import Path

from lib.peers import PHOTOFINISH
from lib.process import Failed

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "test-cluster"
NAMESPACE = "bench"


def script(*args):
    done = subprocess.run([str(SCRIPT), *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{SCRIPT.name} {' '.join(map(str, args))}: {done.stderr.strip()[-400:]}")


class Machines:
    """Pods, and a folder for what belongs to them."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def within(self, _name, command):
        """A command that reaches the cluster."""
        return [str(SCRIPT), "run", *map(str, command)]

    def far(self, _name):
        """A machine as hosts.toml has it: any node that takes it."""
        return ""

    def hosts(self, file, server, *generators):
        """Writes a file of hosts. The third node is for a second generator alone, for two of the nodes give out the same core."""
        spare = 'tolerations = ["spare:NoSchedule"]\n' if len(generators) > 1 else ""
        head = f'[kubernetes]\nnamespace = "{NAMESPACE}"\nimage = "localhost/photofinish:test"\ncpus = 1\nmemory = "256Mi"\n{spare}'
        path = self.folder / file
        path.write_text("".join([head, f"[server]\n{server}", *(f"[[generator]]\n{one}" for one in generators)]))
        return path


@contextlib.contextmanager
def machines():
    """A cluster with photofinish in an image, for as long as the block."""
    try:
        script("up")
        script("image", PHOTOFINISH)
        script("run", "kubectl", "create", "namespace", NAMESPACE)
        with tempfile.TemporaryDirectory(prefix="pfb") as folder:
            yield Machines(folder)
    finally:
        script("down")
