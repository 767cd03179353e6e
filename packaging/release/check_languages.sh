#!/usr/bin/env bash
# Tests a release's packages for Rust, Go and Java, and its C library, each in an empty folder:
#   packaging/release/check_languages.sh OUT
# OUT is the folder that packaging/release.sh wrote. Builds the crate from its sources, and runs the READMEs' examples.
# Needs cargo, go, javac and mvn, which fetches JNA and the frameworks of the modules. Prints the name of a missing one.
set -euo pipefail
out=$(realpath "${1:?usage: packaging/release/check_languages.sh OUT}")
cd "$(dirname "$0")/../.."
top=$PWD
source tools/setup/setup.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

example() { sed -n "/^\`\`\`$2\$/,/^\`\`\`\$/p" "$1" | sed '/^```/d'; }

# prints NAME COMMAND...: fails unless the command prints the example's number.
prints() {
  local found
  found=$("${@:2}") || fail "$1: failed"
  [[ $found == 0.369 ]] || fail "$1: printed '$found', expected 0.369"
  say "$1: the example runs"
}

c_library() {
  local archive=$1 name=${1##*/}
  tar -xzf "$archive" -C "$scratch"
  name=$scratch/${name%.tar.gz}
  if grep -qv ' [AT] \(bert_\|BERTINFER_\)' <<<"$(nm -D --defined-only "$name/lib/libbertinfer.so")"; then
    fail "${archive##*/} exports other names than the C interface's"
  fi
  if grep -q 'NEEDED.*\(stdc++\|gcc_s\|libc++\)' <<<"$(readelf -dW "$name/lib/libbertinfer.so")"; then
    fail "${archive##*/} needs a C++ library"
  fi
  if [[ $name != *"$(uname -m)-glibc" ]]; then return; fi
  local flags
  read -ra flags < <(PKG_CONFIG_PATH=$name/lib/pkgconfig pkg-config --cflags --libs bertinfer)
  cc examples/embed.c "${flags[@]}" -lm -o "$scratch/embed"
  LD_LIBRARY_PATH=$name/lib "$scratch/embed" "" "A man plays a guitar." "A dog barks." >/dev/null
  say "${archive##*/}: examples/embed.c runs"
}

for archive in "$out"/bert-infer-*-c-linux-*.tar.gz; do c_library "$archive"; done

mkdir "$scratch/go"
tar -xzf "$out"/bert-infer-*-go.tar.gz -C "$scratch"
example bindings/go/README.md go >"$scratch/go/main.go"
cd "$scratch/go"
go mod init hello 2>/dev/null
go mod edit -require bertinfer@v0.0.0 -replace bertinfer="$scratch/bertinfer"
prints "Go" go run .

cd "$top"
maven=(mvn -q -B -f bindings/java -P adapters -Dmaven.repo.local="$scratch/m2")
classpath=dependency:build-classpath
if ! "${maven[@]}" install "$classpath" -Dmdep.outputFile=target/classpath >"$scratch/mvn.log" 2>&1; then
  tail -n 20 "$scratch/mvn.log" >&2
  fail "the modules for langchain4j and Spring AI do not compile"
fi
modules=$(echo bindings/java/*/target/bert-infer-*.jar | tr ' ' ':')
others=$(paste -sd : bindings/java/{langchain4j,spring-ai}/target/classpath | paste -sd :)
java -cp "$modules:$others" tests/bindings/java/adapters/Adapters.java >/dev/null
say "Java: the modules for langchain4j and Spring AI have the model's vectors"
jna=$(find "$scratch/m2" -name 'jna-*.jar' | head -n 1) jar=$(echo "$out"/bert-infer-[0-9]*.jar)
example bindings/java/README.md java >"$scratch/Hello.java"
prints "Java" java -cp "$jar:$jna" "$scratch/Hello.java"

mkdir -p "$scratch/rust/src" "$scratch/crates"
for crate in "$out"/bert-infer-*.crate; do tar -xzf "$crate" -C "$scratch/crates"; done
example bindings/rust/bert-infer/README.md rust >"$scratch/rust/src/main.rs"
cat >"$scratch/rust/Cargo.toml" <<END
[package]
name = "hello"
version = "1.0.0"
edition = "2021"
[dependencies]
bert-infer = "0.1"
[patch.crates-io]
bert-infer = { path = "$(echo "$scratch"/crates/bert-infer-[0-9]*)" }
bert-infer-sys = { path = "$(echo "$scratch"/crates/bert-infer-sys-*)" }
END
prints "Rust, from the crate's sources" cargo run --quiet --release --manifest-path "$scratch/rust/Cargo.toml"
CARGO_TARGET_DIR=$scratch/target cargo build --quiet --manifest-path bindings/rust/examples/search_service/Cargo.toml
say "Rust: the search service compiles"
