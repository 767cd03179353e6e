"""Sums JUnit reports up: every failed test's name, every skip's reason with its count, then one line of counts.

summary.py REPORT... ends with status 1 when a test failed or none passed.
"""

import collections
import re
import sys
import xml.etree.ElementTree as ElementTree


def skip_reason(case):
    """ctest keeps GoogleTest's message in the output, after 'FILE:LINE: Skipped'; Python's report in the element."""
    printed = re.search(r": Skipped\n(.*?)\n\s*\n", case.findtext("system-out") or "", re.DOTALL)
    if printed:
        return printed.group(1).strip()
    skipped = case.find("skipped")
    return (skipped.get("message") if skipped is not None else None) or "no reason given"


def main():
    passed, failed, skipped = 0, [], collections.defaultdict(list)
    for report in sys.argv[1:]:
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            name, status = case.get("name"), case.get("status")
            if case.find("skipped") is not None or status in ("notrun", "disabled"):
                skipped[skip_reason(case)].append(name)
            elif status == "run":
                passed += 1
            else:
                failed.append(name)

    for name in failed:
        print(f"failed: {name}")
    for reason, names in sorted(skipped.items()):
        print(f"skipped, {len(names)}: {reason}")
        for name in names:
            print(f"    {name}")
    print(f"{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
