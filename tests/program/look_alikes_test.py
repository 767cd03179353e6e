"""Checks docs/results/look_alikes.md against look-alikes: the model of each row loads, or is refused with the words of
its row."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import look_alikes, transcripts
from support.converter import require_data

PAGE = transcripts.REPOSITORY / "docs" / "results" / "look_alikes.md"


def rows_of(page: str) -> list[tuple[str, str]]:
    """Returns the folder of each row's files, and what `embed` does with them."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:2] == "| "]
    return [(row[0].strip("`"), row[3]) for row in cells if len(row) == 6 and row[0][0] == "`"]


class LookAlikes(unittest.TestCase):
    """Tests the files of ../shared/data/hub_configs with tiny weights."""

    def embed(self, published: Path) -> tuple[int, str, int]:
        """Returns the status and the last line of `embed`, and the status of `inspect`."""
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder) / "model"
            self.assertTrue(look_alikes.make_look_alike(published, directory))
            runs = [
                subprocess.run(
                    [transcripts.PROGRAM, command, "--model", directory, "--format", "json", *texts],
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=60,
                )
                for command, texts in (("embed", ["the fox"]), ("inspect", []))
            ]
            return runs[0].returncode, runs[0].stderr.strip().replace(str(directory) + "/", ""), runs[1].returncode

    def test_every_row_is_true(self) -> None:
        """Each model does what its row says: it loads and embeds, it only loads, or it is refused for the row's
        reason."""
        folder = require_data("hub_configs")
        rows = rows_of(PAGE.read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(rows), 40)
        for name, result in rows:
            with self.subTest(name):
                embedded, message, inspected = self.embed(folder / name)
                if result == "yes":
                    self.assertEqual((embedded, inspected), (0, 0), message)
                    continue
                reason = re.fullmatch(r"(?:no|loads only): `(.*)`", result)
                self.assertIsNotNone(reason, result)
                self.assertEqual((embedded, inspected), (1, 0 if result.startswith("loads only") else 1), message)
                self.assertIn(reason.group(1), message)

    def test_every_set_of_files_has_a_row(self) -> None:
        """Every set of files has a row, except those without config.json, which have none."""
        folder = require_data("hub_configs")
        listed = {name for name, _ in rows_of(PAGE.read_text(encoding="utf-8"))}
        for published in folder.iterdir():
            has_config = (published / "config.json").exists()
            self.assertEqual(published.name in listed, has_config, published.name)


if __name__ == "__main__":
    unittest.main()
