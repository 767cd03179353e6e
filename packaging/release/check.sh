#!/usr/bin/env bash
# Compares a static program of packaging/release.sh with another build of the same sources:
#   packaging/release/check.sh PROGRAM OTHER
# PROGRAM must start with a folder that has nothing else as its root, and must compute, and serve over HTTP, the same
# bytes as OTHER. A program for 64-bit ARM runs under qemu-aarch64-static. Needs readelf, unshare, curl and cmp.
set -euo pipefail
program=${1:?usage: packaging/release/check.sh PROGRAM OTHER}
other=${2:?usage: packaging/release/check.sh PROGRAM OTHER}
# shellcheck source=tools/setup/setup.sh
source "$(dirname "$0")/../../tools/setup/setup.sh"

scratch=$(mktemp -d)
served=()
finish() {
  if ((${#served[@]} > 0)); then kill "${served[@]}" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap finish EXIT

# musl gives each thread a stack of 128 KiB unless the program's header GNU_STACK asks for more.
headers=$(readelf -lW "$program")
if grep -q -e INTERP -e DYNAMIC <<<"$headers"; then fail "$program is not static"; fi
grep -qE 'GNU_STACK .* 0x800000 RW' <<<"$headers" || fail "$program: the stack of its threads is not 8 MiB"

mkdir "$scratch/alone"
cp "$program" "$scratch/alone/bert-infer"
alone=(unshare --map-root-user --root "$scratch/alone")
if [[ $(readelf -h "$program") == *AArch64* ]]; then
  cp "$(command -v qemu-aarch64-static)" "$scratch/alone/qemu"
  alone+=(/qemu)
fi

# same NAME ARGUMENT...: fails unless both programs print the same.
same() {
  "${alone[@]}" /bert-infer "${@:2}" </dev/null >"$scratch/found" 2>"$scratch/log" ||
    fail "$1: failed: $(<"$scratch/log")"
  "$other" "${@:2}" </dev/null >"$scratch/other" 2>/dev/null
  cmp "$scratch/found" "$scratch/other" || fail "$1: the outputs differ"
  say "$1: the same $(wc -c <"$scratch/found") bytes"
}
texts=("A man plays a guitar." "Ein Häuschen, 東京, a naïve café, and words that nobody knows: xyzzyplugh.")
long=$(printf 'The stock market fell and rose again. %.0s' {1..40})
same encode encode --format json "${texts[@]}" "$long"
same embed embed --format json "${texts[@]}" "$long"
same "embed, threads" embed --format json --threads 2 "${texts[@]}" "$long"
same "embed, portable" embed --format json --gemm portable "${texts[@]}"
same tokenize tokenize --format json "${texts[@]}" "$long"
same similarity similarity --format json "${texts[@]}"

status=0
"${alone[@]}" /bert-infer embed --gemm openblas "A text" >/dev/null 2>"$scratch/refusal" || status=$?
[[ $status == 1 && $(<"$scratch/refusal") == *"OpenBLAS: this program is static and loads no library"* ]] ||
  fail "--gemm openblas: status $status, $(<"$scratch/refusal")"
say "--gemm openblas: refused"
status=0
HF_HUB_CACHE=/cache "${alone[@]}" /bert-infer fetch org/name >/dev/null 2>"$scratch/refusal" || status=$?
[[ $status == 1 && $(<"$scratch/refusal") == *"this program is static and loads no library"*"hf download NAME"* ]] ||
  fail "fetch: status $status, $(<"$scratch/refusal")"
say "fetch: refused, with what to use in its place"

"${alone[@]}" /bert-infer serve --listen 127.0.0.1:18091 2>"$scratch/alone.log" &
served+=("$!")
"$other" serve --listen 127.0.0.1:18092 2>"$scratch/other.log" &
served+=("$!")
for port in 18091 18092; do
  curl --silent --show-error --fail --retry 30 --retry-delay 1 --retry-connrefused \
    -H 'Content-Type: application/json' -d '{"inputs": ["A man plays a guitar.", "A text"]}' \
    "http://127.0.0.1:$port/embed" >"$scratch/$port" || fail "serve: no answer at $port"
done
cmp "$scratch/18091" "$scratch/18092" || fail "serve: the answers differ"
say "serve: the same $(wc -c <"$scratch/18091") bytes"
