#!/usr/bin/env bash
# The Debian package for arm64 that cpack makes: its program and its libraries are of that architecture, and the program
# computes under the emulator.
#   debian.sh BUILD_DIRECTORY SCRATCH_DIRECTORY EMULATOR...
set -euo pipefail
build=$1 scratch=$2
shift 2
rm -rf "$scratch"
mkdir -p "$scratch"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/package" >/dev/null
package=$(find "$scratch/package" -maxdepth 1 -name '*.deb')
dpkg-deb --field "$package" Package Version Architecture Depends
[[ $(dpkg-deb --field "$package" Architecture) == arm64 ]]
dpkg-deb -x "$package" "$scratch/unpacked"
for file in "$scratch"/unpacked/usr/bin/bert-infer "$scratch"/unpacked/usr/lib/libbertinfer.so.?.?.?; do
  readelf -h "$file" | grep -q AArch64 || { echo "$file is not of AArch64"; exit 1; }
done
[[ -s $scratch/unpacked/usr/share/man/man1/bert-infer.1 ]]
[[ $("$@" "$scratch/unpacked/usr/bin/bert-infer" similarity "one text" "one text") == 1.000000 ]]
"$@" "$scratch/unpacked/usr/bin/bert-infer" inspect | grep "instruction set"
