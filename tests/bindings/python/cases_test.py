"""Runs the cases of every binding (tests/cases/cases.jsonl) through Python."""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import bert_infer

CASES = Path(__file__).resolve().parents[2] / "cases" / "cases.jsonl"
UNITS = {"bytes": "bytes", "codePoints": "code_points", "utf16": "utf16"}
ERRORS = {
    "BERT_NOT_FOUND": bert_infer.NotFoundError,
    "BERT_UNSUPPORTED": bert_infer.UnsupportedError,
    "BERT_INVALID_TEXT": bert_infer.InvalidTextError,
    "BERT_INVALID_ARGUMENT": bert_infer.InvalidArgumentError,
}


def digest(values):
    return hashlib.sha256(np.ascontiguousarray(values, dtype="<f4").tobytes()).hexdigest()


def explained(why):
    """Returns an explanation in the form of the cases. Its parts are words, or tokens of a sum over tokens, or
    entries of sparse vectors."""
    names = [list(why[text].get("tokens", why[text]["words"])) for text in ("first", "second")]
    if why["kind"] == "entries":
        names = [list(why["entries"])] * 2
        terms = why["terms"]
    elif why["kind"] == "words left out":
        terms = np.concatenate([why["score"] - why[text]["without"] for text in ("first", "second")])
    else:
        terms = why["pairs"]
    found = {name: why[name] for name in ("kind", "function", "score", "remainder")}
    return {**found, "first": names[0], "second": names[1], "terms": np.asarray(terms).ravel().tolist()}


def explained_labels(why, text):
    """Returns an explanation of labels in the form of the cases, with the words of the text and of its pair."""
    parts = zip(why["labels"], why["scores"].tolist(), why["remainders"].tolist(), strict=True)
    labels = [{"label": label, "score": score, "remainder": rest} for label, score, rest in parts]
    words = list(why["words"])
    first = len(text.split())
    terms = (why["scores"] - why["without"]).ravel().tolist()
    return {"labels": labels, "first": words[:first], "second": words[first:], "terms": terms}


def placed(name, key, call):
    """Calls `call` once per offset unit. Returns each part's name, score, and offsets in each unit."""
    found = []
    for unit, word in UNITS.items():
        for i, one in enumerate(call(word)):
            if len(found) <= i:
                found.append({name: one[key], "score": one["score"]})
            found[i][unit] = [one["start"], one["end"]]
    return found


def result(model, case):
    call, text = case["call"], case.get("text")
    if call == "tokenize":
        given = (text, case["pair"]) if "pair" in case else text
        found = {unit: model.tokens(given, offsets=name)["offsets"].tolist() for unit, name in UNITS.items()}
        tokens = model.tokens(given)
        return {"ids": tokens["ids"].tolist(), "typeIds": tokens["type_ids"].tolist(), **found}
    if call == "embed":
        return [digest(vector) for vector in model.encode(case["texts"])]
    windows = {"stride": case.get("stride"), "window_scores": case.get("windowScores", "mean")}
    if call == "classify":
        return model.classify((text, case["pair"]) if "pair" in case else text, **windows)
    if call == "zeroShot":
        wanted = {"multi_label": case.get("multiLabel", False)}
        if "template" in case:
            wanted["hypothesis_template"] = case["template"]
        return model.zero_shot(text, case["labels"], **wanted, **windows)
    if call == "scoreLabels":
        return model.classify(text, labels=case["labels"], multi_label=case.get("multiLabel", False), **windows)
    if call == "sparse":
        rows = model.encode_sparse(case["texts"], max_active_dims=case["maxActive"])
        return [{"ids": ids.tolist(), "weights": digest(weights)} for ids, weights in rows]
    if call == "explainSimilarity":
        return explained(model.explain_similarity(case["a"], case["b"], kind=case["vectors"],
                                                  pooling=case.get("pooling")))
    if call == "explainLabels":
        return explained_labels(model.explain_labels((text, case["pair"]) if "pair" in case else text), text)
    if call in ("tag", "findEntities"):
        names = ("labels", "threshold", "nested", "scheme", "stride", "aggregation")
        wanted = {name: case[name] for name in names if name in case}
        return placed("label", "entity", lambda unit: model.tag(text, offsets=unit, **wanted))
    if call == "answer":
        given = (case["question"], case["context"])
        return placed("answer", "answer", lambda unit: model.answer(*given, top_k=case["topK"], offsets=unit))
    if call == "fillMask":
        masks = model.fill_mask(text, top_k=case["topK"], targets=case.get("targets", ()))
        return [[{name: one[name] for name in ("token", "id", "score")} for one in mask] for mask in masks]
    if call == "rerank":
        ranked = model.rerank(case["query"], case["documents"], stride=case.get("stride"))
        return [{"index": one["corpus_id"], "score": one["score"]} for one in ranked]
    if call == "tokenVectors":
        return digest(model.encode_tokens(text, role=case["role"]))
    assert call == "chunks", call
    vectors, spans = model.encode_chunks(text, sentences=True)
    utf16 = [[len(text[:place].encode("utf-16-le")) // 2 for place in span] for span in spans]
    return {"utf16": utf16, "vectors": digest(vectors)}


class Cases(unittest.TestCase):
    def test_all_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["BERT_TINY_MODELS"], folder], check=True)
            models = {}
            cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
            for case in cases:
                if "dimensions" in case:
                    continue  # truncate_dim cuts after normalising, as in sentence-transformers
                name = case["model"]
                if name not in models:
                    models[name] = bert_infer.Model(str(Path(folder) / name) if name else None)
                with self.subTest(case=json.dumps(case)[:200]):
                    if "error" in case:
                        with self.assertRaises(ERRORS[case["error"]["code"]]) as caught:
                            result(models[name], case)
                        self.assertIn(case["error"]["message"], str(caught.exception))
                    else:
                        self.assertEqual(result(models[name], case), case["result"])
            self.assertGreater(len(cases), 110)


if __name__ == "__main__":
    unittest.main()
