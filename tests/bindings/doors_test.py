"""Checks that the program, Python, Node, SQL and the server return the same results. Each task gets a short and a long
text, with each value of long_text and without it. The C interface is tested through Node and SQL, which call it."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import unix_server

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
HERE = Path(__file__).resolve().parent
ERROR = "an error"
LABELS = ["dog", "brown fox"]


def entities(found: list[dict[str, Any]], label: str, start: str = "start", end: str = "end") -> list[tuple]:
    return [(one[label], one["score"], one[start], one[end]) for one in found]


def labels(found: list[dict[str, Any]]) -> list[tuple]:
    return [(one["label"], one["score"]) for one in found]


class Doors(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run([os.environ["BERT_TINY_MODELS"], cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.names = {"tag": "firing-tagger", "entities": "firing-gliner", "classify": "classes", "zero_shot": "classes",
                     "classes": "gliclass", "rerank": "embedder", "redact": "firing-tagger"}
        cls.server = unix_server.UnixServer({name: str(cls.folder / name) for name in set(cls.names.values())})
        cls.addClassCleanup(cls.stop)
        cls.node = subprocess.Popen(["node", HERE / "doors.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True)
        cls.database = sqlite3.connect(":memory:")
        cls.database.enable_load_extension(True)
        cls.database.load_extension(os.environ["BERT_SQLITE_EXTENSION"])
        for name in set(cls.names.values()):
            cls.database.execute("SELECT bert_register(?, ?)", (name, str(cls.folder / name)))
        import bert_infer

        cls.python = {name: bert_infer.Model(str(cls.folder / name)) for name in set(cls.names.values())}
        cls.error = bert_infer.Error

    @classmethod
    def stop(cls) -> None:
        cls.server.close()
        if hasattr(cls, "node"):
            cls.node.communicate()
        if hasattr(cls, "database"):
            cls.database.close()

    # ---- Each of these calls one interface and returns the result, or ERROR ----

    def ask_program(self, task: str, *given: str, long_text: str | None) -> Any:
        command = {"entities": "tag", "classes": "classify", "zero_shot": "zero-shot"}.get(task, task)
        arguments = [PROGRAM, command, "--model", self.folder / self.names[task], "--format", "jsonl", *given]
        if long_text is not None:
            arguments += ["--long-text", long_text]
        done = subprocess.run(arguments, capture_output=True, text=True)
        return ERROR if done.returncode else json.loads(done.stdout)

    def ask_node(self, task: str, method: str, *given: Any, long_text: str | None, **options: Any) -> Any:
        options |= {} if long_text is None else {"longText": long_text}
        request = [str(self.folder / self.names[task]), method, [*given, options]]
        print(json.dumps(request), file=self.node.stdin, flush=True)
        found = json.loads(self.node.stdout.readline())
        return ERROR if found is None else found["items"]

    def ask_server(self, task: str, route: str, long_text: str | None, **body: Any) -> Any:
        body |= {"model": self.names[task]} | ({} if long_text is None else {"long_text": long_text})
        status, found = self.server.post(route, body)
        return ERROR if status != 200 else found

    def ask_python(self, task: str, method: str, *given: Any, long_text: str | None, **options: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return getattr(self.python[self.names[task]], method)(*given, long_text=long_text, **options)
            except self.error:
                return ERROR

    def ask_sql(self, query: str, *given: Any) -> Any:
        try:
            return self.database.execute(query, given).fetchall()
        except sqlite3.Error:
            return ERROR

    # ---- Each of these returns a task's call in each interface ----

    def of_tag(self, text: str, long_text: str | None) -> dict[str, Any]:
        return {
            "program": lambda: entities(self.ask_program("tag", text, long_text=long_text)["entities"], "entity",
                                        "code_point_start", "code_point_end"),
            "python": lambda: entities(self.ask_python("tag", "tag", text, long_text=long_text), "entity"),
            "node": lambda: entities(self.ask_node("tag", "tag", text, long_text=long_text), "label"),
            "server": lambda: entities(self.ask_server("tag", "/v1/ner", long_text, input=text)["data"][0]["entities"],
                                       "entity", "code_point_start", "code_point_end"),
        } | ({} if long_text else {
            "sql": lambda: self.ask_sql(
                "SELECT label, score, start, \"end\" FROM bert_entities('firing-tagger', ?)", text)})

    def of_entities(self, text: str, long_text: str | None) -> dict[str, Any]:
        return {
            "program": lambda: entities(
                self.ask_program("entities", "--labels", "coding,dog", text, long_text=long_text)["entities"], "entity",
                "code_point_start", "code_point_end"),
            "python": lambda: entities(
                self.ask_python("entities", "tag", text, labels=["coding", "dog"], long_text=long_text), "entity"),
            "node": lambda: entities(
                self.ask_node("entities", "findEntities", text, ["coding", "dog"], long_text=long_text), "label"),
            "server": lambda: entities(
                self.ask_server("entities", "/v1/ner", long_text, input=text, labels=["coding", "dog"])["data"][0][
                    "entities"], "entity", "code_point_start", "code_point_end"),
        } | ({} if long_text else {
            "sql": lambda: self.ask_sql(
                "SELECT label, score, start, \"end\" FROM bert_entities('firing-gliner', ?, 'coding, dog')", text)})

    def of_classify(self, text: str, long_text: str | None) -> dict[str, Any]:
        return {
            "program": lambda: labels(self.ask_program("classify", text, long_text=long_text)["labels"]),
            "python": lambda: labels(self.ask_python("classify", "classify", text, long_text=long_text)),
            "node": lambda: labels(self.ask_node("classify", "classify", text, long_text=long_text)),
            # Unlike the others, the server refuses a long text by default.
            "server": lambda: labels(
                self.ask_server("classify", "/v1/classify", long_text or "cut", input=text)["data"][0]["labels"]),
        }

    def of_classes(self, text: str, long_text: str | None) -> dict[str, Any]:
        return {
            "program": lambda: labels(
                self.ask_program("classes", "--labels", "dog,fox", text, long_text=long_text)["labels"]),
            "python": lambda: labels(
                self.ask_python("classes", "classify", text, labels=["dog", "fox"], long_text=long_text)),
            "node": lambda: labels(self.ask_node("classes", "scoreLabels", text, ["dog", "fox"], long_text=long_text)),
            "server": lambda: labels(
                self.ask_server("classes", "/v1/classify", long_text or "cut", input=text,
                                labels=["dog", "fox"])["data"][0]["labels"]),
        }

    def of_zero_shot(self, text: str, long_text: str | None) -> dict[str, Any]:
        return {
            "program": lambda: labels(
                self.ask_program("zero_shot", "--labels", ",".join(LABELS), text, long_text=long_text)["labels"]),
            "python": lambda: labels(self.ask_python("zero_shot", "zero_shot", text, LABELS, long_text=long_text)),
            "node": lambda: labels(self.ask_node("zero_shot", "zeroShot", text, LABELS, long_text=long_text)),
        }

    def of_rerank(self, text: str, long_text: str | None) -> dict[str, Any]:
        def ranks(found: list[dict[str, Any]], index: str, score: str = "score") -> list[tuple]:
            return [(one[index], one[score]) for one in found]

        doors = {
            "program": lambda: ranks(
                self.ask_program("rerank", "a fox", "dog", text, long_text=long_text)["results"], "index"),
            "python": lambda: ranks(
                self.ask_python("rerank", "rerank", "a fox", ["dog", text], long_text=long_text), "corpus_id"),
            "node": lambda: ranks(
                self.ask_node("rerank", "rerank", "a fox", ["dog", text], long_text=long_text), "index"),
            "server": lambda: ranks(
                self.ask_server("rerank", "/v1/rerank", long_text, query="a fox", documents=["dog", text])["results"],
                "index", "relevance_score"),
        }
        if long_text != "windows":
            query = "SELECT bert_rerank('embedder', 'a fox', ?" + (f", '{long_text}'" if long_text else "") + ")"
            doors["sql"] = lambda: sorted(
                [(i, self.ask_sql(query, document)[0][0]) for i, document in enumerate(["dog", text])],
                key=lambda ranked: -ranked[1])
        return doors

    def of_redact(self, text: str, long_text: str | None) -> dict[str, Any]:
        return {
            "program": lambda: self.redacted_by_program(text, long_text),
            "python": lambda: self.ask_python("redact", "redact", text, long_text=long_text)["text"],
            "node": lambda: self.ask_node("redact", "redact", text, long_text=long_text)["text"],
            "server": lambda: self.ask_server("redact", "/v1/redact", long_text, input=text)["data"][0]["text"],
        }

    def redacted_by_program(self, text: str, long_text: str | None) -> str:
        arguments = [PROGRAM, "redact", "--model", self.folder / "firing-tagger", text]
        arguments += ["--long-text", long_text] if long_text else []
        done = subprocess.run(arguments, capture_output=True, text=True)
        return done.stdout.removesuffix("\n") if done.returncode == 0 else ERROR

    def test_each_door_gives_the_same_answer(self) -> None:
        short, long = "the brown fox", "the lazy dog and a brown fox jumps " * 20
        for task in self.names:
            for text in (short, long):
                for long_text in (None, "windows", "cut", "error"):
                    with self.subTest(task=task, words=len(text.split()), long_text=long_text):
                        found = {}
                        for door, ask in getattr(self, f"of_{task}")(text, long_text).items():
                            try:
                                found[door] = ask()
                            except TypeError:  # ERROR has no fields
                                found[door] = ERROR
                        self.assertGreaterEqual(len(found), 3)
                        expected = found["program"]
                        for door, result in found.items():
                            self.assertEqual(result, expected, door)
                        is_refused = text is long and long_text == "error" or task == "redact" and long_text == "cut"
                        self.assertEqual(expected == ERROR, is_refused)


if __name__ == "__main__":
    unittest.main()
