"""Tests what packaging/release.sh refuses, and its parts. The build itself is run by hand."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
RELEASE = SOURCES / "packaging" / "release"
OF_LIBRARY = {"ziglang", "libeigen3-dev"}
OF_PROGRAM = OF_LIBRARY | {"zlib", "minizip", "libzstd", "prometheus-cpp", "libonig", "mimalloc", "libboost1.81-dev",
                           "nlohmann-json3-dev", "libcli11-dev"}
OF_MODULE = {"nanobind"}
OF_BUILD = {"libpython3.11-dev", "libpython3.11-dev:arm64", "libpython3.13-dev", "libpython3.13-dev:arm64", "wheel",
            "scikit-build-core", "pathspec", "packaging", "libnode-dev", "libsqlite3-dev", "g++-12", "libgcc-12-dev",
            "libisl23", "libmpc3", "libmpfr6", "libgmp10", "libzstd1", "zlib1g"}


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def shell(script, *arguments):
    """Runs a script with the functions of the release's parts."""
    parts = f"source '{SOURCES}/tools/setup/setup.sh'\nsource '{RELEASE}/inputs.sh'\n"
    return run("bash", "-euo", "pipefail", "-c", parts + script, "release.sh", *arguments)


class Arguments(unittest.TestCase):
    def refused(self, arguments, message):
        result = run(SOURCES / "packaging" / "release.sh", *arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, f"release.sh: {message}\n")

    def test_wrong_ones_are_refused_by_name(self):
        self.refused([], "no output directory given: packaging/release.sh OUT [PLATFORM]...")
        self.refused(["--fast"], "unknown option '--fast', expected --update-pins or --help")
        self.refused(["out", "riscv64"], "unknown platform 'riscv64', expected one of "
                     "linux-x86_64 linux-aarch64 macos-x86_64 macos-aarch64 windows-x86_64")
        self.refused(["--update-pins", "out"], "--update-pins takes no output directory, found 'out'")

    def test_help_names_both_uses(self):
        result = run(SOURCES / "packaging" / "release.sh", "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("packaging/release.sh OUT [PLATFORM]...", result.stdout)
        self.assertIn("packaging/release.sh --update-pins", result.stdout)


class Pins(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_every_input_has_its_line(self):
        result = shell('read_pins "$1"; printf "%s\\n" "${pin_names[@]}"', RELEASE / "pins.txt")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(set(result.stdout.split()), OF_PROGRAM | OF_MODULE | OF_BUILD)

    def test_a_line_of_another_form_is_refused(self):
        pins = self.folder / "pins.txt"
        for line in ["deb zlib 1.2", "npm zlib 1.2 " + 64 * "0" + " program Zlib",
                     "deb zlib 1.2 " + 63 * "0" + " program Zlib", "deb zlib 1.2 " + 64 * "0" + " server Zlib",
                     "deb zlib:mips 1.2 " + 64 * "0" + " program Zlib"]:
            pins.write_text(f"# a comment\n{line}\n", encoding="utf-8")
            result = shell('read_pins "$1"', pins)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{pins}, line 2: '{line}', expected KIND NAME VERSION SHA256 USE LICENCE", result.stderr)

    def fetch(self, version, digest):
        """Runs fetch_inputs with an input that already exists, in a system where nothing can be fetched."""
        (self.folder / "small").mkdir(exist_ok=True)
        (self.folder / "small" / "small-1.0-py3-none-any.whl").write_bytes(b"a wheel")
        (self.folder / "pins.txt").write_text(f"pypi small {version} {digest} build MIT\n", encoding="utf-8")
        return shell('read_pins "$1/pins.txt"; fetch_input() { return 1; }; fetch_inputs "$1"', self.folder)

    def test_another_digest_stops_with_the_name(self):
        right = "05b2aae756f20a4fdd567cbcc5e69a4ff51c212abb659210d49102b7f337857c"
        result = self.fetch("1.0", right)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, f"^release.sh: small 1.0: SHA-256 is [0-9a-f]{{64}}, expected {right}\n$")
        actual = re.search("is ([0-9a-f]{64})", result.stderr).group(1)
        self.assertEqual(self.fetch("1.0", actual).returncode, 0)

    def test_another_version_stops_with_the_name(self):
        result = self.fetch("1.1", 64 * "0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("small: version 1.1 cannot be had here; --update-pins takes those that can", result.stderr)


class Archives(unittest.TestCase):
    def test_depend_on_their_files_alone(self):
        with tempfile.TemporaryDirectory() as name:
            folder, digests = Path(name), set()
            for turn in ("one", "two"):
                (folder / turn / "package" / "sub").mkdir(parents=True)
                for part in ("b", "sub/c", "a") if turn == "one" else ("a", "b", "sub/c"):
                    (folder / turn / "package" / part).write_text(part, encoding="utf-8")
                    (folder / turn / "package" / part).chmod(0o600 if turn == "one" else 0o644)
                result = shell(f"source '{RELEASE}/bindings.sh'; archive_of \"$1.tgz\" \"$1\" package", folder / turn)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                digests.add((folder / f"{turn}.tgz").read_bytes())
            self.assertEqual(len(digests), 1)


class BillOfMaterials(unittest.TestCase):
    def test_has_every_input_and_the_compilers_libraries(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for path, text in [("lib/libc/musl/src/internal/version.h", '#define VERSION "1.2.5"\n'),
                               ("lib/libcxx/include/__config", "#  define _LIBCPP_VERSION 220108\n"),
                               ("lib/libc/include/any-windows-any/_mingw_mac.h",
                                "".join(f"#define __MINGW64_VERSION_{part} {number}\n" for part, number
                                        in [("MAJOR", 15), ("MINOR", 0), ("BUGFIX", 1)])),
                               ("program", "a program")]:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
            arguments = [sys.executable, "-B", RELEASE / "sbom.py", RELEASE / "pins.txt", folder, "1.2",
                         "linux-aarch64", folder / "program"]
            result, wheel, addon = run(*arguments), run(*arguments, "module"), run(*arguments, "library")
            self.assertEqual(run(*arguments, "addon").stderr,
                             "sbom.py: KIND is 'addon', expected program, module or library\n")
            arguments[arguments.index("linux-aarch64")] = "macos-aarch64"
            of_macos = {component["name"]: component for component in json.loads(run(*arguments).stdout)["components"]}
            arguments[arguments.index("macos-aarch64")] = "windows-x86_64"
            of_dll = {component["name"]: component
                      for component in json.loads(run(*arguments, "library").stdout)["components"]}
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        bill = json.loads(result.stdout)
        self.assertEqual(bill["metadata"]["component"]["hashes"][0]["content"],
                         "d69ea8cda2433733c1ce02de65da8f48e6a3dbba6bb18876a2062908e54ef7cb")
        components = {component["name"]: component for component in bill["components"]}
        self.assertEqual(set(components), OF_PROGRAM)
        self.assertEqual(set(of_macos), OF_PROGRAM - {"prometheus-cpp", "mimalloc", "libboost1.81-dev"})
        self.assertEqual({component["name"] for component in of_macos["ziglang"]["components"]},
                         {"libc++", "libc++abi", "libunwind"})  # the C library is the system's
        of_wheel = {component["name"] for component in json.loads(wheel.stdout)["components"]}
        self.assertEqual(of_wheel, OF_PROGRAM | OF_MODULE)
        of_addon = {component["name"]: component for component in json.loads(addon.stdout)["components"]}
        self.assertEqual(set(of_addon), OF_LIBRARY)
        self.assertEqual({component["name"] for component in of_addon["ziglang"]["components"]},
                         {"libc++", "libc++abi", "libunwind"})  # the C library is the process's
        self.assertEqual(set(of_dll), OF_LIBRARY | {"libonig"})
        self.assertEqual({component["name"]: component["version"] for component in of_dll["ziglang"]["components"]},
                         {"mingw-w64": "15.0.1", "libc++": "22.1.8", "libc++abi": "22.1.8", "libunwind": "22.1.8"})
        inside = {component["name"]: component["version"] for component in components["ziglang"]["components"]}
        self.assertEqual(inside, {"musl": "1.2.5", "libc++": "22.1.8", "libc++abi": "22.1.8", "libunwind": "22.1.8"})
        self.assertRegex(components["zlib"]["purl"], r"^pkg:deb/debian/zlib@1%3A[^?]+\?arch=source$")


if __name__ == "__main__":
    unittest.main()
