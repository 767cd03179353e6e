"""Compares sentence-transformers' documented examples, with only the import changed, with the real package.

Needs sentence-transformers, the built package, and in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2.
"""

import os
import tempfile
import unittest
import warnings

import bert_infer
import bert_infer.sentence_transformers as ours
import numpy as np
import sentence_transformers as theirs
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

MODEL = os.environ.get("BERT_TEST_MINILM", "")
CORPUS = [
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "The girl is carrying a baby.",
    "A man is riding a horse.",
    "A woman is playing violin.",
    "Two men pushed carts through the woods.",
    "A man is riding a white horse on an enclosed ground.",
    "A monkey is playing drums.",
    "A cheetah is running behind its prey.",
]
QUERIES = ["A man is eating pasta.", "Someone in a gorilla costume is playing a set of drums."]


def difference(found, expected) -> float:
    """Returns the largest distance of a row from the expected one, relative to the expected one's norm."""
    found, expected = np.atleast_2d(np.asarray(found)), np.atleast_2d(np.asarray(expected))
    return float(np.max(np.linalg.norm(found - expected, axis=1) / np.linalg.norm(expected, axis=1)))


def save_random_model(model_class: type, folder: str, **settings: object) -> None:
    """Writes a small model of this class with random weights and the tokenizer of all-MiniLM-L6-v2."""
    torch.manual_seed(1)
    tokenizer = BertTokenizerFast.from_pretrained(MODEL)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        initializer_range=0.3,
        **settings,
    )
    model_class(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Vectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.ours, cls.theirs = ours.SentenceTransformer(MODEL), theirs.SentenceTransformer(MODEL, device="cpu")

    def test_quickstart(self) -> None:
        for one in (self.ours, self.theirs):
            embeddings = one.encode(CORPUS)
            self.assertEqual(embeddings.shape, (9, 384))
            similarities = one.similarity(embeddings, embeddings)
            self.assertEqual(tuple(similarities.shape), (9, 9))
        found, expected = self.ours.encode(CORPUS), self.theirs.encode(CORPUS)
        self.assertLess(difference(found, expected), 1e-6)
        np.testing.assert_allclose(
            self.ours.similarity(found, found), self.theirs.similarity(expected, expected), atol=1e-6
        )

    def test_semantic_search(self) -> None:
        def search(embedder):
            corpus = embedder.encode_document(CORPUS, convert_to_tensor=True)
            answers = []
            for query in QUERIES:
                vector = embedder.encode_query(query, convert_to_tensor=True)
                scores = embedder.similarity(vector, corpus)[0]
                answers.append(torch.topk(scores, k=min(5, len(corpus)))[1].tolist())
            return answers

        self.assertEqual(search(self.ours), search(self.theirs))

    def test_every_argument(self) -> None:
        for options in (
            {"prompt": "query: "},
            {"normalize_embeddings": True},
            {"truncate_dim": 64},
            {"truncate_dim": 64, "normalize_embeddings": True},
            {"convert_to_numpy": False},
            {"convert_to_tensor": True},
        ):
            with self.subTest(options):
                found, expected = self.ours.encode(CORPUS, **options), self.theirs.encode(CORPUS, **options)
                self.assertIs(type(found), type(expected))
                if isinstance(found, list):
                    found, expected = np.stack(found), np.stack(expected)
                self.assertLess(difference(found, expected), 1e-6)
        for precision in ("binary", "ubinary", "int8", "uint8"):
            found, expected = (one.encode(CORPUS, precision=precision) for one in (self.ours, self.theirs))
            self.assertEqual(found.dtype, expected.dtype)
            # A number near a quantisation step may be rounded either way.
            self.assertGreater(np.mean(found == expected), 0.99)

    def test_forms_of_texts(self) -> None:
        text, array = CORPUS[0], np.array(CORPUS)
        for given in ({"text": text}, [{"text": text}, CORPUS[1]], array[0], list(array), array, {"text": array[0]}):
            found, expected = self.ours.encode(given), self.theirs.encode(given)
            self.assertEqual(found.shape, expected.shape)
            np.testing.assert_allclose(found, expected, atol=1e-6)
        found, expected = (one.preprocess([{"text": text}])["input_ids"].tolist() for one in (self.ours, self.theirs))
        self.assertEqual(found, expected)
        for given in ({"query": text}, {}, [{"text": text, "title": text}], [{"role": "user", "content": text}]):
            for one in (self.ours, self.theirs):
                with self.assertRaises(ValueError):
                    one.encode(given)

    def test_token_embeddings(self) -> None:
        found = self.ours.encode(CORPUS, output_value="token_embeddings")
        expected = self.theirs.encode(CORPUS, output_value="token_embeddings")
        for a, b in zip(found, expected, strict=True):
            self.assertIs(type(a), type(b))
            self.assertLess(difference(a, b), 2e-6)

    def test_all_outputs(self) -> None:
        for prompt in ("", "query: "):
            found = self.ours.encode(CORPUS, prompt=prompt, output_value=None)
            expected = self.theirs.encode(CORPUS, prompt=prompt, output_value=None)
            for a, b in zip(found, expected, strict=True):
                self.assertEqual(list(a), list(b))
                self.assertEqual(a.get("prompt_length"), b.get("prompt_length"))
                tokens = int(b["attention_mask"].sum())  # the rest is padding
                for name in ("input_ids", "token_type_ids", "attention_mask"):
                    self.assertEqual(a[name].tolist(), b[name][:tokens].tolist())
                    self.assertIs(a[name].dtype, b[name].dtype)
                self.assertLess(difference(a["token_embeddings"], b["token_embeddings"][:tokens]), 2e-6)
                self.assertLess(difference(a["sentence_embedding"], b["sentence_embedding"]), 1e-6)
        self.assertEqual(self.ours.encode("a dog", output_value=None)["input_ids"].ndim, 1)

    def test_forward(self) -> None:
        found = self.ours.forward(self.ours.preprocess(CORPUS))
        with torch.no_grad():
            expected = self.theirs.forward(self.theirs.preprocess(CORPUS))
        kept = expected["attention_mask"].bool()
        self.assertEqual(found["token_embeddings"].shape, expected["token_embeddings"].shape)
        self.assertLess(difference(found["token_embeddings"][kept], expected["token_embeddings"][kept]), 2e-6)
        self.assertLess(difference(found["sentence_embedding"], expected["sentence_embedding"]), 1e-6)

    def test_modules_and_the_tokenizers_places(self) -> None:
        self.assertEqual(len(list(self.ours)), len(list(self.theirs)))
        for name in ("hidden_size", "max_position_embeddings", "num_hidden_layers"):
            found, expected = (getattr(model[0].auto_model.config, name) for model in (self.ours, self.theirs))
            self.assertEqual(found, expected)
        sizes = [sum(parameter.numel() for parameter in model.parameters()) for model in (self.ours, self.theirs)]
        self.assertEqual(sizes[0], sizes[1])
        for options in ({}, {"add_special_tokens": False}, {"padding": True, "max_length": 6, "truncation": True}):
            options |= {"return_offsets_mapping": True, "return_special_tokens_mask": True}
            found = self.ours.tokenizer([*CORPUS, "ein Süßwasser"], **options)
            expected = self.theirs.tokenizer([*CORPUS, "ein Süßwasser"], **options)
            self.assertEqual(dict(found), dict(expected))

    def test_saved_models_load_in_the_real_package(self) -> None:
        model = ours.SentenceTransformer(MODEL, truncate_dim=7, similarity_fn_name="dot", prompts={"query": "q: "})
        model.max_seq_length = 5
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder)
            expected = theirs.SentenceTransformer(folder, device="cpu")
        settings = [(one.max_seq_length, one.truncate_dim, one.similarity_fn_name) for one in (model, expected)]
        self.assertEqual(settings, [(5, 7, "dot")] * 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some texts are cut
            self.assertLess(difference(model.encode_query(CORPUS), expected.encode_query(CORPUS)), 1e-6)

    def test_properties(self) -> None:
        for name in ("max_seq_length", "similarity_fn_name", "prompts", "default_prompt_name", "truncate_dim"):
            with self.subTest(name):
                self.assertEqual(getattr(self.ours, name), getattr(self.theirs, name))
        self.assertEqual(self.ours.get_embedding_dimension(), self.theirs.get_embedding_dimension())
        self.assertEqual(self.ours.encode([]).shape, self.theirs.encode([]).shape)


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Pairs(unittest.TestCase):
    """Compares cross-encoders of random weights with the real package's."""

    def models(self, labels: int):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        save_random_model(BertForSequenceClassification, folder.name, num_labels=labels)
        return ours.CrossEncoder(folder.name), theirs.CrossEncoder(folder.name, device="cpu")

    def test_predict(self) -> None:
        pairs = [(query, text) for query in QUERIES for text in CORPUS]
        for labels in (1, 3):
            found, expected = (model.predict(pairs) for model in self.models(labels))
            np.testing.assert_allclose(found, expected, atol=1e-5)
            self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        for options in ({"apply_softmax": True}, {"activation_fn": torch.nn.Sigmoid()}, {"convert_to_tensor": True}):
            found, expected = (model.predict(pairs, **options) for model in self.models(3))
            self.assertIs(type(found), type(expected))
            np.testing.assert_allclose(found, expected, atol=1e-5)

    def test_rank(self) -> None:
        found, expected = (model.rank(QUERIES[0], CORPUS, return_documents=True) for model in self.models(1))
        self.assertEqual([one["corpus_id"] for one in found], [one["corpus_id"] for one in expected])
        self.assertEqual([one["text"] for one in found], [one["text"] for one in expected])
        np.testing.assert_allclose([one["score"] for one in found], [one["score"] for one in expected], atol=1e-5)


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class ScoringModules(unittest.TestCase):
    """Tests a CrossEncoder of Transformer, Pooling and a Dense that computes the scores."""

    def test_labels(self) -> None:
        from sentence_transformers.base.modules import Dense, Transformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        torch.manual_seed(1)
        transformer = Transformer(MODEL)
        size = transformer.get_embedding_dimension()
        dense = Dense(size, 3, activation_function=torch.nn.Identity(), module_output_name="scores")
        expected = theirs.CrossEncoder(modules=[transformer, Pooling(size, "max"), dense], device="cpu")
        pairs = [(QUERIES[0], text) for text in CORPUS]
        with tempfile.TemporaryDirectory() as folder:
            expected.save_pretrained(folder)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # config.json has two labels
                found = bert_infer.Model(folder).classify(pairs)
        rows = [{label["label"]: label["score"] for label in labels} for labels in found]
        scores = [[row[f"LABEL_{i}"] for i in range(3)] for row in rows]
        np.testing.assert_allclose(scores, expected.predict(pairs, apply_softmax=True), atol=1e-5)


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Sparse(unittest.TestCase):
    """Compares SPLADE vectors of the drop-in for fastembed with sentence-transformers', by a random masked-LM head."""

    def test_vectors(self) -> None:
        from bert_infer.fastembed import SparseTextEmbedding
        from sentence_transformers.sparse_encoder import SparseEncoder
        from transformers import BertForMaskedLM

        with tempfile.TemporaryDirectory() as folder:
            save_random_model(BertForMaskedLM, folder)
            found = list(SparseTextEmbedding(folder).embed(CORPUS))
            expected = SparseEncoder(folder, device="cpu").encode(CORPUS).to_dense().numpy()
        for vector, row in zip(found, expected, strict=True):
            dense = np.zeros_like(row)
            dense[vector.indices] = vector.values
            np.testing.assert_allclose(dense, row, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
