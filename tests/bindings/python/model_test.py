"""Tests the calls that return vectors: their bits are the same in each form of input, they accept generators and
sentence-transformers' arguments, and they can be interrupted."""

import itertools
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

import bert_infer
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support

TEXTS = ["The quick brown fox jumps over the lazy dog.", "a", "", "naïve café 東京", "x " * 90] * 10


class Encode(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model()

    def test_has_the_same_bits_in_every_way(self) -> None:
        expected = np.stack([self.model.encode(text) for text in TEXTS])
        self.assertTrue(np.array_equal(self.model.encode(TEXTS), expected))
        self.assertTrue(np.array_equal(self.model.encode(text for text in TEXTS), expected))
        self.assertTrue(np.array_equal(np.stack(list(self.model.encode_stream(iter(TEXTS)))), expected))
        self.assertTrue(np.array_equal(self.model.encode(TEXTS, batch_tokens=64, batch_size=3), expected))
        self.assertTrue(np.array_equal(bert_infer.Model(threads=1).encode(TEXTS), expected))

    def test_chunks_are_pooled_from_one_pass(self) -> None:
        """A chunk of the whole text has the text's bits. Spans are in characters. A chunk is the mean of its tokens."""
        text = "The fox jumps. Ünd the dog sleeps."
        whole, spans = self.model.encode_chunks(text, tokens=1000)
        np.testing.assert_array_equal(whole[0], self.model.encode(text))
        vectors, spans = self.model.encode_chunks([text, "One."], sentences=True)[0]
        self.assertEqual([text[begin:end] for begin, end in spans], ["The fox jumps.", "Ünd the dog sleeps."])
        given, same = self.model.encode_chunks(text, spans=[(0, 14), (15, 34)])
        np.testing.assert_array_equal(given, vectors)
        np.testing.assert_array_equal(same, spans)
        cut, _ = self.model.encode_chunks(text, sentences=True, truncate_dim=8)
        self.assertEqual(cut.shape, (2, 8))
        for wrong in ({}, {"tokens": 0}, {"tokens": 5, "spans": [(0, 1)]}, {"spans": [(0, 99)]}, {"spans": []}):
            with self.assertRaises(bert_infer.Error):
                self.model.encode_chunks(text, **wrong)

    def test_one_text_gives_one_vector(self) -> None:
        self.assertTrue(np.array_equal(self.model.encode("a"), self.model.encode(["a"])[0]))
        self.assertEqual(self.model.encode("a").shape, (self.model.embedding_size(),))
        self.assertEqual(self.model.encode([]).shape, (0, self.model.embedding_size()))

    def test_token_embeddings_are_the_encoders_output(self) -> None:
        (rows,) = self.model.encode(["the fox"], output_value="token_embeddings")
        self.assertTrue(np.array_equal(rows, self.model.hidden("the fox")["last_hidden_state"]))

    def test_normalises_and_truncates_as_asked(self) -> None:
        whole = self.model.encode("the fox")
        self.assertTrue(np.array_equal(self.model.encode("the fox", truncate_dim=7), whole[:7]))
        self.assertTrue(np.array_equal(self.model.encode("the fox", truncate_dim=10**6), whole))
        cut = self.model.encode("the fox", truncate_dim=7, normalize_embeddings=True)
        np.testing.assert_allclose(cut, whole[:7] / np.linalg.norm(whole[:7]), rtol=1e-5)

    def test_cuts_a_text_with_a_notice_at_the_callers_line(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.model.encode(["the " * 9, "the"], max_length=8)
        self.assertEqual(
            [str(one.message) for one in caught],
            ["texts were too long and cut (max_length)"],
        )
        notice = caught[0].message
        self.assertEqual((notice.truncated_texts, notice.texts, notice.truncated_tokens), (1, 2, 3))
        self.assertEqual(notice.counts, {"truncated_texts": 1, "texts": 2, "truncated_tokens": 3})
        self.assertEqual((caught[0].category, caught[0].filename), (bert_infer.Notice, __file__))

    def test_shows_a_notice_once_in_a_loop_of_texts_of_different_lengths(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for words in range(9, 30):
                self.model.encode("the " * words, max_length=8)
        self.assertEqual([one.message.truncated_tokens for one in caught], [3])

    def test_shows_a_notice_to_code_without_a_name(self) -> None:
        with self.assertWarnsRegex(bert_infer.Notice, "texts were too long"):
            exec("model.encode('the ' * 9, max_length=8)", {"model": self.model})

    def test_tells_of_rows_that_eight_bits_hardly_hold(self) -> None:
        """One value of each token's embedding is 1.2e5; the others are about 1."""
        folder = support.temporary_directory(self)
        with mock.patch.object(support.look_alike_weights, "HIDDEN", 96):
            support.write_model(folder, "BertModel")
        weights = bytearray((folder / "model.safetensors").read_bytes())
        size = int.from_bytes(weights[:8], "little")
        begin = json.loads(weights[8 : 8 + size])["bert.embeddings.LayerNorm.bias"]["data_offsets"][0]
        struct.pack_into("<f", weights, 8 + size + begin, 1.2e5)
        (folder / "model.safetensors").write_bytes(weights)
        with self.assertWarnsRegex(bert_infer.Notice, "texts have rows of activations that 8 bits") as told:
            bert_infer.Model(folder, precision="int8").encode(["the fox", "the"])
        self.assertEqual((told.warning.coarse_texts, told.warning.texts), (2, 2))
        self.assertGreaterEqual(told.warning.coarse_rows, 2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bert_infer.Model(folder).encode("the fox")
        self.assertNotIn("8 bits", str([str(one.message) for one in caught]))

    def test_refuses_what_is_no_text(self) -> None:
        for texts, message in [
            (["a", 3], r"texts\[1\]: found int"),
            (5, "found int"),
            (b"a", "found bytes"),
            ([("a", "b", "c")], r"texts\[0\]: found tuple"),
        ]:
            with self.assertRaisesRegex(TypeError, message):
                self.model.encode(texts)
        with self.assertRaisesRegex(bert_infer.InvalidTextError, r"texts\[1\]: .*surrogates"):
            self.model.encode(["a", "\ud800"])

    def test_refuses_impossible_options(self) -> None:
        for options in (
            {"prompt_name": "query"},
            {"precision": "int4"},
            {"batch_size": 0},
            {"truncate_dim": 0},
            {"max_length": 10**6},
            {"output_value": "tokens"},
        ):
            with self.subTest(options), self.assertRaises(bert_infer.InvalidArgumentError):
                self.model.encode("a", **options)

    def test_passes_an_iterables_error_on_after_the_vectors_before_it(self) -> None:
        def texts():
            yield from ["a", "b"]
            raise RuntimeError("mine")

        vectors = []
        with self.assertRaisesRegex(RuntimeError, "mine"):
            for vector in self.model.encode_stream(texts()):
                vectors.append(vector)
        self.assertEqual(len(vectors), 2)

    def test_vectors_do_not_wait_for_the_next_text_of_a_slow_generator(self) -> None:
        order = []

        def texts():
            for i in range(4):
                order.append(f"text {i}")
                yield "a"
                time.sleep(0.05)

        for i, _ in enumerate(self.model.encode_stream(texts())):
            order.append(f"vector {i}")
        # The second text shows that the generator is slow.
        self.assertEqual(order[2:], ["vector 0", "vector 1", "text 2", "vector 2", "text 3", "vector 3"])

    def test_reads_a_generator_only_a_little_ahead(self) -> None:
        read = itertools.count()
        stream = self.model.encode_stream(f"text {next(read)}" for _ in range(10**9))
        next(stream)
        stream.close()
        self.assertLess(next(read), 10**5)

    def test_ends_at_a_keyboard_interrupt(self) -> None:
        # A shell's background job starts with the signal ignored, so the test sets Python's own handler.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        for texts in (["the fox"] * 10**6, (f"text {i}" for i in range(10**9))):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                self.model.encode(texts)
            self.assertLess(time.monotonic() - begin, 20)

    def test_threads_share_a_model(self) -> None:
        expected = self.model.encode(TEXTS)
        found = []
        threads = [threading.Thread(target=lambda: found.append(self.model.encode(TEXTS))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(len(found) == 3 and all(np.array_equal(one, expected) for one in found))

    def test_packed_weights_give_the_same_bits(self) -> None:
        packed = bert_infer.Model(packed_bytes=2**30)
        never = bert_infer.Model(packing="never")
        taken = packed.describe()["packed_bytes"]
        self.assertGreater(taken, 1_000_000)
        for _ in range(2):  # the first pass packs the weights
            np.testing.assert_array_equal(packed.encode(TEXTS), never.encode(TEXTS))
        self.assertEqual(never.describe()["packed_bytes"], 0)
        by_itself = bert_infer.Model()
        for expected in (0, taken, taken):  # the second pass packs the weights
            np.testing.assert_array_equal(by_itself.encode("A dog."), never.encode("A dog."))
            self.assertEqual(by_itself.describe()["packed_bytes"], expected)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "packing 'some', expected one of always"):
            bert_infer.Model(packing="some")
        self.assertEqual(bert_infer.Model(packed_bytes=taken - 1).describe()["packed_bytes"], 0)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "packed_bytes -1, expected at least 0"):
            bert_infer.Model(packed_bytes=-1)


class SentenceModel(unittest.TestCase):
    def model(self, **settings: object) -> bert_infer.Model:
        return bert_infer.Model(support.write_sentence_model(support.temporary_directory(self), **settings))

    def test_puts_prompts_before_texts(self) -> None:
        model = self.model(prompts={"query": "quick ", "passage": "lazy "}, default_prompt_name="passage")
        plain = model.encode(["fox", "quick fox", "lazy fox", "dog fox"], prompt="")
        self.assertEqual(
            (model.prompts, model.default_prompt_name), ({"query": "quick ", "passage": "lazy "}, "passage")
        )
        for expected, vector in [
            (plain[2], model.encode("fox")),
            (plain[1], model.encode("fox", prompt_name="query")),
            (plain[3], model.encode("fox", prompt="dog ")),
            (plain[1], model.encode_query("fox")),
            (plain[2], model.encode_document("fox")),
            (plain[3], model.encode_document("fox", prompt="dog ")),
        ]:
            self.assertTrue(np.array_equal(vector, expected))
        tokens = model.encode("fox", prompt_name="query", output_value="token_embeddings")
        self.assertTrue(np.array_equal(tokens, model.hidden("quick fox")["last_hidden_state"]))

    def test_truncates_after_the_models_own_normalisation(self) -> None:
        """As in sentence-transformers, a cut vector is shorter than 1 unless normalize_embeddings is set."""
        model = self.model()
        whole = model.encode("the fox")
        self.assertAlmostEqual(float(np.linalg.norm(whole)), 1, places=6)
        self.assertTrue(np.array_equal(model.encode("the fox", truncate_dim=3), whole[:3]))
        unit = model.encode("the fox", truncate_dim=3, normalize_embeddings=True)
        self.assertAlmostEqual(float(np.linalg.norm(unit)), 1, places=6)

    def test_compares_by_the_models_function(self) -> None:
        a, b = np.float32([[1, 2]]), np.float32([[3, 1], [1, 2]])
        self.assertEqual(self.model(similarity_fn_name="manhattan").similarity(a, b).tolist(), [[-3, 0]])
        self.assertEqual(self.model(similarity_fn_name="dot").similarity(a, b).tolist(), [[5, 5]])


class Adapters(unittest.TestCase):
    def test_an_adapter_is_merged_when_the_model_is_loaded(self) -> None:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            subprocess.run([os.environ["BERT_TINY_MODELS"], folder], check=True)
            warnings.simplefilter("ignore", bert_infer.Notice)
            changed = bert_infer.Model(f"{folder}/embedder", adapter=Path(folder) / "adapter")
            merged = bert_infer.Model(f"{folder}/merged")
            plain = bert_infer.Model(f"{folder}/embedder")
            again = pickle.loads(pickle.dumps(changed))
            for model in (changed, again):
                np.testing.assert_array_equal(model.encode("the fox"), merged.encode("the fox"))
            self.assertFalse(np.array_equal(plain.encode("the fox"), merged.encode("the fox")))
            self.assertEqual(changed.describe()["adapter"], f"{folder}/adapter")
            self.assertEqual(changed.describe()["adapter_bytes"], 2 * 24 * 24 * 4)
            self.assertEqual(plain.describe()["adapter"], "")
        with self.assertRaisesRegex(bert_infer.NotFoundError, "no-such-adapter"):
            bert_infer.Model(adapter="no-such-adapter")


class CheckFiles(unittest.TestCase):
    def test_finds_a_file_that_is_written_in_place(self) -> None:
        folder = support.temporary_directory(self)
        support.write_model(folder, "BertModel")
        model = bert_infer.Model(str(folder))
        model.check_files()
        weights = folder / "model.safetensors"
        with open(weights, "r+b") as file:
            file.seek(-4, os.SEEK_END)
            file.write(bytes(4))
        os.utime(weights, (0, 0))
        with self.assertRaisesRegex(bert_infer.InvalidFileError, "written while it was read"):
            model.check_files()
        bert_infer.Model(str(folder)).check_files()


if __name__ == "__main__":
    unittest.main()
