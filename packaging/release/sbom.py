"""Writes the bill of materials of a release's file, as CycloneDX 1.5: sbom.py PINS ZIG VERSION SYSTEM-CPU FILE [KIND].

PINS is packaging/release/pins.txt. ZIG is the folder of the unpacked compiler, whose C and C++ libraries are linked.
KIND is the kind of the file: `program` (the default), `module` for a Python package, or `library` for a shared object
that has the library without the program (the addon for Node, the extension for SQLite, the DLL for C). The result goes
to standard output. It depends only on the arguments, so it has no date and no random number.
"""

import hashlib
import json
import re
import sys
from pathlib import Path
from urllib.parse import quote


def digest(path):
    return [{"alg": "SHA-256", "content": hashlib.sha256(Path(path).read_bytes()).hexdigest()}]


def licence(expression):
    return [{"expression": expression}]


def pinned_components(pins, uses, names=()):
    """Yields a component for each line KIND NAME VERSION SHA256 USE LICENCE of these uses, or of these names."""
    for line in Path(pins).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        kind, name, version, sha256, use, expression = line.split(maxsplit=5)
        if use not in uses and name not in names:
            continue
        namespace, qualifier = {"pypi": ("pypi", ""), "deb": ("deb/debian", ""), "trixie": ("deb/debian", ""),
                                "source": ("deb/debian", "?arch=source")}[kind]
        purl = f"pkg:{namespace}/{quote(name)}@{quote(version)}{qualifier}"
        yield {
            "type": "application" if kind == "pypi" else "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            "hashes": [{"alg": "SHA-256", "content": sha256}],
            "licenses": licence(expression),
            "purl": purl,
        }


def compilers_libraries(zig, c_library):
    """Yields a component for each library that the compiler builds from its own sources into the file. c_library is
    "musl", "mingw-w64" or ""."""
    lib = Path(zig) / "lib"
    mingw = (lib / "libc/include/any-windows-any/_mingw_mac.h").read_text(encoding="utf-8")
    mingw_numbers = re.findall(r"define __MINGW64_VERSION_(?:MAJOR|MINOR|BUGFIX) (\d+)", mingw)
    musl = re.search(r'VERSION "([^"]+)"', (lib / "libc/musl/src/internal/version.h").read_text(encoding="utf-8"))
    config = (lib / "libcxx/include/__config").read_text(encoding="utf-8")
    number = int(re.search(r"define _LIBCPP_VERSION (\d+)", config).group(1))
    llvm = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    with_exception = "Apache-2.0 WITH LLVM-exception"
    for name, version, expression in [("musl", musl.group(1), "MIT"), ("mingw-w64", ".".join(mingw_numbers), "ZPL-2.1"),
                                      ("libc++", llvm, with_exception), ("libc++abi", llvm, with_exception),
                                      ("libunwind", llvm, with_exception)]:
        if name not in ("musl", "mingw-w64") or name == c_library:
            yield {"type": "library", "name": name, "version": version, "licenses": licence(expression)}


def main():
    pins, zig, version, platform, program, *given = sys.argv[1:]
    kind = given[0] if given else "program"
    if kind not in ("program", "module", "library"):
        sys.exit(f"sbom.py: KIND is '{kind}', expected program, module or library")
    system, uses = platform.split("-")[0], ["library"]
    if kind != "library":
        uses += ["program"] + ["linux"] * (system == "linux") + ["module"] * (kind == "module")
    components = list(pinned_components(pins, uses, ["libonig"] * (system == "windows")))  # its DLL has it too
    c_library = {"windows": "mingw-w64", "linux": "musl" if kind != "library" else ""}.get(system, "")
    for component in components:
        if component["name"] == "ziglang":
            component["components"] = list(compilers_libraries(zig, c_library))
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": f"bert-infer-{version}-{platform}",
                "name": "bert-infer",
                "version": version,
                "hashes": digest(program),
                "licenses": licence("Apache-2.0"),
            }
        },
        "components": components,
        "dependencies": [{"ref": f"bert-infer-{version}-{platform}",
                          "dependsOn": [component["bom-ref"] for component in components]}],
    }
    json.dump(bill, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
