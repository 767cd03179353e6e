"""Tests the component for spaCy. Needs spacy."""

import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import bert_infer
import bert_infer.spacy
import numpy as np
import spacy
from bert_infer.spacy import restored
from spacy.tokens import Doc, DocBin

TEXTS = ["A man plays the guitar.", "Somebody makes music.", "The stock market fell."]


class Spacy(unittest.TestCase):
    def test_gives_documents_the_models_vectors(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("bert_infer")
        expected = bert_infer.Model().encode(TEXTS)
        docs = list(nlp.pipe(TEXTS))
        self.assertTrue(np.array_equal([doc.vector for doc in docs], expected))
        self.assertTrue(np.array_equal(nlp(TEXTS[0]).vector, expected[0]))
        self.assertTrue(docs[0].has_vector)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # spaCy warns (W007) of a similarity without vectors
            self.assertAlmostEqual(docs[0].similarity(docs[1]), float(expected[0] @ expected[1]), places=6)
            self.assertGreater(docs[0].similarity(docs[1]), docs[0].similarity(docs[2]))

    def test_a_document_keeps_its_vector_where_it_is_written_or_sent(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("bert_infer", config={"threads": 1})
        doc = nlp(TEXTS[0])
        expected = bert_infer.Model().encode(TEXTS)
        for again in (pickle.loads(pickle.dumps(doc)), doc.copy()):
            self.assertTrue(np.array_equal(again.vector, expected[0]))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*W109")  # spaCy warns of the hooks
            of_bytes = Doc(nlp.vocab).from_bytes(doc.to_bytes())
            of_workers = list(nlp.pipe(TEXTS, n_process=2, batch_size=1))
        binary = DocBin(store_user_data=True, docs=[doc]).to_bytes()
        of_bin = list(DocBin().from_bytes(binary).get_docs(nlp.vocab))
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"\(160,\) and \(0,\), .*restored"):
            doc.similarity(of_bytes)
        self.assertFalse(doc[:2].as_doc().has_vector)
        for docs in ([of_bytes], of_bin, of_workers):
            found = [doc._.bert_infer_vector for doc in docs]
            self.assertTrue(np.array_equal(found, expected[: len(docs)]))
            docs = list(restored(docs))
            self.assertTrue(np.array_equal([doc.vector for doc in docs], expected[: len(docs)]))
            self.assertAlmostEqual(docs[0].similarity(doc), 1, places=6)

    def test_a_document_without_a_vector_is_named(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"docs\[0\] has no vector in doc\._\.bert_infer"):
            list(restored([spacy.blank("en")("a dog")]))

    def test_a_pipeline_is_loaded_by_a_process_that_imports_spacy_alone(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("bert_infer", config={"threads": 1})
        with tempfile.TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            code = f"import spacy; print(spacy.load({folder!r})({TEXTS[0]!r}).vector.tolist())"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"{nlp(TEXTS[0]).vector.tolist()}\n")
        again = pickle.loads(pickle.dumps(nlp))
        self.assertTrue(np.array_equal(again(TEXTS[0]).vector, nlp(TEXTS[0]).vector))

    def test_is_in_a_pipeline_on_disk(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("bert_infer", config={"threads": 1})
        with tempfile.TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            again = spacy.load(folder)
        self.assertTrue(np.array_equal(again(TEXTS[0]).vector, nlp(TEXTS[0]).vector))


if __name__ == "__main__":
    unittest.main()
