"""Tests that a model which the drop-in for sentence-transformers saves and loads again has equal settings and vectors.
"""

import importlib.util
import json
import sys
import unittest
import warnings
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.sentence_transformers import CrossEncoder, SentenceTransformer, SparseEncoder

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tests"))
from support import python_package as support

LONG = "the quick brown fox jumps over the lazy dog"


class Saving(unittest.TestCase):
    def setUp(self) -> None:
        quiet = warnings.catch_warnings()
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        warnings.simplefilter("ignore", bert_infer.Notice)  # the notice of cut texts
        self.folder = support.temporary_directory(self)
        self.target = support.temporary_directory(self) / "saved"

    def test_keeps_every_setting_of_a_sentence_transformer(self) -> None:
        for name, write in (("a", support.write_sentence_model), ("b", lambda f: support.write_model(f, "BertModel"))):
            with self.subTest(name):
                (self.folder / name).mkdir()
                model = SentenceTransformer(
                    write(self.folder / name), prompts={"query": "quick ", "title": "lazy "},
                    default_prompt_name="title", similarity_fn_name="dot", truncate_dim=5,
                )
                model.max_seq_length = 4
                model.save(str(self.target / name))
                again = SentenceTransformer(self.target / name)
                for setting in ("prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim",
                                "max_seq_length"):
                    self.assertEqual(getattr(again, setting), getattr(model, setting))
                for encode in ("encode", "encode_query"):
                    vectors = getattr(again, encode)([LONG, "fox"])
                    self.assertEqual(vectors.shape, (2, 5))
                    self.assertTrue(np.array_equal(vectors, getattr(model, encode)([LONG, "fox"])))
                again.max_seq_length = 6
                self.assertFalse(np.array_equal(again.encode(LONG), model.encode(LONG)))

    def test_keeps_the_length_and_the_activation_of_a_cross_encoder(self) -> None:
        identity = type("Identity", (), {"__module__": "torch.nn.modules.linear"})
        pair = (LONG, LONG)
        for kind, activated in ((identity, False), (None, True)):
            model = CrossEncoder(
                support.write_model(self.folder, "BertForSequenceClassification", ["relevant"]),
                activation_fn=kind and kind(), max_length=7, prompts={"rank": "fox "},
            )
            model.save(str(self.target))
            again = CrossEncoder(self.target)
            self.assertEqual((again.max_length, again.prompts), (7, {"rank": "fox "}))
            ((expected,),) = model.model.pair_scores([pair], activated=activated, max_length=7)
            self.assertEqual(again.predict(pair), expected)
            self.target = self.target.with_name("of the files")
        model.activation_fn = np.tanh
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "expected Identity or Sigmoid of torch.nn"):
            model.save(str(self.target))

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
    def test_keeps_the_settings_of_a_sparse_encoder(self) -> None:
        model = SparseEncoder(REPOSITORY / "models" / "builtin", max_active_dims=3, similarity_fn_name="cosine")
        model.save(str(self.target))
        again = SparseEncoder(self.target)
        self.assertEqual((again.max_active_dims, again.similarity_fn_name), (3, "cosine"))
        self.assertEqual((again.encode(LONG) != model.encode(LONG)).nnz, 0)

    def test_saves_into_the_models_own_directory(self) -> None:
        model = SentenceTransformer(support.write_sentence_model(self.folder), truncate_dim=3)
        model.save_pretrained(str(self.folder))
        self.assertTrue(np.array_equal(SentenceTransformer(self.folder).encode("fox"), model.encode("fox")))

    def test_the_dimensions_of_the_files_are_the_most(self) -> None:
        model = SentenceTransformer(support.write_sentence_model(self.folder, truncate_dim=3))
        self.assertEqual((model.truncate_dim, model.get_embedding_dimension()), (3, 3))
        self.assertEqual(model.encode("fox", truncate_dim=2).shape, (2,))
        for refused in (lambda: model.encode("fox", truncate_dim=4), lambda: setattr(model, "truncate_dim", None)):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, "expected at most the 3 of the model's files"):
                refused()

    def test_tells_that_8_bits_are_chosen_when_loading(self) -> None:
        model = SentenceTransformer(support.write_sentence_model(self.folder), precision="int8")
        with self.assertWarnsRegex(bert_infer.Notice, "precision='int8' is for loading"):
            model.save(str(self.target))

    def test_settings_that_no_file_can_keep_are_refused(self) -> None:
        support.write_sentence_model(self.folder)
        (self.folder / "modules.json").write_text(json.dumps([
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}]))
        (self.folder / "config.json").unlink()
        support.look_alike_weights.write_safetensors(
            self.folder / "model.safetensors", {"embedding.weight": [len(support.WORDS), 8]}, seed=1)
        model = SentenceTransformer(self.folder)
        model.max_seq_length = 4
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "max_seq_length is not supported: .* no encoder"):
            model.save(str(self.target))


if __name__ == "__main__":
    unittest.main()
