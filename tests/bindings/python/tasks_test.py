"""Tests which forms of texts the heads' tasks accept, and which forms their results have. cases_test compares the
results."""

import sys
import unittest
from pathlib import Path

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

TEXT = "thé fox — the quick fox jumps over the lazy dog"


class Tasks(unittest.TestCase):
    def load(self, architecture: str, labels: tuple[str, ...] = ()) -> bert_infer.Model:
        self.folder = support.write_model(support.temporary_directory(self), architecture, labels)
        return bert_infer.Model(self.folder)

    def test_tokens_have_their_texts_and_places(self) -> None:
        model = bert_infer.Model()
        tokens = model.tokens("The fox")
        self.assertEqual(tokens["tokens"], [model.token(one) for one in tokens["ids"].tolist()])
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

    def test_several_texts_have_a_list_each(self) -> None:
        model = self.load("BertForSequenceClassification", ("contradiction", "neutral", "entailment"))
        texts, labels = [TEXT, "the dog"], ["the dog", "the fox", "quick"]
        self.assertEqual(model.classify(texts), [model.classify(text) for text in texts])
        self.assertEqual(len(model.classify(("the fox", "the dog"), top_k=2)), 2)
        self.assertEqual(model.zero_shot(texts, labels), [model.zero_shot(text, labels) for text in texts])
        self.assertEqual(len(model.zero_shot("the dog", labels, top_k=2)), 2)

    def test_names_what_is_wrong(self) -> None:
        model = self.load("BertForSequenceClassification", ("contradiction", "neutral", "entailment"))
        builtin, wrong = bert_infer.Model(), bert_infer.InvalidArgumentError
        for call, error, message in (
            (lambda: model.zero_shot("the dog", []), wrong, "no candidate label"),
            (lambda: model.zero_shot("the dog", ["a"], hypothesis_template="x"), wrong, "template 'x'"),
            (lambda: builtin.fill_mask("a text"), bert_infer.InvalidTextError, r"no mask, expected '\[MASK\]'"),
            (lambda: builtin.classify("a"), bert_infer.NotFoundError, "no head for sequence classification"),
        ):
            with self.assertRaisesRegex(error, message):
                call()

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

    def test_ranks_documents(self) -> None:
        model = self.load("BertForSequenceClassification", ("a", "relevant"))
        documents = ["the dog", "the lazy fox", "quick"]
        found = model.rerank("the fox", documents, return_documents=True)
        self.assertEqual([one["text"] for one in found], [documents[one["corpus_id"]] for one in found])
        self.assertEqual(len(model.rerank("the fox", documents, top_k=1)), 1)
        (ranked,) = model.rerank("the fox", ["the dog"], relevant_label="a")
        scores = {one["label"]: one["score"] for one in model.classify(("the fox", "the dog"))}
        self.assertAlmostEqual(ranked["score"], scores["a"], places=12)

    def test_a_task_is_asked_by_its_name(self) -> None:
        model = bert_infer.Model()
        text = "a [MASK] barks"
        self.assertEqual(model.task("fill_mask", text, top_k=2), model.fill_mask(text, top_k=2))
        pair = ("She opened the door.", "Nobody was there.")
        follows = model.task("next_sentence", pair)
        self.assertTrue(0 <= follows <= 1)
        self.assertEqual(model.task("next_sentence", [pair, pair]), [follows, follows])
        for call, message in (
            (lambda: model.task("rerank", text), "expected one of classify"),
            (lambda: model.task("fill_mask", text, top_k=0), "top_k 0"),
            (lambda: model.task("fill_mask", text, offsets="x"), "offsets"),
            (lambda: model.task("next_sentence", [pair, text]), r"texts\[1\]: found no pair, .* reads a pair"),
        ):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, message):
                call()
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'topk'"):
            model.task("fill_mask", text, topk=1)


if __name__ == "__main__":
    unittest.main()
