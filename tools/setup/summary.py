"""Summarises test runs: prints every failed case's name, every skip's reason with its cases, and a line of counts.

summary.py DIRECTORY... ends with status 1 if a case failed or none passed. A directory holds JUnit reports: ctest.xml,
and in cases/ a report for each ctest test that has cases of its own (a suite of GoogleTest, a file of Python tests). A
report's file has the test's name, with + for /. A program that crashes or hangs leaves no report, but its output names
the case.
"""

import collections
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Case(NamedTuple):
    """The outcome of a case. The detail says why the case was skipped or how it failed, if that is known."""

    name: str
    outcome: str
    detail: str = ""


def printed_skip_reason(output):
    """Returns the reason that GoogleTest prints for a skip. It prints 'FILE:LINE: Skipped', the message and an empty
    line."""
    printed = re.search(r": Skipped\n(.*?)\n\s*\n", output, re.DOTALL)
    return printed.group(1).strip() if printed else ""


def single_case(element):
    """Returns the one case of a test in ctest's report, unless the test has a report of its cases."""
    name, status, skipped = element.get("name"), element.get("status"), element.find("skipped")
    message = (skipped.get("message") if skipped is not None else "") or ""
    if message.startswith("Unable to find executable"):
        return Case(name, FAILED, message)
    if skipped is not None or status in ("notrun", "disabled"):
        return Case(name, SKIPPED, printed_skip_reason(element.findtext("system-out") or "") or message)
    return Case(name, PASSED if status == "run" else FAILED)


def reported_cases(report, prefix):
    """Yields the cases of a report. GoogleTest has an attribute for a case's suite, and begins a skip's message with a
    line that says where the skip is."""
    for element in ElementTree.parse(report).getroot().iter("testcase"):
        suite, skipped = element.get("classname"), element.find("skipped")
        name = prefix + (f"{suite}." if suite else "") + element.get("name")
        if skipped is not None:
            message = skipped.get("message") or ""
            yield Case(name, SKIPPED, (message.partition("\n")[2] if suite else message).strip())
        else:
            yield Case(name, PASSED if element.find("failure") is None else FAILED)


def printed_cases(output, prefix, ending):
    """Yields the cases that a GoogleTest program printed before it ended early. `ending` says how it ended."""
    outcomes = {"OK": PASSED, "SKIPPED": SKIPPED, "FAILED": FAILED}
    for part in output.split("[ RUN      ] ")[1:]:
        name = part.split(maxsplit=1)[0]
        ended = re.search(r"\[ +(OK|SKIPPED|FAILED) +\] " + re.escape(name), part)
        if ended is None:
            yield Case(prefix + name, FAILED, f"{ending}; what follows it in its suite was not run")
        else:
            outcome = outcomes[ended.group(1)]
            yield Case(prefix + name, outcome, printed_skip_reason(part) if outcome == SKIPPED else "")


def cases_of_test(element, directory):
    """Returns the cases of one ctest test."""
    test = single_case(element)
    output = element.findtext("system-out") or ""
    report = directory / "cases" / (test.name.replace("/", "+") + ".xml")
    prefix = test.name.partition(".")[0] + "."
    if report.exists():
        cases = list(reported_cases(report, prefix))
    elif "[ RUN      ] " in output:
        failure = element.find("failure")
        ending = (failure.get("message") if failure is not None else "") or "ended early"
        cases = list(printed_cases(output, prefix, ending))
    else:
        return [test]
    if not cases or (test.outcome == FAILED and all(case.outcome != FAILED for case in cases)):
        cases.append(Case(test.name, FAILED, "its program failed outside of its cases"))
    return cases


def main():
    counts, skipped = collections.Counter(), collections.defaultdict(list)
    for directory in map(Path, sys.argv[1:]):
        tests = ElementTree.parse(directory / "ctest.xml").getroot().iter("testcase")
        for case in (case for test in tests for case in cases_of_test(test, directory)):
            counts[case.outcome] += 1
            if case.outcome == FAILED:
                print(f"failed: {case.name}" + (f" ({case.detail})" if case.detail else ""))
            elif case.outcome == SKIPPED:
                skipped[case.detail or "no reason given"].append(case.name)
    for reason, names in sorted(skipped.items()):
        print(f"skipped, {len(names)}: {reason}")
        for name in names:
            print(f"    {name}")
    print(f"{counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped")
    return 1 if counts[FAILED] or not counts[PASSED] else 0


if __name__ == "__main__":
    sys.exit(main())
