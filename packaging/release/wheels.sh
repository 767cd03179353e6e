# Builds the wheels of the Python package: the module for each Python and C library, and the program as a static file.
# Both use the same files of the built-in model. packaging/release.sh sources this file. The variables inputs, zig, top,
# work, out and version must be set.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

# The kinds of wheels. Each has the tag of the Python, the folder of its headers below PACKAGE, and its limited
# interface or -.
python_kinds=("cp311-cp311 libpython3.11-dev python3.11 -" "cp312-abi3 libpython3.13-dev python3.13 0x030C0000")

# The name of the package with Python's headers has this ending.
declare -A python_package=([x86_64]="" [aarch64]=":arm64")

# unpack_python: unpacks headers for each CPU, and nanobind, below build-release/python.
unpack_python() {
  local kind tag package folder
  for kind in "${python_kinds[@]}"; do
    read -r tag package _ <<<"$kind"
    for folder in x86_64 aarch64; do
      rm -rf "$work/python/$tag-$folder"
      mkdir -p "$work/python/$tag-$folder"
      dpkg-deb -x "$inputs/$package${python_package[$folder]}"/*.deb "$work/python/$tag-$folder"
    done
  done
  for package in nanobind wheel scikit-build-core pathspec packaging; do
    "$(python_program)" -m zipfile -e "$inputs/$package"/*.whl "$work/python/tools"
  done
}

# source_distribution: writes OUT/bert_infer-VERSION.tar.gz, whose PKG-INFO is also the wheels' METADATA. Its files are
# those of the commit, because scikit-build-core would walk the build folders of a used checkout.
source_distribution() {
  local tree=$work/python/source
  rm -rf "$tree"
  mkdir -p "$tree"
  git -C "$top" archive HEAD | tar -x -C "$tree"
  (cd "$tree" && SOURCE_DATE_EPOCH=0 PYTHONPATH=$work/python/tools "$(python_program)" -B -c \
    'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$out")
  tar -xzf "$out/bert_infer-$version.tar.gz" -C "$work/python" --strip-components 1 "bert_infer-$version/PKG-INFO"
}

# python_module CPU LIBC KIND: builds the module; sets module to its path. gnu is glibc 2.17, as in manylinux_2_17.
python_module() {
  local cpu=$1 libc=$2 tag package folder api
  read -r tag package folder api <<<"$3"
  local root=$work/$cpu-$libc headers=$work/python/$tag-$cpu/usr/include
  if [[ $api == - ]]; then api=""; fi
  logged "$root/configure.log" cmake_for "$cpu" "$root" -S "$top" -B "$root/build" -DBERT_INFER_PROGRAM=OFF \
    -DBERT_INFER_TESTS=OFF -DBERT_INFER_BUILTIN_BESIDE=ON -DBERT_INFER_PYTHON_PACKAGE=ON \
    -DBERT_INFER_NANOBIND="$work/python/tools/nanobind" -DBERT_INFER_PYTHON_API="$api" \
    -DBERT_INFER_PYTHON_HEADERS="$headers/$folder;$headers" -DEigen3_DIR="$work/$cpu/usr/share/eigen3/cmake"
  logged "$root/build.log" cmake --build "$root/build" --target bert_infer_python
  module=$root/build/python/bert_infer/_engine.so
}

# wheel CPU LIBC KIND: makes a wheel of the module in OUT.
wheel() {
  local cpu=$1 libc=$2 tag platform=manylinux_2_17_$1.manylinux2014_$1 name=_engine.abi3.so
  read -r tag _ <<<"$3"
  local tree=$work/python/wheel info
  if [[ $libc == musl ]]; then platform=musllinux_1_2_$cpu; fi
  if [[ $tag == cp311* ]]; then name=_engine.cpython-311-$cpu-linux-$libc.so; fi
  python_module "$cpu" "$libc" "$3"
  rm -rf "$tree"
  info=$tree/bert_infer-$version.dist-info
  mkdir -p "$info/licenses" "$tree/bert_infer/bin"
  cp -r "$top/bindings/python/bert_infer" "$tree/"
  find "$tree" -name __pycache__ -prune -exec rm -r {} +
  cp -r "$top/models/builtin" "$tree/bert_infer/builtin"
  cp "$module" "$tree/bert_infer/$name"
  cp "$work/$cpu/bert-infer-beside" "$tree/bert_infer/bin/bert-infer"
  chmod 755 "$tree/bert_infer/bin/bert-infer"
  cp "$work/python/PKG-INFO" "$info/METADATA"
  mkdir -p "$info/sboms"
  "$(python_program)" -B packaging/release/sbom.py "$pins" "${zig%/*}" "$version" "linux-$cpu" \
    "$tree/bert_infer/bin/bert-infer" module >"$info/sboms/bert_infer.cdx.json"
  cp "$top/LICENSE" "$info/licenses/"
  cp -r "$work/$cpu/licences" "$info/licenses/third_party"
  printf '%s\n' '[console_scripts]' 'bert-infer = bert_infer.program:main' '' \
    '[spacy_factories]' 'bert_infer = bert_infer.spacy:make_component' >"$info/entry_points.txt"
  printf '%s\n' 'Wheel-Version: 1.0' 'Generator: packaging/release.sh' 'Root-Is-Purelib: false' >"$info/WHEEL"
  local part
  for part in ${platform//./ }; do echo "Tag: $tag-$part" >>"$info/WHEEL"; done
  PYTHONPATH=$work/python/tools "$(python_program)" -B -m wheel pack "$tree" --dest-dir "$out" >"$work/python/pack.log"
}

# wheels CPU: makes all wheels for that CPU.
wheels() {
  local libc kind target
  for libc in gnu musl; do
    say "$1: building the Python package for $libc"
    target=$1-linux-$libc
    if [[ $libc == gnu ]]; then target+=.2.17; fi
    compiler_scripts "$target" "$work/$1-$libc/bin"
    for kind in "${python_kinds[@]}"; do wheel "$1" "$libc" "$kind"; done
  done
}
