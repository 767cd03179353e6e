"""Tests that Spark with two workers gives the rows of one process, although one worker is killed and one uses another
instruction set. Needs pyspark, pandas, pyarrow and Java."""

import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

import bert_infer
import numpy as np
from bert_infer.spark import embed_in_arrow, embed_udf
from pyspark import TaskContext
from pyspark.sql import SparkSession

ROWS = int(os.environ.get("BERT_TEST_ROWS", "5000"))


def dies_once(marker: str):
    """Calls embed_in_arrow. The first worker of the second partition ends in its first batch. Odd partitions use the
    portable kernels if the library was not loaded before."""

    def embed(batches):
        partition = TaskContext.get().partitionId()
        if partition % 2 == 1 and "bert_infer._engine" not in sys.modules:
            os.environ["BERT_INFER_ISA"] = "avx2"
        for batch in embed_in_arrow()(batches):
            if partition == 1 and not Path(marker).exists():
                Path(marker).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    return embed


class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        builder = builder.config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        cls.spark = builder.getOrCreate()
        cls.addClassCleanup(cls.spark.stop)
        cls.texts = [f"text number {i} of many" for i in range(ROWS)]
        cls.table = cls.spark.createDataFrame(list(enumerate(cls.texts)), "id int, text string").repartition(8)
        cls.expected = bert_infer.Model().encode(cls.texts)

    def check(self, table) -> None:
        rows = sorted(table.collect(), key=lambda row: row["id"])
        self.assertEqual([row["text"] for row in rows], self.texts)
        self.assertTrue(np.array_equal(np.float32([row["embedding"] for row in rows]), self.expected))

    def test_a_column_function(self) -> None:
        self.check(self.table.withColumn("embedding", embed_udf()("text")))

    def test_a_null_stays_null(self) -> None:
        table = self.spark.createDataFrame([(0, "a dog"), (1, None)], "id int, text string")
        for embedded in (
            table.withColumn("embedding", embed_udf(precision="float32")("text")),
            table.mapInArrow(embed_in_arrow(precision="float32"), "id int, text string, embedding array<float>"),
        ):
            with_text, null = sorted(embedded.collect(), key=lambda row: row["id"])
            expected = bert_infer.Model(precision="float32").encode("a dog")
            self.assertTrue(np.array_equal(np.float32(with_text["embedding"]), expected))
            self.assertIsNone(null["embedding"])

    def test_rows_equal_one_process_though_a_worker_dies(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            marker, out = f"{folder}/died", f"{folder}/out"
            schema = "id int, text string, embedding array<float>"
            self.table.mapInArrow(dies_once(marker), schema).write.parquet(out)
            self.assertTrue(os.path.exists(marker))
            self.check(self.spark.read.parquet(out))


if __name__ == "__main__":
    unittest.main()
