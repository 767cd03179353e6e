#!/usr/bin/env bash
# Goes from a fresh clone to the tests' result: installs what is missing, builds into build/, fetches the model that the
# tests compare with, and runs every test. Arguments go to ctest: tools/test.sh -R tokenizer. GTEST_FILTER selects
# cases. tools/test.sh --frameworks runs tests/frameworks instead.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup/setup.sh

install_missing "${TEST_PACKAGES[@]}"
if [[ ${1:-} == --frameworks ]]; then exec tests/frameworks/run.sh "${@:2}"; fi
python_package=(-DBERT_INFER_PYTHON_PACKAGE=OFF)
if fetch_nanobind build/test-data/nanobind; then
  python_package=(-DBERT_INFER_PYTHON_PACKAGE=ON -DPython_EXECUTABLE="$(python_program)"
    -Dnanobind_DIR="$PWD/build/test-data/nanobind/nanobind/cmake")
fi
find_bindings
web=(-DBERT_INFER_WEB_PACKAGE=)
if has_web_tools; then
  cmake --preset wasm
  cmake --build --preset wasm
  web=(-DBERT_INFER_WEB_PACKAGE="$PWD/build-wasm/web")
fi
fetch_node_tools build/node-tools || true
fetch_crates || true
cmake --preset release -DBERT_INFER_TESTS=ON "${python_package[@]}" "${bindings[@]}" "${web[@]}"
cmake --build --preset release
fetch_minilm build/test-data/all-MiniLM-L6-v2 || true

reports=build/test-reports
rm -rf "$reports"
mkdir -p "$reports"
status=0
ctest --preset release -j "$(nproc)" --output-junit "$PWD/$reports/ctest.xml" "$@" || status=1
"$(python_program)" -B tools/setup/summary.py "$reports" || status=1
exit "$status"
