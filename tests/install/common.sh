# Functions for the tests of the package. A script sources this file after it sets build, scratch, cc, cxx and flags.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=${BERT_TEST_DATA:-$sources/../shared/data}
# Prefers Debian's Python, to which Debian's python3-numpy belongs, to another one.
python=python3
if [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; fi
skipped=77  # the status that ctest counts as a skip

# install_package PREFIX: installs the build, and moves it to PREFIX, because an installation may be moved.
install_package() {
  rm -rf "$scratch"
  mkdir -p "$scratch"
  cmake --install "$build" --prefix "$scratch/built" >/dev/null
  mv "$scratch/built" "$1"
}

# need_golden: finds the model and the reference's numbers with which the consumers compare theirs, or skips the test.
need_golden() {
  model=$data/checkpoint/bert-tiny-own golden=$data/golden/bert-tiny-own
  if [[ ! -d $model || ! -d $golden ]] || ! "$python" -c "import numpy" 2>/dev/null; then
    echo "SKIPPED, no test data or no numpy: checkpoint/bert-tiny-own, golden/bert-tiny-own (set BERT_TEST_DATA)"
    exit "$skipped"
  fi
  mkdir -p "$scratch"
  "$python" "$sources/tests/install/expected.py" "$golden" 0 >"$scratch/expected.txt"
}

# build_by_cmake PREFIX KIND LANGUAGE: builds $program by find_package, with $COMPONENTS if they are set, and -Werror.
build_by_cmake() {
  local folder="$scratch/cmake-$2-$3"
  cmake --no-warn-unused-cli -S "$sources/tests/install/consumer" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DKIND="$2" -DLANGUAGE="$3" -DCOMPONENTS="${COMPONENTS:-}" -DCMAKE_PREFIX_PATH="$1" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
    >/dev/null
  cmake --build "$folder" >"$folder/log.txt" || { cat "$folder/log.txt"; exit 1; }
  program=$folder/consumer
}

# build_by_pkg_config PACKAGE LANGUAGE: builds $program by pkg-config with -Werror. PKG_CONFIG_PATH must be set.
build_by_pkg_config() {
  local folder="$scratch/pkg-config-$1-$2" strict=(-Wall -Wextra -Wpedantic -Werror)
  mkdir -p "$folder"
  program=$folder/consumer
  # Flags are words: unquoted on purpose.
  # shellcheck disable=SC2046,SC2086
  if [[ $2 == C ]]; then
    "$cc" -std=c99 "${strict[@]}" $flags "$sources/tests/install/consumer/main.c" $(pkg-config --cflags --libs "$1") \
      -lm -o "$program"
  else
    "$cxx" -std=c++20 "${strict[@]}" $flags "$sources/tests/install/consumer/main.cc" \
      $(pkg-config --cflags --libs "$1") -o "$program"
  fi
}

# check_consumer NAME KIND: checks that $program computes the golden values, and that it needs the shared library
# exactly if KIND is shared.
check_consumer() {
  local needs=no
  if grep -q 'NEEDED.*libbertinfer\.so\.[0-9.]*\]' <<<"$(readelf -d "$program")"; then needs=shared; fi
  [[ $needs == shared ]] || needs=static
  [[ $needs == "$2" ]] || { echo "$1: linked to the $needs library, expected the $2 one"; exit 1; }
  printf '%-34s' "$1"
  "$program" "$model" "$scratch/expected.txt"
}
