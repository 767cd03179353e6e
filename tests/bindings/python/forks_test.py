"""Tests processes made by fork while threads compute. They cannot run under a sanitizer, whose own locks may be held
at the fork."""

import os
import threading
import unittest

import bert_infer
import numpy as np

TEXTS = ["the quick fox", "a dog"]


class Forks(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model(threads=2)

    def test_compute_while_threads_of_the_parent_do(self) -> None:
        expected = self.model.encode(TEXTS)
        ended = threading.Event()

        def encode() -> None:
            while not ended.is_set():
                self.model.encode(TEXTS * 50)

        threads = [threading.Thread(target=encode) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                process = os.fork()
                if process == 0:
                    os._exit(0 if np.array_equal(self.model.encode(TEXTS), expected) else 1)
                self.assertEqual(os.waitpid(process, 0)[1], 0)
        finally:
            ended.set()
            for thread in threads:
                thread.join()


if __name__ == "__main__":
    unittest.main()
