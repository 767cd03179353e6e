"""Writes the tasks, their options and results for Rust."""

import textwrap

from result_types import GIVES, KINDS, RECORDS, camel, sentences, word_types

TYPES = {"flag": "bool", "size": "usize", "number": "f64", "text": "String", "texts": "Vec<String>"}
FIELDS = {"text": "String", "number": "f64", "size": "usize", "id": "i32"}
DERIVE = "#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]"
DERIVE_OPTIONS = "#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]"
DERIVE_WORDS = "#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]"
HEAD = """\
//! The tasks with their options and results, written by tools/tasks/write_types.py from the library's description.
use serde::{Deserialize, Serialize};

use crate::task::{masks, Item, Redacted, TaskOptions};
"""


def comment(text: str, indent: str = "") -> str:
    for sign in "[]<>":
        text = text.replace(sign, "\\" + sign)
    return textwrap.fill(text, 116, initial_indent=f"{indent}/// ", subsequent_indent=f"{indent}/// ",
                         break_on_hyphens=False) + "\n"


def record(of) -> str:
    fields = "".join(f"    pub {name}: {FIELDS[KINDS[item]]},\n" for name, item in of.fields.items())
    values = ", ".join(f"{name}: item.{item}" + (".to_owned()" if item == "text" else "")
                       for name, item in of.fields.items())
    return (f"\n{comment(of.help)}{DERIVE}\npub struct {of.name} {{\n{fields}}}\n\n"
            f"impl From<&Item<'_>> for {of.name} {{\n    fn from(item: &Item) -> Self {{\n"
            f"        Self {{ {values} }}\n    }}\n}}\n")


def output(task: dict) -> tuple[str, str]:
    """Returns the type of a task's result, and the expression that makes it from the items."""
    kind, of = GIVES[task["gives"]]
    if kind == "list":
        return f"Vec<{of.name}>", "items.iter().map(Into::into).collect()"
    if kind == "lists":
        return f"Vec<Vec<{of.name}>>", "masks(items)"
    if kind == "number":
        return "f64", "items.first().map_or(0.0, |item| item.score)"
    return "Redacted", ("Redacted { text: text.unwrap_or_default().to_owned(), "
                        "replaced: items.iter().map(Into::into).collect() }")


def options(task: dict, words: dict) -> str:
    name = camel(task["name"]) + "Options"
    text = f"\n{comment(task['help'][0].upper() + task['help'][1:] + '. None is the default.')}"
    text += f"{DERIVE_OPTIONS}\n#[serde(default, deny_unknown_fields)]\n"
    text += f"pub struct {name} {{\n"
    for option in task["options"]:
        kind = words[tuple(option["words"])] if option["type"] == "word" else TYPES[option["type"]]
        text += comment(sentences(option), "    ")
        text += '    #[serde(skip_serializing_if = "Option::is_none")]\n'
        text += f"    pub {option['name']}: Option<{kind}>,\n"
    result, made = output(task)
    parameter = "text" if "text." in made else "_text"
    return text + (f"}}\n\nimpl TaskOptions for {name} {{\n    const NAME: &'static str = \"{task['name']}\";\n"
                   f"    const RANKS: bool = {str(task['ranks']).lower()};\n    type Output = {result};\n"
                   f"    fn output(items: &[Item], {parameter}: Option<&str>) -> Self::Output {{\n        {made}\n"
                   "    }\n}\n")


def rust_types(tasks: list[dict]) -> str:
    words = word_types(tasks)
    text = HEAD
    for names, kind in words.items():
        variants = "".join(f"    {camel(name)},\n" for name in names)
        text += (f"\n/// One of {', '.join(names)}.\n{DERIVE_WORDS}\n"
                 f'#[serde(rename_all = "snake_case")]\npub enum {kind} {{\n{variants}}}\n')
    text += "".join(map(record, RECORDS))
    return text + "".join(options(task, words) for task in tasks)
