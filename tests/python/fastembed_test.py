"""The drop-in for fastembed: iterators in and out. tests/frameworks compares it with the real package."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.fastembed import TextCrossEncoder, TextEmbedding

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
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

    def test_names_what_is_not_supported(self) -> None:
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "cuda=True"):
            TextEmbedding("any/name", cuda=True)


if __name__ == "__main__":
    unittest.main()
