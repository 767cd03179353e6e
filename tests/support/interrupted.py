"""Runs a program on a terminal and presses Ctrl-C when its progress is shown: interrupted.py PROGRAM [ARGUMENT]...
Fails unless the program then says after which line it was interrupted, and ends with status 130. A second event would
end it without the line."""

import os
import pty
import select
import signal
import sys
import time

SECONDS = 60


def main() -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    shown, end, is_pressed = b"", time.monotonic() + SECONDS, False
    while select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
        try:
            block = os.read(terminal, 65536)
        except OSError:  # the program has ended
            break
        if not block:
            break
        shown += block
        if not is_pressed and b"%" in shown:
            os.write(terminal, b"\x03")
            is_pressed = True
    else:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 130 or b"interrupted after line" not in shown:
        sys.exit(f"Ctrl-C: status {status}, expected 130; the terminal shows {shown[-400:]!r}")
    print("Ctrl-C: status 130", file=sys.stderr)


if __name__ == "__main__":
    main()
