"""Checks that BERT on one page returns the reference's tokens and numbers (in double precision), and refuses models and
texts that it cannot compute, with one line."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = REPOSITORY / "examples" / "one_page" / "bert.cc"
DATA = Path(os.environ.get("BERT_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
TINY = DATA / "checkpoint" / "bert-tiny-own"
MINILM = Path(os.environ.get("BERT_TEST_MINILM", REPOSITORY / "build" / "test-data" / "all-MiniLM-L6-v2"))
COMPILER = shutil.which("c++")
LATIN_1 = 256


def compiled(folder, *options):
    program = Path(folder) / "bert"
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")
    subprocess.run([COMPILER, "-O2", "-std=c++20", *warnings, *options, SOURCE, "-o", program], check=True)
    return program


def texts_of(case):
    return [case["text"]] + ([case["pair"]] if "pair" in case else [])


@unittest.skipIf(COMPILER is None, "no c++: the page was not compiled")
@unittest.skipUnless(DATA.exists(), "no test data (BERT_TEST_DATA): the page was not compared")
class OnePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = compiled(folder.name)

    def run_page(self, directory, *texts):
        return subprocess.run([self.program, directory, *texts], capture_output=True, text=True, check=False)

    def check_golden(self, model, name, most_tokens):
        """Compares the reference's texts of at most `most_tokens` tokens."""
        vocabulary = (model / "vocab.txt").read_text().split("\n")
        rows = numpy.load(DATA / "golden" / name / "last_hidden_state.f64.npy")
        pooled = numpy.load(DATA / "golden" / name / "pooler_output.f64.npy")
        cases = [json.loads(line) for line in (DATA / "golden" / "cases.jsonl").read_text().splitlines()]
        compared = first = 0
        for number, case in enumerate(cases):
            begin, first = first, first + len(case["input_ids"])
            is_latin_1 = all(ord(character) < LATIN_1 for text in texts_of(case) for character in text)
            if not is_latin_1 or len(case["input_ids"]) > most_tokens:
                continue
            done = self.run_page(model, *texts_of(case))
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [line.split(" ") for line in done.stdout.splitlines()]
            count = sum(case["attention_mask"])  # the page has no padding
            tokens = [vocabulary[token] for token in case["input_ids"][:count]]
            self.assertEqual([line[0] for line in lines], [*tokens, "pooled"])
            values = numpy.array([line[1:] for line in lines], dtype=float)
            numpy.testing.assert_allclose(values[:-1], rows[begin : begin + count], rtol=0, atol=1e-5)
            numpy.testing.assert_allclose(values[-1], pooled[number], rtol=0, atol=1e-5)
            compared += 1
        self.assertEqual(first, len(rows))
        self.assertGreater(compared, 15)

    def test_a_small_model_has_the_tokens_and_numbers_of_the_reference(self):
        self.check_golden(TINY, "bert-tiny-own", 512)

    def test_minilm_has_the_tokens_and_numbers_of_the_reference(self):
        if not (MINILM / "model.safetensors").exists():
            self.skipTest("no all-MiniLM-L6-v2 (BERT_TEST_MINILM)")
        self.check_golden(MINILM, "all-MiniLM-L6-v2", 24)

    def test_accents_and_case_are_folded(self):
        done = self.run_page(TINY, "ÉCOLE", "école")
        tokens = [line.split(" ")[0] for line in done.stdout.splitlines()[1:-1]]
        first = tokens[: tokens.index("[SEP]")]
        self.assertEqual(tokens, [*first, "[SEP]", *first, "[SEP]"])
        self.assertNotIn("[UNK]", tokens)

    def test_other_characters_models_and_files_are_refused_in_one_line(self):
        family = DATA / "family"
        cases = {
            (TINY, "日本"): "byte 0 of the text: expected an ASCII or a Latin-1 character",
            (TINY, "a " * 511): "513 tokens, expected at most 512",
            (family / "roberta", "a"): "model_type is 'roberta', expected 'bert'",
            (family / "bert-act-silu", "a"): "hidden_act is 'silu', expected 'gelu'",
            (family / "bert-relative-key", "a"): "position_embedding_type is 'relative_key', expected 'absolute'",
            (family / "bert-odd-1", "a"): "vocab.txt': cannot be read",
            (family, "a"): "config.json': cannot be read",
        }
        for (directory, text), message in cases.items():
            with self.subTest(directory=directory.name, text=text[:10]):
                done = self.run_page(directory, text)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"\Abert: error: .*{message}\n\Z")

    def test_weights_of_other_types_shapes_and_lengths_are_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder)
            for name in ("config.json", "vocab.txt", "model.safetensors"):
                shutil.copy(TINY / name, model / name)
                (model / name).chmod(0o600)
            whole = (model / "model.safetensors").read_bytes()
            size = int.from_bytes(whole[:8], "little")
            header = json.loads(whole[8 : 8 + size])
            name = next(key for key in header if key.endswith("embeddings.position_embeddings.weight"))

            def message_of(change, data=whole[8 + size :]):
                changed = json.loads(json.dumps(header))
                change(changed)
                text = json.dumps(changed).encode()
                (model / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
                done = self.run_page(model, "a")
                self.assertEqual(done.returncode, 1)
                return done.stderr

            self.assertIn(f"tensor '{name}' in", message_of(lambda entries: entries.pop(name)))
            self.assertIn("F16, expected F32", message_of(lambda entries: entries[name].update(dtype="F16")))
            self.assertIn("expected the shape [", message_of(lambda entries: entries[name].update(shape=[1, 2])))
            self.assertIn("the file ends in it", message_of(lambda entries: None, data=b""))
            (model / "model.safetensors").write_bytes(whole[:100])
            self.assertIn("its header is cut off", self.run_page(model, "a").stderr)


if __name__ == "__main__":
    unittest.main()
