"""What heads say: the program's results, with places in code points."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import python_package as support

TEXT = "thé fox — the quick fox jumps over the lazy dog"


class Tasks(unittest.TestCase):
    def load(self, architecture: str, labels: tuple[str, ...] = ()) -> bert_infer.Model:
        self.folder = support.write_model(support.temporary_directory(self), architecture, labels)
        return bert_infer.Model(self.folder)

    def test_tokens_are_the_programs(self) -> None:
        model = bert_infer.Model()
        tokens = model.tokens(("The fox", "é東"))
        expected = support.program_json("tokenize", "The fox", "--pair", "é東")
        self.assertEqual(tokens["tokens"], expected["tokens"])
        self.assertEqual(tokens["ids"].tolist(), expected["ids"])
        self.assertEqual(tokens["type_ids"].tolist(), expected["type_ids"])
        self.assertEqual(tokens["offsets"].tolist(), expected["code_point_offsets"])
        self.assertEqual(model.tokens(("The fox", "é東"), offsets="bytes")["offsets"].tolist(), expected["offsets"])
        utf16 = model.tokens("😀 fox", offsets="utf16")["offsets"].tolist()
        self.assertEqual(utf16[2], [3, 6])
        with self.assertRaisesRegex(ValueError, "offsets 'utf8', expected one of bytes, code_points, utf16"):
            model.tokens("a", offsets="utf8")  # type: ignore[arg-type]

    def test_tokens_of_several_texts_are_those_of_each(self) -> None:
        model = bert_infer.Model()
        texts = ["The fox", ("The fox", "é東"), ""]
        for found, text in zip(model.tokens(texts, max_length=4), texts, strict=True):
            for name, values in model.tokens(text, max_length=4).items():
                self.assertTrue(np.array_equal(found[name], values), name)
        self.assertEqual(model.tokens([]), [])
        words = [["The", "fox"], ["dog"]]
        for found, one in zip(model.tokens(words, is_split_into_words=True), words, strict=True):
            self.assertEqual(found["tokens"], model.tokens(one, is_split_into_words=True)["tokens"])

    def test_hidden_states_of_ids_are_those_of_the_text(self) -> None:
        model = bert_infer.Model()
        texts = [TEXT, "The fox"]
        rows = model.hidden_of_ids(tokens["ids"] for tokens in model.tokens(texts))
        for found, text in zip(rows, texts, strict=True):
            self.assertTrue(np.array_equal(found, model.hidden(text)["last_hidden_state"]))
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"sequences\[0\]\[1\] -1, expected at least 0"):
            model.hidden_of_ids([[2, -1]])

    def test_ids_of_a_text_of_any_length(self) -> None:
        model = bert_infer.Model()
        text, pair = "The fox " * 400, ("The fox", "é東")
        ids, types = model.token_ids(text)
        self.assertEqual((ids[0], ids[-1], len(ids), set(types)), (2, 3, 802, {0}))
        self.assertEqual(model.token_ids(text, max_length=9)[0], [*ids[:8], 3])
        self.assertEqual(model.token_ids(text, add_special_tokens=False)[0], ids[1:-1])
        tokens = model.tokens(pair)
        self.assertEqual(model.token_ids(pair), (tokens["ids"].tolist(), tokens["type_ids"].tolist()))
        places, special = model.token_places(pair)
        self.assertEqual(places, [tuple(span) for span in tokens["offsets"].tolist()])
        self.assertEqual(special, tokens["special_tokens_mask"].tolist())
        self.assertEqual(len(model.token_places(text, add_special_tokens=False, max_length=600)[0]), 600)
        for wrong, error, message in (
            (3, TypeError, "found int, expected two texts"),
            (("a", None), TypeError, "found NoneType in it, expected two texts"),
            ("a \ud800", bert_infer.InvalidTextError, "not valid UTF-8 at byte 2"),
        ):
            with self.assertRaisesRegex(error, message):
                model.token_ids(wrong)

    def test_names_the_vocabulary(self) -> None:
        model = bert_infer.Model()
        self.assertEqual(model.token_id(model.token(38)), 38)
        self.assertIsNone(model.token_id("no token of it"))
        self.assertEqual(model.token(model.vocabulary_size), "")
        found = {name: model.token(token_id) for name, token_id in model.special_tokens.items()}
        expected = {"pad": "[PAD]", "mask": "[MASK]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]"}
        self.assertEqual(found, expected)

    def test_hidden_states_end_with_the_last_one(self) -> None:
        hidden = bert_infer.Model().hidden("the fox", states=True, attentions=True)
        self.assertTrue(np.array_equal(hidden["hidden_states"][-1], hidden["last_hidden_state"]))
        np.testing.assert_allclose(hidden["attentions"].sum(axis=-1), 1, rtol=1e-5)
        expected = support.program_json("the fox")
        self.assertTrue(np.array_equal(hidden["last_hidden_state"], np.float32(expected["last_hidden_state"])))
        self.assertTrue(np.array_equal(hidden["pooler_output"], np.float32(expected["pooler_output"])))
        self.assertIsNone(bert_infer.Model().hidden("the fox")["attentions"])

    def test_explains_the_sum_of_the_embeddings(self) -> None:
        explained = bert_infer.Model().explain("the fox")
        parts = explained["parts"]
        np.testing.assert_allclose(parts["word"] + parts["position"] + parts["segment"], parts["sum"], atol=1e-5)
        expected = support.program_json("explain", "the fox")["embedding"]
        for name, shares in explained["shares"].items():
            np.testing.assert_allclose(shares, [token[name]["share"] for token in expected], rtol=1e-6)

    def test_classifies_texts_and_pairs(self) -> None:
        model = self.load("BertForSequenceClassification", ("good", "bad", "neither"))
        expected = support.program_json("classify", "--model", self.folder, TEXT, "the dog")
        self.assertEqual(model.classify([TEXT, "the dog"]), [one["labels"] for one in expected])
        pair = support.program_json("classify", "--model", self.folder, "the fox", "--pair", "the dog")
        self.assertEqual(model.classify(("the fox", "the dog"), top_k=2), pair["labels"][:2])

    def test_scores_the_users_labels(self) -> None:
        model = self.load("BertForSequenceClassification", ("contradiction", "neutral", "entailment"))
        labels = ["the dog", "the fox", "quick"]
        for multi in (False, True):
            expected = support.program_json(
                *("zero-shot", "--model", self.folder, "--labels", ",".join(labels), "--template", "the {} jumps"),
                *(["--multi-label"] if multi else []), TEXT, "the dog",
            )  # fmt: skip
            found = model.zero_shot(
                [TEXT, "the dog"], labels, hypothesis_template="the {} jumps", multi_label=multi
            )
            self.assertEqual(found, [one["labels"] for one in expected])
        self.assertEqual(len(model.zero_shot("the dog", labels, top_k=2)), 2)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "no candidate label"):
            model.zero_shot("the dog", [])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "template 'x'"):
            model.zero_shot("the dog", labels, hypothesis_template="x")
        with self.assertRaisesRegex(TypeError, "found str"):
            model.zero_shot("the dog", "labels")
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "begins with 'entail'"):
            self.load("BertForSequenceClassification", ("a", "b")).zero_shot("the dog", labels)

    def test_takes_words_that_the_caller_divided(self) -> None:
        model = self.load("BertForTokenClassification", ("O", "B-A", "I-A"))
        words = ["the quick", "fox", "jumps"]
        found = model.tag(words, is_split_into_words=True)
        self.assertEqual([one["word"] for one in found], words)
        self.assertTrue(all(one["label"] in ("O", "B-A", "I-A") and one["score"] > 0 for one in found))
        self.assertEqual(model.tag([words, ["fox"]], is_split_into_words=True)[0], found)
        self.assertEqual(model.tag([], is_split_into_words=True), [])
        tokens = model.tokens(words, is_split_into_words=True, offsets="bytes")
        self.assertEqual(tokens["word_ids"].tolist()[:4], [-1, 0, 0, 1])
        self.assertEqual(tokens["ids"].tolist(), model.tokens("the quick fox jumps")["ids"].tolist())
        whole = model.hidden("the quick fox jumps")["last_hidden_state"]
        np.testing.assert_array_equal(model.hidden(words, is_split_into_words=True)["last_hidden_state"], whole)
        for wrong, message in (
            ("the fox", "found str, expected"),
            ([["a"], "b"], "found str, expected its words"),
        ):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(TypeError, message):
                model.tag(wrong, is_split_into_words=True)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"texts\[0\]: found int, expected a str"):
            model.tag([["a", 3]], is_split_into_words=True)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "first, average and max"):
            model.tag(words, is_split_into_words=True, aggregation="simple")

    def test_tags_with_places_in_the_str(self) -> None:
        model = self.load("BertForTokenClassification", ("O", "B-A", "I-A"))
        for aggregation in ("none", "simple", "first", "average", "max"):
            found = model.tag(TEXT, aggregation=aggregation)
            expected = support.program_json("tag", "--model", self.folder, "--aggregation", aggregation, TEXT)
            self.assertEqual(
                [(one["entity"], one["score"], one["word"]) for one in found],
                [(one["entity"], one["score"], one["word"]) for one in expected["entities"]],
            )
            self.assertEqual(
                [(one["start"], one["end"]) for one in found],
                [(one["code_point_start"], one["code_point_end"]) for one in expected["entities"]],
            )
        self.assertGreater(len(model.tag(TEXT)), 0)

    def test_answers_from_a_long_context(self) -> None:
        model = self.load("BertForQuestionAnswering")
        context = "é " + "the quick brown fox jumps over the lazy dog " * 12
        found = model.answer("the fox", context, top_k=3)
        expected = support.program_json(
            "answer", "--model", self.folder, "the fox", "--context", context, "--top-k", "3"
        )["answers"]
        self.assertEqual(
            [(one["answer"], one["score"], one["start"], one["end"]) for one in found],
            [(one["answer"], one["score"], one["code_point_start"], one["code_point_end"]) for one in expected],
        )
        self.assertEqual(found[0]["answer"], context[found[0]["start"] : found[0]["end"]])

    def test_fills_masks(self) -> None:
        text = "The [MASK] is [MASK]."
        expected = support.program_json("fill-mask", text)
        self.assertEqual(bert_infer.Model().fill_mask(text), expected["masks"])
        only = bert_infer.Model().fill_mask(text, targets=["dog"])
        self.assertEqual([[one["token"] for one in mask] for mask in only], [["dog"], ["dog"]])
        with self.assertRaisesRegex(bert_infer.InvalidTextError, r"no mask, expected '\[MASK\]'"):
            bert_infer.Model().fill_mask("a text")
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "'xyzzy': not a token"):
            bert_infer.Model().fill_mask(text, targets=["xyzzy"])

    def test_ranks_documents(self) -> None:
        model = self.load("BertForSequenceClassification", ("relevant",))
        documents = ["the dog", "the lazy fox", "quick"]
        expected = support.program_json("rerank", "--model", self.folder, "the fox", *documents)["results"]
        found = model.rerank("the fox", documents, return_documents=True)
        self.assertEqual([one["corpus_id"] for one in found], [one["index"] for one in expected])
        np.testing.assert_allclose([one["score"] for one in found], [one["score"] for one in expected], rtol=1e-6)
        self.assertEqual([one["text"] for one in found], [documents[one["corpus_id"]] for one in found])
        self.assertEqual(len(model.rerank("the fox", documents, top_k=1)), 1)

    def test_a_classifier_of_two_labels_ranks_by_the_relevant_one(self) -> None:
        model = self.load("BertForSequenceClassification", ("a", "b"))
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "of the labels 'a' and 'b', expected .*relevant"):
            model.rerank("the fox", ["the dog"])
        (ranked,) = model.rerank("the fox", ["the dog"], relevant_label="b")
        scores = {one["label"]: one["score"] for one in model.classify(("the fox", "the dog"))}
        self.assertAlmostEqual(ranked["score"], scores["b"], places=12)

    def test_a_missing_head_is_named(self) -> None:
        with self.assertRaisesRegex(bert_infer.NotFoundError, "no head for sequence classification"):
            bert_infer.Model().classify("a")


if __name__ == "__main__":
    unittest.main()
