#!/usr/bin/env bash
# Compares the shared library with the promised interface: its SONAME and version node, its exported C functions, which
# must be exactly those of its C headers, and their ABI in tests/install/bertinfer.abi. An addition is allowed; a change
# or a removal is not. Needs Debian's abigail-tools.
#   abi.sh BUILD_DIRECTORY SCRATCH_DIRECTORY CXX_COMPILER [--update]
# --update writes tests/install/bertinfer.abi after an addition, or for a version that may break the promise.
set -euo pipefail
build=$1 scratch=$2 cxx=$3 update=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$here/../.." && pwd)
library=$build/libbertinfer.so
mkdir -p "$scratch"

version=$(sed -n 's/^project(bert-infer VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' "$sources/CMakeLists.txt")
grep -q "SONAME.*\[libbertinfer\.so\.$version\]" <<<"$(readelf -d "$library")" ||
  { echo "the SONAME is not $version"; exit 1; }
other=$(nm -D --defined-only "$library" | grep -v -e "@@BERTINFER_$version\$" -e " A BERTINFER_$version\$" || true)
[[ -z $other ]] || { echo "exported without the version BERTINFER_$version:"; echo "$other"; exit 1; }
foreign=$(nm -DC --defined-only "$library" | sed 's/^[0-9a-f]* . //' |
  grep -v -E -e '^(bert::|bert_|BERTINFER_)' -e '^(typeinfo|typeinfo name|vtable) for bert::' || true)
[[ -z $foreign ]] || { echo "exported and not ours:"; echo "$foreign"; exit 1; }

# The headers' functions, as a compiler sees them, are the library's C functions.
"$cxx" -x c -E -P -I "$sources/include" -include "$sources/include/bert/bert_tasks.h" \
  -include "$sources/include/bert/bert_explain.h" \
  -include "$sources/include/bert/bert_files.h" \
  "$sources/include/bert/bert_vectors.h" | tr '\n' ' ' |
  grep -o 'bert_[a-z_0-9]*(' | tr -d '(' | sort -u >"$scratch/declared.txt"
nm -D --defined-only "$library" | sed -n 's/.* T \(bert_[a-z_0-9]*\)@@.*/\1/p' | sort -u >"$scratch/exported.txt"
diff "$scratch/declared.txt" "$scratch/exported.txt" || { echo "the C headers (<) and the library (>) differ"; exit 1; }

if ! command -v abidiff >/dev/null; then
  echo "SKIPPED, no abidiff (Debian's abigail-tools)"
  exit 77
fi
if [[ $update == --update ]]; then
  abidw --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs \
    --suppressions "$here/c_only.abignore" --out-file "$here/bertinfer.abi" "$library"
  sed -i "s|path='$sources/|path='|" "$here/bertinfer.abi"
  exit
fi

# keeps LIBRARY REPORT: succeeds if the library keeps the described ABI. Writes the differences to REPORT.
keeps() {
  local status=0
  abidiff --no-added-syms --suppressions "$here/c_only.abignore" "$here/bertinfer.abi" "$1" >"$2" 2>&1 || status=$?
  ((status == 0))
}
keeps "$library" "$scratch/report.txt" || { cat "$scratch/report.txt"; exit 1; }

# The check must find a moved field and a removed function.
rm -rf "$scratch/changed"
mkdir -p "$scratch/changed"
cp -r "$sources/include" "$scratch/changed/"
sed -i 's/^  int ignore_unexpected;/  long ignore_unexpected;/' "$scratch/changed/include/bert/bert.h"
sed '/^int bert_model_has_pooler/,/}/d' "$sources/bindings/c/c_api.cc" >"$scratch/changed/c_api.cc"
cmp -s "$sources/bindings/c/c_api.cc" "$scratch/changed/c_api.cc" && { echo "nothing was changed"; exit 1; }
"$cxx" -std=c++20 -g -fPIC -shared -fvisibility=hidden -fvisibility-inlines-hidden -I "$scratch/changed/include" \
  -I "$sources" -Wl,--version-script="$build/bertinfer.map" -Wl,-soname,"libbertinfer.so.$version" \
  "$scratch/changed/c_api.cc" "$sources"/bindings/c/c_api_*.cc "$build/libbertinfer.a" \
  -o "$scratch/changed/libbertinfer.so"
if keeps "$scratch/changed/libbertinfer.so" "$scratch/changed.txt"; then
  echo "abidiff does not see a change"
  exit 1
fi
grep -q "bert_model_has_pooler" "$scratch/changed.txt" || { echo "a missing function is not seen"; exit 1; }
grep -q "ignore_unexpected" "$scratch/changed.txt" || { echo "a changed field is not seen"; exit 1; }
echo "$(wc -l <"$scratch/exported.txt") functions, their ABI as promised"
