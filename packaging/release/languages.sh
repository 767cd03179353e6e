# Builds the C library for other languages, and the packages for Rust, Go and Java. packaging/release.sh sources this
# file after packaging/release/bindings.sh, whose builds it uses. The variables inputs, zig, top, work, out and version
# must be set.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

# Go has these names for the CPUs.
declare -A go_cpus=([x86_64]=amd64 [aarch64]=arm64)

# with_cxx_library CPU FILE: puts zig's C++ library into a static library, and hides all names but the C interface's.
with_cxx_library() {
  local libraries merged=${2%.a}.o
  mapfile -t libraries < <(echo 'int main() {}' | ZIG_VERBOSE_LINK=1 "$CXX" -x c++ - -o "$merged.program" 2>&1 |
    grep -o '[^ ]*/lib\(c++\|c++abi\|unwind\|compiler_rt\)[.]a' | sort -u)
  if ((${#libraries[@]} != 4)); then say "zig links ${libraries[*]}, expected its C++ library" && return 1; fi
  "$zig" ld.lld -r -o "$merged" --whole-archive "$2" --no-whole-archive "${libraries[@]}"
  "$1-linux-gnu-objcopy" --wildcard --keep-global-symbol 'bert_*' --strip-debug "$merged"
  rm "$2" "$merged.program"
  "$zig" ar rcsD "$2" "$merged"
  rm "$merged"
}

# c_library CPU LIBC: puts the archive of the C library, shared and static, with its headers into OUT, and gives the
# packages the same files.
c_library() {
  local cpu=$1 libc=$2 name=${2/gnu/glibc} archive
  local root=$work/$cpu-$libc
  say "$cpu: building the C library for $name"
  archive=$work/c/bert-infer-$version-c-linux-$cpu-$name
  rm -rf "$archive"
  logged "$root/c.configure.log" cmake -DBERT_INFER_C_NAMES=ON "$root/build"
  logged "$root/c.log" cmake --build "$root/build" --target bertinfer_shared bertinfer
  logged "$root/c.install.log" cmake --install "$root/build" --prefix "$archive" --component library
  logged "$root/c.install.log" cmake --install "$root/build" --prefix "$archive" --component development
  with_cxx_library "$cpu" "$archive/lib/libbertinfer.a"
  find "$archive/include/bert" -name '*.h' ! -name 'bert*.h' ! -name export.h -delete
  bill "linux-$cpu" "$archive/lib/libbertinfer.so" >"$archive/libbertinfer.cdx.json"
  library_licences "$cpu" "$archive/licenses"
  archive_of "$out/${archive##*/}.tar.gz" "$work/c" "${archive##*/}"
  install -D "$archive/lib/libbertinfer.so" "$work/java/linux-${node_cpus[$cpu]}-$name/libbertinfer.so"
  install -D -m 644 "$archive/lib/libbertinfer.a" "$work/go/bertinfer/lib/linux_${go_cpus[$cpu]}_$name/libbertinfer.a"
}

# c_library_for_windows CPU: puts the archive of the DLL into OUT. The DLL is made from the build of the program for
# Windows.
c_library_for_windows() {
  local root=$work/windows-$1 archive=$work/c/bert-infer-$version-c-windows-$1
  say "$1: building the C library for Windows"
  rm -rf "$archive"
  mkdir -p "$archive"/{bin,lib,include/bert}
  logged "$root/c.log" cmake --build "$root/build/bert-infer" --target bertinfer_shared
  cp "$root/build/bert-infer/bertinfer.dll" "$archive/bin/"
  cp "$root/build/bert-infer/libbertinfer.dll.a" "$archive/lib/"
  cp "$top"/include/bert/{bert*,export}.h "$archive/include/bert/"
  bill "windows-$1" "$archive/bin/bertinfer.dll" >"$archive/bertinfer.cdx.json"
  library_licences "windows-$1" "$archive/licenses"
  cp "$root/licences"/{mingw-w64,libonig*} "$archive/licenses/"
  archive_of "$out/${archive##*/}.tar.gz" "$work/c" "${archive##*/}"
}

# go_module CPU: puts the Go module into OUT, with the static libraries that were built. It takes the licences of CPU,
# which are the same for every CPU.
go_module() {
  local tree=$work/go/bertinfer
  cp -r "$top/bindings/go"/{*.go,calls.h,go.mod,README.md,examples} "$tree/"
  sed -i 's|-L[$]{SRCDIR}/../../build ||; s| -lstdc++||; s| -I[$]{SRCDIR}/../../include||' "$tree/link.go"
  mkdir -p "$tree/include/bert"
  cp "$top"/include/bert/{bert*,export}.h "$tree/include/bert/"
  library_licences "$1" "$tree/licenses"
  archive_of "$out/bert-infer-$version-go.tar.gz" "$work/go" bertinfer
}

# java_package: puts the jar into OUT, with the shared libraries that were built, if there is Maven.
java_package() {
  if ! command -v mvn >/dev/null; then
    say "SKIPPED, no mvn: the package for Java is not built (Debian's maven has it)"
    return
  fi
  rm -rf "$work/java-package"
  cp -r "$top/bindings/java" "$work/java-package"
  logged "$work/java.log" mvn -q -B -f "$work/java-package" -pl core -am -Dnatives="$work/java" package
  cp "$work/java-package/core/target/bert-infer-$version.jar" "$out/"
}

# crates: puts the crates into OUT, if there is cargo. bert-infer-sys has the sources of the library.
crates() {
  if ! command -v cargo >/dev/null; then
    say "SKIPPED, no cargo: the package for Rust is not built (Debian's cargo has it)"
    return
  fi
  local tree=$work/rust crate bytes
  rm -rf "$tree"
  mkdir -p "$tree"
  cp -r "$top/bindings/rust"/{bert-infer,bert-infer-sys} "$tree/"
  printf '[workspace]\nmembers = ["bert-infer-sys", "bert-infer"]\nresolver = "2"\n' >"$tree/Cargo.toml"
  for crate in bert-infer bert-infer-sys; do cp "$top/LICENSE" "$tree/$crate/"; done
  mkdir "$tree/bert-infer-sys/source"
  git -C "$top" archive HEAD CMakeLists.txt LICENSE cmake engine tokenizer models tasks bindings/c include |
    tar -x -C "$tree/bert-infer-sys/source"
  # Cargo takes a folder with a Cargo.toml for another package and leaves it out. This folder has none, so it is packed.
  (cd "$tree" && logged "$work/crates.log" env CARGO_TARGET_DIR="$tree/target" cargo package --allow-dirty \
    --no-verify --workspace)
  for crate in "$tree/target/package"/*.crate; do
    bytes=$(stat -c %s "$crate")
    if ((bytes > 10 << 20)); then
      say "${crate##*/} has $bytes bytes, expected at most 10 MiB, the registry's limit"
      return 1
    fi
    cp "$crate" "$out/"
  done
}
