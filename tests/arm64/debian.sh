#!/usr/bin/env bash
# Checks the Debian packages for arm64 that cpack makes: the program and the libraries have this architecture, the
# packages name every package whose library they load, and the program runs under the emulator.
#   debian.sh BUILD_DIRECTORY SCRATCH_DIRECTORY EMULATOR...
set -euo pipefail
build=$1 scratch=$2
shift 2
rm -rf "$scratch"
mkdir -p "$scratch"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/package" >/dev/null
for package in "$scratch/package"/*.deb; do
  dpkg-deb --field "$package" Package Version Architecture Depends
  [[ $(dpkg-deb --field "$package" Architecture) == arm64 ]]
  dpkg-deb -x "$package" "$scratch/unpacked"
done
depends=$(dpkg-deb --field "$scratch/package"/bert-infer_*.deb Depends)
for library in $(readelf -d "$scratch/unpacked/usr/bin/bert-infer" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p'); do
  case $library in
    ld-linux-aarch64 | libc | libm) library=libc6 ;;
    libgcc_s) library=libgcc-s1 ;;
    libz) library=zlib1g ;;
  esac
  [[ $depends == *"$library"* ]] || { echo "$library is loaded, and not in Depends: $depends"; exit 1; }
done
for file in "$scratch"/unpacked/usr/bin/bert-infer "$scratch"/unpacked/usr/lib/libbertinfer.so.?.?.?; do
  grep -q AArch64 <<<"$(readelf -h "$file")" || { echo "$file is not of AArch64"; exit 1; }
done
[[ -s $scratch/unpacked/usr/share/man/man1/bert-infer.1.gz ]]
[[ $("$@" "$scratch/unpacked/usr/bin/bert-infer" similarity "one text" "one text") == 1.000000 ]]
"$@" "$scratch/unpacked/usr/bin/bert-infer" inspect | grep "instruction set"
