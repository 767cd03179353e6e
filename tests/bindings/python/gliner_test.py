"""Checks that the drop-in for gliner returns Model.tag's entities, with gliner's field names and rules for labels."""

import json
import sys
import unittest
import warnings
from pathlib import Path
from typing import Any

import bert_infer
from bert_infer.gliner import GLiNER

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import look_alike_labels
from support import python_package as support

TEXT = "Thé quick fox — Ada Lovelace lived in London"


class Gliner(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = look_alike_labels.write_gliner(support.temporary_directory(self))
        self.model = GLiNER.from_pretrained(self.folder, map_location="cpu", threads=1)

    def test_entities_have_gliners_names(self) -> None:
        found = self.model.predict_entities(TEXT, ["person", "city"], threshold=0.3)
        self.assertTrue(found)
        tagged = bert_infer.Model(self.folder, threads=1).tag(TEXT, labels=["person", "city"], threshold=0.3)
        for one, other in zip(found, tagged, strict=True):
            self.assertEqual(TEXT[one["start"] : one["end"]], one["text"])
            self.assertEqual((one["start"], one["label"], one["score"]),
                             (other["start"], other["entity"], other["score"]))

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

    def test_settings_of_each_text(self) -> None:
        """flat_ner, threshold and multi_label may be lists with a value per text, as in gliner 0.2.29."""
        labels, texts = ["person", "city"], [TEXT, TEXT, TEXT, TEXT]
        flat, least, multi = [True, False, True, True], [0.2, 0.01, 0.6, 0.01], [False, False, False, True]
        found = self.model.inference(texts, labels, flat, least, multi)
        for one, *settings in zip(found, flat, least, multi, strict=True):
            self.assertEqual(one, self.model.predict_entities(TEXT, labels, *settings))
        self.assertEqual(len({len(one) for one in found}), 4)
        for name, value in (("flat_ner", [True]), ("threshold", [0.1] * 5), ("multi_label", ())):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, f"{name} of {len(value)} texts, expected 4"):
                self.model.inference(texts, labels, **{name: value})
        self.assertEqual(self.model.inference(texts, iter(labels)), self.model.inference(texts, labels))

    def test_limits_are_the_callers(self) -> None:
        """A text is cut at max_len words. As in gliner, from_pretrained's max_length and config.max_len change it."""
        labels, settings = ["person", "city"], Path(self.folder) / "gliner_config.json"
        self.assertEqual((self.model.config.max_len, self.model.config.max_width), (384, 3))
        whole = self.model.predict_entities(TEXT, labels, threshold=0.01)
        self.assertGreater(max(one["end"] for one in whole), 30)
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"max_len": 2}))
        cut = GLiNER.from_pretrained(self.folder, threads=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertLessEqual(max(one["end"] for one in cut.predict_entities(TEXT, labels, threshold=0.01)), 9)
        self.assertTrue(caught)
        longer = GLiNER.from_pretrained(self.folder, max_length=40, threads=1)
        self.assertEqual(longer.config.max_len, 40)
        self.assertEqual(longer.predict_entities(TEXT, labels, threshold=0.01), whole)
        cut.data_processor.config.max_len = 40
        self.assertEqual(cut.predict_entities(TEXT, labels, threshold=0.01), whole)
        cut.config.max_width = 1
        narrow = cut.predict_entities(TEXT, labels, threshold=0.01)
        self.assertTrue(all(" " not in one["text"] for one in narrow))
        of_options = GLiNER.from_pretrained(self.folder, max_length=40, max_width=1, threads=1)
        self.assertEqual(of_options.predict_entities(TEXT, labels, threshold=0.01), narrow)

    def test_has_the_attributes_that_programs_read(self) -> None:
        self.assertEqual(str(self.model.device), "cpu")
        processor = self.model.data_processor
        words = [("well-known", 0, 10), (",", 10, 11), ("ü", 12, 13)]
        self.assertEqual([*processor.words_splitter("well-known, ü")], words)
        self.assertTrue(processor.transformer_tokenizer.encode("the fox"))

    def test_8_bits_by_quantize(self) -> None:
        labels = ["person", "city"]
        loaded = GLiNER.from_pretrained(self.folder, quantize="int8", threads=1)
        eight = loaded.predict_entities(TEXT, labels, threshold=0.01)
        self.assertIn("int8", loaded.model.describe()["precision"])
        self.assertNotEqual(self.model.predict_entities(TEXT, labels, threshold=0.01), eight)
        self.model.quantize()
        self.assertEqual(self.model.predict_entities(TEXT, labels, threshold=0.01), eight)

    def test_bfloat16_by_dtype(self) -> None:
        labels = ["person", "city"]
        of_floats = self.model.predict_entities(TEXT, labels, threshold=0.01)

        class OfTorch:
            """Has the name of torch.bfloat16."""

            def __repr__(self) -> str:
                return "torch.bfloat16"

        self.model.quantize("bf16")
        expected = self.model.predict_entities(TEXT, labels, threshold=0.01)
        self.assertNotEqual(of_floats, expected)
        options: tuple[dict[str, Any], ...] = (
            {"dtype": "bfloat16"}, {"dtype": "BF16"}, {"dtype": OfTorch()}, {"quantize": "bf16"},
            {"quantize": "bfloat16", "dtype": "float32"},
        )
        for given in options:
            model = GLiNER.from_pretrained(self.folder, threads=1, **given)
            self.assertEqual(model.model.describe()["precision"], "bfloat16", given)
            self.assertEqual(model.predict_entities(TEXT, labels, threshold=0.01), expected, given)
        eight = GLiNER.from_pretrained(self.folder, threads=1, quantize="int8", dtype="bf16")
        self.assertEqual(eight.model.describe()["precision"], "int8")

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
            (lambda: GLiNER.from_pretrained(self.folder, max_length=0), wrong, "max_length"),
            (lambda: GLiNER.from_pretrained(self.folder, map_location="cuda"), unsupported, "'cuda'"),
            (lambda: GLiNER.from_pretrained(self.folder, dtype="fp16"), unsupported, "dtype='fp16'"),
            (lambda: GLiNER.from_pretrained(self.folder, variant="fp16"), unsupported, "variant='fp16'"),
            (lambda: GLiNER.from_pretrained(self.folder, quantize="int4"), wrong, "expected 'int8'"),
            (lambda: GLiNER.from_pretrained(self.folder, runtime="onnx"), unsupported, "runtime='onnx'"),
            (lambda: GLiNER.from_pretrained(self.folder, post_fusion_schema="l2l"), unsupported, "post_fusion_schema"),
            (lambda: self.model.inference(["a"], ["b"], input_spans=[[]]), unsupported, "input_spans"),
            (lambda: self.model.predict_entities("a", ["b"], return_vectors=True), unsupported, "return_vectors"),
            (lambda: bert_infer.Model(max_words=9), wrong, "max_words requested, but the model is no GLiNER model"),
            (lambda: bert_infer.Model(encoder="/no/such"), wrong, "encoder '/no/such' requested, but"),
            (lambda: GLiNER(bert_infer.Model()), unsupported, "does not read labels"),
            (lambda: bert_infer.Model().tag("a", labels=["b"]), unsupported, "does not read labels"),
        ):
            with self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
