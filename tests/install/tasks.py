#!/usr/bin/env python3
"""Compares the tasks and their options with the promised ones in tests/install/tasks.json, an earlier description.
Additions of a task, an option or a word are allowed. Removals, changes of a type, and new required options are not.

    tasks.py PROGRAM [--update]

PROGRAM prints the description as JSON (build/tests/tasks_json). --update writes tasks.json after an addition, or for a
version that may break the promise.
"""

import argparse
import copy
import json
import subprocess
import sys
from pathlib import Path

PROMISED = Path(__file__).resolve().parent / "tasks.json"


def by_name(entries: list[dict]) -> dict[str, dict]:
    return {entry["name"]: entry for entry in entries}


def broken(promised: list[dict], found: list[dict]) -> list[str]:
    """Returns the promises that `found` breaks."""
    faults = []
    tasks = by_name(found)
    for task in promised:
        name = task["name"]
        if name not in tasks:
            faults.append(f"the task {name} is gone")
            continue
        faults += [f"{name}: {key} is {tasks[name][key]!r}, promised {task[key]!r}"
                   for key in ("reads", "gives", "ranks") if tasks[name][key] != task[key]]
        now, before = by_name(tasks[name]["options"]), by_name(task["options"])
        for option in before:
            where = f"option {option} of {name}"
            if option not in now:
                faults.append(f"{where} is gone")
                continue
            if now[option]["type"] != before[option]["type"]:
                faults.append(f"{where} is a {now[option]['type']}, promised a {before[option]['type']}")
            gone = [word for word in before[option].get("words", []) if word not in now[option].get("words", [])]
            faults += [f"{where}: the word {word} is gone" for word in gone]
        faults += [f"option {option} of {name} is required, and was not" for option, entry in now.items()
                   if entry.get("required") and not before.get(option, {}).get("required")]
    return faults


def check_that_changes_are_seen(tasks: list[dict]) -> None:
    """Yields the description with one change, for each kind of change."""

    def after(change) -> list[str]:
        changed = copy.deepcopy(tasks)
        change(changed, by_name(by_name(changed)["tag"]["options"]))
        return broken(tasks, changed)

    def tag(changed: list[dict]) -> dict:
        return by_name(changed)["tag"]

    assert after(lambda changed, _: changed.remove(tag(changed))) == ["the task tag is gone"]
    assert after(lambda changed, options: tag(changed)["options"].remove(options["stride"])) == [
        "option stride of tag is gone"]
    assert after(lambda _, options: options["stride"].update(type="text")) == [
        "option stride of tag is a text, promised a size"]
    assert after(lambda _, options: options["scheme"]["words"].remove("iob")) == [
        "option scheme of tag: the word iob is gone"]
    assert after(lambda _, options: options["labels"].update(required=True)) == [
        "option labels of tag is required, and was not"]
    assert len(after(lambda changed, _: tag(changed).update(reads="pair"))) == 1
    assert not after(lambda changed, _: changed.append({**tag(changed), "name": "other"}))
    assert not after(lambda changed, _: tag(changed)["options"].append({"name": "other", "type": "flag"}))
    assert not after(lambda _, options: options["scheme"]["words"].append("other"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="prints the description of the tasks")
    parser.add_argument("--update", action="store_true", help="write tasks.json anew")
    given = parser.parse_args()
    tasks = json.loads(subprocess.run([given.program], capture_output=True, check=True).stdout)
    if given.update:
        PROMISED.write_text(json.dumps(tasks, indent=1) + "\n", encoding="utf-8")
        return 0
    check_that_changes_are_seen(tasks)
    faults = broken(json.loads(PROMISED.read_text(encoding="utf-8")), tasks)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{PROMISED.name} has another promise; to break it: tests/install/tasks.py {given.program} --update",
              file=sys.stderr)
        return 1
    print(f"{len(tasks)} tasks with {sum(len(task['options']) for task in tasks)} options, as promised")
    return 0


if __name__ == "__main__":
    sys.exit(main())
