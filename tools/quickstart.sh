#!/usr/bin/env bash
# Goes from a fresh clone to the first output: installs what is missing, builds build/bert-infer, and runs it on the
# built-in model.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup/setup.sh

install_missing "${BUILD_PACKAGES[@]}"

# The tests need more packages than the program; a build directory that has them keeps them.
options=()
if [[ ! -f build/CMakeCache.txt ]]; then options+=(-DBERT_INFER_TESTS=OFF); fi
cmake --preset release "${options[@]}"
cmake --build --preset release --target bert-infer

command=(build/bert-infer "The quick brown fox jumps over the lazy dog")
say "running: ${command[0]} \"${command[1]}\""
"${command[@]}"
