"""The component for spaCy. Needs spacy."""

import tempfile
import unittest

import bert_infer
import bert_infer.spacy
import numpy as np
import spacy

TEXTS = ["A man plays the guitar.", "Somebody makes music.", "The stock market fell."]


class Spacy(unittest.TestCase):
    def test_gives_documents_the_models_vectors(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("bert_infer")
        expected = bert_infer.Model().encode(TEXTS)
        docs = list(nlp.pipe(TEXTS))
        self.assertTrue(np.array_equal([doc.vector for doc in docs], expected))
        self.assertTrue(np.array_equal(nlp(TEXTS[0]).vector, expected[0]))
        self.assertGreater(docs[0].similarity(docs[1]), docs[0].similarity(docs[2]))

    def test_is_in_a_pipeline_on_disk(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("bert_infer", config={"threads": 1})
        with tempfile.TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            again = spacy.load(folder)
        self.assertTrue(np.array_equal(again(TEXTS[0]).vector, nlp(TEXTS[0]).vector))


if __name__ == "__main__":
    unittest.main()
