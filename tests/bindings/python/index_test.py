"""Compares exact search with numpy's products in float64."""

import concurrent.futures
import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

TEXTS = ["A man plays the guitar.", "The stock market fell.", "A dog runs through the grass."]


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        draw = np.random.default_rng(3)
        cls.rows = draw.standard_normal((700, 48)).astype(np.float32)
        cls.queries = draw.standard_normal((5, 48)).astype(np.float32)
        products = cls.queries.astype(np.float64) @ cls.rows.astype(np.float64).T
        cls.places = np.argsort(-products, axis=1)[:, :10]
        cls.scores = np.take_along_axis(products, cls.places, axis=1)

    def check(self, index: bert_infer.Index, **options: int) -> None:
        scores, places = index.search(self.queries, **options)
        self.assertEqual(places.tolist(), self.places.tolist())
        np.testing.assert_allclose(scores, self.scores, rtol=1e-12)

    def test_finds_what_float64_finds(self) -> None:
        for scan in ("float32", "int8"):
            self.check(bert_infer.Index(self.rows, scan=scan))
        self.check(bert_infer.Index(self.rows, scan="binary"), candidates=700)
        scores, places = bert_infer.Index(self.rows).search(self.queries[1], 3)
        self.assertEqual(places.tolist(), self.places[1, :3].tolist())
        np.testing.assert_allclose(scores, self.scores[1, :3], rtol=1e-12)

    def test_rows_are_added_and_saved_and_mapped(self) -> None:
        index = bert_infer.Index(scan="int8", threads=1)
        for part in np.split(self.rows[:600], 3):
            index.add(part)
        index.search(self.queries)
        index.add(self.rows[600:699])
        index.add(self.rows[699])
        self.assertEqual((len(index), index.size, repr(index)), (700, 48, "<Index of 700 vectors of 48, int8>"))
        self.check(index)
        file = support.temporary_directory(self) / "vectors.index"
        index.save(file, label="of a test")
        self.assertEqual([path.name for path in file.parent.iterdir()], [file.name])
        again = bert_infer.Index.load(file)
        self.assertEqual((len(again), again.scan, again.label), (700, "int8", "of a test"))
        self.check(again)
        again.add(100 * self.queries[:1])
        self.assertEqual(again.search(self.queries[0], 1)[1].tolist(), [700])

    def test_saving_writes_through_no_link(self) -> None:
        folder = support.temporary_directory(self)
        other = folder / "other"
        other.write_text("another's")
        (folder / "vectors.index.partial").symlink_to(other)
        bert_infer.Index(self.rows).save(folder / "vectors.index")
        self.assertEqual(other.read_text(), "another's")
        self.check(bert_infer.Index.load(folder / "vectors.index"))

    def test_a_copied_index_outlives_its_file(self) -> None:
        file = support.temporary_directory(self) / "vectors.index"
        bert_infer.Index(self.rows, scan="int8").save(file, label="of a test")
        copied = bert_infer.Index.load(file, copy=True)
        file.write_bytes(b"")
        self.assertEqual((len(copied), copied.scan, copied.label), (700, "int8", "of a test"))
        self.check(copied)

    def test_threads_may_search_at_the_same_time(self) -> None:
        index = bert_infer.Index(self.rows)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _, places in pool.map(lambda _: index.search(self.queries), range(16)):
                self.assertEqual(places.tolist(), self.places.tolist())
        self.assertEqual(len(index), 700)

    def test_says_what_is_wrong(self) -> None:
        index = bert_infer.Index(self.rows)
        for call, message in (
            (lambda: index.add([1.0]), r"vectors of shape \(1, 1\), expected 48 numbers in each"),
            (lambda: index.search([1.0]), "queries of 1 numbers, expected 48"),
            (lambda: index.search(self.queries, 0), "top_k 0, expected at least 1"),
            (lambda: bert_infer.Index().search(self.queries), "the index has no vectors"),
            (lambda: bert_infer.Index([]).search(self.queries), "the index has no vectors"),
            (lambda: bert_infer.Index(scan="int4"), "scan 'int4', expected float32, int8 or binary"),
        ):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, message):
                call()
        empty = bert_infer.Index([])
        empty.add(self.rows[:2])
        self.assertEqual(len(empty), 2)
        with self.assertRaises(bert_infer.IoError):
            index.save("/no/such/folder/index")
        self.assertEqual(bert_infer.Index(self.rows[:2]).search(self.queries).__len__(), 2)

    def test_texts_by_one_call(self) -> None:
        model = bert_infer.Model()
        found = bert_infer.semantic_search(model, "Somebody makes music with a guitar.", TEXTS, top_k=2)
        self.assertEqual((len(found), found[0]["corpus_id"], found[0]["text"]), (2, 0, TEXTS[0]))
        query = model.encode_query("Somebody makes music with a guitar.")
        expected = model.similarity(query, model.encode_document(TEXTS[:1]))[0, 0]
        self.assertAlmostEqual(found[0]["score"], expected, places=6)
        self.assertEqual([len(one) for one in bert_infer.semantic_search(model, ["a", "b"], TEXTS)], [3, 3])
        self.assertEqual(bert_infer.semantic_search(model, "a", []), [])


if __name__ == "__main__":
    unittest.main()
