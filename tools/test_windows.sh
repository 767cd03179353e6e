#!/usr/bin/env bash
# The numbers on Windows for x86-64, from a fresh clone on Debian for x86-64: cross-builds the library by zig, the
# compiler of releases, into build-windows/, and runs under Wine the tests of the models' bits and of engine/base.
# Arguments go to ctest, as of tools/test.sh. Installs what is missing; without zig or Wine the script says so and exits
# with status 77.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD root=$PWD/build-windows inputs=$PWD/build-release/inputs
source tools/setup/setup.sh
source packaging/release/inputs.sh
source packaging/release/libraries.sh

skip() {
  say "SKIPPED, $*"
  exit 77
}

install_missing cmake ninja-build binutils googletest nlohmann-json3-dev libeigen3-dev python3 python3-pip "wine?" \
  "wine64?"
command -v wine >/dev/null || skip "no wine (Debian: apt install wine wine64)"
mkdir -p "$root/build" "$inputs"
grep '^pypi ziglang ' packaging/release/pins.txt >"$root/pins.txt"
read_pins "$root/pins.txt"
fetch_inputs "$inputs" || skip "no zig: its Python package cannot be had here"
zig=$inputs/ziglang/ziglang/zig
if [[ ! -x $zig ]]; then
  "$(python_program)" -m zipfile -e "$inputs/ziglang"/*.whl "$inputs/ziglang"
  chmod +x "$zig"
fi
export ZIG_GLOBAL_CACHE_DIR=$root/zig-cache ZIG_LOCAL_CACHE_DIR=$root/zig-cache

# shellcheck disable=SC2034  # cmake_for reads them
system=windows cmake_systems[windows]=Windows
compiler_scripts x86_64-windows-gnu "$root/bin"
# zig checks for undefined behaviour where nothing is optimised, by functions that it does not link.
export CFLAGS+=" -fno-sanitize=undefined" CXXFLAGS+=" -fno-sanitize=undefined"
if [[ ! -d $root/usr/lib/cmake/GTest ]]; then
  say "building GoogleTest"
  logged "$root/build/googletest.log" cmake_for x86_64 "$root" -S /usr/src/googletest -B "$root/build/googletest" \
    -DBUILD_GMOCK=OFF
  logged "$root/build/googletest.log" cmake --build "$root/build/googletest" --target install
fi
# In a folder of their own: beside them in /usr/include are Linux's headers.
mkdir -p "$root/usr/include" "$root/usr/share/cmake"
cp -r /usr/include/nlohmann "$root/usr/include/"
cp -r /usr/share/cmake/nlohmann_json "$root/usr/share/cmake/"
say "building the library and its tests"
cmake_for x86_64 "$root" -S "$top" -B "$root/build/bert-infer" -DBERT_INFER_PROGRAM=OFF -DBERT_INFER_TESTS=ON \
  -DBERT_INFER_WERROR="${BERT_INFER_WERROR:-OFF}" -DBERT_INFER_SHARED_LIBRARY=OFF -DCMAKE_CROSSCOMPILING_EMULATOR=wine \
  -DEigen3_DIR=/usr/share/eigen3/cmake
cmake --build "$root/build/bert-infer" --target models_digests_test engine_base_test

# The bits must not depend on the version of the system's C library. tasks/analysis computes no model's output.
build=$root/build/bert-infer
objdump -p "$build/tests/models_digests_test.exe" | awk 'NF == 3 { print $3 }' | sort -u >"$root/imported.txt"
find "$build/CMakeFiles" -name '*.obj' -not -path '*/bertinfer_tasks_analysis.dir/*' -exec nm -u {} + |
  awk 'NF == 2 { print $2 }' | sort -u >"$root/called.txt"
if comm -12 "$root/imported.txt" "$root/called.txt" |
  grep -xE '(pow|exp|exp2|expm1|log|log2|log1p|sin|cos|tan|tanh|erf)f?' >&2; then
  say "the library takes these functions from a DLL of the system"
  exit 1
fi

export WINEPREFIX=$root/wine WINEDEBUG=-all
export GTEST_FILTER=${GTEST_FILTER:--*OfMiniLm}
ctest --test-dir "$build" --output-on-failure -R '^(models[.]Digests|engine/base[.])' "$@"
