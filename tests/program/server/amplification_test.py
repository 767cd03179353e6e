"""Checks that no small request makes the server use much memory. The server must keep to --memory-limit for every route
and model, whatever is long or many in the request or in the model's files. ROUTES is the one table of what is tried; a
route that the server has and the table lacks fails the test."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
LIMIT, ABOVE = 300, 64  # MiB of --memory-limit, and by how many MiB memory may exceed it briefly
SECONDS = 120

# Parts of requests that are long or many.
MANY_TEXTS, FEW_TEXTS = ["the fox"] * 2000, ["the fox"] * 40
WORDS = "the quick brown fox jumps over the lazy dog " * 6
LABEL = "dog " * 1000
LABELS = [f"label {i}" for i in range(700)]
LONG_TOKEN = 20  # the id of a long token, in models that have one
ALL = {"threshold": 0, "nested": True, "multi_label": True}


def of_texts(field: str, **more) -> dict:
    """Returns bodies with texts in this field: many texts, long texts, and texts with the long prompt."""
    return {"many texts": {field: MANY_TEXTS} | more, "long texts": {field: [WORDS] * 200} | more,
            "long prompt": {field: FEW_TEXTS, "prompt_name": "long"} | more}


def of_pairs(field: str, **more) -> dict:
    return {"many texts": {"query": "a fox", field: MANY_TEXTS} | more,
            "long prompt": {"query": "a fox", field: FEW_TEXTS, "prompt_name": "long"} | more}


def of_labels(**more) -> dict:
    return {"long label": {"input": MANY_TEXTS, "labels": [LABEL]} | more,
            "long label, long texts": {"input": [WORDS] * 1000, "labels": [LABEL]} | more,
            "many long labels": {"input": [WORDS] * 250, "labels": [f"{i} {LABEL}"[:4000] for i in range(16)]} | more,
            "many labels": {"input": [WORDS] * 23, "labels": LABELS} | more,
            "names of the model": {"input": [WORDS] * 2000} | more}


HUB = {"masks": {"inputs": "[MASK] " * 100, "parameters": {"top_k": 100000}},
       "long texts": {"inputs": [WORDS] * 200, "parameters": {"top_k": 1000}},
       "many labels": {"inputs": WORDS, "parameters": {"candidate_labels": LABELS}},
       "long template": {"inputs": WORDS, "parameters": {"candidate_labels": LABELS,
                                                         "hypothesis_template": "the " * 100000 + "{}"}},
       "answers": {"inputs": {"question": "a fox", "context": WORDS},
                   "parameters": {"top_k": 1000000, "max_answer_len": 1000000}}}
BY_KIND = HUB | of_texts("inputs") | {f"pairs: {name}": body for name, body in of_pairs("texts").items()}
INPUT = of_texts("input")
COHERE = of_texts("texts", input_type="search_query", model=None,
                  embedding_types=["float", "int8", "uint8", "binary", "ubinary", "base64"])
LOOKUP = {"": None}

# The bodies for each route, by what is long or many in them. Each body is sent to each model.
ROUTES: dict[tuple[str, str], dict] = {
    ("POST", "/v1/embeddings"): INPUT,
    ("POST", "/embeddings"): INPUT,
    ("POST", "/"): BY_KIND,
    ("POST", "/pipeline/feature-extraction"): {"many texts": {"inputs": MANY_TEXTS},
                                               "long prompt": {"inputs": FEW_TEXTS,
                                                               "parameters": {"prompt_name": "long"}}},
    ("POST", "/pipeline/sentence-similarity"): {
        "many texts": {"inputs": {"source_sentence": "a fox", "sentences": MANY_TEXTS}}},
    ("POST", "/embed"): of_texts("inputs", truncate=True),
    ("POST", "/embed_all"): of_texts("inputs", truncate=True),
    ("POST", "/embed_sparse"): of_texts("inputs", truncate=True),
    ("POST", "/predict"): {"names of the model": {"inputs": [["a fox"]] * 2000},
                           "names of the model, raw": {"inputs": [["a fox", "a dog"]] * 2000, "raw_scores": True},
                           "one text": {"inputs": "a fox"}},
    ("POST", "/rerank"): of_pairs("texts", return_text=True),
    ("POST", "/similarity"): {"many texts": {"inputs": {"source_sentence": "a fox", "sentences": MANY_TEXTS}},
                              "long prompt": {"inputs": {"source_sentence": "a fox", "sentences": FEW_TEXTS},
                                              "parameters": {"prompt_name": "long"}}},
    ("POST", "/tokenize"): of_texts("inputs") | {"many words": {"words": [["a"] * 2000] * 40}},
    ("POST", "/decode"): {"many ids": {"ids": [[5] * 1000] * 200},
                          "long ids": {"ids": [LONG_TOKEN] * 100000},
                          "lists of long ids": {"ids": [[LONG_TOKEN]] * 100000}},
    ("POST", "/invocations"): BY_KIND,
    ("POST", "/vertex"): {"many texts": {"instances": [{"inputs": "the fox"}] * 2000},
                          "names of the model": {"instances": [{"inputs": [["the fox"]] * 100}] * 20},
                          "long prompt": {"instances": [{"inputs": "the fox", "prompt_name": "long"}] * 40}},
    ("POST", "/v1/rerank"): of_pairs("documents", return_documents=True) | {
        "windows": {"query": "a fox", "documents": [WORDS * 900], "stride": 2}},
    ("POST", "/v1/multi-vector"): INPUT,
    ("POST", "/v1/ner"): of_labels(**ALL, truncate=True) | {
        "each token": {"input": [WORDS] * 2000, "aggregation": "none", "truncate": True},
        "many words": {"words": [["a"] * 5000] * 40, "truncate": True},
        "long words": {"words": [["x" * 100000] * 10], "truncate": True},
        "windows": {"input": WORDS * 900, "labels": ["dog"], "stride": 2} | ALL},
    ("POST", "/v1/classify"): of_labels(truncate=True) | {"windows": {"input": WORDS * 900, "stride": 2}},
    ("POST", "/v1/redact"): of_labels(threshold=0) | {
        "windows": {"input": WORDS * 900, "labels": ["dog"], "threshold": 0},
        "many matches": {"input": "7" * 200000, "labels": ["dog"], "replace": "{hash}" * 10},
        "long replacements": {"input": WORDS * 900, "labels": ["dog"], "threshold": 0, "replace": "{label}" * 9}},
    ("POST", "/pooling"): INPUT,
    ("POST", "/v2/rerank"): of_pairs("documents", return_documents=True),
    ("POST", "/v2/embed"): COHERE,
    ("POST", "/api/embed"): INPUT,
    ("POST", "/api/embeddings"): {"long texts": {"prompt": WORDS * 1000}},
    ("POST", "/api/show"): LOOKUP | {"name": {"model": "embedder"}},
    ("GET", "/v1/models"): LOOKUP,
    ("GET", "/v1/models/{name}"): LOOKUP,
    ("GET", "/info"): LOOKUP,
    ("GET", "/api/tags"): LOOKUP,
    ("GET", "/api/ps"): LOOKUP,
    ("GET", "/api/version"): LOOKUP,
    ("GET", "/"): LOOKUP,
    ("GET", "/health"): LOOKUP,
    ("GET", "/healthz"): LOOKUP,
    ("GET", "/ping"): LOOKUP,
    ("GET", "/ready"): LOOKUP,
    ("GET", "/readyz"): LOOKUP,
    ("GET", "/metrics"): LOOKUP,
    ("GET", "/openapi.json"): LOOKUP,
    ("GET", "/api-doc/openapi.json"): LOOKUP,
    ("GET", "/docs"): LOOKUP,
}


def edit(path: Path, **members) -> None:
    path.write_text(json.dumps((json.loads(path.read_text()) if path.exists() else {}) | members))


def replace_token(model: Path, index: int, token: str) -> None:
    lines = (model / "vocab.txt").read_text().splitlines()
    lines[index] = token
    (model / "vocab.txt").write_text("\n".join(lines) + "\n")


def make_models(folder: Path) -> list[str]:
    """Writes a model of each kind, with long names, prompts and labels in its files. Returns the models' names."""
    subprocess.run([WRITE_TINY_MODELS, str(folder)], check=True)
    for name in ("classifier", "classifier-many", "tagger"):
        count, size = (3000, 1000) if name == "classifier-many" else (20, 4000)
        edit(folder / name / "config.json", id2label={str(i): f"{i} ".ljust(size, "n") for i in range(count)})
    edit(folder / "reranker" / "config.json", id2label={"0": "fits"})
    shutil.copytree(folder / "embedder", folder / "embedder-long")
    long = folder / "embedder-long"
    replace_token(long, LONG_TOKEN, "y" * 60000)
    replace_token(long, 2, "c" * 60000)
    edit(long / "tokenizer_config.json", cls_token="c" * 60000)
    modules = [{"path": "", "type": "sentence_transformers.models.Transformer"},
               {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
    for name in ("embedder", "embedder-long"):
        (folder / name / "modules.json").write_text(json.dumps(modules))
        (folder / name / "1_Pooling").mkdir()
        (folder / name / "1_Pooling" / "config.json").write_text("{}")
    for name in ("embedder", "sparse", "several-vectors", "reranker", "classifier"):
        edit(folder / name / "config_sentence_transformers.json", prompts={"long": "quick " * 100000})
    return sorted(path.name for path in folder.iterdir() if path.name != "adapter")  # an adapter is no model


class Server:
    def __init__(self, folder: Path, models: list[str]):
        self.path, key = str(folder / "server"), folder / "key"
        key.write_text("0123456789abcdef")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--threads", "2", "--listen", f"unix:{self.path}", "--memory-limit", str(LIMIT),
             "--redact-expression", "DIGIT=[0-9]", "--redact-key-file", str(key),
             *(f"--model={name}={folder / name}" for name in models)],
            stderr=subprocess.PIPE, text=True)
        lines = []
        while not lines or lines[-1] != "bert-infer: note: ready\n":
            lines.append(self.process.stderr.readline())
            assert lines[-1], "".join(lines)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def memory(self) -> float:
        """Returns the server's anonymous memory in MiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:")) / 1024

    def ask(self, method: str, path: str, body) -> tuple[int, float]:
        """Returns the answer's status and the largest memory of the server until the answer."""
        sent = b"" if body is None else json.dumps(body).encode()
        most, is_over = 0.0, threading.Event()

        def watch() -> None:
            nonlocal most
            while True:
                most = max(most, self.memory())
                if most > 4 * LIMIT:  # the test has failed; others need the machine's memory
                    self.process.kill()
                if is_over.wait(0.01):
                    return

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(SECONDS)
                connection.connect(self.path)
                head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                connection.sendall(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
                answer = b""
                try:
                    answer = connection.recv(65536)
                    while connection.recv(1 << 20):
                        pass
                except ConnectionResetError:
                    pass
        finally:
            is_over.set()
            watcher.join()
        return int(answer[9:12] or 0), most

    def routes(self) -> dict[tuple[str, str], object]:
        """Returns the example of each route that the server lists."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            connection.sendall(b"GET /api-doc/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            text = b"".join(iter(lambda: connection.recv(65536), b""))
        document = json.loads(text.partition(b"\r\n\r\n")[2])
        return {(method.upper(), path): (operation.get("requestBody") or {}).get("content", {})
                .get("application/json", {}).get("example")
                for path, methods in document["paths"].items() for method, operation in methods.items()}


class Amplification(unittest.TestCase):
    def test_each_route_of_each_model_keeps_to_the_limit_of_memory(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            models = make_models(folder)
            server = Server(folder, models)
            self.addCleanup(server.process.stderr.close)
            self.addCleanup(server.process.wait)
            self.addCleanup(server.process.terminate)
            examples = server.routes()
            self.assertEqual(set(examples), set(ROUTES), "the server's routes and this test's table")
            measured, reached = [], set()
            for (method, route), bodies in ROUTES.items():
                path = route.replace("{name}", models[0])
                for model in models if examples[method, route] or route in ("/info", "/decode") else [None]:
                    prefix = f"/models/{model}" if model else ""
                    for what, body in ({"example": examples[method, route]} | bodies).items():
                        status, most = server.ask(method, prefix + path, body)
                        if status == 200:
                            reached.add((method, route))
                        measured.append((most, status, f"{method} {route} {model} {what}"))
                        self.assertTrue(status and server.process.poll() is None, measured[-1])
            measured.sort(reverse=True)
            for most, status, what in measured[:5]:
                print(f"{most:6.0f} MiB  {status}  {what}")
            self.assertEqual(set(ROUTES) - reached, set(), "routes that no model answered")
            self.assertLess(measured[0][0], LIMIT + ABOVE, measured[0])


if __name__ == "__main__":
    unittest.main()
