"""Tests the arguments of the drop-in for sentence-transformers. tests/frameworks compares it with the real package."""

import sys
import unittest
import warnings
from pathlib import Path
from typing import get_overloads
from unittest import mock

import bert_infer
import numpy as np
from bert_infer.sentence_transformers import (
    CrossEncoder,
    SentenceTransformer,
    SimilarityFunction,
    annotations,
    quantize_embeddings,
    util,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import python_package as support
from support.converter import safetensors_of
from support.look_alike_tokenizers import write_json


class SentenceTransformers(unittest.TestCase):
    def load(self, *, files: dict[str, object] | None = None, **arguments: object) -> SentenceTransformer:
        folder = support.temporary_directory(self)
        return SentenceTransformer(support.write_sentence_model(folder, **(files or {})), **arguments)

    def test_takes_its_arguments_by_place_and_by_name(self) -> None:
        model = self.load(prompts={"query": "quick "})
        expected = model.model.encode(["fox", "dog"], prompt="quick ")
        for vectors in (
            model.encode(["fox", "dog"], "query"),
            model.encode(sentences=["fox", "dog"], prompt_name="query", batch_size=8, show_progress_bar=False),
            model.encode_query(["fox", "dog"]),
            model.encode(["fox", "dog"], None, "quick "),
        ):
            self.assertTrue(np.array_equal(vectors, expected))
        self.assertTrue(np.array_equal(model.encode_document("fox"), model.encode("fox")))
        self.assertEqual(model.encode([]).shape, (0,))
        with mock.patch("bert_infer.sentence_transformers.sentence_transformer.as_tensor", lambda array: array):
            self.assertEqual(model.encode([], convert_to_tensor=True).shape, (0,))

    def test_the_methods_of_roles_call_a_subclasss_encode_by_names(self) -> None:
        """The calls pass the arguments of sentence-transformers 6.2, for which the subclasses were written."""
        given: list[dict[str, object]] = []

        class Recording(SentenceTransformer):
            def encode(self, inputs: object, **options: object) -> object:
                given.append(options)
                return super().encode(inputs, **options)

        model = Recording(support.write_sentence_model(support.temporary_directory(self)), prompts={"query": "quick "})
        vectors = model.encode_query(["fox", "dog"], batch_size=4)
        self.assertTrue(np.array_equal(vectors, SentenceTransformer.encode(model, ["fox", "dog"], "query")))
        model.encode_document(sentences="fox", prompt="lazy ")
        expected = {
            "prompt_name": "query", "prompt": None, "batch_size": 4, "show_progress_bar": None,
            "output_value": "sentence_embedding", "precision": "float32", "convert_to_numpy": True,
            "convert_to_tensor": False, "device": None, "normalize_embeddings": False, "truncate_dim": None,
            "pool": None, "chunk_size": None, "task": "query",
        }
        of_document = {"prompt_name": None, "prompt": "lazy ", "batch_size": 32, "task": "document"}
        self.assertEqual(given, [expected, expected | of_document])

    def test_cuts_vectors_and_texts(self) -> None:
        model = self.load(truncate_dim=5)
        self.assertEqual((model.encode("fox").shape, model.get_embedding_dimension()), ((5,), 5))
        with model.truncate_embeddings(2):
            cut = model.encode(["fox"])
            self.assertEqual((cut.shape, cut.flags.owndata), ((1, 2), True))
        model.max_seq_length = 4
        with self.assertWarnsRegex(bert_infer.Notice, "texts were too long and cut"):
            cut = model.encode("the fox jumps over")
        self.assertTrue(np.array_equal(cut, model.encode("the fox")))

    def test_a_static_model_follows_modules_json(self) -> None:
        """The expected values are those of sentence-transformers 6.2, and for config.json those of model2vec 0.10."""
        folder = support.temporary_directory(self)
        words = {"[UNK]": 0, "a": 1, "b": 2}
        write_json(folder / "tokenizer.json", {
            "version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"},
            "model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}})
        write_json(folder / "config.json", {"model_type": "model2vec", "normalize": True, "max_length": 600})
        write_json(folder / "modules.json", [
            {"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}])
        rows = np.array([[8, 0], [0, 2], [0, 4]], dtype="<f4")
        (folder / "model.safetensors").write_bytes(safetensors_of({"embeddings": rows}))
        texts = ["a x b b", "x", "", "a " * 599 + "x x x"]
        by_modules = [[2, 2.5], [8, 0], [0, 0], [24 / 602, 2 * 599 / 602]]
        by_config = [[0, 1], [0, 0], [0, 0], [0, 1]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for model, expected in (
                (SentenceTransformer(folder), by_modules),
                (SentenceTransformer(folder, static_file="config"), by_config),
                (bert_infer.Model(folder), by_config),
                (bert_infer.Model(folder, static_file="modules"), by_modules),
            ):
                np.testing.assert_allclose(model.encode(texts), expected, atol=1e-6)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "static_file 'both'"):
            bert_infer.Model(folder, static_file="both")

    def test_tells_that_files_do_not_say_how_to_pool(self) -> None:
        folder = support.temporary_directory(self)
        with self.assertWarnsRegex(bert_infer.Notice, "no modules.json.*mean over all tokens, not normalised"):
            SentenceTransformer(support.write_model(folder, "BertModel"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.load()

    def test_compares_vectors(self) -> None:
        model = self.load(similarity_fn_name="dot")
        self.assertEqual(model.similarity([1, 2], [[3, 1], [1, 2]]).tolist(), [[5, 5]])
        self.assertEqual(model.similarity_pairwise([[1, 2]], [[3, 1]]).tolist(), [5])
        self.assertEqual(model.similarity_pairwise([1, 2], [3, 1]), 5)

    def test_names_what_is_not_supported(self) -> None:
        for arguments in ({"device": "cuda"}, {"modules": ["a"]}, {"model_kwargs": {"torch_dtype": "float64"}}):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, next(iter(arguments))):
                self.load(**arguments)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'cuda'"):
            self.load().encode("a", device="cuda")
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "image="):
            self.load().encode("a", image=1)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "processing_kwargs..stride"):
            self.load().encode("a", processing_kwargs={"text": {"stride": 2}})
        for refused in ("float64", "cuda:0"):
            with self.assertRaisesRegex(bert_infer.UnsupportedError, refused):
                self.load().to(refused)
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "expected one of query, document"):
            self.load(default_prompt_name="title")

    def test_arguments_that_change_no_result_are_taken(self) -> None:
        model = self.load(backend="onnx", trust_remote_code=True, model_kwargs={"torch_dtype": "float32"}, token=None)
        expected = model.encode(["fox", "dog"])
        pool = model.start_multi_process_pool(["cpu", "cpu"])
        for options in ({"pool": pool, "chunk_size": 1}, {"device": ["cpu", "cpu"]}, {"precision": None},
                        {"processing_kwargs": {"text": {"padding": "max_length", "max_length": 20}}}):
            self.assertTrue(np.array_equal(model.encode(["fox", "dog"], **options), expected))
        self.assertTrue(np.array_equal(model.encode_multi_process(["fox", "dog"], pool), expected))
        cut = model.encode_multi_process(["fox", "dog"], pool, None, None, 8, None, False, "float32", True, 5)
        self.assertTrue(np.array_equal(cut, model.encode(["fox", "dog"], normalize_embeddings=True, truncate_dim=5)))
        model.stop_multi_process_pool(pool)
        model.compile(mode="reduce-overhead")
        self.assertTrue(np.array_equal(model.encode(["fox", "dog"]), expected))
        self.assertEqual((str(model.device), model.device.type, model.dtype), ("cpu", "cpu", np.float32))
        self.assertIs(model.cpu().float().eval().to("cpu"), model)
        self.load(model_kwargs={"device_map": {"": "cpu"}})
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device_map'.={'': 0} is not supported"):
            self.load(model_kwargs={"device_map": {"": 0}})
        batch = {"input_ids": np.zeros((1, 2))}
        self.assertIs(util.batch_to_device(batch, "cpu"), batch)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "device 'cuda'"):
            util.batch_to_device(batch, "cuda")

    def test_16_bits_are_computed_in_float32_with_a_notice(self) -> None:
        expected = self.load().encode("fox")
        for name in ("dtype", "torch_dtype"):
            for kind in ("float16", "bfloat16"):
                told = f"model_kwargs..{name}..: {kind} was asked for, and float32 is computed"
                with self.assertWarnsRegex(bert_infer.Notice, told):
                    model = self.load(model_kwargs={name: kind}, device="cpu:0")
                self.assertTrue(np.array_equal(model.encode("fox", device="cpu:0"), expected))
        for convert in (model.half, model.bfloat16, lambda: model.to("cpu", "float16"), lambda: model.to(dtype="half")):
            with self.assertWarnsRegex(bert_infer.Notice, "and float32 is computed"):
                self.assertIs(convert(), model)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for same in (np.dtype("float32"), "float32", "cpu:0"):
                self.assertIs(model.to(same), model)

    def test_limits_texts_by_the_processors_arguments(self) -> None:
        model = self.load(tokenizer_kwargs={"model_max_length": 4})
        self.assertEqual((model.max_seq_length, model.tokenizer.model_max_length), (4, 4))
        with self.assertWarnsRegex(bert_infer.Notice, "texts were too long and cut"):
            short = model.encode("the quick fox jumps", processing_kwargs={"text": {"max_length": 3}})
        self.assertTrue(np.array_equal(short, model.encode("the")))

    def test_has_modules_and_a_tokenizer(self) -> None:
        model = self.load()
        self.assertEqual(len(model), 3)
        self.assertIs(model[0].tokenizer._model, model.model)
        self.assertEqual([repr(module).partition("(")[0] for module in model], ["Transformer", "Pooling", "Normalize"])
        self.assertEqual([name for name, _ in model.named_children()], ["0", "1", "2"])
        self.assertEqual(repr(model._last_module()), repr(list(model.children())[-1]))
        self.assertEqual((model[1].word_embedding_dimension, model[1].get_config_dict()["pooling_mode_mean_tokens"]),
                         (8, True))
        with self.assertRaisesRegex(AttributeError, "'weight' of Pooling is the engine's; its file has word_embedding"):
            _ = model[1].weight
        with self.assertRaises(IndexError):
            _ = model[3]
        model._first_module().max_seq_length = 4
        self.assertEqual(model.max_seq_length, 4)
        tokenizer = model.tokenizer
        self.assertEqual(tokenizer.tokenize("the fox"), ["the", "fox"])
        self.assertEqual(tokenizer.encode("the fox"), [2, 5, 6, 3])
        self.assertEqual(tokenizer.decode([2, 5, 6, 3], skip_special_tokens=True), "the fox")
        found = tokenizer(["the fox", "dog"], padding=True, return_tensors="np")
        self.assertEqual(found["input_ids"].tolist(), [[2, 5, 6, 3], [2, 12, 3, 0]])
        self.assertEqual(found["attention_mask"].tolist(), [[1, 1, 1, 1], [1, 1, 1, 0]])
        cut = tokenizer("the quick fox", truncation=True, max_length=2, add_special_tokens=False)
        self.assertEqual(cut["input_ids"], [5, 7])
        whole = tokenizer.encode("the fox " * 40, max_length=2**32, truncation="do_not_truncate")
        self.assertEqual(len(whole), 82)
        self.assertEqual(cut.to("cpu").input_ids, [5, 7])
        with self.assertRaisesRegex(AttributeError, "no 'ids', expected one of input_ids"):
            _ = cut.ids

    def test_has_the_configuration_and_the_shapes_of_the_encoder(self) -> None:
        model = self.load()
        encoder = model[0].auto_model
        self.assertEqual((encoder.config.hidden_size, encoder.config.to_dict()["model_type"]), (8, "bert"))
        named = dict(model.named_parameters())
        words = named["0.bert.embeddings.word_embeddings.weight"]
        self.assertEqual((words.shape, words.numel(), words.requires_grad), ((13, 8), 104, False))
        size = sum(parameter.numel() for parameter in model.parameters())
        with open(Path(model[0]._folder) / "model.safetensors", "rb") as file:
            header = 8 + int.from_bytes(file.read(8), "little")
            self.assertEqual(size, (file.seek(0, 2) - header) // 4)
        self.assertEqual(encoder.num_parameters(), size)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "auto_model.encoder is not supported"):
            _ = encoder.encoder
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "no safetensors files"):
            (Path(model[0]._folder) / "model.safetensors").unlink()
            model.parameters()

    def test_preprocesses_texts_and_pairs_alone(self) -> None:
        model = self.load()
        self.assertEqual(model.preprocess([]), {})
        with mock.patch("bert_infer.sentence_transformers.tokenizer.as_tensor", lambda array: array):
            self.assertEqual(model.preprocess("the fox")["input_ids"].tolist(), [[2, 5, 6, 3]])
            self.assertEqual(model.preprocess([{"text": "the fox"}])["input_ids"].tolist(), [[2, 5, 6, 3]])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, r"the keys \['image'\], expected 'text' alone"):
            model.preprocess(["fox", {"image": "a.jpg"}])
        with self.assertRaisesRegex(TypeError, r"inputs\[1\]: found int, expected a text or a pair of texts"):
            model.preprocess(["fox", 1])

    def test_tells_what_a_call_takes(self) -> None:
        model = self.load()
        self.assertEqual(model.get_model_kwargs(), [])
        self.assertEqual(model.SUPPORTED_SIMILARITY_FN_NAMES, ("cosine", "dot", "euclidean", "manhattan"))
        singular = [model.is_singular_input(one) for one in ("fox", ["fox"], ("fox",), np.array(["fox"]))]
        self.assertEqual(singular, [True, False, False, False])
        self.assertTrue(model.is_singular_input([{"role": "user", "content": "fox"}]))
        self.assertTrue(CrossEncoder.is_singular_input(model, ("fox", "dog")))
        self.assertTrue(CrossEncoder.is_singular_input(model, np.array(["fox", "dog"])))
        self.assertFalse(CrossEncoder.is_singular_input(model, [("fox", "dog")]))

    def test_tells_that_the_prompts_name_is_not_used(self) -> None:
        model = self.load(prompts={"query": "quick "})
        with self.assertWarnsRegex(bert_infer.Notice, "both prompt and prompt_name are given: prompt is used"):
            found = model.encode("fox", prompt_name="query", prompt="lazy ")
        self.assertTrue(np.array_equal(found, model.encode("fox", prompt="lazy ")))

    def test_prompts_of_instructor_models_are_not_pooled_in_silence(self) -> None:
        """sentence-transformers 6.2 does not pool the prompt's tokens of models with the first kind of name."""
        for name, expectation in (
            ("hkunlp/instructor-large", self.assertRaisesRegex(bert_infer.UnsupportedError, "hkunlp/instructor-large")),
            ("someone/My-Instructor", self.assertWarnsRegex(bert_infer.Notice, "instructor models leave the prompt")),
        ):
            model = self.load(prompts={"query": "quick "})
            model._name = name
            model.encode("fox")
            with expectation:
                model.encode("fox", prompt_name="query")

    def test_the_tokenizer_says_where_tokens_are(self) -> None:
        """The expected values are those of transformers 5.24."""
        tokenizer = self.load().tokenizer
        text = "the fox"
        found = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
        self.assertEqual(found["offset_mapping"], [(0, 0), (0, 3), (4, 7), (0, 0)])
        self.assertEqual(found["special_tokens_mask"], [1, 0, 0, 1])
        self.assertEqual(found["input_ids"], tokenizer(text)["input_ids"])
        without = tokenizer(("the fox " * 40, "dog"), add_special_tokens=False, return_offsets_mapping=True)
        self.assertEqual((len(without["input_ids"]), without["offset_mapping"][-2:]), (81, [(316, 319), (0, 3)]))
        cut = tokenizer([text, "dog"], max_length=3, truncation=True, padding=True, return_offsets_mapping=True,
                        return_tensors="np")
        self.assertEqual(cut["offset_mapping"].tolist(), [[[0, 0], [0, 3], [0, 0]], [[0, 0], [0, 3], [0, 0]]])
        padded = tokenizer([text, ""], padding=True, return_offsets_mapping=True, return_special_tokens_mask=True)
        self.assertEqual(padded["offset_mapping"][1], [(0, 0)] * 4)
        self.assertEqual(padded["special_tokens_mask"][1], [1, 1, 1, 1])

    def test_has_a_vocabulary(self) -> None:
        tokenizer = self.load().tokenizer
        self.assertEqual((len(tokenizer), tokenizer.vocab_size), (len(support.WORDS), len(support.WORDS)))
        self.assertEqual(list(tokenizer.get_vocab()), support.WORDS)
        self.assertEqual(tokenizer.convert_tokens_to_ids(["fox", "unknown"]), [6, 1])
        self.assertEqual(tokenizer.convert_tokens_to_ids("fox"), 6)
        self.assertEqual((tokenizer.pad_token, tokenizer.cls_token_id, tokenizer.sep_token), ("[PAD]", 2, "[SEP]"))
        self.assertEqual(tokenizer.all_special_tokens, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
        with self.assertRaisesRegex(AttributeError, "'bos_token' is not an attribute"):
            _ = tokenizer.bos_token

    def test_its_results_have_types(self) -> None:
        """Type checkers learn nothing from Any."""
        returned = [one.__annotations__["return"] for one in get_overloads(SentenceTransformer.encode)]
        self.assertEqual(returned, [
            "FloatArray", "NDArray[np.int8]", "NDArray[np.uint8]", "Tensor", "Tensor", "list[Tensor]", "Tensor",
            "list[Tensor]", "Outputs", "list[Outputs]", "Embeddings"])
        for function in (SentenceTransformer.similarity, SentenceTransformer.similarity_pairwise, util.cos_sim):
            self.assertEqual([one.__annotations__["return"] for one in get_overloads(function)], ["Scores", "Tensor"])
        self.assertNotIn("Any", Path(annotations.__file__).read_text())

    def test_is_not_trained(self) -> None:
        model = self.load()
        self.assertIs(model.train(False), model)
        self.assertFalse(model.training)
        with self.assertRaisesRegex(bert_infer.UnsupportedError, "is not supported"):
            model.train()
        self.assertEqual((model.supports("text"), model.supports("image")), (True, False))

    def test_evaluates_and_keeps_the_figures(self) -> None:
        model = self.load()

        def evaluator(given: SentenceTransformer, output_path: str | None) -> dict[str, float]:
            given.model_card_data.set_evaluation_metrics("mine", {"score": 1.0}, epoch=0, step=0)
            return {"score": 1.0}

        target = support.temporary_directory(self) / "figures"
        self.assertEqual(model.evaluate(evaluator, str(target)), {"score": 1.0})
        self.assertTrue(target.is_dir())
        self.assertEqual(model.model_card_data.eval_results_dict, {"mine": {"score": 1.0}})

    def test_a_role_is_no_adapters_task(self) -> None:
        model = self.load()
        refusal = mock.Mock(side_effect=bert_infer.InvalidArgumentError("no adapter for task"))
        with mock.patch("bert_infer.sentence_transformers.base.Model", refusal):
            self.assertTrue(np.array_equal(model.encode_query("fox"), model.encode("fox")))
            with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "no adapter"):
                model.encode("fox", task="other")

    def test_the_similarity_is_also_an_enumerator(self) -> None:
        model = self.load(similarity_fn_name=SimilarityFunction.MANHATTAN)
        self.assertEqual(model.similarity_fn_name, "manhattan")
        self.assertEqual(model.similarity([[0.0, 1.0]], [[1.0, 3.0]]).tolist(), [[-3.0]])
        with self.assertRaisesRegex(bert_infer.InvalidArgumentError, "'maxsim', expected one of cosine"):
            self.load(similarity_fn_name=SimilarityFunction.MAXSIM)

    def test_quantises_by_the_ranges_of_other_vectors(self) -> None:
        found = quantize_embeddings(np.float32([[127.4]]), "uint8", calibration_embeddings=np.float32([[0], [255]]))
        self.assertEqual(found.tolist(), [[127]])


if __name__ == "__main__":
    unittest.main()
