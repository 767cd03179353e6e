"""Tests a column of datasets as input, and `map` with a model in its function, also in processes. Needs datasets."""

import os
import unittest

import bert_infer
import datasets
import numpy as np
from bert_infer.sentence_transformers import SentenceTransformer
from datasets.fingerprint import Hasher

MODEL = os.environ.get("BERT_TEST_MINILM", "")
TEXTS = [f"text number {i} of several" for i in range(8)]


class Datasets(unittest.TestCase):
    def setUp(self) -> None:
        self.table = datasets.Dataset.from_dict({"text": TEXTS})
        self.model = bert_infer.Model(threads=1)

    def test_a_column_is_a_list_of_texts(self) -> None:
        expected = self.model.encode(TEXTS)
        self.assertTrue(np.array_equal(self.model.encode(self.table["text"]), expected))
        with self.assertRaisesRegex(TypeError, r"a table \(Dataset\), expected one column of it: table\['text'\]"):
            self.model.encode(self.table)

    def test_map_has_the_models_vectors_and_a_hash_that_stays(self) -> None:
        def embed(batch: dict[str, list[str]]) -> dict[str, object]:
            return {"embedding": model.encode(batch["text"])}

        model = self.model
        first = Hasher.hash(embed)
        expected = model.encode(TEXTS)
        for processes in (None, 2):
            mapped = self.table.map(embed, batched=True, batch_size=3, num_proc=processes, load_from_cache_file=False)
            self.assertTrue(np.array_equal(np.float32(mapped["embedding"][:]), expected))
        model = bert_infer.Model(threads=1)
        self.assertEqual(Hasher.hash(embed), first)
        model = bert_infer.Model(threads=1, precision="int8")
        self.assertNotEqual(Hasher.hash(embed), first)

    @unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
    def test_the_drop_in_takes_a_column(self) -> None:
        model = SentenceTransformer(MODEL)
        self.assertTrue(np.array_equal(model.encode(self.table["text"]), model.encode(TEXTS)))


if __name__ == "__main__":
    datasets.disable_progress_bars()
    unittest.main()
