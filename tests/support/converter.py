"""Helpers of the converter's tests: they find the test data, run the converter, and read its results."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "tools" / "convert_weights.py"
PEAK_LIMIT_KB = 64 * 1024  # limit for the whole process, with python and numpy, over all refusals of a test class
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8"}


def test_data() -> Path | None:
    """Return the folder of real models: BERT_TEST_DATA, else ../shared/data beside the repository; None if there is
    none."""
    folder = Path(os.environ.get("BERT_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    return folder if folder.is_dir() else None


def require_data(*parts: str) -> Path:
    """Return a path under the test data. Skip the test, with the reason, if it does not exist."""
    folder = test_data()
    if folder is None or not folder.joinpath(*parts).exists():
        raise unittest.SkipTest(
            f"test data {'/'.join(parts)} not found: set BERT_TEST_DATA to the folder that holds it"
        )
    return folder.joinpath(*parts)


def run_converter(*arguments: object, **options: object) -> subprocess.CompletedProcess:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def read_plain(path: Path) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """Return the tensors of a safetensors file as (type, shape, bytes). Does not check the file, and shares no code
    with the converter."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {
        key: (entry["dtype"], tuple(entry["shape"]), data[8 + size :][slice(*entry["data_offsets"])])
        for key, entry in header.items()
    }


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the tensors of a safetensors file as arrays; BF16 tensors are arrays of their bits."""
    return {
        key: np.frombuffer(raw, dtype=TYPES[dtype]).reshape(shape)
        for key, (dtype, shape, raw) in read_plain(path).items()
    }


def safetensors_bytes(header: object, data: bytes) -> bytes:
    """Return a safetensors file. header: its JSON text, or bytes that are written as they are."""
    raw = header if isinstance(header, bytes) else (header if isinstance(header, str) else json.dumps(header)).encode()
    return len(raw).to_bytes(8, "little") + raw + data


def safetensors_of(arrays: dict[str, np.ndarray]) -> bytes:
    """Return a well-formed safetensors file that holds these arrays."""
    names = {value: key for key, value in TYPES.items()}
    header, data = {}, b""
    for key, array in arrays.items():
        header[key] = {
            "dtype": names[array.dtype.str],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + array.nbytes],
        }
        data += array.tobytes()
    return safetensors_bytes(header, data)


def small_model(seed: int = 1, vocab: int = 11, hidden: int = 8) -> dict[str, np.ndarray]:
    """Return a few tensors with BERT's names and random numbers, which differ for each seed."""
    random = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (vocab, hidden),
        "embeddings.LayerNorm.weight": (hidden,),
        "encoder.layer.0.intermediate.dense.weight": (2 * hidden, hidden),
        "pooler.dense.bias": (3,),
    }
    return {key: random.standard_normal(shape).astype("<f4") for key, shape in shapes.items()}


class Harness:
    """A process that converts many times (converter_harness.py)."""

    def __init__(self) -> None:
        """Start the process. Use the object as a context manager."""
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("converter_harness.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "Harness":
        return self

    def __exit__(self, *unused: object) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=30)

    def run(self, *arguments: object) -> dict:
        """Convert, and return {"code", "output", "errors", "peak_kb"}."""
        self._process.stdin.write(json.dumps({"arguments": [str(item) for item in arguments]}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise AssertionError(f"the converter ended the process at {arguments}")
        return json.loads(answer)


class ConverterTest(unittest.TestCase):
    """A test with its own folder, and one converter process for the whole class."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start the converter."""
        cls.harness = Harness()
        cls.addClassCleanup(cls.harness.__exit__)

    def setUp(self) -> None:
        """Make the folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def convert(self, *arguments: object) -> dict:
        """Convert and require success."""
        result = self.harness.run(*arguments)
        self.assertEqual(result["code"], 0, result["errors"])
        return result

    def refuse(self, words: str, *arguments: object, code: int = 1) -> dict:
        """Convert, and require a refusal: nothing on standard output, and one line with `words` on standard error."""
        result = self.harness.run(*arguments)
        self.assertEqual(result["code"], code, result)
        self.assertEqual(result["output"], "")
        self.assertNotIn("internal fault", result["errors"])
        self.assertTrue(result["errors"].startswith("convert_weights.py: error: "), result["errors"])
        self.assertEqual(result["errors"].count("\n"), 1, result["errors"])
        self.assertLess(len(result["errors"]), 1000)
        self.assertLess(result["peak_kb"], PEAK_LIMIT_KB)
        self.assertIn(words, result["errors"])
        return result

    def assert_same_tensors(self, expected: dict, found: dict) -> None:
        """Compare names, types, shapes and bits."""
        self.assertEqual(sorted(expected), sorted(found))
        for key in expected:
            self.assertEqual(expected[key][:2], found[key][:2], key)
            self.assertTrue(expected[key][2] == found[key][2], f"{key}: bits differ")
