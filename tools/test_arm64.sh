#!/usr/bin/env bash
# Runs the C++ tests on 64-bit ARM, from a fresh clone on Debian for x86-64. Installs a cross-compiler and qemu if they
# are missing, builds into build-arm64/, runs the tests under qemu, and tries the Python and the Debian package there.
# Arguments go to ctest, as with tools/test.sh.
# tools/test_arm64.sh --short builds and runs only the tests of the parts that are different on ARM: the kernels against
# the portable ones, their inner loops, and the bits of the built-in model and of a model of each family, also with
# 8-bit weights.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup/setup.sh
source tools/setup/arm64.sh

sysroot=$PWD/build-arm64/sysroot
install_missing "${ARM64_PACKAGES[@]}"
arm64_sysroot "$sysroot"
preset=arm64 targets=(all) python_package=(-DBERT_INFER_PYTHON_PACKAGE=OFF)
if [[ ${1:-} == --short ]]; then
  shift
  preset=arm64-short targets=(engine_kernels_test models_digests_test)
elif fetch_nanobind build/test-data/nanobind; then
  python_package=(-DBERT_INFER_PYTHON_PACKAGE=ON -DPython_EXECUTABLE="$(python_program)"
    -DPython_INCLUDE_DIR="$sysroot/usr/include/python3.11" -DSKBUILD_SOABI=cpython-311-aarch64-linux-gnu
    -Dnanobind_DIR="$PWD/build/test-data/nanobind/nanobind/cmake")
fi
cmake --preset arm64 -DBERT_INFER_TESTS=ON "${python_package[@]}"
cmake --build --preset arm64 --target "${targets[@]}"

# qemu does not pass these cases: qemu is too slow for a limit of time, and does not apply the system's limit of
# threads.
if [[ $preset == arm64 ]]; then
  export GTEST_FILTER="${GTEST_FILTER:-*}-*WithinASecond:ThreadPool.EndsTheThreadsItMadeWhereTheSystemMakesNoMore"
  say "the tests' filter: $GTEST_FILTER"
fi

reports=build-arm64/test-reports
rm -rf "$reports"
mkdir -p "$reports"
status=0
ctest --preset "$preset" -j "$(nproc)" --output-junit "$PWD/$reports/ctest.xml" "$@" || status=1
"$(python_program)" -B tools/setup/summary.py "$reports" || status=1
exit "$status"
