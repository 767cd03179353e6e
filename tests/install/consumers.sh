#!/usr/bin/env bash
# Builds users' programs in C and C++ with the installed package, by find_package and pkg-config, with the static and
# the shared library, and with warnings as errors. Each program must compute the reference's numbers.
#   consumers.sh BUILD_DIRECTORY SCRATCH_DIRECTORY C_COMPILER CXX_COMPILER [COMPILER_FLAGS]
set -euo pipefail
# shellcheck disable=SC2034  # common.sh reads them
build=$1 scratch=$2 cc=$3 cxx=$4 flags=${5:-}
# shellcheck source=tests/install/common.sh
source "$(dirname "$0")/common.sh"

install_package "$scratch/prefix"
need_golden
libraries=$(dirname "$(find "$scratch/prefix" -name libbertinfer.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
for language in C CXX; do
  build_by_cmake "$scratch/prefix" bertinfer "$language"
  check_consumer "find_package, static, $language" static
  build_by_cmake "$scratch/prefix" bertinfer_shared "$language"
  check_consumer "find_package, shared, $language" shared
  build_by_pkg_config bertinfer-static "$language"
  check_consumer "pkg-config, static, $language" static
  build_by_pkg_config bertinfer "$language"
  LD_LIBRARY_PATH=$libraries check_consumer "pkg-config, shared, $language" shared
done

# says FLAGS...: prints the first error of a C++ program compiled with these flags.
says() {
  # shellcheck disable=SC2046
  "$cxx" "$@" -fsyntax-only "$sources/tests/install/consumer/main.cc" $(pkg-config --cflags bertinfer) 2>&1 |
    grep -m1 ' error: '
}
# expect_error WORDS FLAGS...: expects this error of a program compiled with these flags.
expect_error() {
  local error
  error=$(says "${@:2}") || true
  [[ $error == *"$1"* ]] || { echo "${*:2} says: $error"; exit 1; }
}
# The error for an older standard comes before all others. Debug containers, which have other sizes, are refused.
expect_error "need C++20, expected the compiler's option -std=c++20" -std=c++17
expect_error "_GLIBCXX_DEBUG must be defined for bert-infer's library and for the program" -std=c++20 -D_GLIBCXX_DEBUG

# A process that closes the library while a model is loaded continues, and exits normally.
"$cc" -std=gnu99 -Wall -Wextra -Werror "$sources/tests/install/consumer/close.c" -ldl -o "$scratch/close"
"$scratch/close" "$libraries/libbertinfer.so"

# In a user's project, the loops are optimised in every build type, and an empty build type gives a warning.
for type in Debug ""; do
  folder=$scratch/added-$type
  cmake -S "$sources/tests/install/added" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE="$type" -DSOURCES="$sources" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" -DBERT_INFER_SHARED_LIBRARY=OFF >"$folder.txt" 2>&1
  for source in engine/kernels/isa/portable.cc engine/layers/linear.cc engine/base/hash/sha256.cc \
    tokenizer/tokenizer.cc; do
    grep -q -- "-O3 .*$source\"" "$folder/compile_commands.json" ||
      { echo "build type '$type': $source is not optimised"; exit 1; }
  done
  told=$(grep -c "CMAKE_BUILD_TYPE is empty: only the engine and the tokenizer are optimised" "$folder.txt") || true
  [[ $told == $([[ $type ]] && echo 0 || echo 1) ]] || { echo "build type '$type' is told $told times"; exit 1; }
done
