"""Tests the embeddings for LangChain in its vector store. Needs langchain-core."""

import asyncio
import copy
import pickle
import unittest

import bert_infer
import numpy as np
from bert_infer.langchain import BertInferEmbeddings, BertInferReranker
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

TEXTS = ["A man plays the guitar.", "The stock market fell.", "A dog runs through the grass."]


class LangChain(unittest.TestCase):
    def test_searches_in_a_vector_store(self) -> None:
        store = InMemoryVectorStore.from_texts(TEXTS, BertInferEmbeddings())
        (found,) = store.similarity_search("Somebody makes music with a guitar.", k=1)
        self.assertEqual(found.page_content, TEXTS[0])

    def test_gives_the_models_vectors_also_asynchronously(self) -> None:
        embeddings = BertInferEmbeddings()
        expected = bert_infer.Model().encode(TEXTS)
        self.assertTrue(np.array_equal(np.float32(embeddings.embed_documents(TEXTS)), expected))
        self.assertTrue(np.array_equal(np.float32(asyncio.run(embeddings.aembed_documents(TEXTS))), expected))
        self.assertTrue(np.array_equal(np.float32(embeddings.embed_query(TEXTS[0])), expected[0]))
        self.assertTrue(np.array_equal(np.float32(asyncio.run(embeddings.aembed_query(TEXTS[0]))), expected[0]))

    def test_takes_the_arguments_of_langchains_own(self) -> None:
        embeddings = BertInferEmbeddings(
            model_name=None, model_kwargs={"threads": 1}, encode_kwargs={"truncate_dim": 8}, query_encode_kwargs={}
        )
        self.assertEqual(np.shape(embeddings.embed_documents(TEXTS)), (3, 8))
        self.assertEqual(len(embeddings.embed_query(TEXTS[0])), 8)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "model and model_name"):
            BertInferEmbeddings("a", model_name="b")
        documented = BertInferEmbeddings(
            model_kwargs={"device": "cpu", "trust_remote_code": True},
            encode_kwargs={"normalize_embeddings": False, "batch_size": 8, "device": "cpu"},
            cache_folder=None,
            multi_process=False,
            show_progress=False,
        )
        self.assertEqual(documented.embed_query(TEXTS[0]), BertInferEmbeddings().embed_query(TEXTS[0]))
        for options in ({"model_kwargs": {"device": "cuda"}}, {"encode_kwargs": {"device": "cuda"}}):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'cuda'"):
                BertInferEmbeddings(**options)

    def test_one_text_and_several_are_not_taken_for_each_other(self) -> None:
        embeddings = BertInferEmbeddings()
        for call in (embeddings.embed_documents, lambda text: asyncio.run(embeddings.aembed_documents(text))):
            with self.assertRaisesRegex(TypeError, "texts: found str, expected several texts"):
                call("letters")
        for call in (embeddings.embed_query, lambda text: asyncio.run(embeddings.aembed_query(text))):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "text: found list, expected a str"):
                call(TEXTS)

    def test_reranks(self) -> None:
        documents = [Document(page_content=text, metadata={"i": i}) for i, text in enumerate(TEXTS[::-1])]
        query = "Somebody makes music with a guitar."
        reranker = BertInferReranker(top_n=2)
        for one in (reranker, pickle.loads(pickle.dumps(reranker)), copy.deepcopy(reranker)):
            found = one.compress_documents(documents, query)
            ranked = bert_infer.Model().rerank(query, TEXTS[::-1], top_k=2)
            self.assertEqual([document.metadata["i"] for document in found], [hit["corpus_id"] for hit in ranked])
            scores = [document.metadata["relevance_score"] for document in found]
            self.assertEqual(scores, [hit["score"] for hit in ranked])
            self.assertEqual(found[0].page_content, TEXTS[0])

    def test_can_be_pickled_and_copied(self) -> None:
        embeddings = BertInferEmbeddings(normalize_embeddings=True)
        for again in (pickle.loads(pickle.dumps(embeddings)), copy.deepcopy(embeddings)):
            self.assertEqual(again.embed_query(TEXTS[0]), embeddings.embed_query(TEXTS[0]))


if __name__ == "__main__":
    unittest.main()
