"""Writes the examples of the public headers, and the README's program, as files that a test compiles.

    header_examples.py REPOSITORY USER_FOLDER OUTPUT

An example of a header consists of a comment's lines that are indented by three spaces or more. The example number N of
include/bert/NAME becomes OUTPUT/NAME.N.inc, without lines that begin with "…", which stand for a reader's code. The C++
of the README becomes OUTPUT/readme.cc. Fails if no source in USER_FOLDER includes an example.
"""

import re
import sys
from pathlib import Path


def examples(header: str) -> list[str]:
    """Returns the examples of a header's text, in order."""
    found: list[list[str]] = []
    inside = False
    for line in header.splitlines():
        is_example = line.startswith("//   ")
        if is_example and not inside:
            found.append([])
        if is_example and not line.startswith("//   …"):
            found[-1].append(line.removeprefix("//   "))
        inside = is_example
    return ["\n".join(lines) + "\n" for lines in found]


def main() -> None:
    repository, users, output = (Path(given) for given in sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    included = "".join(path.read_text() for path in users.glob("*.c*"))
    for header in sorted((repository / "include" / "bert").glob("*.h")):
        for number, example in enumerate(examples(header.read_text()), 1):
            name = f"{header.name}.{number}.inc"
            if f'#include "{name}"' not in included:
                sys.exit(f"{header}: no source of {users} includes its example {name}")
            (output / name).write_text(example)
    [program] = re.findall(r"^```cpp\n(.*?)^```$", (repository / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (output / "readme.cc").write_text(program)


main()
