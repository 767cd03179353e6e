"""Runs engines in turns, each in a process of its own, and prints a table, for the comparisons with other engines."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any


def run_again(*arguments: object) -> dict[str, Any]:
    """Runs this script again with these arguments, in a process of its own. Returns the JSON of the last line that it
    prints. Raises a RuntimeError with the last line of its errors if it fails."""
    command = [sys.executable, "-W", "ignore", sys.argv[0], *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    return json.loads(done.stdout.splitlines()[-1])


def in_turns(engines: dict[str, Callable[[], Any]], turns: int, warm_up: int = 0) -> dict[str, list[Any]]:
    """Returns what each engine returned in each turn, without the first `warm_up` turns. An engine that raises a
    RuntimeError is left out from then on, with a message."""
    found: dict[str, list[Any]] = {name: [] for name in engines}
    for turn in range(-warm_up, turns):
        for name in list(found):
            try:
                value = engines[name]()
            except RuntimeError as error:
                print(f"SKIPPED {name}: {error}", file=sys.stderr)
                del found[name]
                continue
            if turn >= 0:
                found[name].append(value)
    return found


def print_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Prints the table in Markdown."""
    header = list(header)
    print("| " + " | ".join(header) + " |\n" + "|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
