"""Counts the instructions of products on 64-bit ARM: count_instructions.py BUILD ROWS INPUTS OUTPUTS

Counts every instruction of the kernels that one_product executes under qemu, from a log of single steps, since Debian's
qemu for user programs has no plugins. The count says nothing about time.
"""

import collections
import re
import subprocess
import sys

KERNELS = ("float32", "bfloat16", "neon", "dotprod", "i8mm")
MULTIPLY_ADD = re.compile(r"(fmla|mla|sdot|smmla)\b")
PARTS = {"tiles": re.compile(r"\w+_sums<"), "quantising x": re.compile(r"quantize_row")}
REST = "packing, scaling"


def kernel_instructions(program):
    """Returns {address: (part, instruction)} of the code in the kernels' files."""
    listing = subprocess.run(
        ["aarch64-linux-gnu-objdump", "-dC", "--no-show-raw-insn", program], check=True, capture_output=True, text=True
    ).stdout
    found = {}
    for function in listing.split("\n\n"):
        header, *lines = function.strip().split("\n")
        if "bert::(anonymous namespace)::" not in header and "_ZZN4bert12_GLOBAL__N_1" not in header:
            continue
        part = next((name for name, pattern in PARTS.items() if pattern.search(header)), REST)
        for line in lines:
            fields = line.split("\t")
            if len(fields) > 1:
                found[int(fields[0].strip().rstrip(":"), 16)] = (part, fields[1])
    return found


def main():
    build, rows, inputs, outputs = sys.argv[1], *map(int, sys.argv[2:])
    program = f"{build}/tests/arm64/one_product"
    instructions = kernel_instructions(program)
    places = f"{min(instructions):#x}..{max(instructions):#x}"
    for kernel in KERNELS:
        command = ["qemu-aarch64-static", "-singlestep", "-d", "exec,nochain", "-dfilter", places, program, kernel]
        steps = subprocess.Popen([*command, str(rows), str(inputs), str(outputs)], stderr=subprocess.PIPE, text=True)
        parts, multiply_adds = collections.Counter(), 0
        for step in steps.stderr:
            address = re.search(r"\[[0-9a-f]+/([0-9a-f]+)/", step)
            part, instruction = instructions.get(int(address.group(1), 16), ("", "")) if address else ("", "")
            if part:
                parts[part] += 1
                multiply_adds += bool(MULTIPLY_ADD.match(instruction))
        if steps.wait() != 0:
            sys.exit(f"{program} {kernel}: ended with status {steps.returncode}")
        total = sum(parts.values())
        shares = ", ".join(f"{name} {count / total:.0%}" for name, count in parts.most_common())
        print(
            f"{kernel}: {total} instructions, {multiply_adds / total:.0%} multiply-adds,"
            f" {rows * inputs * outputs / total:.2f} products an instruction; {shares}"
        )


main()
