"""The tables of the tasks' options for docs/TASKS.md."""

import json

from c_options import relations, values

TYPES = {"flag": "true or false", "size": "whole number", "number": "number", "word": "word", "text": "text",
         "texts": "list of texts"}


def row(option: dict) -> str:
    words = " ".join([option["help"] + "."] + relations(option)).replace("|", "\\|")
    words = words[0].upper() + words[1:]
    allowed = ", ".join(f"`{word}`" for word in option["words"]) if "words" in option else values(option)
    default = f"`{json.dumps(option['default'])}`" if "default" in option else ""
    return f"| `{option['name']}` | {TYPES[option['type']]} | {allowed} | {default} | {words} |\n"


def task_tables(tasks: list[dict]) -> str:
    text = ""
    for task in tasks:
        ranks = ", and their ranking" if task["ranks"] else ""
        text += f"\n### {task['name']}\n\n{task['help'][0].upper() + task['help'][1:]}.\n"
        text += f"Reads: {task['reads']}. Gives: `{task['gives']}`{ranks}.\n\n"
        text += "| option | type | values | default | what it says |\n|---|---|---|---|---|\n"
        text += "".join(map(row, task["options"]))
    return text + "\n"
