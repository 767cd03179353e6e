"""Writes the types of the tasks' options for the Python package."""

import textwrap

# The package has arguments of its own for these options.
OWN = {
    "zero_shot": {"labels"}, "choose": {"text"}, "rerank": {"query", "prompt", "prompt_text"},
    "redact": {"expressions", "key"},
}
TYPES = {"flag": "bool", "size": "int", "number": "float", "text": "str", "texts": "Iterable[str]"}


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def python_types(tasks):
    words = {}  # the name of a type by the words that it allows
    for task in tasks:
        for option in task["options"]:
            if option["type"] == "word":
                words.setdefault(tuple(option["words"]), camel(option["name"]))
    names = {}
    for key, name in words.items():
        names[key] = name if name not in names.values() else name + "".join(word.capitalize() for word in key)
    lines = [
        '"""The options of the tasks, of which None is the default. Written by tools/tasks/write_types.py."""',
        "",
        "from collections.abc import Iterable",
        "from typing import Literal, TypedDict",
        "",
    ]
    for key, name in names.items():
        lines.append(f"{name} = Literal[" + ", ".join(f'"{word}"' for word in key) + "]")
    for task in tasks:
        lines += ["", "", f"class {camel(task['name'])}Options(TypedDict, total=False):"]
        lines += textwrap.wrap(f'"""The options of {task["name"]}: {task["help"]}."""', 116, initial_indent="    ",
                               subsequent_indent="    ")
        lines.append("")
        for option in task["options"]:
            if option["name"] in OWN.get(task["name"], ()):
                continue
            kind = names[tuple(option["words"])] if option["type"] == "word" else TYPES[option["type"]]
            lines += textwrap.wrap(option["help"], 114, initial_indent="    # ", subsequent_indent="    # ")
            lines.append(f"    {option['name']}: {kind} | None")
    return "\n".join(lines) + "\n"
