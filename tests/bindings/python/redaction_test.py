"""Tests redacted texts, and that no error message contains a part of a text."""

import asyncio
import hashlib
import hmac
import os
import subprocess
import tempfile
import unittest
import warnings

import bert_infer

MAIL = {"EMAIL": r"[\w.+-]+@[\w-]+\.[\w.-]+"}
KEY = b"0123456789abcdef"


class Redaction(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([os.environ["BERT_TINY_MODELS"], cls.folder.name], check=True)
        cls.tagger = bert_infer.Model(f"{cls.folder.name}/firing-tagger", threads=1)
        cls.gliner = bert_infer.Model(f"{cls.folder.name}/firing-gliner", threads=1)

    def test_replaces_what_a_model_and_expressions_find(self) -> None:
        text = "é the brown fox, a@example.org"
        found = self.tagger.redact(text, expressions=MAIL)
        self.assertEqual(found["text"], "é the <ANIMAL>, <EMAIL>")
        self.assertEqual(found["replaced"][0], {"label": "ANIMAL", "start": 6, "end": 15})
        several = self.gliner.redact([text, "dog"], labels=["coding"], mask="*")
        self.assertEqual([one["text"] for one in several], ["é the *********, a@example.org", "dog"])
        self.assertEqual(asyncio.run(self.tagger.aredact(text, expressions=MAIL)), found)
        self.assertEqual(self.tagger.redact("a brown fox", only=["OTHER"])["text"], "a brown fox")

    def test_needs_no_model_for_expressions(self) -> None:
        digest = hmac.new(KEY, b"a@example.org", hashlib.sha256).hexdigest()[:32]
        found = bert_infer.redact("to a@example.org", MAIL, replace="{label}:{hash}", key=KEY)
        self.assertEqual(found["text"], f"to EMAIL:{digest}")
        self.assertEqual(len(bert_infer.redact(["a", "b"], MAIL)), 2)
        with self.assertRaisesRegex(TypeError, "expressions: found list, expected a mapping of labels to expressions"):
            bert_infer.redact("a", ["EMAIL=@"])  # type: ignore[call-overload]

    def test_errors_have_nothing_of_the_text(self) -> None:
        for call, error in (
            (lambda: bert_infer.redact(["a", "secret \ud800"], MAIL), bert_infer.InvalidTextError),
            (lambda: self.tagger.redact(["a", "secret \ud800"]), bert_infer.InvalidTextError),
            (lambda: self.gliner.redact(["a", "secret" + "-dog" * 200], labels=["dog"]), bert_infer.InvalidTextError),
            (lambda: self.tagger.redact([("a", "secret")]), bert_infer.InvalidArgumentError),
            (lambda: self.tagger.redact("a", replace="{hash}"), bert_infer.InvalidArgumentError),
            (lambda: self.tagger.redact("a", key="x" * 16, replace="{hash}"), TypeError),
        ):
            with self.assertRaises(error) as raised:
                call()
            self.assertNotIn("secret", str(raised.exception))

    def test_the_expression_that_takes_too_long_is_named(self) -> None:
        says = "texts.1.: the search for the expression with the label 'EMAIL' takes too long in a text of 30001 bytes"
        texts = ["a", "a" * 30_000 + "@"]
        with self.assertRaisesRegex(bert_infer.InvalidTextError, says):
            bert_infer.redact(texts, MAIL)
        with self.assertRaisesRegex(bert_infer.InvalidTextError, says):
            self.tagger.redact(texts, expressions=MAIL)


class Windows(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        Redaction.setUpClass.__func__(cls)
        cls.text = "the lazy dog and a brown fox " * 40

    def test_texts_that_are_too_long_are_read_as_the_caller_says(self) -> None:
        tagger = bert_infer.Model(f"{self.folder.name}/firing-tagger", threads=1)
        classes = bert_infer.Model(f"{self.folder.name}/classes", threads=1)
        embedder = bert_infer.Model(f"{self.folder.name}/embedder", threads=1)
        for call, by_default in (
            (lambda **how: tagger.tag(self.text, **how), "windows"),
            (lambda **how: classes.classify(self.text, **how), "cut"),
            (lambda **how: classes.zero_shot(self.text, ["dog"], **how), "cut"),
            (lambda **how: embedder.rerank("a fox", ["dog", self.text], **how), "cut"),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", bert_infer.Notice)
                self.assertEqual(call(), call(long_text=by_default))
                self.assertNotEqual(call(long_text="windows"), call(long_text="cut"))
            self.assertEqual(call(long_text="windows"), call(stride=tagger.max_length // 2))
            with self.assertRaises(bert_infer.InvalidTextError):
                call(long_text="error")
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "without windows"):
                call(long_text="cut", stride=2)
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "long_text"):
                call(long_text="whole")
        with self.assertRaises(bert_infer.InvalidTextError):
            tagger.redact(self.text, long_text="error")
        for call, message in (
            (lambda: tagger.redact(self.text, long_text="cut"), "long_text"),
            (lambda: tagger.tag("a", scheme="x"), "expected one of auto, iob, bioes, bilou"),
        ):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, message):
                call()


if __name__ == "__main__":
    unittest.main()
