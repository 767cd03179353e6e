#!/usr/bin/env bash
# Makes a Python 3.11 on musl, for check_wheels.sh: musl_python.sh DIRECTORY. Debian has none, so the release's zig
# compiles Debian's sources of Python, and the musl of Debian 13 starts the result (that of Debian 12 does not know the
# relocations of numpy's wheels). It has no pip and no modules that need other libraries. packaging/release.sh must have
# fetched the compiler before.
set -euo pipefail
directory=$(mkdir -p "${1:?usage: packaging/release/musl_python.sh DIRECTORY}" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
inputs=$PWD/build-release/inputs
zig=$inputs/ziglang/ziglang/zig
# shellcheck source=tools/setup/setup.sh
source tools/setup/setup.sh
source packaging/release/inputs.sh
if [[ ! -x $zig ]]; then fail "$zig: not there, expected a run of packaging/release.sh before"; fi

install_missing dpkg-dev make
private_apt "$inputs/apt"
fetch_input trixie musl "" "$directory/input"
dpkg-deb -x "$input_file" "$directory/input"
mkdir -p "$directory/lib"
cp "$directory/input/usr/lib/x86_64-linux-musl/libc.so" "$directory/lib/ld-musl-x86_64.so.1"
fetch_input source python3.11 "" "$directory/input"
rm -rf "$directory/source"
dpkg-source --no-copy --skip-patches -x "$input_file" "$directory/source" >/dev/null

mkdir -p "$directory/tools"
for tool in "cc -target x86_64-linux-musl -dynamic" "c++ -target x86_64-linux-musl -dynamic" ar ranlib; do
  printf '#!/bin/sh\nexec %q %s "$@"\n' "$zig" "$tool" >"$directory/tools/${tool%% *}"
done
chmod +x "$directory/tools"/*
export ZIG_GLOBAL_CACHE_DIR=$directory/cache ZIG_LOCAL_CACHE_DIR=$directory/cache
cd "$directory/source"
say "compiling Python, into $directory"
# The name of a module for musl contains the value of --build.
CC=$directory/tools/cc CXX=$directory/tools/c++ AR=$directory/tools/ar RANLIB=$directory/tools/ranlib \
  PKG_CONFIG=/bin/false CFLAGS="-O1 -g0 -fno-sanitize=undefined -Wno-date-time" \
  LDFLAGS="-Wl,-export-dynamic -Wl,--dynamic-linker=$directory/lib/ld-musl-x86_64.so.1" \
  ./configure --build=x86_64-linux-musl --prefix="$directory" --without-ensurepip --disable-test-modules \
  --with-readline=no >"$directory/log"
make -j "$(nproc)" >>"$directory/log" 2>&1 || { tail -n 40 "$directory/log" >&2; exit 1; }
make install >>"$directory/log" 2>&1
rm -rf "$directory"/{cache,input,source}
"$directory/bin/python3.11" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))'
