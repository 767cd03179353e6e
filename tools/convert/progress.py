"""Shows the progress of each step on a terminal."""

import sys
import time


class Progress:
    """A progress line on the terminal. Prints nothing if standard error is not a terminal."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._what, self._done, self._total, self._shown_at = "", 0, 0, 0.0

    def start(self, what: str, total_bytes: int) -> None:
        """Begin a new step."""
        self._what, self._done, self._total = what, 0, total_bytes

    def add(self, count: int) -> None:
        """Add count bytes to the progress."""
        self._done += count
        now = time.monotonic()
        if self._enabled and now - self._shown_at >= 0.1:
            self._shown_at = now
            percent = 100 * self._done // max(self._total, 1)
            sys.stderr.write(f"\r{self._what}: {min(percent, 100)} % of {self._total / 1e6:.0f} MB\033[K")
            sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._enabled and self._shown_at:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
