"""Runs expensive texts through tokenizers of each kind, which keep 20 tokens. Time and memory must grow in proportion
to the text and stay within the limits in this file. HOSTILE_MB is the size of the larger texts (default 2); the smaller
ones have half of it. Each printed line has the CPU time and the memory above those of a short text. One shape in four
is tried with each tokenizer, chosen by share.py."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import share

PROGRAM = os.environ["BERT_INFER_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BERT_TEST_DATA", ROOT.parent / "shared" / "data"))
MEGABYTE = 1 << 20
SIZE = float(os.environ.get("HOSTILE_MB", "2"))

SHAPES = {
    "english": "the quick brown fox jumps over the lazy dog and runs away. ", "one letter": "a", "dots": ".",
    "spaces": " ", "lines": "a\r", "capitals": "aA", "digits": "1234567890", "apostrophes": "'s",
    "ideographs": "漢字仮名", "hangul": "한국어", "thai": "ภาษาไทย", "emoji": "😀",
    "joined emoji": "👩\u200d", "accents": "\u0301", "accented": "a\u0327\u0301", "tibetan vowels": "\u0f73",
    "eighteen in one": "\ufdfa", "ligatures": "ﬃ", "soft hyphens": "\u00ad", "replacements": "\ufffd",
    "controls": "\x01", "masks": "[MASK]", "other masks": "<mask>", "word marks": "▁",
}
# The limit of memory per byte of a text that cannot be divided: one word, or a run of marks to be ordered.
WHOLE = 60


def write(folder: Path, shape: str, size: float) -> Path:
    unit = SHAPES[shape].encode()
    path = folder / "text"
    path.write_bytes(unit * (int(size * MEGABYTE) // len(unit)))
    return path


def cost(model: Path, text: Path) -> tuple[float, float]:
    """Returns the seconds of CPU, and the largest resident memory in MB."""
    process = subprocess.Popen([PROGRAM, "tokenize", "--model", model, "--max-length", "20", "--input", text],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    assert process.returncode == 0, error
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class HostileTexts(unittest.TestCase):
    def check(self, model: Path) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            start = cost(model, write(folder, "english", 0.001))
            english = {size: cost(model, write(folder, "english", size)) for size in (SIZE / 2, SIZE)}
            self.assertLess(english[SIZE][1] - start[1], 3 * SIZE + 32)
            for shape in share.of(SHAPES, 4, model.name):
                with self.subTest(model=model.name, shape=shape):
                    half, whole = (cost(model, write(folder, shape, size)) for size in (SIZE / 2, SIZE))
                    memory = whole[1] - start[1]
                    print(f"{model.name:12} {shape:16} {1000 * (whole[0] - start[0]) / SIZE:5.0f} ms a MB, "
                          f"{memory / SIZE:4.1f} bytes a byte", flush=True)
                    # A factor of four would be quadratic. Short times vary by chance.
                    self.assertLess(whole[0], 3 * half[0] + 1)
                    self.assertLess(memory, WHOLE * SIZE + 32)

    def test_word_piece(self) -> None:
        self.check(ROOT / "models" / "builtin")

    def of_json(self, name: str) -> None:
        source = DATA / "tokenizer_json" / f"{name}.tokenizer.json"
        if not source.exists():
            self.skipTest(f"no {source.name}")
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / name
            model.mkdir()
            (model / "tokenizer.json").write_bytes(source.read_bytes())
            self.check(model)

    def test_unigram(self) -> None:
        self.of_json("t5-small")

    def test_byte_level_bpe(self) -> None:
        self.of_json("roberta-base")

    def test_sentencepiece_file(self) -> None:
        source = DATA / "sentencepiece" / "albert-v1.30k-clean.model"
        if not source.exists():
            self.skipTest(f"no {source.name}")
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "albert"
            model.mkdir()
            (model / "spiece.model").write_bytes(source.read_bytes())
            (model / "config.json").write_text('{"model_type": "albert"}')
            self.check(model)


if __name__ == "__main__":
    unittest.main()
