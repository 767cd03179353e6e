"""Sums test runs up: every failed case's name, every skip's reason with its cases, then one line of counts.

summary.py DIRECTORY... ends with status 1 when a case failed or none passed. A directory holds JUnit reports:
ctest.xml, python.xml, and in suites/ GoogleTest's own report of each ctest test that is a suite, in a file with the
test's name, + for /. A program that crashes or hangs leaves no report: its output names the case.
"""

import collections
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Case(NamedTuple):
    """The outcome of a case; the detail is why it was skipped or how it failed, where that is known."""

    name: str
    outcome: str
    detail: str = ""


def printed_skip_reason(output):
    """GoogleTest prints 'FILE:LINE: Skipped', the message and an empty line."""
    printed = re.search(r": Skipped\n(.*?)\n\s*\n", output, re.DOTALL)
    return printed.group(1).strip() if printed else ""


def single_case(element):
    """The case that an element of ctest's or Python's report is, in ctest's words for the status."""
    name, status, skipped = element.get("name"), element.get("status"), element.find("skipped")
    message = (skipped.get("message") if skipped is not None else "") or ""
    if message.startswith("Unable to find executable"):
        return Case(name, FAILED, message)
    if skipped is not None or status in ("notrun", "disabled"):
        return Case(name, SKIPPED, printed_skip_reason(element.findtext("system-out") or "") or message)
    return Case(name, PASSED if status == "run" else FAILED)


def reported_cases(report, prefix):
    """The cases of a GoogleTest report, whose skip messages begin with a line that says where."""
    for element in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{prefix}{element.get('classname')}.{element.get('name')}"
        skipped = element.find("skipped")
        if skipped is not None:
            yield Case(name, SKIPPED, (skipped.get("message") or "").partition("\n")[2].strip())
        else:
            yield Case(name, PASSED if element.find("failure") is None else FAILED)


def printed_cases(output, prefix, ending):
    """The cases that a GoogleTest program printed before it ended early, as `ending` says."""
    outcomes = {"OK": PASSED, "SKIPPED": SKIPPED, "FAILED": FAILED}
    for part in output.split("[ RUN      ] ")[1:]:
        name = part.split(maxsplit=1)[0]
        ended = re.search(r"\[ +(OK|SKIPPED|FAILED) +\] " + re.escape(name), part)
        if ended is None:
            yield Case(prefix + name, FAILED, f"{ending}; what follows it in its suite was not run")
        else:
            outcome = outcomes[ended.group(1)]
            yield Case(prefix + name, outcome, printed_skip_reason(part) if outcome == SKIPPED else "")


def cases_of_test(element, suites):
    """The cases of one test of ctest's."""
    test = single_case(element)
    output = element.findtext("system-out") or ""
    report = suites / (test.name.replace("/", "+") + ".xml")
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


def cases_of_directory(directory):
    for element in ElementTree.parse(directory / "ctest.xml").getroot().iter("testcase"):
        yield from cases_of_test(element, directory / "suites")
    if (directory / "python.xml").exists():
        yield from map(single_case, ElementTree.parse(directory / "python.xml").getroot().iter("testcase"))


def main():
    counts, skipped = collections.Counter(), collections.defaultdict(list)
    for directory in map(Path, sys.argv[1:]):
        for case in cases_of_directory(directory):
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
