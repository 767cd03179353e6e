#!/usr/bin/env bash
# Runs the tests of the package for another language on the library of the build tree:
#   language.sh rust|go|java BUILD_DIRECTORY SCRATCH_DIRECTORY
# If a tool or a package is missing, prints which and exits with 77 (tools/test.sh fetches them). The tests find their
# data by the variables BERT_TEST_*: tiny models, the cases that every binding runs, wrong inputs, and texts with the
# vectors that the program computes for them.
set -euo pipefail
language=$1 build=$(realpath "$2") scratch=$3
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$here/../.." && pwd)

skip() {
  echo "SKIPPED, $*"
  exit 77
}

# needs PROGRAM VERSION EXPECTED: skips the tests if VERSION, the program's, is empty or below EXPECTED.
needs() {
  if [[ -z $2 ]]; then skip "no $1"; fi
  if [[ $(printf '%s\n' "$2" "$3" | sort -V | head -n 1) != "$3" ]]; then skip "$1 is $2, expected $3 or later"; fi
}

# example PAGE LANGUAGE: prints the page's examples in that language.
example() { sed -n "/^\`\`\`$2\$/,/^\`\`\`\$/p" "$1" | sed '/^```/d'; }

case $language in
  rust)
    needs cargo "$(cargo --version 2>/dev/null | cut -d ' ' -f 2)" 1.63
    export CARGO_TARGET_DIR=$build/rust
    cd "$sources/bindings/rust"
    cargo fetch --locked --offline >/dev/null 2>&1 || skip "the crates of bindings/rust/Cargo.lock were not fetched"
    tests() {
      cargo test --workspace --offline --locked --quiet
      mkdir -p "$scratch/hello/src"
      example bert-infer/README.md rust >"$scratch/hello/src/main.rs"
      cp Cargo.lock "$scratch/hello/"
      printf '[package]\nname = "hello"\nversion = "1.0.0"\nedition = "2021"\n' >"$scratch/hello/Cargo.toml"
      printf '[dependencies]\nbert-infer = { path = "%s" }\n' "$PWD/bert-infer" >>"$scratch/hello/Cargo.toml"
      [[ $(cargo run --offline --quiet --manifest-path "$scratch/hello/Cargo.toml") == 0.369 ]]
      if cargo fmt --version >/dev/null 2>&1; then cargo fmt --all --check; fi
      if cargo clippy --version >/dev/null 2>&1; then
        cargo clippy --workspace --all-targets --all-features --offline --locked --quiet -- -D warnings
      fi
    }
    ;;
  go)
    needs go "$(go env GOVERSION 2>/dev/null | sed 's/^go//')" 1.19
    command -v cc >/dev/null || skip "no C compiler, which cgo needs"
    export GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOCACHE=$build/go GO111MODULE=on
    cd "$sources/tests/bindings/go"
    tests() {
      [[ -z $(gofmt -l . ../../../bindings/go) ]] || { gofmt -d . ../../../bindings/go && return 1; }
      (cd ../../../bindings/go && go vet ./...)
      mkdir "$scratch/hello"
      example ../../../bindings/go/README.md go >"$scratch/hello/main.go"
      (cd "$scratch/hello" && go mod init hello 2>/dev/null &&
        go mod edit -require bertinfer@v0.0.0 -replace bertinfer="$sources/bindings/go" && [[ $(go run .) == 0.369 ]])
      go test -count 1 ./...
      go test -count 1 -race -run 'Goroutines|Context|Tasks' ./...
    }
    ;;
  java)
    needs javac "$(javac -version 2>/dev/null | cut -d ' ' -f 2)" 17
    jna=""
    for file in "$build"/java/jna-*.jar /usr/share/java/jna.jar; do
      if [[ -f $file ]]; then jna=$file && break; fi
    done
    [[ -f $build/libbertinfer.so ]] || skip "no shared library (BERT_INFER_SHARED_LIBRARY=OFF)"
    [[ -n $jna ]] || skip "no jna.jar (Debian's libjna-java)"
    cd "$sources"
    tests() {
      javac -encoding UTF-8 -Xlint:all -Werror --release 17 -cp "$jna" -d "$scratch/classes" \
        bindings/java/core/src/main/java/bertinfer/*.java tests/bindings/java/*.java
      example bindings/java/README.md java >"$scratch/Hello.java"
      javac -encoding UTF-8 -cp "$scratch/classes" -d "$scratch/classes" "$scratch/Hello.java"
      local library=-Dbertinfer.library=$build/libbertinfer.so
      [[ $(java -cp "$scratch/classes:$build/java:$jna" Hello) == 0.369 ]]  # finds the library as in a jar
      java -Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC "$library" -cp "$scratch/classes:$jna" Tests
    }
    ;;
esac

rm -rf "$scratch"
mkdir -p "$scratch/models"
scratch=$(realpath "$scratch")
export BERT_TEST_MODELS=$scratch/models BERT_TEST_CASES=$sources/tests/cases/cases.jsonl
export BERT_TEST_WRONG=$scratch/wrong.jsonl BERT_TEST_TEXTS=$sources/examples/sentences.txt
export BERT_TEST_VECTORS=$scratch/vectors.npy
"$build/tests/write_tiny_models" "$BERT_TEST_MODELS" >/dev/null
python=python3
if [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; fi
"$python" -B "$here/wrong_inputs.py" "$build/tests/tasks_json" >"$BERT_TEST_WRONG"
"$build/bert-infer" embed --input "$BERT_TEST_TEXTS" --output "$BERT_TEST_VECTORS" 2>/dev/null
tests
