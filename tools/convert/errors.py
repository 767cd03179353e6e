"""The converter's only error type, and the quoting of text from files in messages."""


class ConvertError(Exception):
    """An error with a message of one line that says what is wrong and where, what was found and what was expected."""


def quoted(text: object, limit: int = 120) -> str:
    """Return text in single quotes on one line. Control characters and lone surrogates are escaped; long text is
    truncated."""
    shown = str(text)
    if len(shown) > limit:
        shown = f"{shown[:limit]}… ({len(shown)} characters)"
    return "'" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown) + "'"


class UsageError(Exception):
    """Options that contradict each other or the input."""
