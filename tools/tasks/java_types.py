"""Writes the tasks, their options and results for Java."""

import re
import textwrap

from result_types import GIVES, KINDS, RECORDS, camel, sentences, word_types

TYPES = {"flag": "Boolean", "size": "Long", "number": "Double", "text": "String", "texts": "List<String>"}
FIELDS = {"text": "String", "number": "double", "size": "int", "id": "int"}
HEAD = """\
package bertinfer;

import java.util.List;

/**
 * The tasks with their options and results, written by tools/tasks/write_types.py from the library's description. An
 * option that is not set has its default. Places are in UTF-16 units.
 */
public final class Tasks {
  private Tasks() {}
"""


def camel_case(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def comment(text: str, indent: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("{", "&#123;")
    line = f"{indent}/** {text} */\n"
    if len(line) <= 121:
        return line
    return f"{indent}/**\n" + textwrap.fill(text, 120, initial_indent=f"{indent} * ",
                                           subsequent_indent=f"{indent} * ") + f"\n{indent} */\n"


def value(item: str) -> str:
    return "(int) item.index()" if item == "index" else f"item.{item}()"


def made(of) -> str:
    return f"new {of.name}({', '.join(value(item) for item in of.fields.values())})"


def output(task: dict) -> tuple[str, str]:
    """Returns the type of a task's result, and the expression that makes it from the items."""
    kind, of = GIVES[task["gives"]]
    if kind == "list":
        return f"List<{of.name}>", f"list(items, item -> {made(of)})"
    if kind == "lists":
        return f"List<List<{of.name}>>", "masks(items)"
    if kind == "number":
        return "Double", "items.isEmpty() ? 0.0 : items.get(0).score()"
    return "Task.Redacted", f"new Redacted(text, list(items, item -> {made(of)}))"


def setter(name: str, option: dict, words: dict) -> str:
    kind = words[tuple(option["words"])] if option["type"] == "word" else TYPES[option["type"]]
    called = camel_case(option["name"])
    return (comment(sentences(option, camel_case), "    ") + f"    public {name} {called}({kind} {called}) {{\n"
            f"      set(\"{option['name']}\", {called});\n      return this;\n    }}\n")


def task_class(task: dict, words: dict) -> str:
    name, (result, how) = camel(task["name"]) + "Options", output(task)
    text = "\n" + comment(task["help"][0].upper() + task["help"][1:] + ".", "  ")
    text += f"  public static final class {name} extends Task<{result}> {{\n"
    text += f"    public {name}() {{\n      super(\"{task['name']}\");\n    }}\n\n"
    text += "\n".join(setter(name, option, words) for option in task["options"])
    return text + (f"\n    @Override {result} output(List<Item> items, String text) {{\n      return {how};\n    }}\n"
                   "  }\n")


def java_types(tasks: list[dict]) -> str:
    words = word_types(tasks)
    text = HEAD
    for names, kind in words.items():
        text += f"\n  /** One of {', '.join(names)}. */\n  public enum {kind} {{ {', '.join(names).upper()} }}\n"
    for of in RECORDS:
        fields = ", ".join(f"{FIELDS[KINDS[item]]} {name}" for name, item in of.fields.items())
        text += f"\n{comment(of.help, '  ')}  public record {of.name}({fields}) {{}}\n"
    return text + "".join(task_class(task, words) for task in tasks) + "}\n"
