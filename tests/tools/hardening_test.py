"""The checks against overwritten memory, where the build has them: in the objects of what reads input, not in those of
the loops over numbers and characters, and in the program and the shared library as they are linked."""

import os
import re
import subprocess
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("BERT_INFER_PROGRAM", Path(__file__).parents[2] / "build" / "bert-infer")).parent
CACHE = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
# A function of each of these folders has an array on its stack.
CHECKED = ("engine_base", "engine_checkpoint", "models_files")
UNCHECKED = ("engine_kernels", "engine_layers", "tokenizer")


def printed(*command: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def functions(path: Path) -> str:
    """The functions that an object needs of others."""
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

    def test_program_and_library(self):
        for name in ("bert-infer", "libbertinfer.so"):
            with self.subTest(name):
                needed = printed("nm", "--dynamic", "--undefined-only", BUILD / name)
                for function in ("__stack_chk_fail", "_chk@", "__glibcxx_assert_fail"):
                    self.assertIn(function, needed)
                self.assertIn("BIND_NOW", printed("readelf", "--dynamic", BUILD / name))
                self.assertIn("GNU_RELRO", printed("readelf", "--program-headers", BUILD / name))

    @unittest.skipUnless(os.uname().machine == "x86_64", "a CPU of another kind")
    def test_branches_to_functions_are_marked(self):
        path = self.objects("models_files")[0]
        self.assertIn("IBT", printed("readelf", "--notes", path))


if __name__ == "__main__":
    unittest.main()
