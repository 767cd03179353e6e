#!/usr/bin/env python3
"""Prints wrong options for every task, one line of JSON each, {"task", "options"}: unknown names, values of other
types, unknown words and numbers out of range. Every language must report an error for each line.

    wrong_inputs.py PROGRAM

PROGRAM prints the description of the tasks as JSON (build/tests/tasks_json).
"""

import json
import subprocess
import sys

WRONG = {
    "flag": [1, "true", [True], {}],
    "size": [-1, 1.5, "1", [1], True, {}],
    "number": ["0.5", [0.5], True, {}],
    "word": [1, "xyzzy", "", ["cut"], True, {}],
    "text": [1, True, ["a", 1], {}],
    "texts": [1, True, [1], [None], {}],
}


def main() -> None:
    tasks = json.loads(subprocess.run([sys.argv[1]], capture_output=True, check=True).stdout)
    for task in tasks:
        for option in task["options"]:
            wrong = list(WRONG[option["type"]])
            if option.get("least"):
                wrong.append(option["least"] - 1)
            if "most" in option:
                wrong.append(option["most"] + 0.5)
            for value in wrong:
                print(json.dumps({"task": task["name"], "options": {option["name"]: value}}))
        print(json.dumps({"task": task["name"], "options": {"xyzzy": 1}}))
        print(json.dumps({"task": task["name"] + "x", "options": {}}))


if __name__ == "__main__":
    main()
