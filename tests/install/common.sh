# Functions for the tests of the package. Scripts that have set build, scratch, cc, cxx and flags source this file.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=${BERT_TEST_DATA:-$sources/../shared/data}
# Debian's own Python, which its python3-numpy belongs to, where there is another one too.
python=python3
if [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; fi
skipped=77  # the status that ctest counts as a skip

# install_package PREFIX: installs the build. What is installed may be moved, so it is.
install_package() {
  rm -rf "$scratch"
  mkdir -p "$scratch"
  cmake --install "$build" --prefix "$scratch/built" >/dev/null
  mv "$scratch/built" "$1"
}

# need_golden: the model and the reference's numbers that the consumers compare with, or a skip.
need_golden() {
  model=$data/checkpoint/bert-tiny-own golden=$data/golden/bert-tiny-own
  if [[ ! -d $model || ! -d $golden ]] || ! "$python" -c "import numpy" 2>/dev/null; then
    echo "SKIPPED, no test data or no numpy: checkpoint/bert-tiny-own, golden/bert-tiny-own (set BERT_TEST_DATA)"
    exit "$skipped"
  fi
  mkdir -p "$scratch"
  "$python" "$sources/tests/install/expected.py" "$golden" 0 >"$scratch/expected.txt"
}

# build_by_cmake PREFIX KIND LANGUAGE: find_package, with $COMPONENTS if they are set, and -Werror. The program is
# $program.
build_by_cmake() {
  local folder="$scratch/cmake-$2-$3"
  cmake --no-warn-unused-cli -S "$sources/tests/install/consumer" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DKIND="$2" -DLANGUAGE="$3" -DCOMPONENTS="${COMPONENTS:-}" -DCMAKE_PREFIX_PATH="$1" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
    >/dev/null
  cmake --build "$folder" >"$folder/log.txt" || { cat "$folder/log.txt"; exit 1; }
  program=$folder/consumer
}

# build_by_pkg_config PACKAGE LANGUAGE: pkg-config and -Werror; PKG_CONFIG_PATH is set. The program is $program.
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

# check_consumer NAME KIND: $program gives the golden values, and needs the shared library exactly if KIND is shared.
check_consumer() {
  local needs=no
  if grep -q 'NEEDED.*libbertinfer\.so\.[0-9.]*\]' <<<"$(readelf -d "$program")"; then needs=shared; fi
  [[ $needs == shared ]] || needs=static
  [[ $needs == "$2" ]] || { echo "$1: linked to the $needs library, expected the $2 one"; exit 1; }
  printf '%-34s' "$1"
  "$program" "$model" "$scratch/expected.txt"
}
