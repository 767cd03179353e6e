"""Tests that Ray Data with two actors, one of which is killed, gives the rows of one process. Needs ray[data]."""

import os
import signal
import tempfile
import unittest
from pathlib import Path

import bert_infer
import numpy as np
import ray
from bert_infer.ray import Embedder

ROWS = int(os.environ.get("BERT_TEST_ROWS", "5000"))


class DiesOnce(Embedder):
    """Embeds batches. The batch with row 1000 kills the process, the first time."""

    def __init__(self, marker: str, **options) -> None:
        super().__init__(**options)
        self.marker = Path(marker)

    def __call__(self, batch):
        result = super().__call__(batch)
        if 1000 in batch["id"] and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return result


class RayData(unittest.TestCase):
    def test_a_null_stays_null(self) -> None:
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
        self.addCleanup(ray.shutdown)
        rows = ray.data.from_items([{"text": "a dog"}, {"text": None}])
        with_text, null = rows.map_batches(Embedder, concurrency=1, num_cpus=1).take_all()
        expected = bert_infer.Model().encode("a dog")
        self.assertTrue(np.array_equal(np.float32(with_text["embedding"]), expected))
        self.assertIsNone(null["embedding"])

    def test_rows_equal_one_process_though_a_worker_dies(self) -> None:
        texts = [f"text number {i} of many" for i in range(ROWS)]
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        self.addCleanup(ray.shutdown)
        with tempfile.TemporaryDirectory() as folder:
            marker = str(Path(folder) / "died")
            rows = ray.data.from_items([{"id": i, "text": text} for i, text in enumerate(texts)])
            embedded = rows.map_batches(
                DiesOnce,
                fn_constructor_kwargs={"marker": marker},
                concurrency=2,
                num_cpus=1,
                batch_size=500,
                max_restarts=-1,
                max_task_retries=-1,
            )
            embedded.write_parquet(str(Path(folder) / "out"))
            self.assertTrue(os.path.exists(marker))
            found = sorted(ray.data.read_parquet(str(Path(folder) / "out")).take_all(), key=lambda row: row["id"])
        self.assertEqual([row["text"] for row in found], texts)
        vectors = np.stack([row["embedding"] for row in found])
        self.assertTrue(np.array_equal(vectors, bert_infer.Model().encode(texts)))


if __name__ == "__main__":
    unittest.main()
