#!/usr/bin/env python3
"""Writes the types and tables of the tasks' options from the library's description of the tasks.

These are the types of TypeScript in bindings/node/index.d.ts, those of Python in
bindings/python/bert_infer/task_options.py, the names and setters of C in include/bert/bert_task_options.h, the tasks of
Rust, Go and Java with their options and results below bindings/rust, bindings/go and bindings/java, and the tables of
docs/TASKS.md.

    tools/tasks/write_types.py [--check] PROGRAM

PROGRAM prints the description as JSON (build/tests/tasks_json). With --check nothing is written, and the status is 1 if
a file would change. The types of TypeScript lack required options, which are arguments in JavaScript.
"""

import argparse
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from c_options import c_options
from go_types import go_types
from java_types import java_types
from python_types import python_types
from rust_types import rust_types
from task_pages import task_tables

REPOSITORY = Path(__file__).resolve().parents[2]
BEGIN = "// ---- Options of the tasks, written by tools/tasks/write_types.py ----\n"
END = "// ---- End of the options of the tasks ----\n"
TYPES = {"flag": "boolean", "size": "number", "number": "number", "text": "string", "texts": "readonly string[]"}
PAGE_BEGIN = "<!-- The tables below are written by tools/tasks/write_types.py. -->\n"
PAGE_END = "<!-- End of the tables. -->\n"
WIDTH = 120


def camel_case(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def comment(text: str, indent: str) -> str:
    line = f"{indent}/** {text} */\n"
    if len(line) <= WIDTH + 1:
        return line
    return f"{indent}/**\n" + textwrap.fill(text, WIDTH, initial_indent=f"{indent} * ",
                                           subsequent_indent=f"{indent} * ") + f"\n{indent} */\n"


def member(option: dict) -> str:
    """Returns an option as a member of its task's interface."""
    sentences = [option["help"][0].upper() + option["help"][1:] + "."]
    if "default" in option:
        sentences.append(f"Default: {json.dumps(option['default'])}.")
    if "excludes" in option:
        sentences.append(f"Not beside {camel_case(option['excludes'])}.")
    if "words" in option:
        kind = " | ".join(map(json.dumps, option["words"]))
    else:
        kind = TYPES[option["type"]]
    return comment(" ".join(sentences), "  ") + f"  {camel_case(option['name'])}?: {kind};\n"


def interface(task: dict) -> str:
    name = camel_case("_" + task["name"]) + "Options"
    members = "".join(member(option) for option in task["options"] if not option.get("required"))
    return comment(f"Options of {camel_case(task['name'])}.", "") + f"export interface {name} {{\n{members}}}\n"


def between(text: str, begin: str, end: str, new: str) -> str:
    """Returns the text with `new` between the marks `begin` and `end`."""
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return before + begin + new + end + after


def written(text: str, tasks: list[dict]) -> str:
    """Returns the file's text with the interfaces of these tasks between its marks."""
    return between(text, BEGIN, END, "\n" + "\n".join(map(interface, tasks)) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing: 1 if a file is another")
    parser.add_argument("program", help="prints the description of the tasks")
    given = parser.parse_args()
    tasks = json.loads(subprocess.run([given.program], capture_output=True, check=True).stdout)
    typescript, page = REPOSITORY / "bindings/node/index.d.ts", REPOSITORY / "docs/TASKS.md"
    new = {
        typescript: written(typescript.read_text(encoding="utf-8"), tasks),
        REPOSITORY / "bindings/python/bert_infer/task_options.py": python_types(tasks),
        REPOSITORY / "include/bert/bert_task_options.h": c_options(tasks),
        REPOSITORY / "bindings/rust/bert-infer/src/task_options.rs": rust_types(tasks),
        REPOSITORY / "bindings/go/tasks.go": go_types(tasks),
        REPOSITORY / "bindings/java/core/src/main/java/bertinfer/Tasks.java": java_types(tasks),
        page: between(page.read_text(encoding="utf-8"), PAGE_BEGIN, PAGE_END, task_tables(tasks)),
    }
    for file, text in new.items():
        if not given.check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{file} is stale: run tools/tasks/write_types.py {given.program}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
