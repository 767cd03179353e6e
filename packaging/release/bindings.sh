# Builds the Node package, with an addon for each CPU and C library of Linux and one for Windows, and SQLite's extension
# for each CPU and C library. packaging/release.sh sources this file after packaging/release/wheels.sh, whose builds of
# the library it uses. The variables inputs, zig, top, work, out and version must be set.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

# Node has these names for the CPUs.
declare -A node_cpus=([x86_64]=x64 [aarch64]=arm64)

# unpack_headers: unpacks the headers of Node and of SQLite below build-release/headers.
unpack_headers() {
  rm -rf "$work/headers"
  mkdir -p "$work/headers"
  dpkg-deb -x "$inputs/libnode-dev"/*.deb "$work/headers"
  dpkg-deb -x "$inputs/libsqlite3-dev"/*.deb "$work/headers"
}

# bill PLATFORM FILE: writes the bill of materials of a shared object.
bill() {
  "$(python_program)" -B packaging/release/sbom.py "$pins" "${zig%/*}" "$version" "$1" "$2" library
}

# library_licences CPU DIRECTORY: writes our licence, and those of everything that is linked into the library.
library_licences() {
  local index
  mkdir -p "$2"
  cp "$top/LICENSE" "$2/"
  for index in "${!pin_names[@]}"; do
    if [[ ${pin_uses[index]} != library ]]; then continue; fi
    cp "$work/$1/licences/${pin_names[index]} ${pin_versions[index]}" "$2/"
  done
  cp "$work/$1/licences"/{libcxx,libcxxabi,libunwind} "$2/"
}

# archive_of FILE DIRECTORY NAME...: makes a .tgz of these entries of the directory. Its bytes depend only on them.
archive_of() {
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+w -C "$2" -c "${@:3}" | gzip -n9 >"$1"
}

# addon PLATFORM BUILD NAME: builds the addon in the folder BUILD and copies it into the tree of the Node package.
addon() {
  local tree=$work/node/package prebuilt=$work/node/package/prebuilds/$3
  logged "$2.node.log" cmake --build "$2" --target bert_infer_node
  mkdir -p "$prebuilt"
  find "$2/node" -maxdepth 1 -type f -exec cp {} "$tree/" \;
  cp "$2/node/prebuilds/$3/bert_infer.node" "$prebuilt/"
  bill "$1" "$prebuilt/bert_infer.node" >"$prebuilt/bert_infer.cdx.json"
}

# addon_for_windows CPU: builds the addon in the build folder of the program for Windows.
addon_for_windows() {
  local root=$work/windows-$1 licences=$work/node/package/licenses
  say "$1: building the addon of Node for Windows"
  logged "$root/node.configure.log" cmake -DBERT_INFER_BUILTIN_BESIDE=ON -DBERT_INFER_NODE=ON \
    -DBERT_INFER_NODE_HEADERS="$work/headers/usr/include/node" "$root/build/bert-infer"
  addon "windows-$1" "$root/build/bert-infer" "win32-${node_cpus[$1]}"
  mkdir -p "$licences"
  cp "$root/licences"/{mingw-w64,libonig*} "$licences/"
}

# bindings CPU LIBC: builds the addon into the tree of the Node package, and SQLite's extension into OUT.
bindings() {
  local cpu=$1 libc=$2 target=$1-linux-$2 name=${2/gnu/glibc}
  local root=$work/$cpu-$libc addon extension
  say "$cpu: building the addon of Node and SQLite's extension for $name"
  if [[ $libc == gnu ]]; then target+=.2.17; fi
  compiler_scripts "$target" "$root/bin"
  addon=linux-${node_cpus[$cpu]}-$name
  logged "$root/bindings.configure.log" cmake_for "$cpu" "$root" -S "$top" -B "$root/build" -DBERT_INFER_PROGRAM=OFF \
    -DBERT_INFER_TESTS=OFF -DBERT_INFER_PYTHON_PACKAGE=OFF -DBERT_INFER_BUILTIN_BESIDE=ON -DBERT_INFER_NODE=ON \
    -DBERT_INFER_SQLITE=ON -DBERT_INFER_NODE_SYSTEM="$addon" -DEigen3_DIR="$work/$cpu/usr/share/eigen3/cmake" \
    -DBERT_INFER_NODE_HEADERS="$work/headers/usr/include/node" \
    -DBERT_INFER_SQLITE_HEADERS="$work/headers/usr/include"
  addon "linux-$cpu" "$root/build" "$addon"
  # SQLite's extension is one file, with the built-in model in it.
  logged "$root/bindings.configure.log" cmake -DBERT_INFER_BUILTIN_BESIDE=OFF "$root/build"
  logged "$root/bindings.log" cmake --build "$root/build" --target bert_sqlite
  extension=$work/sqlite/bert-infer-$version-sqlite-linux-$cpu-$name
  rm -rf "$extension"
  mkdir -p "$extension"
  cp "$root/build/bert_sqlite.so" "$top/bindings/sqlite/README.md" "$extension/"
  bill "linux-$cpu" "$extension/bert_sqlite.so" >"$extension/bert_sqlite.cdx.json"
  library_licences "$cpu" "$extension/licenses"
  archive_of "$out/${extension##*/}.tar.gz" "$work/sqlite" "${extension##*/}"
}

# node_package FOLDER: makes the Node package in OUT, with all addons that were built and the built-in model once. It
# takes the licences from FOLDER of build-release/, which are the same for every platform.
node_package() {
  local tree=$work/node/package
  cp -r "$top/models/builtin" "$tree/prebuilds/builtin"
  library_licences "$1" "$tree/licenses"
  archive_of "$out/bert-infer-$version.tgz" "$work/node" package
}
