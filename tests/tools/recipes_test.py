"""Tests that packaging/recipes.sh fills a published archive's version, address and digests into its templates."""

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
RECIPES = SOURCES / "packaging" / "recipes.sh"
PARTS = ("CMakeLists.txt", "pyproject.toml", "program/cli/main.cc", "models/builtin/model.safetensors")
URL = "https://example.org/bert-infer-0.1.0.tar.gz?a=1&b=2"
HOMEPAGE = "https://example.org/"


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.archive = cls.pack("sources.tar.gz", PARTS)
        cls.version = re.search(r"bert-infer VERSION ([0-9.]+)", (SOURCES / "CMakeLists.txt").read_text()).group(1)

    @classmethod
    def pack(cls, name, parts):
        with tarfile.open(cls.folder / name, "w:gz") as archive:
            for part in parts:
                archive.add(SOURCES / part, f"bert-infer/{part}")
        return cls.folder / name

    def run_script(self, *arguments):
        return subprocess.run([RECIPES, *map(str, arguments)], capture_output=True, text=True, check=False)

    def written(self):
        """Runs the script with the archive and returns the written files by their names."""
        out = self.folder / self.id()
        result = self.run_script(self.archive, URL, HOMEPAGE, out)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return {str(path.relative_to(out)): path.read_text() for path in out.rglob("*") if path.is_file()}

    def refused(self, message, *arguments):
        result = self.run_script(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr.splitlines()[-1], f"recipes.sh: {message}")

    def test_every_recipe_has_the_version_the_address_and_a_digest(self):
        files = self.written()
        data = self.archive.read_bytes()
        sha256, sha512 = hashlib.sha256(data).hexdigest(), hashlib.sha512(data).hexdigest()
        expected = {"vcpkg/ports/bert-infer/portfile.cmake": (self.version, URL, sha512),
                    "vcpkg/ports/bert-infer/vcpkg.json": (self.version, HOMEPAGE),
                    "vcpkg/ports/bert-infer/usage": ("BertInfer::bertinfer",),
                    "vcpkg/test/CMakeLists.txt": (self.version,),
                    "vcpkg/test/main.cc": ("Model::builtin",),
                    "vcpkg/test/vcpkg.json": ("bert-infer",),
                    "vcpkg/test/vcpkg-configuration.json": ("../ports",),
                    "conda/recipe.yaml": (self.version, URL, sha256, HOMEPAGE),
                    "homebrew/bert-infer.rb": (self.version, URL, sha256, HOMEPAGE)}
        self.assertEqual(set(files), set(expected))
        for name, parts in expected.items():
            for part in parts:
                self.assertIn(part, files[name], name)
            self.assertIsNone(re.search(r"@[A-Z0-9]+@", files[name]), name)

    def test_json_is_whole(self):
        files = self.written()
        port = json.loads(files["vcpkg/ports/bert-infer/vcpkg.json"])
        self.assertEqual((port["name"], port["version"], port["homepage"]), ("bert-infer", self.version, HOMEPAGE))
        self.assertEqual(json.loads(files["vcpkg/test/vcpkg.json"])["dependencies"], [port["name"]])
        self.assertEqual(json.loads(files["vcpkg/test/vcpkg-configuration.json"])["overlay-ports"], ["../ports"])

    def test_options_are_those_of_the_build(self):
        build = (SOURCES / "CMakeLists.txt").read_text()
        files = self.written()
        for name in ("vcpkg/ports/bert-infer/portfile.cmake", "homebrew/bert-infer.rb"):
            options = re.findall(r"-D(BERT_INFER_\w+)=O(?:N|FF)\b", files[name])
            self.assertGreater(len(options), 1, name)
            for option in options:
                self.assertRegex(build, rf"option\({option} ")

    def test_requirements_of_the_python_package_are_its_own(self):
        project = (SOURCES / "pyproject.toml").read_text()
        recipe = self.written()["conda/recipe.yaml"]
        for requirement in re.findall(r'"((?:scikit-build-core|nanobind|numpy)>[^"]+)"', project):
            name, bounds = re.fullmatch(r"([a-z-]+)(.+)", requirement).groups()
            self.assertIn(f"- {name} {bounds}\n", recipe)

    @unittest.skipUnless(importlib.util.find_spec("rattler_build"), "py-rattler-build is not here")
    def test_conda_recipe_renders(self):
        import rattler_build
        variants = rattler_build.VariantConfig({"python": ["3.12.* *_cpython"], "c_stdlib": ["sysroot"]})
        recipe = rattler_build.Stage0Recipe.from_yaml(self.written()["conda/recipe.yaml"])
        (rendered,) = recipe.render(variants)
        self.assertEqual(rendered.recipe.to_dict()["source"][0]["url"], URL)

    @unittest.skipUnless(shutil.which("ruby"), "ruby is not here")
    def test_formula_is_ruby(self):
        path = self.folder / "formula.rb"
        path.write_text(self.written()["homebrew/bert-infer.rb"])
        result = subprocess.run(["ruby", "-wc", path], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "Syntax OK\n", ""))

    def test_wrong_arguments_are_refused(self):
        out = self.folder / "refused"
        self.refused("1 arguments, expected ARCHIVE URL HOMEPAGE OUT", self.archive)
        self.refused("'file:///a', expected an address that begins with https://", self.archive, "file:///a", HOMEPAGE,
                     out)
        self.refused("'https://a\"b', expected an address that begins with https://", self.archive, URL, 'https://a"b',
                     out)
        self.refused("'none.tar.gz': no such file", "none.tar.gz", URL, HOMEPAGE, out)
        self.refused(f"'{RECIPES}': expected a .tar.gz", RECIPES, URL, HOMEPAGE, out)
        self.assertFalse(out.exists())

    def test_part_of_the_tree_is_refused(self):
        for part in PARTS:
            archive = self.pack("part.tar.gz", [other for other in PARTS if other != part])
            self.refused(f"'{archive}' has no bert-infer/{part}, expected the whole tree in a folder", archive, URL,
                         HOMEPAGE, self.folder / "refused")


if __name__ == "__main__":
    unittest.main()
