"""Tests models in pickles, in other processes, after close(), and at the interpreter's exit."""

import concurrent.futures
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import unittest
import warnings
from pathlib import Path
from typing import Any

import bert_infer
import numpy as np
from bert_infer.fastembed import TextEmbedding
from bert_infer.sentence_transformers import CrossEncoder, SentenceTransformer

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tests"))
from support import python_package as support

TEXTS = ["the quick fox", "a dog"]


class Pickles(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = support.write_sentence_model(support.temporary_directory(self), prompts={"query": "quick "})

    def test_give_a_model_with_the_same_options_and_bits(self) -> None:
        model = bert_infer.Model(self.folder, threads=1, precision="int8")
        pickled = pickle.dumps(model)
        self.assertLess(len(pickled), 1000)
        again = pickle.loads(pickled)
        self.assertEqual(again.describe(), model.describe())
        self.assertTrue(np.array_equal(again.encode(TEXTS), model.encode(TEXTS)))
        self.assertIs(copy.deepcopy(model), model)
        self.assertIs(copy.copy(model), model)
        self.assertEqual(pickle.loads(pickle.dumps(bert_infer.Model())).describe()["is_builtin"], True)

    def test_do_not_depend_on_the_working_directory(self) -> None:
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(Path(self.folder).parent)
        pickled = pickle.dumps(bert_infer.Model(Path(self.folder).name))
        os.chdir("/")
        self.assertEqual(pickle.loads(pickled).embedding_size(), 8)

    def test_have_no_token_for_the_hub(self) -> None:
        for model in (bert_infer.Model(self.folder, token="secret"), SentenceTransformer(self.folder, token="secret")):
            self.assertNotIn(b"secret", pickle.dumps(model))
            self.assertNotIn("secret", repr(model))

    def test_of_the_drop_ins_keep_their_settings(self) -> None:
        model = SentenceTransformer(self.folder, truncate_dim=3, similarity_fn_name="dot", prompts={"new": "lazy "})
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            self.assertEqual((again.truncate_dim, again.similarity_fn_name), (3, "dot"))
            self.assertTrue(np.array_equal(again.encode(TEXTS, "new"), model.encode(TEXTS, "new")))
        other = pickle.loads(pickle.dumps(TextEmbedding("any/name", specific_model_path=self.folder)))
        self.assertTrue(np.array_equal(list(other.embed(TEXTS)), bert_infer.Model(self.folder).encode(TEXTS)))
        pairs = support.write_model(support.temporary_directory(self), "BertForSequenceClassification", ["relevant"])
        classifier = CrossEncoder(pairs, max_length=5)
        again = pickle.loads(pickle.dumps(classifier))
        self.assertEqual(again.max_length, 5)
        self.assertEqual(again.predict(TEXTS), classifier.predict(TEXTS))

    def test_of_an_index_find_the_same(self) -> None:
        rows = np.random.default_rng(1).normal(size=(50, 8))
        index = bert_infer.Index(rows, scan="int8", threads=1)
        file = support.temporary_directory(self) / "corpus.index"
        index.save(file, label="rows")
        loaded = bert_infer.Index.load(file)
        self.assertLess(len(pickle.dumps(loaded)), 300)
        for again in (copy.deepcopy(index), pickle.loads(pickle.dumps(index)), pickle.loads(pickle.dumps(loaded))):
            np.testing.assert_array_equal(again.search(rows[7])[0], index.search(rows[7])[0])
            self.assertEqual((len(again), again.scan), (50, "int8"))
        self.assertEqual(copy.deepcopy(loaded).label, "rows")
        loaded.add(rows[:1])
        self.assertEqual(len(pickle.loads(pickle.dumps(loaded))), 51)
        self.assertEqual(len(copy.copy(bert_infer.Index())), 0)

    def test_go_to_the_processes_of_a_pool(self) -> None:
        model = bert_infer.Model(self.folder)
        for way in ("spawn", "fork"):
            context = multiprocessing.get_context(way)
            with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
                for rows in pool.map(model.encode, [TEXTS] * 3):
                    self.assertTrue(np.array_equal(rows, model.encode(TEXTS)))

    def test_a_forked_process_uses_the_model_that_it_has(self) -> None:
        long_text = "a text of some words " * 40
        expected = encode_here(long_text)
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
            self.assertTrue(np.array_equal(pool.submit(encode_here, long_text).result(60), expected))


class Memory(unittest.TestCase):
    def test_processes_share_one_copy_of_the_weights(self) -> None:
        """Each process maps the weights' pages that a text needs; the processes share these pages."""
        weights = REPOSITORY / "models" / "builtin" / "model.safetensors"
        processes = 3
        context = multiprocessing.get_context("spawn")
        barrier = context.Manager().Barrier(processes)
        with concurrent.futures.ProcessPoolExecutor(processes, mp_context=context) as pool:
            found = list(pool.map(resident_bytes, [str(weights)] * processes, [barrier] * processes))
        size = weights.stat().st_size
        self.assertEqual(len({process for process, _, _ in found}), processes)
        for _, resident, _ in found:
            self.assertGreater(resident, 0.5 * size)
        self.assertLess(sum(share for _, _, share in found), 1.1 * max(resident for _, resident, _ in found))


def resident_bytes(weights: str, barrier: Any) -> tuple[int, int, int]:
    """Returns the process's id, the bytes of the file's pages in its memory, and its share of these bytes (Pss). All
    processes measure while all have the pages."""
    model = bert_infer.Model(str(Path(weights).parent), threads=1)
    model.encode("a dog")
    barrier.wait(60)
    resident = share = 0
    is_file = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        if "-" in line.split()[0] and not line.split()[0].endswith(":"):
            is_file = line.endswith(weights)
        elif is_file and line.startswith(("Rss:", "Pss:")):
            count = int(line.split()[1]) * 1024
            resident, share = (resident + count, share) if line.startswith("Rss:") else (resident, share + count)
    barrier.wait(60)
    return os.getpid(), resident, share


MODEL_OF_THE_PARENT = bert_infer.Model(threads=2)


def encode_here(text: str) -> np.ndarray:
    """Encodes a text by a model that the parent process loaded."""
    return MODEL_OF_THE_PARENT.encode(text)


class Closing(unittest.TestCase):
    def test_a_closed_model_says_so(self) -> None:
        with bert_infer.Model() as model:
            self.assertRegex(repr(model), r"<Model 'built-in', \w+, \d+ threads>")
            stream = model.encode_stream(TEXTS)
            first = next(stream)
        self.assertEqual(repr(model), "<Model 'built-in', closed>")
        for use in (lambda: model.encode("a"), model.embedding_size, lambda: model.prompts):
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "the model is closed"):
                use()
        self.assertEqual((first.shape, next(stream).shape), ((160,), (160,)))
        model.close()


class End(unittest.TestCase):
    """Tests that the interpreter exits without output."""

    def run_script(self, script: str) -> None:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_with_open_streams(self) -> None:
        self.run_script("""
import bert_infer
model = bert_infer.Model(threads=1)
streams = [model.encode_stream(["a dog"] * 20) for _ in range(100)]
for stream in streams: next(stream)
""")

    def test_with_threads_that_encode(self) -> None:
        self.run_script("""
import bert_infer, threading, time
model = bert_infer.Model(threads=1)
def forever():
    while True: model.encode(f"a text {i}" for i in range(50))
for _ in range(4): threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
""")


if __name__ == "__main__":
    warnings.simplefilter("ignore", bert_infer.Notice)
    unittest.main()
