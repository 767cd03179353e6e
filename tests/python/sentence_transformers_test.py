"""The drop-in for sentence-transformers: its arguments and their meanings. tests/frameworks compares it with the real
package."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.sentence_transformers import CrossEncoder, SentenceTransformer, quantize_embeddings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import python_package as support


class SentenceTransformers(unittest.TestCase):
    def load(self, *, files: dict[str, object] | None = None, **arguments: object) -> SentenceTransformer:
        folder = support.temporary_directory(self)
        return SentenceTransformer(support.write_sentence_model(folder, **(files or {})), **arguments)

    def test_takes_its_arguments_by_place_and_by_name(self) -> None:
        model = self.load(prompts={"query": "quick "})
        expected = model.model.encode(["fox", "dog"], prompt="quick ")
        for vectors in (
            model.encode(["fox", "dog"], "query"),
            model.encode(sentences=["fox", "dog"], prompt_name="query", batch_size=8, show_progress_bar=False),
            model.encode_query(["fox", "dog"]),
            model.encode(["fox", "dog"], None, "quick "),
        ):
            self.assertTrue(np.array_equal(vectors, expected))
        self.assertTrue(np.array_equal(model.encode_document("fox"), model.encode("fox")))
        self.assertEqual(model.encode([]).shape, (0,))

    def test_cuts_vectors_and_texts(self) -> None:
        model = self.load(truncate_dim=5)
        self.assertEqual((model.encode("fox").shape, model.get_embedding_dimension()), ((5,), 5))
        with model.truncate_embeddings(2):
            self.assertEqual(model.encode(["fox"]).shape, (1, 2))
        model.max_seq_length = 4
        with self.assertWarnsRegex(bert_infer.Notice, "1 of 1 texts were too long"):
            cut = model.encode("the fox jumps over")
        self.assertTrue(np.array_equal(cut, model.encode("the fox")))

    def test_compares_vectors(self) -> None:
        model = self.load(similarity_fn_name="dot")
        self.assertEqual(model.similarity([1, 2], [[3, 1], [1, 2]]).tolist(), [[5, 5]])
        self.assertEqual(model.similarity_pairwise([[1, 2]], [[3, 1]]).tolist(), [5])

    def test_names_what_is_not_supported(self) -> None:
        for arguments in ({"device": "cuda"}, {"modules": ["a"]}, {"model_kwargs": {"torch_dtype": "float16"}}):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, next(iter(arguments))):
                self.load(**arguments)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'cuda'"):
            self.load().encode("a", device="cuda")
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "pool="):
            self.load().encode("a", pool={"input": 1})
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "task="):
            self.load().encode("a", task="query")
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "expected one of query, document"):
            self.load(default_prompt_name="title")

    def test_quantises_by_the_ranges_of_other_vectors(self) -> None:
        found = quantize_embeddings(np.float32([[127.4]]), "uint8", calibration_embeddings=np.float32([[0], [255]]))
        self.assertEqual(found.tolist(), [[127]])


class CrossEncoders(unittest.TestCase):
    PAIRS = (["the fox", "the dog"], ["quick", "lazy"])

    def load(self, *labels: str, **arguments: object) -> CrossEncoder:
        folder = support.temporary_directory(self)
        return CrossEncoder(support.write_model(folder, "BertForSequenceClassification", labels), **arguments)

    def test_one_label_gives_the_sigmoid_of_the_logit(self) -> None:
        model = self.load("relevant")
        logits = np.array([row[0] for row in model.model.pair_scores(map(tuple, self.PAIRS), activated=False)])
        scores = model.predict(list(self.PAIRS))
        np.testing.assert_allclose(scores, 1 / (1 + np.exp(-logits)), rtol=1e-6)
        self.assertEqual(model.predict(self.PAIRS[0]), scores[0])

    def test_several_labels_give_logits_or_their_softmax(self) -> None:
        model = self.load("a", "b", "c")
        logits = model.predict(self.PAIRS)
        self.assertEqual(logits.shape, (2, 3))
        expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict(self.PAIRS, apply_softmax=True), expected, rtol=1e-6)

    def test_ranks_with_python_floats(self) -> None:
        model = self.load("relevant")
        documents = ["the dog", "lazy", "quick fox"]
        ranked = model.rank("the fox", documents, top_k=2, return_documents=True)
        scores = model.predict([("the fox", document) for document in documents])
        best = sorted(range(3), key=lambda i: -scores[i])[:2]
        self.assertEqual(ranked, [{"corpus_id": i, "score": float(scores[i]), "text": documents[i]} for i in best])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "one label"):
            self.load("a", "b").rank("the fox", documents)


if __name__ == "__main__":
    unittest.main()
