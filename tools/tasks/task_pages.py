"""Writes the tables of the tasks' options for docs/TASKS.md. A long description stands only in the first table that has
the option."""

import json

from c_options import relations, values

TYPES = {"flag": "true or false", "size": "whole number", "number": "number", "word": "word", "text": "text",
         "texts": "list of texts"}
SHORT = 8  # a description of at most so many words is repeated


def row(option: dict, elsewhere: str | None) -> str:
    """Returns the line of an option. `elsewhere` is the task whose table has the description, or None."""
    said = f"as of [{elsewhere}](#{elsewhere})" if elsewhere else option["help"]
    words = " ".join([said + "."] + relations(option)).replace("|", "\\|")
    words = words[0].upper() + words[1:]
    allowed = ", ".join(f"`{word}`" for word in option["words"]) if "words" in option else values(option)
    default = f"`{json.dumps(option['default'])}`" if "default" in option else ""
    return f"| `{option['name']}` | {TYPES[option['type']]} | {allowed} | {default} | {words} |\n"


def task_tables(tasks: list[dict]) -> str:
    text = ""
    first: dict[tuple[str, str], str] = {}  # the first task with an option of this name and description
    for task in tasks:
        ranks = ", and their ranking" if task["ranks"] else ""
        text += f"\n### {task['name']}\n\n{task['help'][0].upper() + task['help'][1:]}.\n"
        text += f"Reads: {task['reads']}. Gives: `{task['gives']}`{ranks}.\n\n"
        text += "| option | type | values | default | what it says |\n|---|---|---|---|---|\n"
        for option in task["options"]:
            described = first.setdefault((option["name"], option["help"]), task["name"])
            repeated = described != task["name"] and len(option["help"].split()) > SHORT
            text += row(option, described if repeated else None)
    return text + "\n"
