"""tools/setup/setup.sh installs what is missing, and names what this system's package sources do not have."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[3]
# A system of our own: what is installed, what can be had, and what apt-get was asked for are files beside the tools.
TOOLS = {
    "dpkg-query": 'grep -qx "${@: -1}" "$HERE/installed" && echo installed',
    "apt-cache": '''echo "$2:"; if grep -qx "$2" "$HERE/sources"; then echo "  Candidate: 1.0"; fi
        seq 100000''',  # so much that nobody may stop reading
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
        """The status, the lines on standard error and the calls of apt-get."""
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


if __name__ == "__main__":
    unittest.main()
