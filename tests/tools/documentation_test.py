"""Checks that the documentation's transcripts show the real outputs, and that every command has a page with one."""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import transcripts

PAGES = [
    Path("README.md"),
    *sorted(path.relative_to(transcripts.REPOSITORY) for path in transcripts.REPOSITORY.glob("docs/**/*.md")),
]
FIRST_SCREEN = 45  # lines
LARGEST_PICTURE = 100_000  # bytes


class Comparison(unittest.TestCase):
    """Tests that the comparison of transcripts can fail."""

    def test_elisions_stand_for_lines_and_for_parts_of_a_line(self):
        self.assertTrue(transcripts.matches("a\n⋮\nd\n", "a\nb\nc\nd\n"))
        self.assertTrue(transcripts.matches("a 1… b\n", "a 1.25 b\n"))
        self.assertFalse(transcripts.matches("a 1… b\n", "a 2.25 b\n"))
        self.assertFalse(transcripts.matches("a…\n", "a\nb\n"))
        self.assertFalse(transcripts.matches("a\n", "a\nb\n"))
        self.assertFalse(transcripts.matches("a.\n", "ab\n"))

    def test_a_block_is_commands_with_their_output(self):
        self.assertEqual(transcripts.steps("$ one\n1\n2\n$ two\n"), [("one", "1\n2\n"), ("two", "")])


@unittest.skipUnless(transcripts.PROGRAM.exists(), "no build/bert-infer: the transcripts were not run")
class Documentation(unittest.TestCase):
    def test_every_command_has_a_page_with_a_transcript(self):
        listing = [transcripts.PROGRAM, "--help-all"]
        overview = subprocess.run(listing, capture_output=True, check=True, text=True).stdout
        listed = re.search(r"^Commands.*?\n(.*?)\n\n", overview, re.MULTILINE | re.DOTALL).group(1)
        names = re.findall(r"^  (\S+)", listed, re.MULTILINE)  # a long summary continues on the next line
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with self.subTest(command=name):
                page = transcripts.REPOSITORY / "docs" / "commands" / f"{name}.md"
                self.assertTrue(page.exists(), f"docs/commands/{name}.md is not there")
                blocks = "".join(transcripts.BLOCK.findall(page.read_text()))
                self.assertRegex(blocks, rf"(?m)^\$ (.*\| )?bert-infer {name}\b", f"{page.name} does not run {name}")

    def test_transcripts_print_what_they_say(self):
        for page in PAGES:
            for block in transcripts.BLOCK.findall((transcripts.REPOSITORY / page).read_text()):
                with self.subTest(page=str(page), block=block.splitlines()[0]):
                    if (absent := transcripts.missing(block)) is not None:
                        self.skipTest(f"no {absent} (BERT_TEST_MINILM, BERT_TEST_DATA)")
                    for (command, expected), printed in zip(transcripts.steps(block), transcripts.run(block)):
                        self.assertTrue(
                            transcripts.matches(expected, printed), f"{page}: $ {command}\nprints\n{printed}"
                        )

    def test_pages_say_how_to_get_the_models_of_their_examples(self):
        named = (transcripts.REPOSITORY / "docs" / "MODELS.md").read_text()
        for page in PAGES:
            text = (transcripts.REPOSITORY / page).read_text()
            blocks = "".join(transcripts.BLOCK.findall(text))
            for name in [name for name in transcripts.materials() if name in blocks and name != "tools"]:
                with self.subTest(page=str(page), name=name):
                    self.assertIn("MODELS.md#models-of-the-examples", text)
                    self.assertIn(f"`{name}`", named)

    def test_fences_pair_and_their_code_parses(self):
        for page in PAGES:
            text = (transcripts.REPOSITORY / page).read_text()
            self.assertEqual(re.findall(r"(?m)^\s*(?!```)\S.*```(?!`).*$", text), [], f"{page}: a fence within a line")
            fences = re.findall(r"(?m)^ *```(.*)$", text)
            self.assertEqual(fences[1::2], [""] * (len(fences) // 2), f"{page}: a fence that does not close")
            self.assertEqual(len(fences) % 2, 0, f"{page}: a fence that does not close")
            for language, code in re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", text):
                with self.subTest(page=str(page), code=code[:60]):
                    if language == "python":
                        ast.parse(code)
                    elif language == "json":
                        json.loads(code)
                    elif language in ("sh", "bash"):
                        done = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True, check=False)
                        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_readmes_first_screen_shows_the_program(self):
        """It has the two scripts, an existing picture, and commands with their outputs, which another test runs."""
        lines = (transcripts.REPOSITORY / "README.md").read_text().splitlines()[:FIRST_SCREEN]
        screen = "\n".join(lines) + "\n"
        for script in ("tools/quickstart.sh", "tools/test.sh"):
            self.assertRegex(screen, rf"(?m)^{script} ")
        picture = re.search(r"!\[[^]]+\]\(([^)]+)\)", screen)
        self.assertIsNotNone(picture)
        self.assertTrue((transcripts.REPOSITORY / picture.group(1)).exists(), picture.group(1))
        commands = [command for block in transcripts.BLOCK.findall(screen) for command, _ in transcripts.steps(block)]
        self.assertEqual(len(commands), 3)
        self.assertTrue(any(command.startswith("build/bert-infer similarity") for command in commands))

    def test_the_readme_can_be_pasted(self):
        """Runs README's shell commands in order in a folder like the repository's, except those that fetch
        something."""
        text = (transcripts.REPOSITORY / "README.md").read_text().split("## From the shell")[1].split("## ")[0]
        lines = re.search(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1).splitlines()
        self.assertGreater(len(lines), 10)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "build").mkdir()
            for name, path in (("models", "models"), ("examples", "examples")):
                Path(folder, name).symlink_to(transcripts.REPOSITORY / path)
            Path(folder, "build", "bert-infer").symlink_to(transcripts.PROGRAM.resolve())
            for line in lines:
                if line.startswith("build/bert-infer fetch") or "--model deepset/" in line:
                    continue
                with self.subTest(line=line):
                    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertNotIn("error", done.stderr)

    def test_the_servers_requests_can_be_pasted(self):
        """Runs the first commands of SERVER.md against a server that is started as the page says."""
        text = (transcripts.REPOSITORY / "docs" / "SERVER.md").read_text()
        lines = re.findall(r"^curl localhost:8080.*$", text, re.MULTILINE)
        self.assertGreater(len(lines), 5)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        started = [transcripts.PROGRAM, "serve", "--port", str(port)]
        with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as server:
            self.addCleanup(server.kill)
            if not any(line.endswith("note: ready\n") for line in server.stderr):
                self.skipTest("SKIPPED, a build without the server")
            for line in dict.fromkeys(lines):
                command = line.replace("curl localhost:8080", f"curl --silent --show-error --fail localhost:{port}")
                with self.subTest(line=line):
                    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(json.loads(done.stdout))
            server.terminate()

    def test_pictures_are_what_the_script_draws(self):
        folder = transcripts.REPOSITORY / "docs" / "pictures"
        script = folder / "make.sh"
        if (absent := transcripts.missing(script.read_text())) is not None:
            self.skipTest(f"no {absent} (BERT_TEST_MINILM, BERT_TEST_DATA)")
        with tempfile.TemporaryDirectory() as drawn, tempfile.TemporaryDirectory() as work:
            transcripts.link_materials(Path(work))
            environment = {**os.environ, "BERT_INFER_PROGRAM": str(transcripts.PROGRAM), "LC_ALL": "C.UTF-8"}
            subprocess.run([script, drawn], cwd=work, env=environment, check=True)
            expected = {path.name: path.read_text() for path in folder.glob("*.svg")}
            self.assertGreater(len(expected), 5)
            self.assertEqual({path.name for path in Path(drawn).iterdir()}, set(expected))
            for name, text in expected.items():
                self.assertLessEqual(len(text.encode()), LARGEST_PICTURE, name)
                self.assertEqual((Path(drawn) / name).read_text(), text, f"{name} is old: run docs/pictures/make.sh")


if __name__ == "__main__":
    unittest.main()
