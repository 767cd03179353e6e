"""Runs the comparisons with reference libraries: reads the command line, makes each random case from its number, and
counts the results."""

import argparse
import pathlib
import tempfile
from collections.abc import Callable


def run_cases(description: str, check: Callable[[int, str, pathlib.Path], str], count: int,
              is_documented_refusal: Callable[[str], bool] | None = None) -> int:
    """Runs the cases and returns the exit status. `check` gets a case's number, the program and an empty directory, and
    returns "" if both sides agree, or a message with the difference. A documented refusal is counted, but is no
    failure."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0, help="the first case's number, which is its seed")
    parser.add_argument("--program", default="build/bert-infer")
    parser.add_argument("--keep", help="a directory for the cases, to look at one afterwards")
    options = parser.parse_args()
    refused = failed = 0
    for number in range(options.first, options.first + options.count):
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(options.keep, str(number)) if options.keep else pathlib.Path(temporary)
            root.mkdir(parents=True, exist_ok=True)
            result = check(number, options.program, root)
        if is_documented_refusal and is_documented_refusal(result):
            refused += 1
        elif result:
            failed += 1
            print(f"case {number}: {result}", flush=True)
    refusals = f"{refused} refused for a documented reason, " if is_documented_refusal else ""
    print(f"{options.count} cases: {options.count - refused - failed} agree, {refusals}{failed} failed")
    return 1 if failed else 0
