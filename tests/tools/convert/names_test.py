"""Tests the names of tensors: old spellings, wrappers, buffers, tied decoders and TensorFlow's paths."""

import itertools
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.converter import ConverterTest, read_arrays, safetensors_of

WORDS = "embeddings.word_embeddings.weight"


class Names(ConverterTest):
    """Runs the converter on small safetensors files."""

    def names_of(self, arrays: dict[str, np.ndarray], config: str = "{}") -> set[str]:
        """Convert arrays beside a config.json, and return the names that were written."""
        (self.folder / "weights.safetensors").write_bytes(safetensors_of(arrays))
        (self.folder / "config.json").write_text(config, encoding="utf-8")
        self.last = self.convert(self.folder / "weights.safetensors", "--force")
        return set(read_arrays(self.folder / "model.safetensors"))

    def test_every_combination_of_spelling_prefix_tie_and_pooler(self) -> None:
        """All 72 combinations give the right names: gamma or weight, three prefixes, no decoder, an equal or a
        different one, tied or not, and with or without a pooler."""
        words = np.arange(12, dtype="<f4").reshape(4, 3)
        for old, (stored, kept), decoder, tied, pooler in itertools.product(
            (True, False),
            (("", ""), ("bert.", "bert."), ("module.bert.", "bert.")),
            (None, "equal", "different"),
            (True, False),
            (True, False),
        ):
            with self.subTest(old=old, prefix=stored, decoder=decoder, tied=tied, pooler=pooler):
                outer = "module." if stored.startswith("module.") else ""
                arrays = {
                    stored + WORDS: words,
                    stored + "embeddings.LayerNorm." + ("gamma" if old else "weight"): words[0],
                    stored + "embeddings.LayerNorm." + ("beta" if old else "bias"): words[1],
                    stored + "embeddings.position_ids": np.arange(4, dtype="<i8").reshape(1, 4),
                }
                expected = {kept + WORDS, kept + "embeddings.LayerNorm.weight", kept + "embeddings.LayerNorm.bias"}
                if pooler:
                    arrays[stored + "pooler.dense.bias"] = words[2]
                    expected.add(kept + "pooler.dense.bias")
                if decoder:
                    arrays[outer + "cls.predictions.decoder.weight"] = words + (decoder == "different")
                    if decoder == "different" or not tied:
                        expected.add("cls.predictions.decoder.weight")
                found = self.names_of(arrays, '{"tie_word_embeddings": %s}' % ("true" if tied else "false"))
                self.assertEqual(found, expected)
                self.assertIn("position_ids': I64 buffer", self.last["output"])
                self.assertEqual("differs from" in self.last["errors"], decoder == "different" and tied)

    def test_ties_when_the_configuration_says_nothing(self) -> None:
        """Without the setting tie_word_embeddings is true. A decoder counts as equal only if all bits are equal, so -0
        is not 0."""
        words = np.array([[0.0, 1.0]], "<f4")
        self.assertEqual(self.names_of({WORDS: words, "lm_head.decoder.weight": words.copy()}), {WORDS})
        negative = np.array([[-0.0, 1.0]], "<f4")
        self.assertEqual(
            self.names_of({WORDS: words, "lm_head.decoder.weight": negative}), {WORDS, "lm_head.decoder.weight"}
        )

    def test_drops_a_decoder_bias_that_repeats_the_bias(self) -> None:
        """A decoder.bias equal to the bias, which transformers stores too, is dropped; a different one is kept and
        reported."""
        bias = np.ones(4, "<f4")
        both = {"cls.predictions.bias": bias, "cls.predictions.decoder.bias": bias}
        self.assertEqual(self.names_of(both), {"cls.predictions.bias"})
        both["cls.predictions.decoder.bias"] = bias * 2
        self.assertEqual(self.names_of(both), set(both))
        self.assertIn("differs from 'cls.predictions.bias'", self.last["errors"])

    def test_renames_only_layer_norms(self) -> None:
        """A name that only contains gamma is not changed."""
        arrays = {"x.gamma": np.ones(1, "<f4"), "LayerNorm.gamma.x": np.ones(1, "<f4")}
        self.assertEqual(self.names_of(arrays), set(arrays))

    def test_refuses_both_spellings_and_both_wrappers(self) -> None:
        """Two names that would become one are refused."""
        one = np.ones(1, "<f4")
        for first, second, words in (
            ("a.LayerNorm.gamma", "a.LayerNorm.weight", "becomes 'a.LayerNorm.weight' as well"),
            ("a.LayerNorm.beta", "a.LayerNorm.bias", "becomes 'a.LayerNorm.bias' as well"),
            ("module.w", "w", "becomes 'w' as well"),
            ("_orig_mod.w", "module.w", "becomes 'w' as well"),
        ):
            (self.folder / "weights.safetensors").write_bytes(safetensors_of({first: one, second: one}))
            self.refuse(words, self.folder / "weights.safetensors")


if __name__ == "__main__":
    unittest.main()
