"""Reads docs/results/arguments.md, which lists the arguments of the packages that the drop-ins replace."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
EFFECTS = ("as there", "no effect", "refused")


def page() -> str:
    """Returns the page's text."""
    return (DOCS / "results" / "arguments.md").read_text(encoding="utf-8")


def effects() -> dict[str, str]:
    """Returns the table: the effect of each argument here, by its name."""
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|$", page(), re.MULTILINE)
    return {name: effect for names, effect in rows for name in re.findall(r"`(\w+)`", names)}


def other_names() -> set[str]:
    """Returns the names below the table: older names, and the engine's arguments."""
    below = page().partition("\nOlder names ")[2].partition("\n\n")[0]
    return set(re.findall(r"`(\w+)`", below))


def absent_members() -> set[str]:
    """Returns the members of sentence-transformers' classes that the drop-in's classes lack."""
    sentence = page().partition("\nThese members are absent: ")[2].partition("\n\n")[0]
    return set(re.findall(r"`(\w+)`", sentence))


def absent_functions() -> set[str]:
    """Returns the functions on vectors of sentence-transformers' util that the drop-in's util lacks."""
    text = (DOCS / "PYTHON.md").read_text(encoding="utf-8")
    sentence = text.partition("`community_detection`, …), but ")[2].partition(".\n")[0]
    return set(re.findall(r"`(\w+)`", sentence))


def arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the function's arguments: their names and defaults."""
    by_place = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind not in by_place and one.name != "self"}
