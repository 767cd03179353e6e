"""Topics by BERTopic from the adapter's vectors. Needs bertopic."""

import unittest

from bert_infer.bertopic import BertInferBackend
from bertopic import BERTopic
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

MUSIC = [f"A {who} plays the {what}." for who in ("man", "woman", "girl") for what in ("guitar", "violin", "drums")]
MONEY = [f"The {what} of the {who} fell." for who in ("bank", "market", "fund") for what in ("price", "rate", "profit")]


class Topics(unittest.TestCase):
    def test_are_those_of_the_texts(self) -> None:
        model = BERTopic(
            embedding_model=BertInferBackend(),
            umap_model=PCA(n_components=4, random_state=0),
            hdbscan_model=KMeans(2, random_state=0, n_init=3),
        )
        topics, _ = model.fit_transform(MUSIC + MONEY)
        self.assertEqual((len(set(topics[:9])), len(set(topics[9:])), len(set(topics))), (1, 1, 2))
        similar, _ = model.find_topics("He sings and plays a song on the guitar.", top_n=1)
        self.assertEqual(similar, topics[:1])


if __name__ == "__main__":
    unittest.main()
