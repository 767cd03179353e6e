#!/usr/bin/env bash
# Tests the port of packaging/recipes.sh without vcpkg, which needs the network. vcpkg/functions.cmake replaces vcpkg.
# The port's test project is built with the files that the port installs, and must pass its test.
#   vcpkg.sh BUILD_DIRECTORY SCRATCH_DIRECTORY COMPILER [COMPILER_FLAGS]
set -euo pipefail
build=$1 scratch=$2 compiler=$3 flags=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$here/../.." && pwd)

rm -rf "$scratch"
mkdir -p "$scratch"
tar -czf "$scratch/sources.tar.gz" -C "$sources" --transform 's,^,bert-infer/,' CMakeLists.txt LICENSE pyproject.toml \
  bindings/c cmake engine include models program tasks tokenizer
"$sources/packaging/recipes.sh" "$scratch/sources.tar.gz" https://example.org/bert-infer.tar.gz?a=1\&b=2 \
  https://example.org "$scratch/out"
CXX=$compiler CXXFLAGS=$flags cmake -DPORT="$scratch/out/vcpkg/ports/bert-infer" -DARCHIVE="$scratch/sources.tar.gz" \
  -DLIBRARY="$build/libbertinfer.a" -DCURRENT_PACKAGES_DIR="$scratch/packages" -DWORK="$scratch/work" \
  -P "$here/vcpkg/functions.cmake"

for file in include/bert/model.h lib/libbertinfer.a share/bert-infer/usage share/bert-infer/copyright; do
  if [[ ! -f $scratch/packages/$file ]]; then echo "the port installs no $file" && exit 1; fi
done
others=$(find "$scratch/packages" -name 'libbertinfer.so*' -o -name bertinfer.pc -o -path '*/bin/*')
if [[ -n $others ]]; then echo "the port installs $others" && exit 1; fi

CXX=$compiler CXXFLAGS=$flags cmake -G Ninja -S "$scratch/out/vcpkg/test" -B "$scratch/consumer" \
  -DCMAKE_PREFIX_PATH="$scratch/packages" >/dev/null
cmake --build "$scratch/consumer"
ctest --test-dir "$scratch/consumer" --output-on-failure
