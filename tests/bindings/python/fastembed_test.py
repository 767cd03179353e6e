"""Tests the drop-in for fastembed, which takes and returns iterators.

tests/frameworks compares it with the real package."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.fastembed import (
    LateInteractionTextEmbedding,
    ModelSource,
    PoolingType,
    SparseEmbedding,
    SparseTextEmbedding,
    TextCrossEncoder,
    TextEmbedding,
)

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tests"))
from support import python_package as support


class FastEmbed(unittest.TestCase):
    def test_embeds_without_prompts_one_after_another(self) -> None:
        folder = support.write_sentence_model(
            support.temporary_directory(self), prompts={"query": "quick "}, default_prompt_name="query"
        )
        model = TextEmbedding("any/name", specific_model_path=folder)
        plain = bert_infer.Model(folder).encode(["the fox", "a dog"], prompt="")
        for method in (model.embed, model.passage_embed, model.query_embed):
            vectors = method(iter(["the fox", "a dog"]))
            self.assertIs(iter(vectors), vectors)
            self.assertTrue(np.array_equal(list(vectors), plain))
        self.assertTrue(np.array_equal(next(iter(model.query_embed("the fox"))), plain[0]))
        self.assertEqual((model.embedding_size, model.token_count(["the fox", "the"])), (8, 4 + 3))

    def test_ranks_by_logits(self) -> None:
        folder = support.write_model(support.temporary_directory(self), "BertForSequenceClassification", ["relevant"])
        scores = list(TextCrossEncoder(folder).rerank("the fox", ["the dog", "lazy"]))
        expected = bert_infer.Model(folder).predict([("the fox", "the dog"), ("the fox", "lazy")])
        np.testing.assert_allclose(1 / (1 + np.exp(-np.array(scores))), expected, rtol=1e-6)

    def test_sparse_vectors_are_logarithms_of_the_positive_logits(self) -> None:
        model = SparseTextEmbedding("any/name", specific_model_path=str(REPOSITORY / "models" / "builtin"))
        (largest,) = model.model.largest_token_logits(["a fox"])
        (vector,) = model.embed("a fox")
        self.assertEqual(vector.indices.tolist(), [i for i, logit in enumerate(largest) if logit > 0])
        np.testing.assert_allclose(vector.values, np.log1p(largest[largest > 0]), rtol=1e-6)
        for again in (model.query_embed("a fox"), model.passage_embed(["a fox"])):
            self.assertEqual(next(again).as_dict(), vector.as_dict())

    def test_sparse_vectors_of_queries_are_those_of_their_route(self) -> None:
        builtin = REPOSITORY / "models" / "builtin"
        model = SparseTextEmbedding(support.write_sparse_routes(support.temporary_directory(self), builtin))
        ids = bert_infer.Model().tokens("a fox")["ids"][1:-1]
        (query,) = model.query_embed("a fox")
        self.assertEqual(query.as_dict(), {int(i): float(i) for i in ids})
        (largest,) = bert_infer.Model().largest_token_logits(["a fox"])
        (document,) = model.embed("a fox")
        self.assertEqual(document.indices.tolist(), np.flatnonzero(largest > 0).tolist())
        np.testing.assert_allclose(document.values, np.log1p(np.log1p(largest[largest > 0])), rtol=1e-6)

    def test_names_what_is_not_supported(self) -> None:
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "cuda=True"):
            TextEmbedding("any/name", cuda=True)
        for name in ("Qdrant/bm25", "qdrant/BM25", "Qdrant/minicoil-v1", "Qdrant/bm42-all-minilm-l6-v2-attentions"):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, f"'{name}' .* words.*: use fastembed's own"):
                SparseTextEmbedding(name)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "list_supported_models"):
            TextEmbedding.list_supported_models()

    def test_takes_models_by_names_of_ones_own(self) -> None:
        folder = support.write_sentence_model(support.temporary_directory(self))
        hidden = bert_infer.Model(folder).hidden("the fox")["last_hidden_state"]
        for pooling, normalization, expected in (
            (PoolingType.CLS, False, hidden[0]),
            ("MEAN", False, hidden.mean(axis=0)),
            (PoolingType.LAST_TOKEN, True, hidden[-1] / np.linalg.norm(hidden[-1])),
            (PoolingType.DISABLED, True, bert_infer.Model(folder).encode("the fox")),
        ):
            name = f"own/{folder}-{pooling}"
            TextEmbedding.add_custom_model(name, pooling, normalization, ModelSource(hf=folder), 8)
            (vector,) = TextEmbedding(name.upper()).embed("the fox")
            np.testing.assert_allclose(vector, expected, rtol=1e-5, atol=1e-7)
        self.assertEqual(TextEmbedding.get_embedding_size(name), 8)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "was added before"):
            TextEmbedding.add_custom_model(name, "CLS", True, ModelSource(hf=folder), 8)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "pooling 'MAX', expected one of CLS, MEAN"):
            TextEmbedding.add_custom_model("own/b", "MAX", True, ModelSource(hf=folder), 8)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "sources.url='a'"):
            TextEmbedding.add_custom_model("own/b", "CLS", True, ModelSource(url="a"), 8)
        TextEmbedding.add_custom_model("own/b", "CLS", True, ModelSource(hf=folder), 9)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "dim 9 of 'own/b', but its vectors have 8"):
            TextEmbedding("own/b")
        pairs = support.write_model(support.temporary_directory(self), "BertForSequenceClassification", ["relevant"])
        TextCrossEncoder.add_custom_model("own/pairs", ModelSource(hf=pairs))
        scores = [list(TextCrossEncoder(one).rerank("the fox", ["the dog"])) for one in ("own/pairs", pairs)]
        self.assertEqual(scores[0], scores[1])

    def test_counts_tokens(self) -> None:
        builtin = str(REPOSITORY / "models" / "builtin")
        late = support.write_m3_model(support.temporary_directory(self))
        for model in (SparseTextEmbedding(builtin), LateInteractionTextEmbedding(late)):
            self.assertEqual(model.token_count("the fox"), 4)
            self.assertEqual(model.token_count(iter(["the fox", "the"]), batch_size=1), 4 + 3)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "include_extension=True"):
            LateInteractionTextEmbedding(late).token_count("the fox", include_extension=True)
        pairs = support.write_model(support.temporary_directory(self), "BertForSequenceClassification", ["relevant"])
        self.assertEqual(TextCrossEncoder(pairs).token_count([("the fox", "the"), ["fox", "dog"]]), 6 + 5)

    def test_makes_sparse_vectors_of_dicts(self) -> None:
        vector = SparseEmbedding.from_dict({7: 0.5, 3: 1.5})
        self.assertEqual((vector.indices.tolist(), vector.values.tolist()), ([7, 3], [0.5, 1.5]))
        self.assertEqual(vector.as_dict(), {7: 0.5, 3: 1.5})
        self.assertEqual(SparseEmbedding.from_dict({}).as_dict(), {})

    def test_says_the_size_of_a_models_vectors(self) -> None:
        folder = support.write_sentence_model(support.temporary_directory(self))
        self.assertEqual(TextEmbedding.get_embedding_size(folder), 8)


if __name__ == "__main__":
    unittest.main()
