"""Tests experiments: their arrays and texts are those of the program, and notebooks show them."""

import sys
import tempfile
import unittest
from pathlib import Path

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

TEXT = "The dog saw a fox in the park."


class Experiments(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model(threads=1)

    def test_explains_the_embeddings(self) -> None:
        explained = self.model.explain(TEXT)
        expected = support.program_json("explain", TEXT)
        np.testing.assert_allclose(explained["moved"].T, expected["moved"], rtol=1e-12)
        np.testing.assert_allclose(
            explained["shares"]["word"], [token["word"]["share"] for token in expected["embedding"]], rtol=1e-12
        )
        support.check_shown(self, explained, "explain", TEXT)
        self.assertIn(" its word: ", explained.answer)

    def test_summarizes_attention(self) -> None:
        heads = self.model.attention((TEXT, "It ran."))
        expected = support.program_json("attention", TEXT, "--pair", "It ran.")
        for name in ("entropy", "self", "previous", "next", "special"):
            np.testing.assert_allclose(heads[name], expected[name], rtol=1e-12)
        self.assertEqual(heads["max_entropy"], expected["max_entropy"])
        tokens = len(heads["tokens"])
        self.assertEqual(heads["weights"].shape, (*heads["entropy"].shape, tokens, tokens))
        np.testing.assert_allclose(heads["weights"].sum(axis=-1), 1, rtol=1e-5)
        support.check_shown(self, heads, "attention", TEXT, "--pair", "It ran.")

    def test_summarizes_the_attention_of_some_tokens(self) -> None:
        text = "a dog " * 50
        every, some = self.model.attention(text), self.model.attention(text, rows=[7, *range(90, 102)])
        rows = [7, *range(90, 102)]
        self.assertEqual((every["rows"].tolist(), some["rows"].tolist()), (list(range(102)), rows))
        np.testing.assert_array_equal(some["weights"], every["weights"][:, :, rows])
        expected = support.program_json("attention", text, "--rows", "90-101,7")
        np.testing.assert_allclose(some["entropy"], expected["entropy"], rtol=1e-12)
        support.check_shown(self, some, "attention", text, "--rows", "90-101,7")
        self.assertTrue("The whole text of 102 tokens was computed." in some.html)
        for wrong, problem in (
            ([102], "rows: found token 102, expected tokens from 0 to 101: the text has 102"),
            (range(65), "rows: found 65 tokens, expected at most 64"),
            ([3, 1, 3], "rows: found token 3 twice, expected each once"),
            ([-1], "rows -1, expected at least 0"),
            (["1"], "rows: found str '1', expected an integer"),
            ([], "rows: found no token, expected some, or None for all"),
        ):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, problem):
                self.model.attention(text, rows=wrong)  # type: ignore[arg-type]

    def test_compares_orders(self) -> None:
        orders = self.model.order(TEXT, shuffles=2, seed=7)
        expected = support.program_json("order", TEXT, "--shuffles", "2", "--seed", "7")["orders"]
        self.assertEqual(orders["names"], [order["name"] for order in expected])
        self.assertEqual(orders["orders"].tolist(), [order["order"] for order in expected])
        np.testing.assert_allclose(orders["moved"], [order["moved_tokens"] for order in expected], rtol=1e-12)
        support.check_shown(self, orders, "order", TEXT, "--shuffles", "2", "--seed", "7")

    def test_compares_segments(self) -> None:
        pair = ("The dog saw a fox.", "It barked.")
        segments = self.model.segments(pair)
        expected = support.program_json("segments", *pair)
        keys = ("swapped", "all_a", "all_b")
        self.assertEqual(segments["names"], ["swapped", "all A", "all B"])
        self.assertEqual(segments["type_ids"].tolist(), expected["type_ids"])
        for name in ("moved", "moved_by_layer"):
            np.testing.assert_allclose(segments[name], [expected[key][name] for key in keys], rtol=1e-12)
        np.testing.assert_allclose(segments["cosine"], [expected[key]["embedding_cosine"] for key in keys], rtol=1e-12)
        vectors = expected["segment_vectors"]
        np.testing.assert_allclose(segments["norms"], [vectors["norm_a"], vectors["norm_b"]], rtol=1e-12)
        self.assertEqual((segments["vector_cosine"], segments["word_norm"]), (vectors["cosine"], vectors["word_norm"]))
        support.check_shown(self, segments, "segments", *pair)

    def test_reports_without_texts_on_those_of_the_package(self) -> None:
        for text, arguments in ((TEXT, []), ((TEXT, "It ran."), ["--pair", "It ran."])):
            report = self.model.report(text)
            for one in report["questions"]:
                self.assertIn(f"{one['question']}\n{one['answer']}\n", report.text + "\n")
            support.check_shown(self, report, "report", TEXT, *arguments)
            self.assertTrue("Measured on the package's own texts: " in report.html)
        own = "Measured on “The dog saw a fox.” (A) and “It barked at the fox.” (B)."
        self.assertTrue(own in self.model.report(TEXT).html)
        self.assertTrue(f"Measured on “{TEXT}” (A) and “It ran.” (B)." in report.html)

    def test_shows_the_position_table(self) -> None:
        positions = self.model.positions()
        expected = support.program_json("positions")
        np.testing.assert_allclose(positions["norms"], expected["learned"]["norm"], rtol=1e-12)
        np.testing.assert_allclose(
            positions["cosine_by_distance"], expected["learned"]["cosine_by_distance"], rtol=1e-12
        )
        self.assertEqual(positions["table"].shape, (expected["position_count"], expected["hidden"]))
        support.check_shown(self, positions, "positions")
        self.assertIn("data:image/png;base64,iVBORw0KGgo", positions.html)

    def test_probes_many_texts(self) -> None:
        words = ["dog", "fox", "man", "park", "cat", "tree"]
        texts = [f"the {a} saw the {b} in the {c}" for a in words for b in words for c in words]
        shares = self.model.probe(texts)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / "texts.txt"
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
        expected = support.program_json("probe", str(file))
        for name in ("position", "word", "both", "neither"):
            np.testing.assert_allclose(shares[name], expected[name], rtol=1e-9, atol=1e-12)
        self.assertEqual((shares["texts"], shares["tokens"]), (expected["texts"], expected["tokens"]))
        support.check_shown(self, shares, "probe", str(file))
        report = self.model.report(TEXT, texts)
        support.check_shown(self, report, "report", TEXT, "--texts", str(file))

    def test_shows_the_tables_of_a_text_too_long_to_draw(self) -> None:
        heads = self.model.attention("dog < " * 70)
        self.assertTrue(heads._repr_html_().startswith("<pre>"))
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "draws at most 64 tokens, the text has 128"):
            heads.html  # noqa: B018

    def test_refuses_what_is_no_text(self) -> None:
        for wrong in (3, ("one",), ["a", "b"]):
            with self.assertRaisesRegex(TypeError, "expected a str or a tuple of two"):
                self.model.attention(wrong)  # type: ignore[arg-type]
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "shuffles"):
            self.model.order(TEXT, shuffles=-1)
        with self.assertRaisesRegex(bert_infer.Error, "fewer tokens|no text|expected"):
            self.model.probe(["a dog"])


if __name__ == "__main__":
    unittest.main()
