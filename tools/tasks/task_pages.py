"""The tables of the tasks' options for docs/TASKS.md. Long words of an option stand in the first table that has it."""

import json

from c_options import relations, values

TYPES = {"flag": "true or false", "size": "whole number", "number": "number", "word": "word", "text": "text",
         "texts": "list of texts"}
SHORT = 8  # words of an option that are repeated


def row(option: dict, elsewhere: str | None) -> str:
    """The line of an option; elsewhere: the task whose table has its words."""
    said = f"as of [{elsewhere}](#{elsewhere})" if elsewhere else option["help"]
    words = " ".join([said + "."] + relations(option)).replace("|", "\\|")
    words = words[0].upper() + words[1:]
    allowed = ", ".join(f"`{word}`" for word in option["words"]) if "words" in option else values(option)
    default = f"`{json.dumps(option['default'])}`" if "default" in option else ""
    return f"| `{option['name']}` | {TYPES[option['type']]} | {allowed} | {default} | {words} |\n"


def task_tables(tasks: list[dict]) -> str:
    text = ""
    first: dict[tuple[str, str], str] = {}  # the first task with an option of this name and these words
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
