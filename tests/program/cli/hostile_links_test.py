"""Tests directories of models with links to files that are not the model's. quantize, bundle, fit, distill and the
converter must write nothing from outside the directory. A seed draws 60 directories; one in three is tried, chosen by
tests/faults/share.py."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "faults"))
import share

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("BERT_INFER_PROGRAM", str(REPOSITORY / "build" / "bert-infer"))
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
SECRET = "what-is-outside-stays-outside"
DIRECTORIES = 60

# Names of files beside the weights: files of the model, of its modules, and others.
SIDE_FILES = ("config.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
              "config_sentence_transformers.json", "sentence_bert_config.json", "modules.json", "1_Pooling/config.json",
              "2_Dense/config.json", "chat_template.jinja", "README.md", "LICENSE", "NOTICE", "notes.txt", "merges.txt",
              "custom.py", "onnx/config.json", ".hidden", "a file", "-o", "new\nline.txt", "ü\u202e.json", "x" * 200)
FORMS = ("absolute", "relative", "dangling", "chain", "directory", "process", "loop", "absent parent", "module",
         "nested directory", "hard")


def link(place: Path, target: str) -> None:
    place.parent.mkdir(exist_ok=True)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


class HostileLinks(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        models = self.folder / "models"
        models.mkdir()
        subprocess.run([WRITE_TINY_MODELS, str(models)], check=True)
        self.base = models / "embedder"
        (self.base / "1_Pooling").mkdir()
        (self.base / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
        (self.base / "modules.json").write_text(json.dumps([
            {"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]))
        (self.base / "sentence_bert_config.json").write_text('{"max_seq_length": 20}')
        (self.base / "README.md").write_text("# A model\n")
        self.outside = self.folder / "outside"
        self.outside.mkdir()

    def secret_of(self, name: str) -> Path:
        """Writes a file outside the directory that could replace the model's own: it has the same content and the
        secret."""
        own = self.base / name
        path = self.outside / "secret"
        if name == "vocab.txt":
            path.write_text(own.read_text().replace("filler30", SECRET))
        elif name.endswith(".json") and not name.startswith("modules"):
            path.write_text(json.dumps((json.loads(own.read_text()) if own.exists() else {}) | {SECRET: SECRET}))
        else:
            path.write_text(f"{SECRET}\n" * 50)
        return path

    def directory(self, number: int) -> tuple[Path, str]:
        """Returns a copy of the model with one to three hostile links, and a description of the links."""
        dice = random.Random(f"{share.SEED} directory {number}")
        model = self.folder / f"model{number}"
        shutil.copytree(self.base, model)
        made = []
        for _ in range(dice.choice((1, 1, 2, 3))):
            form, name = dice.choice(FORMS), dice.choice(SIDE_FILES)
            made.append(f"{form} {name!r}")
            secret, place = self.secret_of(name), model / name
            if place.parent.is_symlink():
                continue
            match form:
                case "absolute":
                    link(place, str(secret))
                case "relative":
                    link(place, os.path.relpath(secret, place.parent))
                case "dangling":
                    link(place, str(self.outside / "nothing"))
                case "chain":
                    link(self.outside / "second", str(secret))
                    link(model / "first", "../outside/second")
                    link(place, os.path.relpath(model / "first", place.parent))
                case "directory":
                    link(place, str(self.outside))
                case "process":
                    link(place, dice.choice(("/proc/self/environ", "/proc/self/cmdline", "/proc/self/cwd/secret")))
                case "loop":
                    link(place, place.name)
                case "absent parent":
                    link(place, "no-folder/../../outside/secret")
                case "module":
                    (self.outside / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True, SECRET: 1}))
                    path = dice.choice(("../outside", str(self.outside), "1_Pooling/../../outside"))
                    (model / "modules.json").unlink(missing_ok=True)
                    (model / "modules.json").write_text(json.dumps([
                        {"path": "", "type": "sentence_transformers.models.Transformer"},
                        {"path": path, "type": "sentence_transformers.models.Pooling"}]))
                case "nested directory":
                    (self.outside / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True, SECRET: 1}))
                    link(model / "1_Pooling", dice.choice(("../outside", str(self.outside))))
                case "hard":  # a link by name that the file system cannot tell from a file: the model's own content
                    place.parent.mkdir(exist_ok=True)
                    if not os.path.lexists(place):
                        os.link(self.base / "README.md", place)
        return model, ", ".join(made)

    def commands(self, model: Path, out: Path) -> dict[str, list[str]]:
        texts = self.folder / "texts.jsonl"
        lines = [json.dumps({"text": f"the {word}", "label": word}) + "\n" for word in ("fox", "dog") * 5]
        texts.write_text("".join(lines))
        return {
            "quantize": [PROGRAM, "quantize", str(model), str(out / "quantized")],
            "bundle": [PROGRAM, "bundle", str(model), str(out / "bundle")],
            "fit": [PROGRAM, "fit", "--model", str(model), "--input", str(texts), "--pooling", "mean", "--output",
                    str(out / "fitted")],
            "distill": [PROGRAM, "distill", "--dimensions", "8", str(model), str(out / "static")],
            "convert": [sys.executable, "-B", str(REPOSITORY / "tools" / "convert_weights.py"),
                        "--output", str(out / "converted"), str(model)],
        }

    def run_all(self, model: Path, what: str) -> dict[str, int]:
        """Runs every command and returns its status. Fails if a command writes anything from outside the directory or
        from the process's environment."""
        statuses = {}
        for name, command in self.commands(model, self.folder / "out").items():
            out = self.folder / "out"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            done = subprocess.run(command, capture_output=True, timeout=60, cwd=self.outside,
                                  env={**os.environ, "A_SECRET": SECRET})
            statuses[name] = done.returncode
            with self.subTest(command=name, links=what, seed=share.SEED):
                self.assertIn(done.returncode, (0, 1), done.stderr)
                for path in out.rglob("*"):
                    self.assertFalse(path.is_symlink(), path)
                    content = path.read_bytes() if path.is_file() else b""
                    self.assertNotIn(SECRET.encode(), content, path)
                    self.assertNotIn(str(model).encode() + b"\0", content, path)  # of /proc/self/cmdline
                if done.returncode != 0:
                    self.assertEqual([path.name for path in out.iterdir()], [], done.stderr)
                    self.assertIn(b"error: ", done.stderr)
        return statuses

    def test_nothing_from_outside_is_in_what_is_written(self) -> None:
        refused = 0
        for number in share.of(range(DIRECTORIES), 3):
            model, what = self.directory(number)
            refused += sum(status != 0 for status in self.run_all(model, what).values())
            shutil.rmtree(model)
        self.assertGreater(refused, 0)

    def test_the_model_itself_and_the_links_of_the_hubs_cache_are_taken(self) -> None:
        cache = self.folder / "models--a--b"
        (cache / "blobs").mkdir(parents=True)
        snapshot = cache / "snapshots" / ("0" * 40)
        for number, path in enumerate(sorted(self.base.rglob("*"))):
            if path.is_dir():
                continue
            shutil.copy(path, cache / "blobs" / str(number))
            place = snapshot / path.relative_to(self.base)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(os.path.relpath(cache / "blobs" / str(number), place.parent))
        for model in (self.base, snapshot):
            self.assertEqual(set(self.run_all(model, str(model)).values()), {0})


if __name__ == "__main__":
    unittest.main()
