"""Checks that the program, the server, Python and C return the same numbers, also for unusual texts."""

import contextlib
import ctypes
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support
from support import transcripts

import bert_infer

# An empty text, a space, a text longer than the model's limit, unknown words, emoji, and a usual text.
TEXTS = ["", " ", "the fox " * 300, "xyzzy plugh", "the 🦊 jumps 👩‍👩‍👧", "the quick brown fox"]
TO_NUL = ctypes.c_size_t(-1)


@contextlib.contextmanager
def served(**directories: str):
    """Starts a server of these models and yields its address."""
    names = [part for name, folder in directories.items() for part in ("--model", f"{name}={folder}")]
    command = [str(transcripts.PROGRAM), "serve", *names, "--listen", "127.0.0.1:0", "--auto-truncate"]
    with tempfile.NamedTemporaryFile() as log, subprocess.Popen(command, stderr=log) as server:
        try:
            yield address_in(Path(log.name))
        finally:
            server.terminate()


def address_in(log: Path) -> str:
    """Waits until a started server is ready, and returns its address. log: the file of its standard error."""
    # Each reading opens the file anew: a shared file position would change where the server writes.
    end = time.monotonic() + 30
    while time.monotonic() < end:
        text = log.read_text(encoding="utf-8")
        if "note: ready" in text:
            return "http://" + re.search(r"listening at (\S+)", text).group(1)
        time.sleep(0.02)
    raise AssertionError(f"the server did not start: {text}")


def post(address: str, path: str, body: dict) -> list:
    request = urllib.request.Request(
        address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def lines(texts: list[str], pair: str | None = None) -> str:
    """Returns the texts as JSON lines. pair: becomes the first text of each line, and the text its second."""
    return "".join(
        json.dumps({"text": text} if pair is None else {"text": pair, "pair": text}) + "\n" for text in texts
    )


class Clients(unittest.TestCase):
    def folder(self, *arguments: object, **settings: object) -> str:
        return support.write_model(support.temporary_directory(self), *arguments, **settings)

    def embedded_by_c(self, folder: str) -> list[np.ndarray]:
        """Returns each text's vector, computed by the C interface."""
        library = ctypes.CDLL(str(Path(transcripts.PROGRAM).parent / "libbertinfer.so"))
        model = ctypes.c_void_p()
        self.assertEqual(library.bert_model_load(folder.encode(), None, ctypes.byref(model)), 0)
        self.addCleanup(library.bert_model_free, model)
        vectors = []
        for text in TEXTS:
            vector = np.zeros(8, dtype=np.float32)
            status = library.bert_embed_text(
                model, text.encode(), TO_NUL, None, vector.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(8)
            )
            self.assertEqual(status, 0, text)
            vectors.append(vector)
        return vectors

    def test_embed(self) -> None:
        folder = support.write_sentence_model(support.temporary_directory(self))
        by_package = bert_infer.Model(folder).encode(TEXTS)
        printed = support.program("embed", "--model", folder, "--input", "-", "--jsonl", "--format", "jsonl",
                                  text=lines(TEXTS))
        by_program = [json.loads(line)["embedding"] for line in printed.splitlines()]
        with served(m=folder) as address:
            by_server = post(address, "/embed", {"inputs": TEXTS})
        by_c = self.embedded_by_c(folder)
        for i, text in enumerate(TEXTS):
            with self.subTest(text=text[:20]):
                np.testing.assert_array_equal(np.float32(by_program[i]), by_package[i])
                np.testing.assert_array_equal(np.float32(by_server[i]), by_package[i])
                np.testing.assert_array_equal(by_c[i], by_package[i])

    def test_classify_texts_and_pairs(self) -> None:
        folder = self.folder("BertForSequenceClassification", ("a", "b"))
        model = bert_infer.Model(folder)
        for first in (None, "the lazy dog", ""):
            inputs = [[text] if first is None else [first, text] for text in TEXTS]
            by_package = model.classify([one[0] if first is None else tuple(one) for one in inputs])
            printed = support.program("classify", "--model", folder, "--input", "-", "--jsonl", "--format", "jsonl",
                                      text=lines(TEXTS, first))
            by_program = [json.loads(line)["labels"] for line in printed.splitlines()]
            with served(m=folder) as address:
                by_server = post(address, "/predict", {"inputs": inputs})
            for i, text in enumerate(TEXTS):
                with self.subTest(first=first, text=text[:20]):
                    self.assertEqual(by_program[i], by_package[i])
                    self.assertEqual(
                        [(one["label"], np.float32(one["score"])) for one in by_server[i]],
                        [(one["label"], np.float32(one["score"])) for one in by_package[i]],
                    )

    def ranked_alike(self, folder: str, query: str, **named: str) -> None:
        options = [part for name, value in named.items() for part in (f"--{name}", value)]
        printed = support.program("rerank", "--model", folder, "--input", "-", "--jsonl", "--format", "json", *options,
                                  query, text=lines(TEXTS))
        by_program = {one["index"]: one["score"] for one in json.loads(printed)["results"]}
        by_package = {one["corpus_id"]: one["score"] for one in bert_infer.Model(folder).rerank(query, TEXTS)}
        self.assertEqual(by_program, by_package)
        with served(m=folder) as address:
            ranked = post(address, "/rerank", {"query": query, "texts": TEXTS})
        by_server = {one["index"]: one["score"] for one in ranked}
        self.assertEqual(
            {index: np.float32(score) for index, score in by_server.items()},
            {index: np.float32(score) for index, score in by_package.items()},
        )

    def test_rerank_by_a_classifier(self) -> None:
        prompts = {"prompts": {"query": "the fox "}, "default_prompt_name": "query", "model_type": "CrossEncoder"}
        modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
        for files in ({}, {"modules.json": modules, "config_sentence_transformers.json": prompts}):
            folder = self.folder("BertForSequenceClassification", ("relevant",), files=files)
            for query in ("the dog", "", "xyzzy 🦊"):
                with self.subTest(files=bool(files), query=query):
                    self.ranked_alike(folder, query)

    def test_rerank_by_vectors(self) -> None:
        self.ranked_alike(support.write_sentence_model(support.temporary_directory(self)), "the dog")

    def test_rerank_by_token_vectors(self) -> None:
        self.ranked_alike(support.write_m3_model(support.temporary_directory(self)), "the dog")


if __name__ == "__main__":
    unittest.main()
