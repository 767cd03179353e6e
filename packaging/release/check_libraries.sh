#!/usr/bin/env bash
# Tests a release's C libraries on each CPU and C library of Linux that they are for:
#   packaging/release/check_libraries.sh OUT PROGRAM
# OUT is the folder that packaging/release.sh wrote, PROGRAM is another build, whose vector is compared. A program in C
# loads each shared library, as Java does, and another one contains the static library, as those in Go and Rust do. The
# packages for Go and Java must have the same files. build-release/ has the compiler, zig. Debian 13's musl and Debian's
# libraries for 64-bit ARM start the programs, those for ARM under qemu-aarch64-static.
set -euo pipefail
usage="usage: packaging/release/check_libraries.sh OUT PROGRAM"
out=$(realpath "${1:?$usage}") program=$(realpath "${2:?$usage}")
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh
source packaging/release/inputs.sh
zig=$PWD/build-release/inputs/ziglang/ziglang/zig
export ZIG_GLOBAL_CACHE_DIR=$PWD/build-release/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/build-release/zig-cache

if [[ ! -x $zig ]]; then fail "no '$zig', which packaging/release.sh unpacks"; fi
install_missing qemu-user-static libc6-arm64-cross
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
private_apt "$scratch/apt"

cat >"$scratch/vector.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>

#include "bert/bert.h"

#ifdef SHARED
#define CALL(function) ((__typeof__(&function))dlsym(library, #function))
#else
#define CALL(function) function
#endif

int main(int count, char** arguments) {
  if (count != 2) return 2;
#ifdef SHARED
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
#endif
  bert_model* model = NULL;
  size_t size = 0;
  float vector[4096];
  if (CALL(bert_model_load)(NULL, NULL, &model) != BERT_OK ||
      CALL(bert_embed_get_size)(model, NULL, &size) != BERT_OK ||
      CALL(bert_embed_text)(model, "A cat sat on the mat.", BERT_TO_NUL, NULL, vector, size) != BERT_OK) {
    return fprintf(stderr, "%s: %s\n", arguments[1], CALL(bert_error_message)()), 1;
  }
  return fwrite(vector, sizeof *vector, size, stdout) != size;
}
END
echo "A cat sat on the mat." >"$scratch/text"
"$program" embed --input "$scratch/text" --output "$scratch/expected.npy" 2>/dev/null

# same NAME COMMAND...: the command prints the program's vector, as bytes.
same() {
  "${@:2}" >"$scratch/found" || fail "$1: failed"
  [[ -s $scratch/found ]] || fail "$1: no vector"
  tail -c "$(stat -c %s "$scratch/found")" "$scratch/expected.npy" | cmp -s - "$scratch/found" ||
    fail "$1: the vectors differ"
  say "$1: the program's bits"
}

# musl_of CPU: fetches Debian 13's musl; prints its loader, which is the library too.
musl_of() {
  local package=musl
  if [[ $1 == aarch64 ]]; then package=musl:arm64; fi
  fetch_input trixie "$package" "" "$scratch/musl-$1"
  dpkg-deb -x "$input_file" "$scratch/musl-$1"
  find "$scratch/musl-$1" -name libc.so
}

# packed NAME FILE COMMAND...: the command prints the file, from a package that has it.
packed() {
  "${@:3}" | cmp -s - "$2" || fail "$1 has another file than ${2#"$scratch"/}"
  say "$1: the same file"
}

declare -A java_cpus=([x86_64]=x64 [aarch64]=arm64) go_cpus=([x86_64]=amd64 [aarch64]=arm64)
for archive in "$out"/bert-infer-*-c-linux-*.tar.gz; do
  name=${archive##*/} name=${name%.tar.gz} system=${name##*-c-linux-}
  cpu=${system%-*} libc=${system#*-} start=() target=${system/glibc/gnu.2.17}
  tar -xzf "$archive" -C "$scratch"
  library=$scratch/$name/lib/libbertinfer
  compile=("$zig" cc -target "${target/-/-linux-}" -w -I "$scratch/$name/include" "$scratch/vector.c")
  "${compile[@]}" -DSHARED -ldl -dynamic -o "$scratch/shared"
  "${compile[@]}" "$library.a" -lm -ldl -lpthread -o "$scratch/static"
  if [[ $cpu == aarch64 ]]; then start=(qemu-aarch64-static -L /usr/aarch64-linux-gnu); fi
  same "$system, static" "${start[@]}" "$scratch/static" static
  if [[ $libc == musl ]]; then start+=("$(musl_of "$cpu")"); fi
  same "$system, shared" "${start[@]}" "$scratch/shared" "$library.so"
  for jar in "$out"/bert-infer-[0-9]*.jar; do
    if [[ ! -f $jar ]]; then continue; fi
    packed "${jar##*/}" "$library.so" unzip -p "$jar" "natives/linux-${java_cpus[$cpu]}-$libc/libbertinfer.so"
  done
  for module in "$out"/bert-infer-*-go.tar.gz; do
    if [[ ! -f $module ]]; then continue; fi
    packed "${module##*/}" "$library.a" tar -xzOf "$module" "bertinfer/lib/linux_${go_cpus[$cpu]}_$libc/libbertinfer.a"
  done
done
