"""Compares MTEB's results with the drop-in and with sentence-transformers' own model, for tasks on local texts.

Needs mteb, the built package, and in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2.
"""

import os
import tempfile
import unittest
from typing import Any

import bert_infer.sentence_transformers as ours
import datasets
import mteb
import numpy as np
import sentence_transformers as theirs
from mteb.abstasks import AbsTaskRetrieval, AbsTaskSTS
from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
from mteb.abstasks.task_metadata import TaskMetadata
from sentence_transformers_test import CORPUS, MODEL, QUERIES, save_random_model
from transformers import BertForMaskedLM, BertForSequenceClassification

PROMPTS = {"query": "query: ", "document": "passage: ", "STS": "similar: "}


def metadata(name: str, kind: str, score: str) -> TaskMetadata:
    """Returns the metadata of a task with the texts of this file."""
    return TaskMetadata(
        name=name,
        description="Texts of a test.",
        dataset={"path": "local/texts", "revision": "1"},
        type=kind,
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score=score,
    )


class LocalSTS(AbsTaskSTS):
    metadata = metadata("LocalSTS", "STS", "cosine_spearman")
    min_score, max_score = 0, 5

    def load_data(self, **_: Any) -> None:
        pairs = [(a, b) for i, a in enumerate(CORPUS) for b in CORPUS[i + 1 :]]
        columns = {
            "sentence1": [pair[0] for pair in pairs],
            "sentence2": [pair[1] for pair in pairs],
            "score": [float(i * 7 % 6) for i in range(len(pairs))],
        }
        self.dataset = datasets.DatasetDict({"test": datasets.Dataset.from_dict(columns)})
        self.data_loaded = True


class LocalRetrieval(AbsTaskRetrieval):
    metadata = metadata("LocalRetrieval", "Retrieval", "ndcg_at_10")

    def load_data(self, **_: Any) -> None:
        corpus = {"id": [f"d{i}" for i in range(len(CORPUS))], "text": CORPUS, "title": [""] * len(CORPUS)}
        split = RetrievalSplitData(
            corpus=datasets.Dataset.from_dict(corpus),
            queries=datasets.Dataset.from_dict({"id": ["q0", "q1"], "text": QUERIES}),
            relevant_docs={"q0": {"d0": 1, "d1": 1}, "q1": {"d7": 1}},
            top_ranked=None,
        )
        self.dataset = {"default": {"test": split}}
        self.data_loaded = True


class LocalReranking(LocalRetrieval):
    metadata = metadata("LocalReranking", "Reranking", "map_at_1000")

    def load_data(self, **options: Any) -> None:
        super().load_data(**options)
        every = [f"d{i}" for i in range(len(CORPUS))]
        self.dataset["default"]["test"]["top_ranked"] = {"q0": every, "q1": every}


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Mteb(unittest.TestCase):
    def scores(self, model: Any, task: Any) -> dict[str, float]:
        (result,) = mteb.evaluate(model, task, cache=None, show_progress_bar=False).task_results
        return {name: value for name, value in result.scores["test"][0].items() if isinstance(value, float)}

    def compare(self, our_model: Any, their_model: Any, task: type) -> None:
        found, expected = self.scores(our_model, task()), self.scores(their_model, task())
        self.assertGreater(len(expected), 3)
        self.assertEqual(set(found), set(expected))
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-6, equal_nan=True, err_msg=name)

    def test_of_vectors_with_prompts(self) -> None:
        models = (
            ours.SentenceTransformer(MODEL, prompts=PROMPTS),
            theirs.SentenceTransformer(MODEL, prompts=PROMPTS, device="cpu"),
        )
        for task in (LocalSTS, LocalRetrieval):
            with self.subTest(task.__name__):
                self.compare(*models, task)
        without = ours.SentenceTransformer(MODEL)
        self.assertNotEqual(self.scores(models[0], LocalSTS()), self.scores(without, LocalSTS()))

    def test_of_sparse_vectors(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            save_random_model(BertForMaskedLM, folder)
            models = (
                ours.SparseEncoder(folder, prompts=PROMPTS),
                theirs.SparseEncoder(folder, prompts=PROMPTS, device="cpu"),
            )
            self.compare(*models, LocalRetrieval)

    def test_of_token_vectors(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            theirs.MultiVectorEncoder(MODEL, device="cpu").save(folder)
            models = ours.MultiVectorEncoder(folder), theirs.MultiVectorEncoder(folder, device="cpu")
            for task in (LocalRetrieval, LocalReranking):
                self.compare(*models, task)

    def test_of_pairs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            save_random_model(BertForSequenceClassification, folder, num_labels=1)
            models = ours.CrossEncoder(folder), theirs.CrossEncoder(folder, device="cpu")
            self.compare(*models, LocalReranking)


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    unittest.main()
