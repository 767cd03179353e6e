"""The section of docs/PYTHON.md about the arguments of the packages that the drop-ins stand for."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "PYTHON.md"
EFFECTS = ("as there", "no effect", "refused")


def section() -> str:
    """Its text."""
    return PAGE.read_text(encoding="utf-8").partition("### Arguments\n")[2].partition("\n## ")[0]


def effects() -> dict[str, str]:
    """What each argument of the table does here."""
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|$", section(), re.MULTILINE)
    return {name: effect for names, effect in rows for name in re.findall(r"`(\w+)`", names)}


def other_names() -> set[str]:
    """Older names and the engine's own arguments, which are named below the table."""
    below = section().partition("\nOlder names ")[2].partition("\n\n")[0]
    return set(re.findall(r"`(\w+)`", below))


def absent_members() -> set[str]:
    """The members of sentence-transformers' classes that the drop-in's do not have."""
    sentence = section().partition("\nThese members are absent: ")[2].partition("\n\n")[0]
    return set(re.findall(r"`(\w+)`", sentence))


def absent_functions() -> set[str]:
    """The functions on vectors of sentence-transformers' util that the drop-in's does not have."""
    sentence = PAGE.read_text(encoding="utf-8").partition("`community_detection`, …), but ")[2].partition(".\n")[0]
    return set(re.findall(r"`(\w+)`", sentence))


def arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of the function's arguments and their defaults."""
    by_place = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind not in by_place and one.name != "self"}
