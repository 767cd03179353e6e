#!/usr/bin/env bash
# Tests the core alone in a user's program: it is installed as a component, found by find_package, and linked without
# the rest of the library. It needs no other package. find_package names a missing component.
#   core.sh BUILD_DIRECTORY SCRATCH_DIRECTORY CXX_COMPILER [COMPILER_FLAGS]
set -euo pipefail
# shellcheck disable=SC2034  # common.sh reads them
build=$1 scratch=$2 cc="" cxx=$3 flags=${4:-}
# shellcheck source=tests/install/common.sh
source "$(dirname "$0")/common.sh"

install_package "$scratch/whole"
cmake --install "$build" --component core --prefix "$scratch/built" >/dev/null
mv "$scratch/built" "$scratch/core"
[[ -z $(find "$scratch/whole" -name 'libbertinfer_core*') ]] || { echo "the core is installed unasked"; exit 1; }
[[ $(find "$scratch/core" -name '*.a' -printf '%f ') == "libbertinfer_core.a " ]]
[[ -e $scratch/core/include/bert/model.h && ! -e $scratch/core/include/bert/tasks.h ]]

# expect_refusal PREFIX COMPONENTS WORDS: expects that find_package fails with WORDS.
expect_refusal() {
  local prefix=$1 components=$2 words=$3 folder=$scratch/refused
  rm -rf "$folder"
  if cmake --no-warn-unused-cli -S "$sources/tests/install/consumer" -B "$folder" -G Ninja -DKIND=core -DLANGUAGE=CXX \
    -DCOMPONENTS="$components" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >"$folder.txt" 2>&1; then
    echo "find_package(BertInfer $components) of $prefix finds it"
    exit 1
  fi
  grep -qF "$words" <<<"$(tr -s ' \n' ' ' <"$folder.txt")" || { cat "$folder.txt"; exit 1; }
}
expect_refusal "$scratch/core" "" "the core alone is installed, expected find_package(BertInfer COMPONENTS core)"
expect_refusal "$scratch/core" "COMPONENTS;core;other" "BertInfer_FOUND to FALSE"
expect_refusal "$scratch/whole" "COMPONENTS;core" "BertInfer_FOUND to FALSE"

# The core can be configured without the packages that the rest needs.
cmake -S "$sources" -B "$scratch/alone" -G Ninja -DBERT_INFER_CORE_ALONE=ON -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
[[ $(ninja -C "$scratch/alone" -t targets all | grep -c '^libbertinfer[^:]*:') == 1 ]]

COMPONENTS="COMPONENTS;core" build_by_cmake "$scratch/core" core CXX
# The core refuses a model that reads labels, by name.
mkdir "$scratch/gliner"
echo '{}' >"$scratch/gliner/gliner_config.json"
error=$("$program" "$scratch/gliner" none 2>&1) || true
[[ $error == *"gliner': a model that reads labels (it has gliner_config.json), but this library was built without \
tasks/labels" ]] || { echo "the error is: $error"; exit 1; }
need_golden
check_consumer "find_package, core, CXX" static
