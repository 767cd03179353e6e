#!/usr/bin/env bash
# The Debian package that cpack makes: installs, serves the program and a consumer, and goes without leaving a file.
# Everything happens in a root directory of its own, so it needs no rights.
#   debian.sh BUILD_DIRECTORY SCRATCH_DIRECTORY C_COMPILER CXX_COMPILER
set -euo pipefail
# shellcheck disable=SC2034  # common.sh reads them
build=$1 scratch=$2 cc=$3 cxx=$4 flags=
# shellcheck source=tests/install/common.sh
source "$(dirname "$0")/common.sh"
for tool in dpkg dpkg-deb dpkg-shlibdeps file; do
  if ! command -v "$tool" >/dev/null; then
    echo "SKIPPED, no $tool (Debian's dpkg, dpkg-dev and file)"
    exit "$skipped"
  fi
done

rm -rf "$scratch"
mkdir -p "$scratch/package" "$scratch/system/var/lib/dpkg/"{info,updates}
touch "$scratch/system/var/lib/dpkg/"{status,available}
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/package" >/dev/null
package=$(find "$scratch/package" -maxdepth 1 -name '*.deb')
dpkg-deb --field "$package" Package Version Architecture Depends
dpkg-deb --field "$package" Depends | grep -q libc6

as_root=(dpkg --root="$scratch/system" --force-not-root --force-depends --force-script-chrootless --log=/dev/null)
# Without tar's owners: who runs this may not give files away.
if [[ $(id -u) != 0 ]] && ! command -v fakeroot >/dev/null; then
  echo "SKIPPED, neither root nor fakeroot is here to unpack a package's owners"
  exit "$skipped"
fi
[[ $(id -u) == 0 ]] || as_root=(fakeroot "${as_root[@]}")
"${as_root[@]}" --install "$package" >"$scratch/install.txt" 2>&1 || { cat "$scratch/install.txt"; exit 1; }
"${as_root[@]}" --verify bert-infer

prefix=$scratch/system/usr
"$prefix/bin/bert-infer" similarity "one text" "one text" | grep -qx "1.000000"
need_golden
build_by_cmake "$prefix" bertinfer_shared C
check_consumer "from the Debian package, C" shared
build_by_cmake "$prefix" bertinfer CXX
check_consumer "from the Debian package, C++" static

"${as_root[@]}" --purge bert-infer >"$scratch/purge.txt" 2>&1 || { cat "$scratch/purge.txt"; exit 1; }
left=$(find "$scratch/system" -not -path '*/var/lib/dpkg*' -type f)
[[ -z $left ]] || { echo "left behind:"; echo "$left"; exit 1; }
echo "installed, used, gone"
