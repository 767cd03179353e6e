"""Compares CRC-32C with published values and with the bit-by-bit sum of tests/support."""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from support import tensorflow_bundle_writer as slow

from tools.convert import crc32c


class Crc32c(unittest.TestCase):
    """Tests sums and masked sums."""

    def test_equals_published_values(self) -> None:
        """The expected values are those of RFC 3720, appendix B.4."""
        self.assertEqual(crc32c.extend(0, bytes(32)), 0x8A9136AA)
        self.assertEqual(crc32c.extend(0, b"\xff" * 32), 0x62A8AB43)
        self.assertEqual(crc32c.extend(0, bytes(range(32))), 0x46DD794E)
        self.assertEqual(crc32c.extend(0, b"123456789"), 0xE3069283)
        self.assertEqual(crc32c.extend(0, b""), 0)

    def test_equals_the_slow_sum_at_every_length(self) -> None:
        """The sums are equal for all lengths at which the number of lanes changes."""
        data = random.Random(1).randbytes((1 << 20) + 70_000)
        for size in [*range(0, 20), 255, 256, 257, 511, 512, 513, 1023, 4096, 65_535, 65_537, 100_003, len(data)]:
            self.assertEqual(crc32c.extend(0, data[:size]), slow.crc32c(data[:size]), size)

    def test_goes_on_where_it_stopped(self) -> None:
        """A sum extended from that of the first part equals the sum of the whole."""
        data = random.Random(2).randbytes(3_000)
        for cut in (0, 1, 255, 256, 1_000, 2_999, 3_000):
            self.assertEqual(crc32c.extend(crc32c.extend(0, data[:cut]), data[cut:]), slow.crc32c(data))

    def test_masks_as_leveldb_does(self) -> None:
        """Rotating the masked sum back gives the sum."""
        masked = crc32c.masked(0xE3069283)
        self.assertEqual(masked, slow.masked_crc32c(b"123456789"))
        rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
        self.assertEqual((rotated >> 17 | rotated << 15) & 0xFFFFFFFF, 0xE3069283)


if __name__ == "__main__":
    unittest.main()
