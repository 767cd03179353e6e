"""Runs the converter many times in one process, and reports how each run ended. The tests start it, and write one JSON
job per line.

A job is {"arguments": [...]}. Its answer is {"code", "output", "errors", "peak_kb"}. peak_kb is the highest resident
size of this process so far, including the interpreter and numpy, as the kernel counts it (VmHWM).
"""

import contextlib
import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import convert_weights  # noqa: E402


class _Captured(io.TextIOWrapper):
    """A text stream that keeps what is written."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """Return everything that was written."""
        return self.buffer.getvalue().decode("utf-8")


def _peak_kb() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError("/proc/self/status has no VmHWM")


def main() -> None:
    """Answer jobs until the input ends."""
    for line in sys.stdin:
        output, errors = _Captured(), _Captured()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = convert_weights.main(json.loads(line)["arguments"])
            except SystemExit as stop:
                code = stop.code
        answer = {"code": code, "output": output.text(), "errors": errors.text(), "peak_kb": _peak_kb()}
        print(json.dumps(answer), flush=True)


main()
