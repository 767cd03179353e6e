#!/usr/bin/env bash
# Tests the Debian packages that cpack makes: they install, each has its files, the program and a user's program run
# with them, and their removal leaves no file. The test uses a new root directory, so it needs no privileges.
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
mapfile -t packages < <(find "$scratch/package" -maxdepth 1 -name '*.deb' | sort)
for package in "${packages[@]}"; do dpkg-deb --field "$package" Package Version Architecture Depends; done
names=$(for package in "${packages[@]}"; do dpkg-deb --field "$package" Package; done | xargs)
[[ $names == "bert-infer libbertinfer-dev libbertinfer0.1" ]] || { echo "found the packages $names"; exit 1; }

if command -v lintian >/dev/null; then
  # Only a build for the prefix /usr has Debian's paths for each architecture.
  elsewhere=pkg-config-unavailable-for-cross-compilation
  grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt" && elsewhere=
  lintian --allow-root --fail-on warning,error ${elsewhere:+--suppress-tags "$elsewhere"} "${packages[@]}"
else
  echo "SKIPPED in part, no lintian"
fi

# files PACKAGE: prints the package's files, relative to usr/.
files() { dpkg-deb --contents "$scratch/package/$1"_*.deb | sed -n 's|.* \./usr/\(.*[^/]\)$|\1|p'; }
[[ $(dpkg-deb --field "$scratch/package"/bert-infer_*.deb Depends) == *libc6*libzstd1* ]]
[[ $(dpkg-deb --field "$scratch/package"/libbertinfer-dev_*.deb Depends) == *"libbertinfer0.1 (= "* ]]
grep -qx bin/bert-infer <<<"$(files bert-infer)"
[[ $(files libbertinfer0.1 |
  grep -v -e '\.so\.[0-9.]*\( -> .*\)\?$' -e '^share/doc/libbertinfer0.1/' -e /lintian/) == "" ]]
[[ $(files bert-infer | grep -E '\.(h|a|so|cmake|pc)$|site-packages|^bert_infer') == "" ]]

as_root=(dpkg --root="$scratch/system" --force-not-root --force-depends --force-script-chrootless --log=/dev/null)
# Only root, or fakeroot, can unpack the owners of files.
if [[ $(id -u) != 0 ]] && ! command -v fakeroot >/dev/null; then
  echo "SKIPPED, neither root nor fakeroot is here to unpack a package's owners"
  exit "$skipped"
fi
[[ $(id -u) == 0 ]] || as_root=(fakeroot "${as_root[@]}")
"${as_root[@]}" --install "${packages[@]}" >"$scratch/install.txt" 2>&1 || { cat "$scratch/install.txt"; exit 1; }
"${as_root[@]}" --verify

prefix=$scratch/system/usr
[[ $("$prefix/bin/bert-infer" similarity "one text" "one text") == 1.000000 ]]
need_golden
build_by_cmake "$prefix" bertinfer_shared C
check_consumer "from the Debian package, C" shared
build_by_cmake "$prefix" bertinfer CXX
check_consumer "from the Debian package, C++" static

"${as_root[@]}" --purge bert-infer libbertinfer-dev libbertinfer0.1 >"$scratch/purge.txt" 2>&1 ||
  { cat "$scratch/purge.txt"; exit 1; }
left=$(find "$scratch/system" -not -path '*/var/lib/dpkg*' -type f)
[[ -z $left ]] || { echo "left behind:"; echo "$left"; exit 1; }
echo "installed, used, gone"
