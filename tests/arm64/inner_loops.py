"""Checks the object code of the ARM kernels' inner loops: inner_loops.py OBJDUMP OBJECT...

The inner loop of every tile must keep its sums in registers, so no instruction in it may use the stack. In the largest
tiles, of which products with many rows consist, at least the given part of the vector instructions (including loads)
must be multiply-adds. Prints the instructions of each tile's inner loop.
"""

import re
import subprocess
import sys
from typing import NamedTuple

MULTIPLY_ADD = re.compile(r"(fmla|mla|sdot|smmla)\b")
VECTOR = re.compile(r"\b[vqd]\d+\b")
BRANCH = re.compile(r"(?:b\.?\w*|cbn?z|tbn?z)\b.*?([0-9a-f]+) <")
TILE = re.compile(r"\b((?:few_row|short_block|block|dot)_sums)<(?:.*::(\w+), )?(\d)ul, (\d)ul>")

# The tiles of products with many rows, and the smallest part of multiply-adds.
LEAST = {
    ("block_sums", "F32", 5): 0.85,
    ("block_sums", "I8", 5): 0.85,
    ("block_sums", "I8Dot", 5): 0.85,
    ("block_sums", "I8Matrix", 6): 0.85,
}


class Loop(NamedTuple):
    """The numbers of an inner loop's instructions, multiply-adds, vector instructions, and uses of the stack."""

    instructions: int
    multiply_adds: int
    vectors: int
    stack: list


def innermost_loop(instructions):
    """Returns the innermost loop with the most multiply-adds. instructions: (address, text) of a function."""
    place = {address: i for i, (address, _) in enumerate(instructions)}
    loops = []
    for i, (_, text) in enumerate(instructions):
        branch = BRANCH.match(text)
        begin = place.get(int(branch.group(1), 16)) if branch else None
        if begin is not None and begin <= i:
            loops.append((begin, i))
    inner = [(a, b) for a, b in loops if not any((c, d) != (a, b) and a <= c and d <= b for c, d in loops)]
    found = []
    for begin, end in inner:
        body = [text for _, text in instructions[begin : end + 1]]
        adds = sum(bool(MULTIPLY_ADD.match(text)) for text in body)
        vectors = sum(bool(VECTOR.search(text)) for text in body)
        found.append(Loop(len(body), adds, vectors, [text for text in body if re.search(r"\bsp\b", text)]))
    return max(found, key=lambda loop: loop.multiply_adds, default=None)


def tiles(objdump, path):
    """Yields ((function, type, rows), inner loop) of each tile in an object file."""
    listing = subprocess.run(
        [objdump, "-dC", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout
    for function in listing.split("\n\n"):
        header, *lines = function.strip().split("\n")
        name = TILE.search(header)
        if name is None:
            continue
        fields = [line.split("\t") for line in lines if "\t" in line]
        instructions = [(int(f[0].strip().rstrip(":"), 16), " ".join(f[1:])) for f in fields]
        loop = innermost_loop(instructions)
        if loop is not None and loop.multiply_adds > 0:
            kind = name.group(2) if name.group(1) in ("block_sums", "dot_sums") else "F32"
            yield (name.group(1), kind, int(name.group(3))), loop


def main():
    objdump, *objects = sys.argv[1:]
    failures, missing = [], dict(LEAST)
    for path in objects:
        for tile, loop in sorted(tiles(objdump, path)):
            part = loop.multiply_adds / loop.vectors
            text = f"{tile[0]} of {tile[1]}, {tile[2]} rows"
            print(
                f"{text}: {loop.instructions} instructions, {loop.vectors} of vectors,"
                f" {loop.multiply_adds} multiply-adds ({part:.0%} of the vectors')"
            )
            failures += [f"{text}: uses the stack: {spill}" for spill in loop.stack]
            least = missing.pop(tile, 0)
            if part < least:
                failures.append(f"{text}: {part:.1%} multiply-adds, expected {least:.0%}")
    failures += [f"{tile}: not found" for tile in missing]
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
