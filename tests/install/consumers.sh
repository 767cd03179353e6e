#!/usr/bin/env bash
# Programs of somebody else's, in C and in C++, against the installed package: found by find_package and by pkg-config,
# linked to the static and to the shared library, built with warnings as errors. Each must give the reference's numbers.
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

# A compiler's older default is named first.
# shellcheck disable=SC2046
error=$("$cxx" -std=c++17 -fsyntax-only "$sources/tests/install/consumer/main.cc" \
  $(pkg-config --cflags bertinfer) 2>&1 | grep -m1 ' error: ') || true
if [[ $error != *"need C++20, expected the compiler's option -std=c++20"* ]]; then
  echo "C++17 says: $error"
  exit 1
fi
