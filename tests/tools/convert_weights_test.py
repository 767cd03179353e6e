"""Tests the command: every form of a real model, number types, files beside the weights, and its output."""

import os
import pty
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import torch_file_writer as torch
from support.converter import (
    REPOSITORY,
    ConverterTest,
    Harness,
    read_arrays,
    read_plain,
    require_data,
    run_converter,
    safetensors_of,
    small_model,
)
from support.torch_file_writer import (
    dict_of,
    name,
    number,
    pickled,
    tensor,
    text,
    tuple_of,
)


class RealModels(ConverterTest):
    """Tests the models of the test data."""

    def converted(self, *parts: str, options: tuple[str, ...] = ()) -> dict:
        """Convert a model into a new directory and return its tensors."""
        out = self.folder / "-".join(parts)
        self.last = self.convert(require_data(*parts), "--output", out, *options)
        return read_plain(out / "model.safetensors")

    def test_every_form_of_one_model_gives_the_same_file(self) -> None:
        """bert-odd-1 gives the same bytes, and the same bits as its safetensors, as a zip file, as a legacy file, with
        old names, in shards, and as safetensors."""
        expected = read_plain(require_data("family", "bert-odd-1", "model.safetensors"))
        contents = set()
        for form in (
            "bert-odd-1",
            "bert-odd-1-bin",
            "bert-odd-1-bin-legacy",
            "bert-odd-1-old-names",
            "bert-odd-1-sharded",
        ):
            with self.subTest(form):
                self.assert_same_tensors(expected, self.converted("family", form))
                out = self.folder / f"family-{form}"
                config = require_data("family", form, "config.json")
                self.assertEqual((out / "config.json").read_bytes(), config.read_bytes())
                contents.add((out / "model.safetensors").read_bytes())
        self.assertEqual(len(contents), 1)

    def test_old_names_with_heads_keep_prefix_and_heads(self) -> None:
        """The names are those of published files: bert., gamma and beta, position_ids and cls.*. Only the buffer and
        the tied decoder are dropped."""
        source = read_plain(require_data("family", "bert-odd-1-old-names-heads", "model.safetensors"))
        expected = {
            key.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias"): value
            for key, value in source.items()
            if not key.endswith("position_ids")
        }
        decoder = expected["cls.predictions.decoder.weight"]
        if decoder == expected["bert.embeddings.word_embeddings.weight"]:
            del expected["cls.predictions.decoder.weight"]
        self.assert_same_tensors(expected, self.converted("family", "bert-odd-1-old-names-heads"))

    def test_a_trained_model_equals_its_safetensors_form(self) -> None:
        """bert-tiny-own is a .bin of torch with old names and a decoder stored twice."""
        expected = read_plain(require_data("checkpoint", "bert-tiny-own", "model.safetensors"))
        self.assert_same_tensors(expected, self.converted("checkpoint", "bert-tiny-own", "pytorch_model.bin"))
        self.assertIn("skipped 'cls.predictions.decoder.weight': same numbers as", self.last["output"])

    def test_narrowing_equals_the_narrow_models(self) -> None:
        """bert-odd-1 to F16 and BF16 gives the tensors that torch's own rounding gave."""
        for dtype in ("f16", "bf16"):
            expected = read_plain(require_data("family", f"bert-odd-1-{dtype}", "model.safetensors"))
            self.assert_same_tensors(
                expected, self.converted("family", "bert-odd-1", options=("--dtype", dtype, "--force"))
            )
            self.assert_same_tensors(expected, self.converted("family", f"bert-odd-1-{dtype}"))
        self.assertIn(
            "(from F32)",
            self.convert(require_data("family", "bert-odd-1"), "--output", self.folder / "x", "--dtype", "f16")[
                "output"
            ],
        )

    def test_widening_keeps_every_value(self) -> None:
        """F16 and BF16 models become F32."""
        for dtype in ("f16", "bf16"):
            self.converted("family", f"bert-odd-1-{dtype}", options=("--dtype", "f32"))
            wide = read_arrays(self.folder / f"family-bert-odd-1-{dtype}" / "model.safetensors")
            for key, narrow in read_arrays(require_data("family", f"bert-odd-1-{dtype}", "model.safetensors")).items():
                value = (narrow.astype(np.uint32) << 16).view(np.float32) if dtype == "bf16" else narrow
                np.testing.assert_array_equal(wide[key], value.astype(np.float32))

    def test_every_family_passes_unchanged(self) -> None:
        """For all models of the test data, the tensors do not change."""
        for directory in sorted(require_data("family").iterdir()):
            model = directory / "model.safetensors"
            if not model.exists() or "old-names" in directory.name:
                continue
            with self.subTest(directory.name):
                found = self.converted("family", directory.name)
                expected = {key: value for key, value in read_plain(model).items() if value[0] != "I64"}
                self.assert_same_tensors(expected, found)


class Numbers(ConverterTest):
    """Tests special types and values."""

    def write(self, **arrays: np.ndarray) -> Path:
        """Write arrays as a safetensors file and return its path."""
        path = self.folder / "weights.safetensors"
        path.write_bytes(safetensors_of(arrays))
        return path

    def test_refuses_values_that_are_not_finite(self) -> None:
        """They are counted, named, and converted only on request."""
        path = self.write(a=np.array([1, np.nan, np.inf, -np.inf], "<f4"), b=np.array([np.nan], "<f2"))
        self.refuse("tensor 'a' in", path)
        self.refuse("3 values that are NaN or infinite, and 1 more tensors", path)
        self.assertFalse((self.folder / "model.safetensors").exists())
        result = self.convert(path, "--allow-nonfinite", "--quiet")
        self.assertIn("3 values NaN or infinite", result["errors"])
        self.assertEqual(read_plain(self.folder / "model.safetensors")["a"], read_plain(path)["a"])

    def test_refuses_values_too_large_for_the_type(self) -> None:
        """65520 is too large for F16 and is refused. F64 becomes F32 unless a type is requested."""
        path = self.write(w=np.array([65519, 65520, -1e9], "<f4"))
        self.refuse("2 values too large for F16", path, "--dtype", "f16")
        self.convert(path, "--dtype", "f16", "--allow-nonfinite")
        self.assertEqual(read_arrays(self.folder / "model.safetensors")["w"].tolist(), [65504, np.inf, -np.inf])
        path = self.write(w=np.array([1e39, 0.1], "<f8"))
        self.refuse("1 values too large for F32", path, "--force")
        path = self.write(w=np.array([0.1], "<f8"))
        self.assertIn("(from F64)", self.convert(path, "--force")["output"])
        self.assertEqual(read_plain(self.folder / "model.safetensors")["w"], ("F32", (1,), np.float32(0.1).tobytes()))


class Files(ConverterTest):
    """Tests where files are written, and which files are copied."""

    def test_converts_a_directory_in_place(self) -> None:
        """With one argument, model.safetensors is written beside the .bin."""
        (self.folder / "pytorch_model.bin").write_bytes(torch.torch_zip_of(small_model()))
        (self.folder / "config.json").write_text("{}", encoding="utf-8")
        result = run_converter(self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(
            sorted(item.name for item in self.folder.iterdir()),
            ["config.json", "model.safetensors", "pytorch_model.bin"],
        )
        self.refuse("; name the one to convert; --force writes model.safetensors again", self.folder)
        self.convert(self.folder, "--force")
        self.refuse("model.safetensors' exists; --force replaces it", self.folder / "pytorch_model.bin")
        self.convert(self.folder / "pytorch_model.bin", "--force")

    def test_converts_a_file_onto_itself(self) -> None:
        """model.safetensors can be converted to another type under the same name."""
        path = self.folder / "model.safetensors"
        path.write_bytes(safetensors_of(small_model()))
        self.refuse("exists", self.folder, "--dtype", "bf16")
        self.convert(self.folder, "--dtype", "bf16", "--force")
        self.assertEqual({value[0] for value in read_plain(path).values()}, {"BF16"})

    def test_takes_along_the_files_of_tokenizer_and_pooling(self) -> None:
        """They are copied byte for byte, also from the folders of sentence-embedding models; nothing else is copied."""
        model = self.folder / "model"
        (model / "1_Pooling").mkdir(parents=True)
        (model / "0_other").mkdir()
        (model / "pytorch_model.bin").write_bytes(torch.torch_zip_of(small_model()))
        along = [
            "config.json",
            "vocab.txt",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "added_tokens.json",
            "modules.json",
            "sentence_bert_config.json",
            "config_sentence_transformers.json",
            "1_Pooling/config.json",
            "vocab.json",
            "merges.txt",
            "spiece.model",
            "sentencepiece.bpe.model",
            "spm.model",
            "artifact.metadata",
            "chat_template.jinja",
        ]
        for item in along + ["run.py", "README.md", "optimizer.pt"]:
            (model / item).write_bytes(b"{}" if item == "config.json" else item.encode())
        out = self.folder / "out"
        result = self.convert(model, "--output", out)
        found = {str(item.relative_to(out)) for item in out.rglob("*") if item.is_file()}
        self.assertEqual(found, set(along) | {"model.safetensors"})
        left_out = "not copied: 0_other/, README.md, optimizer.pt, run.py"
        self.assertIn(left_out, result["errors"])
        for item in along:
            self.assertEqual((out / item).read_bytes(), (model / item).read_bytes())
            self.assertIn(f"copied {item}", result["output"])
        (model / "vocab.txt").write_bytes(b"another")
        (out / "model.safetensors").unlink()
        self.refuse("vocab.txt' exists", model, "--output", out)
        self.assertFalse((out / "model.safetensors").exists())
        self.convert(model, "--output", out, "--force")
        self.assertEqual((out / "vocab.txt").read_bytes(), b"another")

    def test_refuses_files_beside_the_weights_that_are_no_files(self) -> None:
        """A FIFO as vocab.txt would block, and a broken config.json would decide whether weights are tied, so both are
        refused."""
        model = self.folder / "model"
        model.mkdir()
        (model / "pytorch_model.bin").write_bytes(torch.torch_zip_of(small_model()))
        os.mkfifo(model / "vocab.txt")
        self.refuse("is not a regular file", model, "--output", self.folder / "out")
        self.assertFalse((self.folder / "out").exists())
        (model / "config.json").write_text('{"a": 1, "a": 2}', encoding="utf-8")
        self.refuse("duplicate key 'a'", model, "--output", self.folder / "out")

    def test_says_that_there_is_no_configuration(self) -> None:
        """The weights are converted, and a note says that no program can load them without a configuration."""
        path = self.folder / "pytorch_model.bin"
        path.write_bytes(torch.torch_zip_of(small_model()))
        self.assertIn("note: no config.json in", self.convert(path)["errors"])


class Words(ConverterTest):
    """Tests the command's output and exit codes."""

    def setUp(self) -> None:
        """Write a small model."""
        super().setUp()
        self.path = self.folder / "pytorch_model.bin"
        self.path.write_bytes(torch.torch_zip_of(small_model()))
        (self.folder / "config.json").write_text("{}", encoding="utf-8")

    def test_help_has_examples_for_every_kind_of_input(self) -> None:
        """It also names every option and exit code."""
        result = run_converter("--help")
        self.assertEqual(result.returncode, 0)
        for words in (
            "examples:",
            "pytorch_model.bin",
            ".ckpt.index",
            "model.safetensors.index.json",
            "--output",
            "--dtype",
            "--gelu",
            "--force",
            "--allow-nonfinite",
            "--quiet",
            "exit codes: 0 done, 1 failed",
        ):
            self.assertIn(words, result.stdout)

    def test_wrong_usage_is_exit_code_2(self) -> None:
        """There is no input, an unknown option or type, or an option without effect."""
        for arguments in (
            [],
            ["--unknown"],
            [self.path, "--dtype", "int8"],
            [self.path, "more"],
            [self.path, "--outp", "x"],
        ):
            result = run_converter(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertNotIn("Traceback", result.stderr)
        self.refuse("--gelu is for TensorFlow checkpoints", self.path, "--gelu", "tanh", code=2)

    def test_a_missing_numpy_is_one_line(self) -> None:
        """Python runs without its site packages. The help needs none."""
        script = str(REPOSITORY / "tools" / "convert_weights.py")
        result = subprocess.run(
            [sys.executable, "-S", script, "x"], capture_output=True, text=True, check=False, timeout=60
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1), result.stderr)
        self.assertIn("numpy is missing", result.stderr)
        result = subprocess.run(
            [sys.executable, "-S", script, "--help"], capture_output=True, text=True, check=False, timeout=60
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_prints_what_was_mapped_and_nothing_when_quiet(self) -> None:
        """The report has a line per tensor and a summary. Without a terminal there is no progress."""
        result = run_converter(self.path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "read 4 tensors (torch zip archive)")
        self.assertEqual(len([line for line in lines if line.startswith("mapped ")]), 4)
        self.assertRegex(lines[-1], r"wrote .*model\.safetensors: 4 tensors, \d+ bytes, 0 skipped; read back and equal")
        result = run_converter(self.path, "--force", "--quiet")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_a_closed_pipe_is_no_error(self) -> None:
        """The reader may close the report's pipe, as `| head -1` does."""
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as closed:
            result = subprocess.run(
                [sys.executable, str(REPOSITORY / "tools" / "convert_weights.py"), str(self.path)],
                stdout=closed,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=60,
            )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue((self.folder / "model.safetensors").exists())

    def test_closed_streams_are_no_error(self) -> None:
        """If the shell closes an output by `>&-` or `2>&-`, the model is converted, and an error keeps its exit
        code."""
        script = str(REPOSITORY / "tools" / "convert_weights.py")
        for closed in (">&-", "2>&-", ">&- 2>&-"):
            for path, code in ((self.path, 0), (self.folder / "nothing", 1)):
                with self.subTest(closed=closed, code=code):
                    (self.folder / "model.safetensors").unlink(missing_ok=True)
                    command = ["bash", "-c", f'exec "$@" {closed}', "-", sys.executable, script, str(path)]
                    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
                    self.assertEqual(result.returncode, code, result.stderr)
                    self.assertNotIn("Traceback", result.stderr)
                    self.assertEqual((self.folder / "model.safetensors").exists(), code == 0)

    def test_shows_progress_on_a_terminal(self) -> None:
        """On a pseudo-terminal, percentages are shown, and erased before the end."""
        self.path.write_bytes(torch.torch_zip_of(small_model(vocab=300_000)))
        master, slave = pty.openpty()
        with subprocess.Popen(
            [sys.executable, str(REPOSITORY / "tools" / "convert_weights.py"), str(self.path)],
            stdout=subprocess.DEVNULL,
            stderr=slave,
        ) as process:
            process.wait(timeout=60)
        os.close(slave)
        shown = os.read(master, 1 << 16).decode()
        os.close(master)
        self.assertRegex(shown, r"\r(checking|writing|verifying): \d+ % of \d+ MB")
        self.assertTrue(shown.endswith("\r\033[K"))

    def test_names_with_any_letters_are_printed_on_one_line(self) -> None:
        """This holds under an ASCII locale too."""
        body = dict_of(
            (
                "ß→",
                tensor(
                    tuple_of(text("storage"), name("torch.FloatStorage"), text("0"), text("cpu"), number(1)) + b"Q",
                    (1,),
                    (1,),
                ),
            )
        )
        self.path.write_bytes(torch.torch_zip(pickled(body), {"0": bytes(4)}))
        result = run_converter(
            self.path, env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn(r"mapped \xdf\u2192 F32 [1]", result.stdout)


class Memory(ConverterTest):
    """Tests the memory of a conversion. Each measurement needs a new process, because a process's peak never falls."""

    def peak_of(self, arrays: dict[str, np.ndarray], *options: str, transposed: bool = False) -> int:
        """Return by how many bytes the peak exceeds that of a tiny conversion."""
        content = torch.torch_zip_of(arrays)
        if transposed:
            rows, columns = arrays["w"].shape
            source = torch.storage("0", rows * columns)
            content = torch.torch_zip(
                pickled(dict_of(("w", tensor(source, (rows, columns), (1, rows))))), {"0": arrays["w"].tobytes()}
            )
        small, large = self.folder / "small.bin", self.folder / "large.bin"
        small.write_bytes(torch.torch_zip_of({"w": np.ones(1, "<f4")}))
        large.write_bytes(content)
        with Harness() as harness:
            before = harness.run(small, "--force", *options)["peak_kb"]
            after = harness.run(large, "--force", *options)
            self.assertEqual(after["code"], 0, after["errors"])
        return (after["peak_kb"] - before) * 1024

    def test_needs_at_most_twice_the_largest_tensor(self) -> None:
        """Four tensors of 16 MB are written in pieces. Transposed ones, the worst case, are gathered whole."""
        one = np.ones((2000, 2000), "<f4")
        streamed = self.peak_of({f"t{i}": one for i in range(4)})
        narrowed = self.peak_of({f"t{i}": one for i in range(4)}, "--dtype", "bf16")
        gathered = self.peak_of({"w": one}, transposed=True)
        print(
            f"\npeak over the start, tensors of {one.nbytes} bytes: "
            f"streamed {streamed}, to BF16 {narrowed}, transposed {gathered}"
        )
        self.assertLess(streamed, one.nbytes)
        self.assertLess(narrowed, 2 * one.nbytes)
        self.assertLess(gathered, 2 * one.nbytes + 8 * 1024 * 1024)


if __name__ == "__main__":
    unittest.main()
