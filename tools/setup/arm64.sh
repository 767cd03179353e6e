# Fetches the libraries that cross-building for 64-bit ARM needs, besides the packages ARM64_PACKAGES. They get a folder
# of their own, so that the system's package manager does not change. Source this file after tools/setup/setup.sh.
# shellcheck shell=bash

# shellcheck disable=SC2034  # for the scripts that source this file
ARM64_PACKAGES=(g++-aarch64-linux-gnu qemu-user-static cmake ninja-build pkg-config)
# Programs need libc6, libgcc-s1 and libstdc++6 to run under qemu. For building, the compiler has its own.
ARM64_LIBRARIES=(libc6 libgcc-s1 libstdc++6 nlohmann-json3-dev libcli11-dev libeigen3-dev libminizip-dev libminizip1
  zlib1g-dev zlib1g libzstd-dev libzstd1 libpng-dev libpng16-16 libgtest-dev libonig5)
# The server needs these. Debian 12's libboost-dev depends on libboost1.74-dev.
ARM64_LIBRARIES+=(libboost1.74-dev prometheus-cpp-dev libprometheus-cpp-core1.0)
# The Python package needs Python, numpy and the libraries that these load.
ARM64_LIBRARIES+=(libpython3.11-dev libpython3.11-stdlib libpython3.11-minimal python3.11-minimal python3-numpy libblas3
  liblapack3 libgfortran5 libexpat1 libffi8 libbz2-1.0 liblzma5)

# arm64_sysroot DIRECTORY: unpacks the arm64 packages of this system's package sources into the directory. The directory
# appears whole or not at all.
arm64_sysroot() {
  local directory=$1 scratch package
  local list="${ARM64_LIBRARIES[*]}"
  if [[ -f $directory/packages && $(<"$directory/packages") == "$list" ]]; then return 0; fi
  mkdir -p "$(dirname "$directory")"
  scratch=$(mktemp -d "$(dirname "$directory")/sysroot.XXXXXX")
  say "unpacking arm64 packages into $directory: $list"
  mkdir -p "$scratch"/apt/{state/lists,cache/archives}/partial "$scratch/apt/packages" "$scratch/sysroot"
  touch "$scratch/apt/status"
  cat >"$scratch/apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "$scratch/apt/state";
Dir::State::status "$scratch/apt/status";
Dir::Cache "$scratch/apt/cache";
END
  APT_CONFIG=$scratch/apt/apt.conf apt-get -q update >&2 || say "apt-get update failed; going on with what it has"
  if ! (cd "$scratch/apt/packages" &&
    APT_CONFIG=$scratch/apt/apt.conf apt-get -q download "${ARM64_LIBRARIES[@]}" >&2); then
    rm -rf "$scratch"
    say "the arm64 packages could not be fetched"
    return 1
  fi
  for package in "$scratch"/apt/packages/*.deb; do dpkg-deb -x "$package" "$scratch/sysroot"; done
  # Debian's pyconfig.h includes the pyconfig.h of the architecture by this path.
  ln -s ../aarch64-linux-gnu "$scratch/sysroot/usr/include/python3.11/"
  echo "$list" >"$scratch/sysroot/packages"
  rm -rf "$directory"
  mv "$scratch/sysroot" "$directory"
  rm -rf "$scratch"
}
