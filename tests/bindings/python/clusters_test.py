"""Compares near-duplicates, clusters and nearest words with plain calculations by numpy."""

import signal
import threading
import time
import unittest

import bert_infer
import numpy as np


def unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def planted(count: int, size: int = 24, every: int = 4) -> np.ndarray:
    """Returns random rows. Each `every`-th row is an earlier one with noise."""
    draw = np.random.default_rng(count)
    rows = draw.standard_normal((count, size)).astype(np.float32)
    for i in range(every, count, every):
        rows[i] = rows[draw.integers(i)] + 0.4 * rows[i]
    return rows


class Dedup(unittest.TestCase):
    def test_drops_what_is_near_an_earlier_kept_row(self) -> None:
        rows = planted(3000)
        cosines = unit(rows) @ unit(rows).T
        kept: list[int] = []
        nearest = {}
        for row in range(len(rows)):
            best = kept[int(np.argmax(cosines[row, kept]))] if kept else -1
            if kept and cosines[row, best] >= 0.8:
                nearest[row] = best
            else:
                kept.append(row)
        self.assertGreater(len(nearest), 300)
        found = bert_infer.dedup(rows, threshold=0.8)
        self.assertEqual(found["kept"].tolist(), kept)
        self.assertEqual(dict(zip(found["dropped"].tolist(), found["nearest"].tolist())), nearest)
        np.testing.assert_allclose(found["cosines"], [cosines[pair] for pair in nearest.items()], atol=1e-12)
        alone = bert_infer.dedup(rows, threshold=0.8, threads=1)
        self.assertEqual(alone["cosines"].tolist(), found["cosines"].tolist())

    def test_takes_what_is_an_array_of_numbers(self) -> None:
        self.assertEqual(bert_infer.dedup([[1.0, 0.0], [2.0, 0.0]])["kept"].tolist(), [0])
        self.assertEqual(bert_infer.dedup(np.zeros((3, 2)))["kept"].tolist(), [0, 1, 2])
        for wrong in (0, 1.5, -1, True, "0.9", float("nan")):
            says = "threshold: found .*, expected a number above 0"
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, says):
                bert_infer.dedup([[1.0, 2.0]], threshold=wrong)  # type: ignore[arg-type]
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "row 1 has a NaN or an infinity"):
            bert_infer.dedup([[1.0, 2.0], [np.nan, 1.0]])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "bytes of memory, expected at most 10"):
            bert_infer.dedup([[1.0, 2.0]], max_bytes=10)

    def test_ends_with_a_signal(self) -> None:
        rows = np.random.default_rng(1).standard_normal((60_000, 64)).astype(np.float32)
        main = threading.main_thread().ident
        assert main is not None
        timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
        timer.start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            while time.monotonic() < begun + 60:
                bert_infer.dedup(rows, threshold=0.2)
        self.assertLess(time.monotonic(), begun + 30)


class Cluster(unittest.TestCase):
    def test_by_k_is_lloyds_algorithm_at_its_end(self) -> None:
        rows = planted(1200, size=8)
        found = bert_infer.cluster(rows, k=12, seed=1, max_iterations=500)
        units = unit(rows)
        distances = ((units[:, None, :] - found["centers"][None].astype(np.float64)) ** 2).sum(-1)
        own = distances[np.arange(len(rows)), found["labels"]]
        np.testing.assert_allclose(own, distances.min(axis=1), atol=1e-6)
        for index, center in enumerate(found["centers"]):
            np.testing.assert_allclose(center, units[found["labels"] == index].mean(axis=0), atol=1e-6)
        self.assertEqual(found["sizes"].tolist(), sorted(np.bincount(found["labels"]), reverse=True))
        np.testing.assert_allclose(
            found["cosines"], (units * unit(found["centers"])[found["labels"]]).sum(axis=1), atol=1e-6
        )

    def test_by_threshold_has_rows_near_a_centre(self) -> None:
        rows = np.float32([[1, 0], [0, 1], [1, 0.1], [0.1, 1], [1, -0.1], [-1, -1]])
        found = bert_infer.cluster(rows, threshold=0.99)
        self.assertEqual(found["labels"].tolist(), [0, 1, 0, 1, 0, -1])
        self.assertEqual(found["centers"].tolist(), rows[[0, 1]].tolist())
        self.assertEqual(found["sizes"].tolist(), [3, 2])
        self.assertEqual(found["cosines"][0], 1)
        self.assertTrue(np.isnan(found["cosines"][5]))
        self.assertEqual(bert_infer.cluster(rows, threshold=0.99, min_size=4)["labels"].tolist(), [-1] * 6)

    def test_wrong_arguments_say_what_to_pass(self) -> None:
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "expected k or threshold, one of them"):
            bert_infer.cluster([[1.0, 2.0]])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "2 clusters of 1 row,"):
            bert_infer.cluster([[1.0, 2.0]], k=2)
        with self.assertWarnsRegex(bert_infer.Notice, "rows still changed their clusters"):
            bert_infer.cluster(planted(500), k=30, max_iterations=1)


class Neighbors(unittest.TestCase):
    def test_of_a_word_and_of_a_sum(self) -> None:
        with bert_infer.Model() as model:
            king = model.neighbors("king", top_k=3)
            self.assertEqual(len(king), 3)
            self.assertNotIn("king", [one["word"] for one in king])
            scores = [one["score"] for one in king]
            self.assertEqual(scores, sorted(scores, reverse=True))
            several = model.neighbors(["king", "king - man + woman"], top_k=3)
            self.assertEqual(several[0], king)
            self.assertTrue({"king", "man", "woman"}.isdisjoint(one["word"] for one in several[1]))
            for wrong, says in (
                ("king -", "expected a word, or words"),
                ("king man", "found 'man' in 'king man', expected a sign"),
                ("", "found ''"),
                ("unbelievableword", "tokens, expected a word of the vocabulary"),
            ):
                with self.assertRaisesRegex(bert_infer.InvalidArgumentError, says):
                    model.neighbors(wrong)


if __name__ == "__main__":
    unittest.main()
