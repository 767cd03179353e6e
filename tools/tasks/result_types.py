"""The names of a bert_item's fields (docs/TASKS.md), from which typed results are written for other languages."""

import json
from typing import NamedTuple


class Record(NamedTuple):
    name: str
    help: str
    fields: dict[str, str]  # a field's name: the bert_item's


LABEL = Record("Label", "A label and its score; index is that of the caller's own label.",
               {"label": "text", "score": "score", "index": "index"})
ENTITY = Record("Entity", "An entity at a place in its text; index is that of the caller's own label, or of the given "
                "word.", {"label": "text", "score": "score", "start": "start", "end": "end", "index": "index"})
CANDIDATE = Record("Candidate", "A token in the place of a mask.", {"token": "text", "id": "id", "score": "score"})
ANSWER = Record("Answer", "A part of the context, at its place there.",
                {"answer": "text", "score": "score", "start": "start", "end": "end"})
PART = Record("Part", "A part of the text that was replaced, at its place in the given text.",
              {"label": "text", "start": "start", "end": "end"})
RECORDS = [LABEL, ENTITY, CANDIDATE, ANSWER, PART]
KINDS = {"text": "text", "score": "number", "start": "size", "end": "size", "index": "size", "id": "id"}

# A task gives a list of records, such a list for each mask, a number, or a text with records.
GIVES = {"labels": ("list", LABEL), "entities": ("list", ENTITY), "masks": ("lists", CANDIDATE),
         "answers": ("list", ANSWER), "is_next": ("number", None), "score": ("number", None),
         "redacted": ("redacted", PART)}


def word_types(tasks: list[dict]) -> dict[tuple[str, ...], str]:
    """Returns the name of each list of words: that of the option, such as LongText, or if that is taken one made of the
    words, such as CutOrError."""
    names: dict[tuple[str, ...], str] = {}
    for task in tasks:
        for option in task["options"]:
            words = tuple(option.get("words", ()))
            if words and words not in names:
                name = "".join(part.capitalize() for part in option["name"].split("_"))
                names[words] = "Or".join(map(str.capitalize, words)) if name in names.values() else name
    return names


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def sentences(option: dict, named=str) -> str:
    """Returns the sentences about an option. `named` makes the name of another option."""
    text = option["help"][0].upper() + option["help"][1:] + "."
    if "default" in option:
        default = option["default"]
        text += f" Default: {default if option['type'] == 'word' else json.dumps(default)}."
    if option.get("required"):
        text += " Required."
    if "excludes" in option:
        text += f" Not beside {named(option['excludes'])}."
    return text
