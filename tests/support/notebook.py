"""Runs examples/first_hour.ipynb and returns its outputs: the printed text and the last value of each cell. An
Experiment is shown by its answer and its first drawing, and not by its page, because GitHub shows no frames. As a
program, this file writes the outputs into the notebook: PYTHONPATH=build/python python3 tests/support/notebook.py"""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import bert_infer

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "first_hour.ipynb"


def shown(value: Any) -> dict[str, list[str]]:
    if isinstance(value, bert_infer.Experiment):
        return {"image/svg+xml": value.svg.splitlines(True), "text/plain": [value.answer]}
    return {"text/plain": repr(value).splitlines(True)}


def run(cell: dict[str, Any], names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Runs a cell of code and returns its outputs. Its variables are stored in `names`."""
    *statements, last = ast.parse("".join(cell["source"])).body
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), cell["id"], "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
        else:
            exec(compile(ast.Module([last], []), cell["id"], "exec"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        result = {"data": shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        outputs.append(result)
    return outputs


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


if __name__ == "__main__":
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for count, cell in enumerate(code_cells(notebook), 1):
        cell.update(outputs=run(cell, names, count), execution_count=count)
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
