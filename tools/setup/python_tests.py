"""Runs one file of Python tests and writes a JUnit report of its cases: python_tests.py FILE REPORT"""

import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path


class ReportingResult(unittest.TextTestResult):
    """Remembers every outcome as (test, element of the report or None if the test passed, message)."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.outcomes.append((test.id(), None, ""))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcomes.append((test.id(), "skipped", reason))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.outcomes.append((test.id(), "failure", str(error[1])))

    def addError(self, test, error):
        super().addError(test, error)
        self.outcomes.append((test.id(), "failure", str(error[1])))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.outcomes.append((subtest.id(), "failure", str(error[1])))


def main():
    file, report = map(Path, sys.argv[1:])
    tests = unittest.defaultTestLoader.discover(str(file.parent), pattern=file.name)
    result = unittest.TextTestRunner(resultclass=ReportingResult).run(tests)
    suite = ElementTree.Element("testsuite", name=file.name)
    for name, outcome, message in result.outcomes:
        case = ElementTree.SubElement(suite, "testcase", name=name)
        if outcome is not None:
            ElementTree.SubElement(case, outcome, message=message)
    report.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(suite).write(report, encoding="utf-8")
    return 0 if result.wasSuccessful() and result.outcomes else 1


if __name__ == "__main__":
    sys.exit(main())
