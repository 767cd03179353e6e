"""The drop-in for gliner: the program's entities, with gliner's names and rules of labels."""

import sys
import unittest
from pathlib import Path

import bert_infer
from bert_infer.gliner import GLiNER

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import look_alike_labels
from support import python_package as support

TEXT = "Thé quick fox — Ada Lovelace lived in London"


class Gliner(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = look_alike_labels.write_gliner(support.temporary_directory(self))
        self.model = GLiNER.from_pretrained(self.folder, map_location="cpu", threads=1)

    def test_entities_are_the_programs(self) -> None:
        arguments = ("--model", self.folder, "--labels", "person,city", "--threshold", "0.3")
        expected = support.program_json("tag", *arguments, TEXT)["entities"]
        found = self.model.predict_entities(TEXT, ["person", "city"], threshold=0.3)
        self.assertTrue(found)
        self.assertEqual([e["score"] for e in found], [e["score"] for e in expected])
        for one, other in zip(found, expected, strict=True):
            self.assertEqual(TEXT[one["start"] : one["end"]], one["text"])
            self.assertEqual((one["start"], one["label"]), (other["code_point_start"], other["entity"]))
        tagged = bert_infer.Model(self.folder, threads=1).tag(TEXT, labels=["person", "city"], threshold=0.3)
        self.assertEqual([e["score"] for e in tagged], [e["score"] for e in found])

    def test_labels_of_each_text_and_descriptions(self) -> None:
        texts = [TEXT, "", "the lazy dog", TEXT]
        sets = [["person"], ["city"], ["animal", "person"], ["person"]]
        each = self.model.inference(texts, sets, threshold=0.2)
        for text, labels, found in zip(texts, sets, each, strict=True):
            self.assertEqual(found, self.model.predict_entities(text, labels, threshold=0.2))
        named = self.model.predict_entities(TEXT, {"who": "person", "where": "city"}, threshold=0.2)
        plain = self.model.predict_entities(TEXT, ["person", "city"], threshold=0.2)
        self.assertEqual([e["score"] for e in named], [e["score"] for e in plain])
        self.assertLessEqual({e["label"] for e in named}, {"who", "where"})
        self.assertEqual(self.model.inference(["a", "b"], []), [[], []])
        self.assertEqual(self.model.predict_entities(TEXT, "person"), self.model.predict_entities(TEXT, ["person"]))

    def test_says_what_is_wrong(self) -> None:
        wrong, unsupported = bert_infer.InvalidArgumentError, bert_infer.UnsupportedError
        for call, error, message in (
            (lambda: self.model.inference(["a"], [["b"], ["c"]]), wrong, "of 2 texts, expected 1"),
            (lambda: self.model.predict_entities("a", [3]), TypeError, "expected strings only"),
            (lambda: self.model.predict_entities("a", {"b": "d", "c": "d"}), wrong, "each once"),
            (lambda: self.model.predict_entities("a", ["b"], threshold=3), wrong, "0 to 1"),
            (lambda: self.model.to("cuda"), unsupported, "expected 'cpu'"),
            (lambda: GLiNER.from_pretrained(self.folder, load_onnx_model=True), unsupported, "ONNX"),
            (lambda: GLiNER.from_pretrained(self.folder, tokeniser=1), wrong, "'tokeniser'"),
            (lambda: GLiNER(bert_infer.Model()), unsupported, "does not read labels"),
            (lambda: bert_infer.Model().tag("a", labels=["b"]), unsupported, "does not read labels"),
        ):
            with self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
