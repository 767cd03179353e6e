"""The summary counts every case, names every failure and gives every skip its reason, on reports made up here."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.sax.saxutils import escape

REPOSITORY = Path(__file__).resolve().parents[3]

CRASH = """[ RUN      ] Json.Reads
[       OK ] Json.Reads (1 ms)
[ RUN      ] Json.SkipsWithoutData
/a/b_test.cc:12: Skipped
SKIPPED, no data

[  SKIPPED ] Json.SkipsWithoutData (0 ms)
[ RUN      ] Json.RefusesDepth
"""


class Summary(unittest.TestCase):
    """Each test writes the reports of one run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "cases").mkdir()

    def summary(self, ctest, **cases):
        """The status and the lines for a ctest report's elements, and those of its tests' reports."""
        reports = {"ctest": ctest} | {f"cases/{name}": elements for name, elements in cases.items()}
        for name, elements in reports.items():
            (self.folder / f"{name}.xml").write_text(f"<testsuite>{elements}</testsuite>", encoding="utf-8")
        command = [sys.executable, "-B", REPOSITORY / "tools/setup/summary.py", self.folder]
        run = subprocess.run(command, capture_output=True, check=False, text=True)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout.splitlines()

    def test_counts_the_cases_of_a_suite_instead_of_the_suite(self):
        cases = (
            '<testcase name="One" classname="Json" status="run"/>'
            '<testcase name="Two/0" classname="Json" status="run"/>'
            '<testcase name="Three" classname="Json" status="run">'
            '<skipped message="/a/b_test.cc:12&#x0A;SKIPPED, no data"/></testcase>'
        )
        status, lines = self.summary(
            '<testcase name="engine/base.Json" status="run"/><testcase name="install.Abi" status="run"/>'
            '<testcase name="tools.a_test" status="run"/>',
            **{
                "engine+base.Json": cases,
                "tools.a_test": '<testcase name="a_test.A.test_b"/>'
                '<testcase name="a_test.A.test_c"><skipped message="no program"/></testcase>',
            },
        )
        self.assertEqual(status, 0)
        self.assertEqual(
            lines,
            [
                "skipped, 1: SKIPPED, no data",
                "    engine/base.Json.Three",
                "skipped, 1: no program",
                "    tools.a_test.A.test_c",
                "4 passed, 0 failed, 2 skipped",
            ],
        )

    def test_names_a_failed_case(self):
        cases = '<testcase name="Bad" classname="Json" status="run"><failure message="no"/></testcase>'
        status, lines = self.summary('<testcase name="models.Json" status="fail"/>', **{"models.Json": cases})
        self.assertEqual((status, lines), (1, ["failed: models.Json.Bad", "0 passed, 1 failed, 0 skipped"]))

    def test_names_the_case_that_crashed_and_counts_those_before_it(self):
        status, lines = self.summary(
            '<testcase name="models.Json" status="fail"><failure message="SEGFAULT"/>'
            f"<system-out>{escape(CRASH)}</system-out></testcase>"
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "failed: models.Json.RefusesDepth (SEGFAULT; what follows it in its suite was not run)",
                "skipped, 1: SKIPPED, no data",
                "    models.Json.SkipsWithoutData",
                "1 passed, 1 failed, 1 skipped",
            ],
        )

    def test_fails_a_suite_that_ended_well_without_a_report_and_a_program_that_failed_after_its_cases(self):
        status, lines = self.summary(
            '<testcase name="models.Json" status="run"><system-out>[ RUN      ] Json.Exits\n</system-out></testcase>'
            '<testcase name="models.Leak" status="fail"><failure message="Failed"/></testcase>',
            **{"models.Leak": '<testcase name="Leaks" classname="Leak" status="run"/>'},
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "failed: models.Json.Exits (ended early; what follows it in its suite was not run)",
                "failed: models.Leak (its program failed outside of its cases)",
                "1 passed, 2 failed, 0 skipped",
            ],
        )

    def test_fails_a_program_that_was_not_built_and_a_run_of_nothing(self):
        missing = '<skipped message="Unable to find executable"/>'
        status, lines = self.summary(f'<testcase name="models.NOT_BUILT" status="notrun">{missing}</testcase>')
        self.assertEqual(status, 1)
        self.assertEqual(lines[0], "failed: models.NOT_BUILT (Unable to find executable)")
        self.assertEqual(self.summary("")[0], 1)


if __name__ == "__main__":
    unittest.main()
