"""Tests the components for Haystack in pipelines. Needs haystack-ai."""

import unittest

import bert_infer
import numpy as np
from bert_infer.haystack import BertInferDocumentEmbedder, BertInferTextEmbedder
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

TEXTS = ["A man plays the guitar.", "The stock market fell.", "A dog runs through the grass."]


class Haystack(unittest.TestCase):
    def test_embeds_stores_and_finds_also_after_a_pipeline_was_read_again(self) -> None:
        store = InMemoryDocumentStore()
        writing = Pipeline()
        writing.add_component("embed", BertInferDocumentEmbedder(normalize_embeddings=True))
        writing.add_component("write", DocumentWriter(store))
        writing.connect("embed.documents", "write.documents")
        writing.run({"embed": {"documents": [Document(content=text) for text in TEXTS]}})
        expected = bert_infer.Model().encode_document(TEXTS, normalize_embeddings=True)
        by_text = {document.content: document.embedding for document in store.filter_documents()}
        self.assertTrue(np.array_equal(np.float32([by_text[text] for text in TEXTS]), expected))

        finding = Pipeline()
        finding.add_component("embed", BertInferTextEmbedder(normalize_embeddings=True))
        again = Pipeline.loads(finding.dumps(), allowed_modules=["bert_infer.haystack"])
        again.add_component("find", InMemoryEmbeddingRetriever(store, top_k=1))
        again.connect("embed.embedding", "find.query_embedding")
        found = again.run({"embed": {"text": "Somebody makes music with a guitar."}})["find"]["documents"]
        self.assertEqual([document.content for document in found], TEXTS[:1])


if __name__ == "__main__":
    unittest.main()
