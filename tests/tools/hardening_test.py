"""Tests the checks against overwritten memory, in builds with them: objects of code that reads input have them, objects
of loops over numbers and characters do not, and the linked program, shared library and Python module have them."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("BERT_INFER_PROGRAM", Path(__file__).parents[2] / "build" / "bert-infer")).parent
CACHE = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
# Each of these folders has a function with an array on its stack.
CHECKED = ("engine_base", "engine_checkpoint", "models_files")
UNCHECKED = ("engine_kernels", "engine_layers", "tokenizer")


def printed(*command: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def functions(path: Path) -> str:
    """Returns nm's list of the functions that an object needs from others."""
    return printed("nm", "--undefined-only", path)


@unittest.skipUnless(re.search(r"BERT_INFER_HARDENING:BOOL=ON", CACHE) and
                     re.search(r"CMAKE_BUILD_TYPE:STRING=Release", CACHE), "a build without hardening")
class Hardening(unittest.TestCase):
    def objects(self, folder: str) -> list[Path]:
        found = sorted((BUILD / "CMakeFiles" / f"bertinfer_{folder}.dir").rglob("*.o"))
        self.assertTrue(found, folder)
        return found

    def test_objects_that_read_input_check_their_stack(self):
        for folder in CHECKED:
            needed = "".join(functions(path) for path in self.objects(folder))
            self.assertIn("__stack_chk_fail", needed, folder)

    def test_loops_over_numbers_and_characters_do_not(self):
        for folder in UNCHECKED:
            for path in self.objects(folder):
                self.assertNotIn("__stack_chk_fail", functions(path), path)

    def test_program_library_and_module(self):
        # The module contains the C++ library.
        modules = sorted((BUILD / "python" / "bert_infer").glob("_engine*.so"))
        for path in (BUILD / "bert-infer", BUILD / "libbertinfer.so", *modules):
            with self.subTest(path.name):
                needed = printed("nm", "--dynamic", "--undefined-only", path)
                for function in ("__stack_chk_fail", "_chk@", *(() if path in modules else ("__glibcxx_assert_fail",))):
                    self.assertIn(function, needed)
                dynamic, headers = (printed("readelf", "--wide", part, path)
                                    for part in ("--dynamic", "--program-headers"))
                self.assertIn("BIND_NOW", dynamic)
                for entry in ("TEXTREL", "RPATH", "RUNPATH"):
                    self.assertNotIn(entry, dynamic)
                self.assertIn("GNU_RELRO", headers)
                self.assertIn("DYN", headers)  # position-independent
                self.assertRegex(headers, r"GNU_STACK .* RW +0x")
                self.assertNotRegex(headers, r"LOAD .* RWE ")

    def test_what_the_compiler_has_is_asked_for(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        for flag, variable in (("-fstack-clash-protection", "BERT_INFER_HAS_STACK_CLASH"),
                               ("-D_FORTIFY_SOURCE=3", "BERT_INFER_HAS_FORTIFY_3")):
            if not re.search(rf"{variable}:INTERNAL=1", CACHE):
                continue
            for folder in (*CHECKED, *UNCHECKED):
                of_folder = [one["command"] for one in commands if f"/bertinfer_{folder}.dir/" in one["command"]]
                of_folder = [command for command in of_folder if ".cc " in command or command.endswith((".cc", ".cxx"))]
                self.assertTrue(of_folder, folder)
                for command in of_folder:
                    self.assertEqual(flag in command, folder in CHECKED, command)

    @unittest.skipUnless(os.uname().machine == "x86_64", "a CPU of another kind")
    def test_calls_and_returns_are_marked_in_each_object(self):
        """If the C library's objects lack the marks, the linked files lack them too."""
        paths = [path for place in ("CMakeFiles", "program/*/CMakeFiles", "bindings/python/CMakeFiles")
                 for path in BUILD.glob(f"{place}/bert*.dir/**/*.o")]
        unchecked = {f"bertinfer_{folder}.dir" for folder in UNCHECKED}
        paths = [path for path in paths if not unchecked & set(path.parts)]
        self.assertGreater(len(paths), 10)
        notes = re.split(r"^File: ", printed("readelf", "--wide", "--notes", *paths), flags=re.MULTILINE)[1:]
        self.assertEqual(len(notes), len(paths))
        for note in notes:
            self.assertRegex(note, "x86 feature: IBT, SHSTK")


if __name__ == "__main__":
    unittest.main()
