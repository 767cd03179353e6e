"""Tests wrong and unusual inputs of the program. The program must read each one right, or say in one line what is
wrong. It may not read an input as something else without a message."""

import gzip
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BERT_INFER_PROGRAM", REPOSITORY / "build" / "bert-infer")).resolve()
BUILTIN = REPOSITORY / "models" / "builtin"

FILES = {
    "lines.txt": b"a dog\na cat\n",
    "windows.txt": b"a dog\r\na cat\r\n",
    "no_newline.txt": b"a dog\na cat",
    "bom.txt": b"\xef\xbb\xbfa dog\n",
    "utf16.txt": "a dog\n".encode("utf-16"),
    "latin1.txt": b"caf\xe9\n",
    "empty.txt": b"",
    "rows.jsonl": b'{"text": "a dog"}\n{"text": "a cat"}\n',
    "broken.jsonl": b'{"text": "a dog"}\n{"text": \n',
    "number.jsonl": b'{"text": 3}\n',
    "rows.csv": b"text,id\na dog,1\na cat,2\n",
    "excel.csv": b"\xef\xbb\xbftext;id\r\na dog;1\r\n",
    "short.csv": b"text,id\na dog\n",
    "open.csv": b'text\n"a dog\n',
    "rows.tsv": b"text\tpair\na dog\ta cat\n",
    "lines.txt.gz": gzip.compress(b"a dog\na cat\n"),
    "cut.txt.gz": gzip.compress(b"a dog\na cat\n" * 400)[:30],
    "model.gguf": b"GGUF\x03\x00\x00\x00",
    "model.onnx": b"\x08\x07",
    "table.parquet": b"PAR1",
}

# Each case has arguments, the exit status, and words of the answer: of standard output if the status is 0, otherwise of
# the line on standard error. Words that begin with NOTE are those of a note about a successful run.
NOTE = "note: "
CASES = [
    (["embed", "--input", "windows.txt", "--format", "json"], 0, '"embedding"'),
    (["tokenize", "--format", "ids", "--input", "no_newline.txt"], 0, "2 "),
    (["tokenize", "--format", "jsonl", "--input", "bom.txt"], 0, '"tokens":["[CLS]","a","dog","[SEP]"]'),
    (["embed", "--input", "utf16.txt"], 1, "mark of UTF-16, expected UTF-8: iconv"),
    (["embed", "--input", "latin1.txt"], 1, "UTF-8"),
    (["embed", "--input", "empty.txt"], 0, NOTE + "the input has no texts"),
    (["embed", "--input", "missing.txt"], 1, "cannot open 'missing.txt'"),
    (["embed", "--input", "."], 1, "'./cut.txt.gz': ends in the middle"),
    (["embed", "lines.txt"], 0, NOTE + "'lines.txt' is read as a text, though there is such a file"),
    (["embed", "--input", "rows.jsonl", "--format", "jsonl"], 0, '"embedding"'),
    (["embed", "--input", "broken.jsonl"], 1, "line 2: not valid JSON"),
    (["embed", "--input", "number.jsonl"], 1, '"text" is not a string'),
    (["tokenize", "--format", "jsonl", "--input", "rows.csv"], 0, '"id":"1"'),
    (["embed", "--input", "excel.csv"], 0, ""),
    (["embed", "--input", "short.csv"], 1, "1 field, expected 2"),
    (["embed", "--input", "open.csv"], 1, "ends within the quotes"),
    (["similarity", "--input", "rows.tsv"], 0, "0."),
    (["embed", "--input", "rows.csv", "--field", "title"], 1, "expected 'title'"),
    (["embed", "--input", "lines.txt", "--field", "title"], 2, "none of --jsonl, --csv and --tsv"),
    (["embed", "--input", "rows.csv", "--input", "rows.tsv"], 2, "expected one kind"),
    (["tokenize", "--format", "ids", "--input", "lines.txt.gz"], 0, "2 "),
    (["embed", "--input", "cut.txt.gz"], 1, "ends in the middle of its compressed data"),
    (["embed", "--input", "table.parquet"], 2, "python -m bert_infer embed"),
    (["embed", "--output", "v.parquet", "a dog"], 2, ".parquet names no format"),
    (["embed", "--output", "v.npy", "--format", "json", "a dog"], 2, "ends with .npy, but --format is json"),
    (["embed", "--output", "no/such/folder/v.npy", "a dog"], 1, "no/such/folder"),
    (["simlarity", "a", "b"], 2, "did you mean similarity?"),
    (["embed", "--nomalize", "a"], 2, "did you mean --normalize?"),
    (["embed", "--model", "model.gguf", "a"], 1, "is a GGUF file, which is not read"),
    (["embed", "--model", "model.onnx", "a"], 1, "is an ONNX file"),
    (["embed", "--model", "table.parquet", "a"], 1, "'table.parquet': is a file, expected a directory"),
    (["embed", "--model", "lines.txt", "a"], 1, "'lines.txt': is a file, expected a directory"),
    (["embed", "--model", "no-such-model", "a"], 1, "no such directory here"),
    (["embed", "--model", "", "a"], 2, "--model '': expected DIR"),
    (["classify", "a"], 1, "built-in"),
    (["answer", "--context", "a dog", "who?"], 1, "built-in"),
    (["fill-mask", "no mask here"], 1, "[MASK]"),
    (["embed", "--max-length", "1", "a"], 1, "max"),
    (["embed", "--max-length", "5000", "a"], 1, "5000"),
    (["embed", "--dimensions", "0", "a"], 2, "--dimensions '0'"),
    (["embed", "--pooling", "median", "a"], 2, "'median': expected one of"),
    (["embed", "--threads", "-1", "a"], 2, "--threads"),
    (["search", "music", "--input", "empty.txt"], 0, NOTE + "the input has no texts"),
    (["search", "--corpus", "lines.txt"], 2, "no QUERY"),
    (["similarity", "a"], 2, "expected two or more TEXTs"),
    (["quantize", "MODEL", "lines.txt"], 1, "exists, expected the name of a new directory"),
    (["serve", "--port", "99999"], 2, "99999"),
]


@unittest.skipUnless(PROGRAM.exists(), "no build/bert-infer: nothing was run")
class UnusualInputs(unittest.TestCase):
    def test_are_read_right_or_refused_in_one_line(self):
        self.assertGreaterEqual(len(CASES), 40)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BERT_INFER_")}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in FILES.items():
                Path(folder, name).write_bytes(data)
            for arguments, status, words in CASES:
                with self.subTest(arguments=arguments):
                    command = [PROGRAM, *(str(BUILTIN) if a == "MODEL" else a for a in arguments)]
                    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                          capture_output=True, check=False, timeout=60)
                    out, errors = done.stdout.decode(), done.stderr.decode()
                    self.assertEqual(done.returncode, status, errors)
                    if status == 0:
                        self.assertIn(words, errors if words.startswith(NOTE) else out)
                        self.assertNotIn("error", errors)
                    else:
                        self.assertIn(words, errors)
                        wrong = [line for line in errors.splitlines() if not line.startswith(f"bert-infer: {NOTE}")]
                        self.assertEqual(len(wrong), 1, errors)
                        self.assertTrue(wrong[0].startswith("bert-infer: error: "), errors)


if __name__ == "__main__":
    sys.exit(unittest.main())
