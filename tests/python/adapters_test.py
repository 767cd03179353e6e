"""What the adapters for other packages share. tests/frameworks runs each with its package."""

import unittest

import bert_infer
import numpy as np
from bert_infer.adapters import loaded, without_device


class Adapters(unittest.TestCase):
    def test_load_a_model_by_what_other_packages_pass(self) -> None:
        model = loaded(None, {"device": "cpu", "trust_remote_code": True, "threads": 1})
        self.assertEqual(model.threads, 1)
        self.assertTrue(np.array_equal(model.encode("a dog"), bert_infer.Model().encode("a dog")))
        self.assertIs(loaded(model), model)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'pooling'"):
            loaded(None, {"pooling": "cls"})

    def test_refuse_another_device(self) -> None:
        self.assertEqual(without_device({"device": None, "batch_size": 8}), {"batch_size": 8})
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'mps' is not supported"):
            without_device({"device": "mps"})


if __name__ == "__main__":
    unittest.main()
