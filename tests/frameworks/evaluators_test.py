"""Runs sentence-transformers' evaluators with the drop-in and with its own models, and compares their results.

Needs sentence-transformers with datasets, the built package, and in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2.
"""

import inspect
import itertools
import json
import os
import tempfile
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bert_infer.sentence_transformers as ours
import sentence_transformers as theirs
import sentence_transformers.cross_encoder.evaluation as of_pairs
import sentence_transformers.multi_vector_encoder.evaluation as of_token_vectors
import sentence_transformers.sentence_transformer.evaluation as of_vectors
import sentence_transformers.sparse_encoder.evaluation as of_sparse
import torch
from sentence_transformers import InputExample
from sentence_transformers_test import CORPUS, MODEL, QUERIES, save_random_model
from torch.utils.data import DataLoader
from transformers import BertForMaskedLM, BertForSequenceClassification

FIRST, SECOND = map(list, zip(*itertools.combinations(CORPUS, 2), strict=True))  # makes 36 pairs
SCORES = [((7 * i) % 11) / 10 for i in range(36)]
LABELS = [int(i % 5 < 2) for i in range(36)]
CORPUS_BY_ID = {f"d{i}": text for i, text in enumerate(CORPUS)}
QUERIES_BY_ID = {f"q{i}": text for i, text in enumerate(QUERIES)}
RELEVANT = {"q0": {"d0", "d1"}, "q1": {"d7"}}
SAMPLES = [
    {"query": QUERIES[0], "positive": CORPUS[:2], "negative": CORPUS[2:]},
    {"query": QUERIES[1], "positive": [CORPUS[7]], "negative": CORPUS[:7]},
]
# Base classes of evaluators, and classes without a model.
NOT_EVALUATORS = {"BaseEvaluator", "SentenceEvaluator", "SimilarityFunction", "SequentialEvaluator"}
NOT_EVALUATORS.add("ReciprocalRankFusionEvaluator")  # it combines rankings

Make = Callable[[Any], Any]


class PairLabels(torch.nn.Module):
    """Classifies an example by its two vectors, with fixed weights."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._encode = model
        torch.manual_seed(2)
        self._weights = torch.randn(2, 2 * model.get_embedding_dimension())

    def forward(self, features: Sequence[dict[str, Any]], labels: Any) -> tuple[None, torch.Tensor]:
        vectors = [self._encode(one)["sentence_embedding"] for one in features]
        return None, torch.cat(vectors, dim=1) @ self._weights.T


class Evaluators(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write_beir(self) -> str:
        """Writes the queries, the corpus and the judgements as a data set in NanoBEIR's form. Returns its folder."""
        tables = {
            "corpus": [{"_id": key, "text": text} for key, text in CORPUS_BY_ID.items()],
            "queries": [{"_id": key, "text": text} for key, text in QUERIES_BY_ID.items()],
            "qrels": [{"query-id": key, "corpus-id": one} for key, ids in RELEVANT.items() for one in sorted(ids)],
            "bm25": [{"query-id": key, "corpus-ids": sorted(CORPUS_BY_ID)} for key in QUERIES_BY_ID],
        }
        target = self.folder / "beir"
        target.mkdir(exist_ok=True)
        lines = ["---", "configs:"]
        for name, rows in tables.items():
            (target / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
            lines += [f"- config_name: {name}", "  data_files:", "  - split: NanoNFCorpus", f"    path: {name}.jsonl"]
        (target / "README.md").write_text("\n".join([*lines, "---"]), encoding="utf-8")
        return str(target)

    def compare(self, module: Any, makers: dict[str, Make], our_model: Any, their_model: Any) -> None:
        """Runs each evaluator of the module with both models."""
        given = {
            name
            for name, one in inspect.getmembers(module, inspect.isclass)
            if name not in NOT_EVALUATORS and not name.startswith("CE")
        }
        self.assertEqual(given, set(makers))
        for name, make in makers.items():
            with self.subTest(name):
                found, expected = (self.figures(name, make, one) for one in (our_model, their_model))
                self.assertEqual(set(found), set(expected))
                for metric, value in expected.items():
                    self.assertLessEqual(abs(found[metric] - value), 1e-6 * max(1, abs(value)), metric)

    def figures(self, name: str, make: Make, model: Any) -> dict[str, float]:
        output = self.folder / name / type(model).__module__
        metrics = model.evaluate(make(model), str(output))
        self.assertTrue(set(model.model_card_data.eval_results_dict), "the model keeps no figures")
        return {key.removeprefix("_"): float(value) for key, value in metrics.items()}

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_of_vectors(self) -> None:
        beir = self.write_beir()

        def label_accuracy(model: Any) -> Any:
            pairs = zip(FIRST, SECOND, LABELS, strict=True)
            examples = [InputExample(texts=[first, second], label=label) for first, second, label in pairs]
            loader = DataLoader(examples, batch_size=8)
            return of_vectors.LabelAccuracyEvaluator(loader, softmax_model=PairLabels(model))

        sentences = {f"s{i}": text for i, text in enumerate(CORPUS)}
        frame = [{"en": text, "de": text[::-1]} for text in CORPUS]
        makers: dict[str, Make] = {
            "BinaryClassificationEvaluator": lambda _: of_vectors.BinaryClassificationEvaluator(
                FIRST, SECOND, LABELS, similarity_fn_names=["cosine", "dot", "euclidean", "manhattan"]
            ),
            "EmbeddingSimilarityEvaluator": lambda _: of_vectors.EmbeddingSimilarityEvaluator(
                FIRST, SECOND, SCORES, similarity_fn_names=["cosine", "dot", "euclidean", "manhattan"]
            ),
            "InformationRetrievalEvaluator": lambda _: of_vectors.InformationRetrievalEvaluator(
                QUERIES_BY_ID, CORPUS_BY_ID, RELEVANT
            ),
            "LabelAccuracyEvaluator": label_accuracy,
            "MSEEvaluator": lambda model: of_vectors.MSEEvaluator(FIRST, SECOND, teacher_model=model),
            "MSEEvaluatorFromDataFrame": lambda model: of_vectors.MSEEvaluatorFromDataFrame(
                frame, teacher_model=model, combinations=[("en", "de")]
            ),
            "NanoBEIREvaluator": lambda _: of_vectors.NanoBEIREvaluator(["NFCorpus"], dataset_id=beir),
            "ParaphraseMiningEvaluator": lambda _: of_vectors.ParaphraseMiningEvaluator(
                sentences, duplicates_list=[("s0", "s1"), ("s3", "s6"), ("s7", "s4")]
            ),
            "RerankingEvaluator": lambda _: of_vectors.RerankingEvaluator(SAMPLES),
            "TranslationEvaluator": lambda _: of_vectors.TranslationEvaluator(CORPUS, CORPUS[::-1]),
            "TripletEvaluator": lambda _: of_vectors.TripletEvaluator(CORPUS[:8], CORPUS[1:], CORPUS[::-1][:8]),
        }
        self.compare(
            of_vectors, makers, ours.SentenceTransformer(MODEL), theirs.SentenceTransformer(MODEL, device="cpu")
        )

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_of_pairs(self) -> None:
        beir = self.write_beir()
        pairs = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]
        makers: dict[str, Make] = {
            "CrossEncoderClassificationEvaluator": lambda _: of_pairs.CrossEncoderClassificationEvaluator(
                pairs, LABELS
            ),
            "CrossEncoderCorrelationEvaluator": lambda _: of_pairs.CrossEncoderCorrelationEvaluator(pairs, SCORES),
            "CrossEncoderNanoBEIREvaluator": lambda _: of_pairs.CrossEncoderNanoBEIREvaluator(
                ["NFCorpus"], dataset_id=beir
            ),
            "CrossEncoderRerankingEvaluator": lambda _: of_pairs.CrossEncoderRerankingEvaluator(SAMPLES),
        }
        directory = str(self.folder / "pairs")
        save_random_model(BertForSequenceClassification, directory, num_labels=1)
        self.compare(of_pairs, makers, ours.CrossEncoder(directory), theirs.CrossEncoder(directory, device="cpu"))

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_of_sparse_vectors(self) -> None:
        beir = self.write_beir()
        makers: dict[str, Make] = {
            "SparseBinaryClassificationEvaluator": lambda _: of_sparse.SparseBinaryClassificationEvaluator(
                FIRST, SECOND, LABELS
            ),
            "SparseEmbeddingSimilarityEvaluator": lambda _: of_sparse.SparseEmbeddingSimilarityEvaluator(
                FIRST, SECOND, SCORES
            ),
            "SparseInformationRetrievalEvaluator": lambda _: of_sparse.SparseInformationRetrievalEvaluator(
                QUERIES_BY_ID, CORPUS_BY_ID, RELEVANT, max_active_dims=64
            ),
            "SparseMSEEvaluator": lambda model: of_sparse.SparseMSEEvaluator(FIRST, SECOND, teacher_model=model),
            "SparseNanoBEIREvaluator": lambda _: of_sparse.SparseNanoBEIREvaluator(["NFCorpus"], dataset_id=beir),
            "SparseRerankingEvaluator": lambda _: of_sparse.SparseRerankingEvaluator(SAMPLES),
            "SparseTranslationEvaluator": lambda _: of_sparse.SparseTranslationEvaluator(CORPUS, CORPUS[::-1]),
            "SparseTripletEvaluator": lambda _: of_sparse.SparseTripletEvaluator(
                CORPUS[:8], CORPUS[1:], CORPUS[::-1][:8]
            ),
        }
        directory = str(self.folder / "sparse")
        save_random_model(BertForMaskedLM, directory)
        self.compare(of_sparse, makers, ours.SparseEncoder(directory), theirs.SparseEncoder(directory, device="cpu"))

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_of_token_vectors(self) -> None:
        beir = self.write_beir()
        makers: dict[str, Make] = {
            "MultiVectorDistillationEvaluator": lambda _: of_token_vectors.MultiVectorDistillationEvaluator(
                FIRST[:4], [SECOND[i : i + 4] for i in range(4)], [SCORES[i : i + 4] for i in range(4)]
            ),
            "MultiVectorInformationRetrievalEvaluator": lambda _: (
                of_token_vectors.MultiVectorInformationRetrievalEvaluator(QUERIES_BY_ID, CORPUS_BY_ID, RELEVANT)
            ),
            "MultiVectorNanoBEIREvaluator": lambda _: of_token_vectors.MultiVectorNanoBEIREvaluator(
                ["NFCorpus"], dataset_id=beir
            ),
            "MultiVectorRerankingEvaluator": lambda _: of_token_vectors.MultiVectorRerankingEvaluator(SAMPLES),
            "MultiVectorTripletEvaluator": lambda _: of_token_vectors.MultiVectorTripletEvaluator(
                CORPUS[:8], CORPUS[1:], CORPUS[::-1][:8]
            ),
        }
        directory = str(self.folder / "tokens")
        theirs.MultiVectorEncoder(MODEL, device="cpu").save(directory)
        self.compare(
            of_token_vectors,
            makers,
            ours.MultiVectorEncoder(directory),
            theirs.MultiVectorEncoder(directory, device="cpu"),
        )


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    unittest.main()
