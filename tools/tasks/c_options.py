"""Writes the names of the tasks and their options for C, and a setter for each option."""

import json
import textwrap

WIDTH = 120
HEAD = """\
// The names of the tasks and of their options (bert/bert_tasks.h), and a setter for each option of each task, as
// tools/tasks/write_types.py writes them from the description of the tasks. A misspelled option is an error of the
// compiler here; each setter returns what bert_task_set_* returns.
//
//   bert_task* task = NULL;
//   if (bert_task_new(model, BERT_TASK_TAG, &task) == BERT_OK &&
//       bert_tag_set_aggregation(task, "first") == BERT_OK)
//     puts("entities have whole words");
//   bert_task_free(task);
#ifndef BERT_BERT_TASK_OPTIONS_H
#define BERT_BERT_TASK_OPTIONS_H

#include "bert/bert_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif
"""
TAIL = """
#ifdef __cplusplus
}
#endif

#endif
"""
# For each type of option: the end of the function's name, its parameters after the task, and the arguments of its call.
SETTERS = {
    "flag": ("bool", "int flag", "flag"),
    "size": ("size", "size_t size", "size"),
    "number": ("double", "double number", "number"),
    "word": ("word", "const char* word", "word"),
    "text": ("word", "const char* text", "text"),
    "texts": ("texts", "const bert_text* texts, size_t count", "texts, count"),
}


def constant(kind: str, name: str) -> str:
    return f'#define BERT_{kind}_{name.upper()} "{name}"\n'


def number_text(number: float) -> str:
    return f"{number:g}"


def values(option: dict) -> str:
    """Returns the words or the range of an option, or "" if it takes any value of its type."""
    if "words" in option:
        return ", ".join(option["words"])
    if "most" in option:
        return f"{number_text(option['least'])} to {number_text(option['most'])}"
    return f"at least {number_text(option['least'])}" if option.get("least") else ""


def relations(option: dict) -> list[str]:
    """Returns sentences about an option's relations to other options."""
    found = ["Required."] if option.get("required") else []
    if "needs" in option:
        found.append(f"Needs {option['needs']}.")
    if "excludes" in option:
        found.append(f"Not beside {option['excludes']}.")
    return found


def setter(task: dict, option: dict) -> str:
    function, parameters, arguments = SETTERS[option["type"]]
    sentences = [option["help"][0].upper() + option["help"][1:] + "."]
    if values(option):
        before = "one of " if "words" in option else "from " if "most" in option else ""
        sentences.append((before + values(option)).capitalize() + ".")
    if "default" in option:
        sentences.append(f"Default: {json.dumps(option['default'])}.")
    comment = textwrap.fill(" ".join(sentences + relations(option)), WIDTH, initial_indent="// ",
                            subsequent_indent="// ", break_long_words=False, break_on_hyphens=False)
    head = f"static inline bert_status bert_{task['name']}_set_{option['name']}(bert_task* task, {parameters}) {{"
    call = f"return bert_task_set_{function}(task, BERT_OPTION_{option['name'].upper()}, {arguments});"
    line = f"{head} {call} }}"
    return f"{comment}\n" + (line if len(line) <= WIDTH else f"{head}\n  {call}\n}}") + "\n"


def c_options(tasks: list[dict]) -> str:
    names = sorted({option["name"] for task in tasks for option in task["options"]})
    text = HEAD + "\n// ---- Names ----\n\n" + "".join(constant("TASK", task["name"]) for task in tasks)
    text += "\n" + "".join(constant("OPTION", name) for name in names)
    for task in tasks:
        text += f"\n// ---- {task['name']}: {task['help']} ----\n\n".replace(" ----\n", "\n")
        text += "\n".join(setter(task, option) for option in task["options"])
    return text + TAIL
