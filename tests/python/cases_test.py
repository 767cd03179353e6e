"""The cases that every binding runs (tests/cases/cases.jsonl), through Python."""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import bert_infer

CASES = Path(__file__).resolve().parents[1] / "cases" / "cases.jsonl"
UNITS = {"bytes": "bytes", "codePoints": "code_points", "utf16": "utf16"}
ERRORS = {
    "BERT_NOT_FOUND": bert_infer.NotFoundError,
    "BERT_UNSUPPORTED": bert_infer.UnsupportedError,
    "BERT_INVALID_TEXT": bert_infer.InvalidTextError,
    "BERT_INVALID_ARGUMENT": bert_infer.InvalidArgumentError,
}


def digest(values):
    return hashlib.sha256(np.ascontiguousarray(values, dtype="<f4").tobytes()).hexdigest()


def result(model, case):
    call, text = case["call"], case.get("text")
    if call == "tokenize":
        given = (text, case["pair"]) if "pair" in case else text
        found = {unit: model.tokens(given, offsets=name)["offsets"].tolist() for unit, name in UNITS.items()}
        tokens = model.tokens(given)
        return {"ids": tokens["ids"].tolist(), "typeIds": tokens["type_ids"].tolist(), **found}
    if call == "embed":
        return [digest(vector) for vector in model.encode(case["texts"])]
    if call == "classify":
        return model.classify((text, case["pair"]) if "pair" in case else text)
    if call == "zeroShot":
        return model.zero_shot(text, case["labels"])
    if call == "tag":
        return model.tag(text, aggregation="simple")
    if call == "findEntities":
        found = []
        for unit, name in UNITS.items():
            entities = model.tag(text, labels=case["labels"], threshold=case["threshold"], offsets=name)
            for i, entity in enumerate(entities):
                if len(found) <= i:
                    found.append({"label": entity["entity"], "score": entity["score"]})
                found[i][unit] = [entity["start"], entity["end"]]
        return found
    if call == "fillMask":
        masks = model.fill_mask(text, top_k=case["topK"])
        return [[{name: one[name] for name in ("token", "id", "score")} for one in mask] for mask in masks]
    if call == "rerank":
        ranked = model.rerank(case["query"], case["documents"])
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
            self.assertGreater(len(cases), 80)


if __name__ == "__main__":
    unittest.main()
