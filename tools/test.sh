#!/usr/bin/env bash
# Builds what is needed and runs the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release
cmake --build build
ctest --test-dir build --output-on-failure
