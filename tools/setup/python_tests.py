"""Runs the Python tests below a directory (files *_test.py) and writes a JUnit report:
python_tests.py DIRECTORY REPORT"""

import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree


class ReportingResult(unittest.TextTestResult):
    """Remembers every outcome: (test, status, reason), with ctest's words for the status."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.outcomes.append((test.id(), "run", ""))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcomes.append((test.id(), "notrun", reason))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.outcomes.append((test.id(), "fail", str(error[1])))

    def addError(self, test, error):
        super().addError(test, error)
        self.outcomes.append((test.id(), "fail", str(error[1])))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.outcomes.append((subtest.id(), "fail", str(error[1])))


def main():
    directory, report = sys.argv[1:]
    if not os.path.isdir(directory):
        return 0
    tests = unittest.defaultTestLoader.discover(directory, pattern="*_test.py")
    result = unittest.TextTestRunner(resultclass=ReportingResult).run(tests)
    suite = ElementTree.Element("testsuite", name=directory)
    for name, status, reason in result.outcomes:
        case = ElementTree.SubElement(suite, "testcase", name=name, status=status)
        if status == "notrun":
            ElementTree.SubElement(case, "skipped", message=reason)
    ElementTree.ElementTree(suite).write(report, encoding="utf-8")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
