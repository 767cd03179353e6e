"""The command `bert-infer` of a wheel, which starts the program that the wheel contains."""

import os
import sys


def main() -> None:
    """Replaces this process by the program, with the same arguments."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "bert-infer")
    if not os.path.exists(program):
        sys.exit(f"bert-infer: error: {program}: no such file, expected the program, which only a release's wheel has")
    os.execv(program, [program, *sys.argv[1:]])
