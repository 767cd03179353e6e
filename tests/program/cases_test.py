"""Runs the cases of every binding (tests/cases/cases.jsonl) through the program's commands and the server's routes. A
command runs every case. A route runs those for which it exists."""

import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import unix_server

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
CASES = Path(__file__).resolve().parents[1] / "cases" / "cases.jsonl"
UNITS = {"bytes": "bytes", "codePoints": "code_points", "utf16": "utf16"}


def digest(numbers: list[float]) -> str:
    return hashlib.sha256(struct.pack(f"<{len(numbers)}f", *numbers)).hexdigest()


def placed(name: str, key: str, ask: Any) -> list[dict[str, Any]]:
    """Returns the parts of a text with their places in every unit. `ask` returns the list of parts for a unit's
    name."""
    found: list[dict[str, Any]] = []
    for unit, word in UNITS.items():
        for i, one in enumerate(ask(word)):
            if len(found) <= i:
                found.append({name: one[key], "score": one["score"]})
            found[i][unit] = [one["start"], one["end"]]
    return found


def picked(found: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{name: one[key] for name, key in names.items()} for one in found]


def explained(why: dict[str, Any]) -> dict[str, Any]:
    """Returns the parts and terms of an explanation. Parts are tokens if the score is a sum over tokens, else words;
    for sparse vectors both texts have the entries as their parts."""
    parts = {text: why[text].get("tokens") or why[text]["words"] for text in ("first", "second")}
    if why["kind"] == "entries":
        parts = dict.fromkeys(parts, [one["token"] for one in why["entries"]])
        terms = [one["term"] for one in why["entries"]]
    elif why["kind"] == "words left out":
        terms = [why["score"] - without for text in parts for without in why[text]["without"]]
    else:
        terms = [term for row in why["pairs"] for term in row]
    return {name: why[name] for name in ("kind", "function", "score", "remainder")} | parts | {"terms": terms}


def explained_labels(why: dict[str, Any]) -> dict[str, Any]:
    parts = zip(why["labels"], why["scores"], why["remainders"], strict=True)
    words = list(zip(why["words"], why["sequences"], strict=True))
    return {
        "labels": [{"label": label, "score": score, "remainder": rest} for label, score, rest in parts],
        "first": [word for word, sequence in words if sequence == 0],
        "second": [word for word, sequence in words if sequence == 1],
        "terms": [score - one for row in why["without"] for score, one in zip(why["scores"], row, strict=True)],
    }


class Failed(Exception):
    pass


class Program:
    """Runs a command for each call."""

    OPTIONS = {"stride": "--stride", "windowScores": "--window-scores", "scheme": "--scheme", "pair": "--pair",
               "aggregation": "--aggregation", "threshold": "--threshold", "template": "--template", "topK": "--top-k",
               "maxActive": "--max-active", "dimensions": "--dimensions", "role": "--role", "vectors": "--kind",
               "context": "--context", "pooling": "--pooling"}

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: str, case: dict[str, Any], *more: str) -> Any:
        given = [PROGRAM, command, "--format", "json", *more]
        if case["model"]:
            given += ["--model", str(self.folder / case["model"])]
        for name, option in self.OPTIONS.items():
            if name in case:
                given += [option, str(case[name])]
        for name, option in (("labels", "--label"), ("targets", "--target")):
            given += [word for one in case.get(name, []) for word in (option, one)]
        flags = (("nested", "--nested"), ("multiLabel", "--multi-label"))
        given += [option for name, option in flags if case.get(name)]
        texts = [case[name] for name in ("text", "question", "query", "a", "b") if name in case]
        texts += case.get("texts", []) + case.get("documents", [])
        done = subprocess.run([*given, "--", *texts], capture_output=True, text=True)
        if done.returncode:
            # The error of a single text is in its object; other errors are on standard error.
            raise Failed(json.loads(done.stdout)["error"] if done.stdout.startswith("{") else done.stderr)
        found = json.loads(done.stdout)
        return [found] if len(case.get("texts", [])) == 1 else found

    def result(self, case: dict[str, Any]) -> Any:
        call = case["call"]
        if call == "tokenize":
            found = {unit: self.run("tokenize", case, "--offsets", name)["offsets"] for unit, name in UNITS.items()}
            tokens = self.run("tokenize", case)
            return {"ids": tokens["ids"], "typeIds": tokens["type_ids"], **found}
        if call == "embed":
            return [digest(one["embedding"]) for one in self.run("embed", case)]
        if call == "sparse":
            found = [one["sparse"] for one in self.run("embed", case, "--kind", "sparse")]
            return [{"ids": [entry["id"] for entry in one], "weights": digest([entry["weight"] for entry in one])}
                    for one in found]
        if call == "tokenVectors":
            return digest([number for row in self.run("embed", case, "--kind", "tokens")["vectors"] for number in row])
        if call == "chunks":
            chunks = self.run("embed", case, "--chunk", "sentence", "--offsets", "utf16")["chunks"]
            return {"utf16": [[one["start"], one["end"]] for one in chunks],
                    "vectors": digest([number for one in chunks for number in one["embedding"]])}
        if call in ("classify", "scoreLabels"):
            return self.run("classify", case)["labels"]
        if call == "zeroShot":
            return self.run("zero-shot", case)["labels"]
        if call in ("tag", "findEntities"):
            return placed("label", "entity", lambda unit: self.run("tag", case, "--offsets", unit)["entities"])
        if call == "answer":
            return placed("answer", "answer", lambda unit: self.run("answer", case, "--offsets", unit)["answers"])
        if call == "fillMask":
            masks = self.run("fill-mask", case)["masks"]
            return [picked(mask, token="token", id="id", score="score") for mask in masks]
        if call == "rerank":
            return picked(self.run("rerank", case)["results"], index="index", score="score")
        if call == "explainSimilarity":
            return explained(self.run("similarity", case, "--explain")["explanation"])
        assert call == "explainLabels", call
        return explained_labels(self.run("classify", case, "--explain")["explanation"])


class Server(unix_server.UnixServer):
    """Asks a route for each call that has one."""

    FIELDS = {"stride": "stride", "windowScores": "window_scores", "scheme": "scheme", "labels": "labels",
              "threshold": "threshold", "nested": "nested", "multiLabel": "multi_label", "aggregation": "aggregation"}
    # The names of options in Hugging Face's inference API.
    PARAMETERS = {"stride": "stride", "windowScores": "window_scores", "labels": "candidate_labels",
                  "template": "hypothesis_template", "multiLabel": "multi_label", "topK": "top_k", "targets": "targets"}

    def asked(self, path: str, **body: Any) -> Any:
        status, found = self.post(path, body)
        if status != 200:
            raise Failed(json.dumps(found, ensure_ascii=False))
        return found

    def own(self, case: dict[str, Any], path: str, **body: Any) -> Any:
        """Sends the request to a route whose body names the model and the options."""
        body |= {field: case[name] for name, field in self.FIELDS.items() if name in case}
        return self.asked(path, model=case["model"] or "built-in", **body)

    def hub(self, case: dict[str, Any], inputs: Any) -> Any:
        parameters = {field: case[name] for name, field in self.PARAMETERS.items() if name in case}
        return self.asked(f"/models/{case['model'] or 'built-in'}", inputs=inputs, parameters=parameters)

    def result(self, case: dict[str, Any]) -> Any:
        call, text = case["call"], case.get("text")
        if "error" in case or "pair" in case:  # other tests check the routes' errors
            return None
        if call in ("classify", "scoreLabels"):
            # Without a stride this route refuses a text that is too long.
            more = {} if "stride" in case else {"long_text": "cut"}
            return self.own(case, "/v1/classify", input=text, **more)["data"][0]["labels"]
        if call in ("tag", "findEntities"):
            found = (lambda unit: self.own(case, "/v1/ner", input=text, offsets=unit)["data"][0]["entities"])
            return placed("label", "entity", found)
        if call == "rerank":
            found = self.own(case, "/v1/rerank", query=case["query"], documents=case["documents"])["results"]
            for one in found:  # some scores are float32, with fewer digits
                if len(repr(one["relevance_score"])) < 12:
                    one["relevance_score"] = struct.unpack("f", struct.pack("f", one["relevance_score"]))[0]
            return picked(found, index="index", score="relevance_score")
        if call == "zeroShot":
            return self.hub(case, text)
        if call == "fillMask":
            masks = self.hub(case, text)
            masks = masks if isinstance(masks[0], list) else [masks]
            return [picked(mask, token="token_str", id="token", score="score") for mask in masks]
        if call == "answer":
            context = case["context"]
            found = self.hub(case, {"question": case["question"], "context": context})
            for one in found:
                before = [context[: one.pop(name)] for name in ("start", "end")]
                one["codePoints"] = [len(text) for text in before]
                one["bytes"] = [len(text.encode()) for text in before]
                one["utf16"] = [len(text.encode("utf-16-le")) // 2 for text in before]
            return found
        if call == "embed":
            # The other interfaces follow the model's settings. Those of the built-in model normalize vectors.
            more = {"normalize": not case["model"]} | {name: case[name] for name in ("dimensions",) if name in case}
            path = f"/models/{case['model'] or 'built-in'}/embed"
            return [digest(one) for one in self.asked(path, inputs=case["texts"], truncate=True, **more)]
        if call == "tokenVectors":
            found = self.own(case, "/v1/multi-vector", input=text, input_type=case["role"])["data"][0]["embeddings"]
            return digest([number for row in found for number in row])
        return None


class Cases(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        subprocess.run([os.environ["BERT_TINY_MODELS"], self.folder], check=True, stdout=subprocess.DEVNULL)
        self.cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]

    def check(self, case: dict[str, Any], door: Any) -> bool:
        """Returns whether the command or route (`door`) can run the case. If so, expects the result of the case."""
        with self.subTest(case=json.dumps(case, ensure_ascii=False)[:200]):
            try:
                found = door.result(case)
            except Failed as failure:
                self.assertIn("error", case, str(failure))
                self.assertIn(case["error"]["message"], str(failure))
            else:
                if found is None:
                    return False
                self.assertEqual(found, case.get("result"))
        return True

    def test_hold_through_commands(self) -> None:
        program = Program(self.folder)
        self.assertGreater(sum(self.check(case, program) for case in self.cases), 140)

    def test_hold_through_routes(self) -> None:
        models = {case["model"]: str(self.folder / case["model"]) for case in self.cases if case["model"]}
        server = Server(models)
        self.addCleanup(server.close)
        self.assertGreater(sum(self.check(case, server) for case in self.cases), 60)


if __name__ == "__main__":
    unittest.main()
