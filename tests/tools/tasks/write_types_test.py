"""What is written of the tasks' options is what the library's description says."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools/tasks"))
import c_options
import task_pages
import write_types

OPTIONS = [
    {"name": "labels", "type": "texts", "help": "candidates", "required": True},
    {"name": "long_text", "type": "word", "help": "what is done", "words": ["cut", "error"], "default": "cut"},
    {"name": "top_k", "type": "size", "help": "at most " * 20 + "all", "excludes": "long_text"},
]


class WriteTypes(unittest.TestCase):
    def test_the_files_are_what_is_written(self):
        command = [sys.executable, "-B", REPOSITORY / "tools/tasks/write_types.py", "--check"]
        done = subprocess.run([*command, os.environ["BERT_TASKS_JSON"]], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_option_has_its_type_and_its_default(self):
        made = write_types.interface({"name": "zero_shot", "options": OPTIONS})
        self.assertIn("export interface ZeroShotOptions {\n", made)
        self.assertIn('  /** What is done. Default: "cut". */\n  longText?: "cut" | "error";\n', made)
        self.assertIn("  topK?: number;\n", made)
        self.assertIn("Not beside longText.", made)
        self.assertNotIn("labels", made)  # an argument
        self.assertLessEqual(max(map(len, made.splitlines())), 120)

    def test_only_the_part_between_the_marks_is_written(self):
        text = f"a\n{write_types.BEGIN}old\n{write_types.END}b\n"
        new = write_types.written(text, [{"name": "tag", "options": OPTIONS}])
        self.assertTrue(new.startswith("a\n") and new.endswith("b\n") and "old" not in new)
        self.assertEqual(write_types.written(new, [{"name": "tag", "options": OPTIONS}]), new)

    def test_c_has_a_constant_and_a_setter(self):
        task = {"name": "zero_shot", "help": "labels", "options": OPTIONS}
        made = c_options.c_options([task])
        self.assertIn('#define BERT_TASK_ZERO_SHOT "zero_shot"\n', made)
        self.assertEqual(made.count('#define BERT_OPTION_TOP_K "top_k"\n'), 1)
        self.assertIn("// Candidates. Required.\n", made)
        self.assertIn('// What is done. One of cut, error. Default: "cut".\n', made)
        self.assertIn("bert_zero_shot_set_labels(bert_task* task, const bert_text* texts, size_t count)", made)
        self.assertLessEqual(max(map(len, made.splitlines())), 120)

    def test_a_page_has_a_row_for_each_option(self):
        task = {"name": "tag", "help": "entities", "reads": "text", "gives": "entities", "ranks": False}
        made = task_pages.task_tables([{**task, "options": OPTIONS}])
        self.assertIn('| `long_text` | word | `cut`, `error` | `"cut"` | What is done. |\n', made)
        self.assertEqual(made.count("\n| `"), 3)

    def test_long_words_of_an_option_stand_in_the_first_table(self):
        task = {"help": "a task", "reads": "text", "gives": "labels", "ranks": False}
        option = {"name": "stride", "type": "size", "help": "A long text is read in windows of so many tokens"}
        made = task_pages.task_tables([{**task, "name": name, "options": [option]} for name in ("tag", "answer")])
        self.assertEqual(made.count(option["help"]), 1)
        self.assertIn("| `stride` | whole number |  |  | As of [tag](#tag). |\n", made)


if __name__ == "__main__":
    unittest.main()
