"""Runs the cases of every binding (tests/cases/cases.jsonl) through SQL, if the extension has a function for them."""

import hashlib
import json
import os
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

CASES = Path(__file__).resolve().parents[1] / "cases" / "cases.jsonl"


def connect():
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.enable_load_extension(True)
    database.load_extension(os.environ["BERT_SQLITE_EXTENSION"])
    return database


def digest(blob):
    return hashlib.sha256(blob).hexdigest()


def utf16(text, place):
    return len(text[:place].encode("utf-16-le")) // 2


def embed(database, model, case):
    query = "SELECT bert_embed(?, ?)"
    return [digest(database.execute(query, (model, text)).fetchone()[0]) for text in case["texts"]]


def tokenize(database, model, case):
    rows = database.execute("""SELECT id, start, "end" FROM bert_tokens(?, ?)""", (model, case["text"])).fetchall()
    return {"ids": [row[0] for row in rows], "codePoints": [list(row[1:]) for row in rows]}


def chunks(database, model, case):
    query = """SELECT start, "end", vector FROM bert_chunks(?, ?)"""
    rows = database.execute(query, (model, case["text"])).fetchall()
    places = [[utf16(case["text"], place) for place in row[:2]] for row in rows]
    return {"utf16": places, "vectors": digest(b"".join(row[2] for row in rows))}


def rerank(database, model, case):
    query = "SELECT bert_rerank(?, ?, ?)"
    scores = [database.execute(query, (model, case["query"], text)).fetchone()[0] for text in case["documents"]]
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [{"index": i, "score": scores[i]} for i in order]


def tag(database, model, case):
    query = """SELECT label, score, start, "end" FROM bert_entities(?, ?)"""
    rows = database.execute(query, (model, case["text"])).fetchall()
    return [{"label": row[0], "score": row[1], "codePoints": list(row[2:])} for row in rows]


CALLS = {call.__name__: call for call in (embed, tokenize, chunks, rerank, tag)}
# Options of cases that SQL does not have.
OTHERS = {"pair", "dimensions", "stride", "scheme", "aggregation"}


def part_of(found, expected):
    """Returns the expected result with only the fields that the found one has."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {name: part_of(found[name], expected[name]) for name in found}
    if isinstance(expected, list) and expected and isinstance(expected[0], dict):
        return [part_of(one, other) for one, other in zip(found, expected, strict=True)]
    return expected


class Cases(unittest.TestCase):
    def test_all_hold(self):
        database = connect()
        self.addCleanup(database.close)
        run = 0
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["BERT_TINY_MODELS"], folder], check=True)
            for line in CASES.read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                if case["call"] not in CALLS or OTHERS & set(case):
                    continue
                run += 1
                name = case["model"] or "built-in"
                database.execute("SELECT bert_register(?, ?)",
                                 (name, str(Path(folder) / name) if case["model"] else None))
                with self.subTest(case=line[:200]):
                    if "error" in case:
                        with self.assertRaises(sqlite3.Error) as caught:
                            CALLS[case["call"]](database, name, case)
                        self.assertIn(case["error"]["message"], str(caught.exception))
                    else:
                        found = CALLS[case["call"]](database, name, case)
                        self.assertEqual(found, part_of(found, case["result"]))
        self.assertGreater(run, 50)


if __name__ == "__main__":
    unittest.main()
