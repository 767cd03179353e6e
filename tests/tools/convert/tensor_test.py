"""Tests the conversion of numbers, with values by hand and for every BF16 and F16 bit pattern, and the gathering of
elements by strides."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tools.convert.errors import ConvertError
from tools.convert.source_file import SourceFile
from tools.convert.tensor import Tensor, convert, count_nonfinite, is_row_major


def f32(*bits: int) -> np.ndarray:
    """Return floats with these bits."""
    return np.array(bits, dtype=np.uint32).view(np.float32)


class Convert(unittest.TestCase):
    """Tests rounding to nearest even."""

    def test_bf16_rounds_to_nearest_even(self) -> None:
        """The numbers are below, at and above the middle of two BF16 values with an even or an odd last bit. The
        expected values are calculated by hand."""
        given = f32(
            0x3F800000, 0x3F807FFF, 0x3F808000, 0x3F808001, 0x3F818000, 0xBF818000, 0x00000001, 0x00008001, 0x80000000
        )
        expected = [0x3F80, 0x3F80, 0x3F80, 0x3F81, 0x3F82, 0xBF82, 0x0000, 0x0001, 0x8000]
        self.assertEqual(convert(given, "F32", "BF16").tolist(), expected)

    def test_bf16_of_f64_rounds_once(self) -> None:
        """F32 would round these numbers to the middle of two BF16 values, which they are not. Their expected values are
        calculated by hand. Random numbers are compared with the nearer neighbour in exact arithmetic."""
        ulp = 2.0**-7  # the ulp of BF16 between 1 and 2
        given = np.array(
            [1 + ulp / 2 + 2.0**-40, 1 + 1.5 * ulp - 2.0**-40, -(1 + ulp / 2 + 2.0**-40), 1 + ulp / 2, 1 + 1.5 * ulp]
        )
        self.assertEqual(convert(given, "F64", "BF16").tolist(), [0x3F81, 0x3F81, 0xBF81, 0x3F80, 0x3F82])
        special = np.array([np.inf, -np.inf, 1e39, -1e39, 0.0, -0.0, 1e-50, -1e-50, 3.3895313892515355e38])
        self.assertEqual(
            convert(special, "F64", "BF16").tolist(),
            [0x7F80, 0xFF80, 0x7F80, 0xFF80, 0x0000, 0x8000, 0x0000, 0x8000, 0x7F7F],
        )
        self.assertEqual(count_nonfinite(convert(np.array([np.nan, -np.nan]), "F64", "BF16"), "BF16"), 2)
        random = np.random.default_rng(5)
        values = random.standard_normal(20000) * 10.0 ** random.integers(-44, 38, 20000)
        found = convert(values, "F64", "BF16")
        as_f64 = convert(found, "BF16", "F64")
        for step in (-1, 1):
            beside = convert((found.astype(np.int64) + step).astype(np.uint16), "BF16", "F64")
            closer = (np.abs(beside - values) < np.abs(as_f64 - values)) & np.isfinite(as_f64)
            self.assertFalse(closer.any(), values[closer][:3])

    def test_bf16_keeps_nan_and_its_sign_and_infinity(self) -> None:
        """A NaN stays a NaN even if its kept bits are all zero, or if rounding would carry."""
        given = f32(0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000, 0x7F800000, 0xFF800000)
        self.assertEqual(
            convert(given, "F32", "BF16").tolist(), [0x7FC0, 0xFFC0, 0x7FFF, 0xFFFF, 0x7FC0, 0x7F80, 0xFF80]
        )

    def test_bf16_overflows_to_infinity_where_rounding_carries(self) -> None:
        """The largest float becomes infinity; the largest float that rounds down stays finite."""
        found = convert(f32(0x7F7FFFFF, 0x7F7F7FFF), "F32", "BF16")
        self.assertEqual(found.tolist(), [0x7F80, 0x7F7F])
        self.assertEqual(count_nonfinite(found, "BF16"), 1)

    def test_every_bf16_value_survives_f32(self) -> None:
        """All 65,536 patterns come back when they are widened and narrowed again; signalling NaNs become quiet ones."""
        every = np.arange(65536, dtype=np.uint16)
        back = convert(convert(every, "BF16", "F32"), "F32", "BF16")
        nan = (every & 0x7FFF) > 0x7F80
        np.testing.assert_array_equal(back[~nan], every[~nan])
        np.testing.assert_array_equal(back[nan], every[nan] | 0x40)
        self.assertEqual(count_nonfinite(every, "BF16"), 2 * 128)

    def test_every_f16_value_survives_f32(self) -> None:
        """All F16 patterns that are no NaN come back when they are widened and narrowed again."""
        every = np.arange(65536, dtype=np.uint16).view(np.float16)
        back = convert(convert(every, "F16", "F32"), "F32", "F16")
        nan = np.isnan(every)
        np.testing.assert_array_equal(back[~nan].view(np.uint16), every[~nan].view(np.uint16))
        self.assertTrue(np.isnan(back[nan]).all())

    def test_f16_rounds_and_overflows(self) -> None:
        """65519.99 rounds to 65504 and 65520 to infinity. Ties go to even, and tiny values become subnormal. The
        expected values are calculated by hand."""
        given = np.array([65519.996, 65520.0, 1.00048828125, 1.00146484375, 2.0**-24, 2.0**-25], dtype=np.float32)
        found = convert(given, "F32", "F16")
        self.assertEqual(found.view(np.uint16).tolist(), [0x7BFF, 0x7C00, 0x3C00, 0x3C02, 0x0001, 0x0000])
        self.assertEqual(count_nonfinite(found, "F16"), 1)

    def test_f64_narrows_and_counts_overflow(self) -> None:
        """1e39 overflows F32."""
        found = convert(np.array([1e39, -1.0, 1e-50]), "F64", "F32")
        self.assertEqual(count_nonfinite(found, "F32"), 1)
        self.assertEqual(found[1:].tolist(), [-1.0, 0.0])


class Pieces(unittest.TestCase):
    """Tests reading in row-major order."""

    def setUp(self) -> None:
        """Write a file of 0, 1, 2 … as F32."""
        self._file = tempfile.NamedTemporaryFile()
        self.addCleanup(self._file.close)
        self._file.write(np.arange(24, dtype="<f4").tobytes())
        self._file.flush()
        self.source = SourceFile(self._file.name)
        self.addCleanup(self.source.close)

    def gather(self, shape: tuple[int, ...], strides: tuple[int, ...] | None, offset: int = 0) -> list[float]:
        """Return all elements of a view of the file."""
        tensor = Tensor("t", "F32", shape, self.source, 4 * offset, strides)
        return np.concatenate([np.zeros(0, "<f4"), *tensor.pieces()]).tolist()

    def test_gathers_by_strides(self) -> None:
        """The views are transposed, begin at an offset, are expanded, have a size of 1 whose stride has no effect, or
        are empty."""
        self.assertEqual(self.gather((2, 3), (1, 2)), [0, 2, 4, 1, 3, 5])
        self.assertEqual(self.gather((2, 2), (10, 3), 1), [1, 4, 11, 14])
        self.assertEqual(self.gather((3, 2), (0, 1), 4), [4, 5, 4, 5, 4, 5])
        self.assertEqual(self.gather((1, 2), (2**62, 5)), [0, 5])
        self.assertEqual(
            self.gather((2, 3, 4), (4, 8, 1)), np.arange(24).reshape(3, 2, 4).transpose(1, 0, 2).reshape(-1).tolist()
        )
        self.assertEqual(self.gather((0, 5), (1, 1)), [])
        self.assertEqual(self.gather((), None, 7), [7])

    def test_checks_the_checksum_in_both_ways_of_reading(self) -> None:
        """A wrong checksum is found in streamed and in gathered tensors."""
        for strides in (None, (1, 2)):
            with self.assertRaisesRegex(ConvertError, "checksum .* expected 00000001"):
                list(Tensor("t", "F32", (2, 3), self.source, 0, strides, masked_crc32c=1).pieces())

    def test_knows_row_major_order(self) -> None:
        """The stride of a dimension of size 1 has no effect."""
        self.assertTrue(is_row_major((2, 3), (3, 1)))
        self.assertTrue(is_row_major((1, 3), (99, 1)))
        self.assertTrue(is_row_major((), ()))
        self.assertFalse(is_row_major((2, 3), (1, 2)))


if __name__ == "__main__":
    unittest.main()
