"""Tests that coroutines return the same results as the calls, and that a cancelled coroutine ends its run."""

import asyncio
import time
import unittest

import bert_infer
import numpy as np


class Asynchronous(unittest.TestCase):
    def test_gives_what_the_method_gives(self) -> None:
        model = bert_infer.Model()

        async def both():
            return await asyncio.gather(model.aencode(["a", "b"]), model.afill_mask("The [MASK]", top_k=1))

        vectors, masks = asyncio.run(both())
        self.assertTrue(np.array_equal(vectors, model.encode(["a", "b"])))
        self.assertEqual(masks, model.fill_mask("The [MASK]", top_k=1))

    def test_is_there_for_every_method_that_encodes(self) -> None:
        others = {"encode_stream", "encode_reported"}  # a generator, and a method for tables
        methods = {name for name in vars(bert_infer.Model) if name.startswith("encode")} - others
        self.assertGreater(len(methods), 3)
        self.assertEqual({name for name in methods if not hasattr(bert_infer.Model, "a" + name)}, set())

    def test_a_cancelled_run_ends(self) -> None:
        model = bert_infer.Model()

        async def cancel():
            run = asyncio.create_task(model.aencode(f"text {i}" for i in range(10**9)))
            await asyncio.sleep(0.2)
            run.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await run

        begin = time.monotonic()
        asyncio.run(cancel())  # waits for the thread
        self.assertLess(time.monotonic() - begin, 20)


if __name__ == "__main__":
    unittest.main()
