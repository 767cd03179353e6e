"""Tests that BERTopic finds the same topics with the adapter and with a SentenceTransformer. Needs bertopic; the second
test needs in BERT_TEST_MINILM the directory of all-MiniLM-L6-v2."""

import tempfile
import unittest
from pathlib import Path

import sentence_transformers
from bert_infer.bertopic import BertInferBackend
from bert_infer.sentence_transformers import SentenceTransformer
from bertopic import BERTopic
from sentence_transformers_test import MODEL
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

MUSIC = [f"A {who} plays the {what}." for who in ("man", "woman", "girl") for what in ("guitar", "violin", "drums")]
MONEY = [f"The {what} of the {who} fell." for who in ("bank", "market", "fund") for what in ("price", "rate", "profit")]


class Topics(unittest.TestCase):
    def check(self, embedding_model: object) -> BERTopic:
        model = BERTopic(
            embedding_model=embedding_model,
            umap_model=PCA(n_components=4, random_state=0),
            hdbscan_model=KMeans(2, random_state=0, n_init=3),
        )
        topics, _ = model.fit_transform(MUSIC + MONEY)
        self.assertEqual((len(set(topics[:9])), len(set(topics[9:])), len(set(topics))), (1, 1, 2))
        similar, _ = model.find_topics("He sings and plays a song on the guitar.", top_n=1)
        self.assertEqual(similar, topics[:1])
        return model

    def test_are_those_of_the_texts(self) -> None:
        self.check(BertInferBackend())

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_by_a_model_of_either_package_are_those_of_the_texts(self) -> None:
        ours = SentenceTransformer(MODEL)
        model = self.check(ours)
        self.assertIs(model.embedding_model, ours)
        self.check(BertInferBackend(ours))
        self.check(BertInferBackend(sentence_transformers.SentenceTransformer(MODEL, device="cpu")))
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder) / "topics", serialization="pickle")
            again = BERTopic.load(Path(folder) / "topics")
        self.assertEqual(again.find_topics("a song", top_n=1), model.find_topics("a song", top_n=1))


if __name__ == "__main__":
    unittest.main()
