#!/usr/bin/env bash
# Builds what a release consists of, on Debian for x86-64, from a clean clone:
#   packaging/release.sh OUT [PLATFORM]...    linux-, macos-x86_64, linux-, macos-aarch64, windows-x86_64; default: all
#   packaging/release.sh --update-pins    rewrites packaging/release/pins.txt with the newest inputs
# OUT gets these files:
# - for each platform: the program as one file, bert-infer-VERSION-PLATFORM (static for Linux), and its bill of
#   materials as a file of CycloneDX;
# - for each CPU of Linux, for glibc 2.17 and for musl: the wheels of the Python package, SQLite's extension and the C
#   library;
# - for Windows: the C library;
# - for all CPUs of Linux together: the packages for Node (also for Windows), Go and Java;
# - the source distribution, the crates for Rust, and SHA256SUMS.
# Programs for macOS and Windows have no server. Nothing here runs the programs for macOS. Only the compilers (zig, and
# GCC for the kernels) and the libraries of packaging/release/pins.txt are used, so that the bytes are the same wherever
# a release is built. They are fetched once, into build-release/.
set -euo pipefail

usage() { sed -n '2,4s/^# \{0,1\}//p' "$0"; }

refuse() {
  printf 'release.sh: %s\n' "$*" >&2
  exit 2
}

all=(linux-x86_64 linux-aarch64 macos-x86_64 macos-aarch64 windows-x86_64)
platforms=() out="" update=no
while (($# > 0)); do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --update-pins) update=yes ;;
    -*) refuse "unknown option '$1', expected --update-pins or --help" ;;
    *)
      if [[ -z $out ]]; then
        out=$1
      elif [[ " ${all[*]} " == *" $1 "* ]]; then
        platforms+=("$1")
      else
        refuse "unknown platform '$1', expected one of ${all[*]}"
      fi
      ;;
  esac
  shift
done
if [[ $update == no && -z $out ]]; then refuse "no output directory given: packaging/release.sh OUT [PLATFORM]..."; fi
if [[ $update == yes && -n $out ]]; then refuse "--update-pins takes no output directory, found '$out'"; fi
if ((${#platforms[@]} == 0)); then platforms=("${all[@]}"); fi
machine=$(uname -sm)
if [[ $machine != "Linux x86_64" ]]; then refuse "this is $machine, expected Linux x86_64, for which zig is pinned"; fi
if [[ -n $out ]]; then out=$(mkdir -p "$out" && cd "$out" && pwd); fi

cd "$(dirname "$0")/.."
top=$PWD
pins=packaging/release/pins.txt work=$top/build-release
inputs=$work/inputs
source tools/setup/setup.sh
source packaging/release/inputs.sh
source packaging/release/libraries.sh
source packaging/release/licences.sh
source packaging/release/wheels.sh
source packaging/release/bindings.sh
source packaging/release/languages.sh

read_pins "$pins"
install_missing cmake ninja-build pkg-config dpkg-dev binutils binutils-aarch64-linux-gnu python3 python3-pip \
  ca-certificates
mkdir -p "$inputs"
if [[ $update == yes ]]; then
  update_pins "$pins" "$inputs"
  exit 0
fi
fetch_inputs "$inputs"
version=$(sed -n 's/^project(bert-infer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# The compiler is unpacked once, beside its wheel. A wheel of another version replaces the folder.
zig=$inputs/ziglang/ziglang/zig
if [[ ! -x $zig ]]; then
  "$(python_program)" -m zipfile -e "$inputs/ziglang"/*.whl "$inputs/ziglang"
  chmod +x "$zig"
fi
export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache

# program CPU: builds the program for $system and its libraries, in build-release/CPU or build-release/SYSTEM-CPU.
program() {
  local root=$work/$1 static=ON ending=""
  if [[ $system != linux ]]; then root=$work/$system-$1; fi
  if [[ $system == macos ]]; then static=OFF; fi
  if [[ $system == windows ]]; then ending=.exe; fi
  rm -rf "$root"
  build_libraries "$1" "$root"
  collect_licences "$root" "$system"
  say "$1: building the program for $system"
  cmake_for "$1" "$root" -S "$top" -B "$root/build/bert-infer" -DBERT_INFER_STATIC="$static" -DBERT_INFER_TESTS=OFF \
    -DBERT_INFER_LICENSES="$root/licences" >"$root/build/bert-infer.log"
  cmake --build "$root/build/bert-infer" --target bert-infer >>"$root/build/bert-infer.log" 2>&1 ||
    { tail -n 60 "$root/build/bert-infer.log" >&2; return 1; }
  local program=bert-infer-$version-$system-$1
  cp "$root/build/bert-infer/bert-infer$ending" "$out/$program$ending"
  "$(python_program)" -B packaging/release/sbom.py "$pins" "${zig%/*}" "$version" "$system-$1" "$out/$program$ending" \
    >"$out/$program.cdx.json"
  if [[ $system != linux ]]; then return; fi
  # Wheels have a program that reads the built-in model from files beside it.
  logged "$root/build/beside.log" cmake -DBERT_INFER_BUILTIN_BESIDE=ON "$root/build/bert-infer"
  logged "$root/build/beside.log" cmake --build "$root/build/bert-infer" --target bert-infer
  cp "$root/build/bert-infer/bert-infer" "$root/bert-infer-beside"
}

kernel_compiler "$work/gcc-kernels"
unpack_python
unpack_headers
rm -rf "$work"/{node,sqlite,c,go,java}
source_distribution
last=""
for platform in "${platforms[@]}"; do
  system=${platform%-*}
  program "${platform#*-}"
  if [[ $system == windows ]]; then
    c_library_for_windows "${platform#*-}"
    addon_for_windows "${platform#*-}"
  fi
  if [[ $system != linux ]]; then continue; fi
  wheels "${platform#*-}"
  bindings "${platform#*-}" gnu
  bindings "${platform#*-}" musl
  c_library "${platform#*-}" gnu
  c_library "${platform#*-}" musl
  last=${platform#*-}
done
if [[ -d $work/node ]]; then node_package "${last:-windows-x86_64}"; fi
if [[ -n $last ]]; then
  go_module "$last"
  java_package
fi
crates
(cd "$out" && sha256sum bert[-_]infer-*"$version"* | grep -v cdx.json >SHA256SUMS)
say "$out:" "$(cd "$out" && wc -c bert[-_]infer-*"$version"*)"
