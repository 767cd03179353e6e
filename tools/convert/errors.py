"""The converter's one error type, and how text from a file is quoted in a message."""


class ConvertError(Exception):
    """A refusal or failure that the user is told about in one line: what, where, found, expected."""


def quoted(text: object, limit: int = 120) -> str:
    """Return text in single quotes, on one line: control characters and lone surrogates escaped, long text cut."""
    shown = str(text)
    if len(shown) > limit:
        shown = f"{shown[:limit]}… ({len(shown)} characters)"
    return "'" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown) + "'"
