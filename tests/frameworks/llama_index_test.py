"""Tests the embeddings for LlamaIndex in its vector index. Needs llama-index-core."""

import asyncio
import copy
import pickle
import unittest

import bert_infer
import numpy as np
from bert_infer.llama_index import BertInferEmbedding
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import TextNode

TEXTS = ["A man plays the guitar.", "The stock market fell.", "A dog runs through the grass."]


class LlamaIndex(unittest.TestCase):
    def test_searches_in_an_index(self) -> None:
        index = VectorStoreIndex([TextNode(text=text) for text in TEXTS], embed_model=BertInferEmbedding())
        (found,) = index.as_retriever(similarity_top_k=1).retrieve("Somebody makes music with a guitar.")
        self.assertEqual(found.node.get_content(), TEXTS[0])

    def test_gives_the_models_vectors_also_asynchronously(self) -> None:
        embedding = BertInferEmbedding(embed_batch_size=2)
        expected = bert_infer.Model().encode(TEXTS)
        self.assertTrue(np.array_equal(np.float32(embedding.get_text_embedding_batch(TEXTS)), expected))
        found = asyncio.run(embedding.aget_text_embedding_batch(TEXTS))
        self.assertTrue(np.array_equal(np.float32(found), expected))
        self.assertTrue(np.array_equal(np.float32(embedding.get_query_embedding(TEXTS[0])), expected[0]))

    def test_takes_the_arguments_of_llama_indexs_own(self) -> None:
        model = bert_infer.Model()
        embedding = BertInferEmbedding(
            query_instruction="find ",
            text_instruction="text ",
            max_length=5,
            device="cpu",
            trust_remote_code=True,
            model_kwargs={"threads": 1},
        )
        expected = model.encode([f"find {TEXTS[0]}", f"text {TEXTS[0]}"], max_length=5)
        self.assertEqual(embedding.get_query_embedding(TEXTS[0]), expected[0].tolist())
        self.assertEqual(embedding.get_text_embedding(TEXTS[0]), expected[1].tolist())
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "the argument 'pooling' is unknown, expected one"):
            BertInferEmbedding(pooling="cls")
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'cuda'"):
            BertInferEmbedding(device="cuda")

    def test_can_be_pickled_and_copied(self) -> None:
        embedding = BertInferEmbedding(normalize_embeddings=True)
        for again in (pickle.loads(pickle.dumps(embedding)), copy.deepcopy(embedding)):
            self.assertEqual(again.get_query_embedding(TEXTS[0]), embedding.get_query_embedding(TEXTS[0]))


if __name__ == "__main__":
    unittest.main()
