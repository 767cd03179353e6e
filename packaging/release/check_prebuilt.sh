#!/usr/bin/env bash
# Tests a release's Node package and SQLite extensions on each CPU and C library that they are for:
#   packaging/release/check_prebuilt.sh OUT PROGRAM [NODE...]
# OUT is the folder that packaging/release.sh wrote. PROGRAM is another build, whose vectors are compared. Each NODE is
# a program that runs a Node 24 of another system, made by packaging/release/nodes.sh; the system's own Node runs too.
# Needs nm, readelf, sqlite3 and npm.
set -euo pipefail
usage="usage: packaging/release/check_prebuilt.sh OUT PROGRAM [NODE...]"
out=$(realpath "${1:?$usage}") program=$(realpath "${2:?$usage}")
nodes=("${@:3}")
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# needs FILE: checks what a shared object exports and needs. Prints the libraries and the newest GLIBC that it needs.
needs() {
  local libraries versions
  libraries=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
  versions=$(readelf -VW "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 || true)
  if grep -qv ' T \(napi_\|node_api_\|sqlite3_bertsqlite_init$\)' <<<"$(nm -D --defined-only "$1")"; then
    fail "$1 exports more than its entry: $(nm -D --defined-only "$1" | wc -l) names"
  fi
  if grep -q 'libstdc++\|libgcc_s\|libc++' <<<"$libraries"; then fail "$1 needs $libraries"; fi
  if [[ $1 == *glibc* && $(printf '%s\n' "$versions" GLIBC_2.17 | sort -V | tail -n 1) != GLIBC_2.17 ]]; then
    fail "$1 needs $versions, expected at most GLIBC_2.17"
  fi
  say "${1#"$scratch"/}: $(stat -c %s "$1") bytes, needs $libraries$versions"
}

package=("$out"/bert-infer-*.tgz)
(cd "$scratch" && npm install --silent --offline --no-audit --no-fund "${package[0]}")
for file in "$scratch"/node_modules/bert-infer/prebuilds/linux-*/bert_infer.node; do needs "$file"; done
cat >"$scratch/vector.mjs" <<'END'
import { Model } from "bert-infer";

const model = await Model.load();
console.log(JSON.stringify(Array.from(await model.embed("A cat sat on the mat."))));
END
"$program" embed --format json "A cat sat on the mat." |
  node -e 'const { embedding } = JSON.parse(require("fs").readFileSync(0)); console.log(JSON.stringify(embedding));' \
    >"$scratch/expected"

# This JavaScript expression is the CPU and the C library of a Node, in the form of the archives' names.
of_system='(process.arch === "x64" ? "x86_64" : "aarch64") +
  (process.report.getReport().header.glibcVersionRuntime === undefined ? "-musl" : "-glibc")'

# same NAME COMMAND...: fails unless the command prints the program's vector.
same() {
  (cd "$scratch" && "${@:2}" vector.mjs) >"$scratch/found" || fail "$1: failed"
  # The program prints the shortest decimals of a float32, JavaScript the shortest of a float64.
  node -e 'const [a, b] = process.argv.slice(1).map((f) => Float32Array.from(JSON.parse(fs.readFileSync(f))));
    process.exit(a.length > 0 && a.every((x, i) => Object.is(x, b[i])) ? 0 : 1)' "$scratch/found" "$scratch/expected" ||
    fail "$1: the vectors differ"
  say "$1: the program's bits"
}

if [[ -d $scratch/node_modules/bert-infer/prebuilds/linux-$(node --print process.arch)-glibc ]]; then
  same "Node $(node --version)" node
else
  say "SKIPPED Node $(node --version): the release has no addon for $(uname -m)"
fi
for node in "${nodes[@]}"; do
  node=$(realpath "$node")
  same "${node##*/} $("$node" --version)" "$node"
done

cat >"$scratch/sql.mjs" <<'END'
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(":memory:", { allowExtension: true });
database.loadExtension(process.argv[2]);
database.exec("SELECT bert_register('small', NULL)");
console.log(database.prepare("SELECT hex(bert_embed('small', 'A cat sat on the mat.')) AS vector").get().vector);
END
expected=$(node -e '
  console.log(Buffer.from(Float32Array.from(JSON.parse(fs.readFileSync(0))).buffer).toString("hex").toUpperCase());' \
  <"$scratch/expected")

# Loads the extension into the system's SQLite, and into the SQLite of each Node for its CPU and C library.
for archive in "$out"/bert-infer-*-sqlite-*.tar.gz; do
  name=${archive##*/} name=${name%.tar.gz} system=${name##*-sqlite-linux-}
  tar -xzf "$archive" -C "$scratch"
  needs "$scratch/$name/bert_sqlite.so"
  if [[ $system == "$(uname -m)-glibc" ]]; then
    found=$(sqlite3 :memory: ".load $scratch/$name/bert_sqlite" "SELECT length(bert_register('small', NULL));" \
      "SELECT hex(bert_embed('small', 'A cat sat on the mat.'));")
    [[ $found == $'64\n'$expected ]] || fail "$name: the vectors differ"
    say "$name: the program's bits"
  fi
  for node in "${nodes[@]}"; do
    node=$(realpath "$node")
    if [[ $system != "$("$node" --print "$of_system")" ]]; then continue; fi
    found=$("$node" "$scratch/sql.mjs" "$scratch/$name/bert_sqlite.so") || fail "$name: ${node##*/} failed"
    [[ $found == "$expected" ]] || fail "$name: the vectors of ${node##*/} differ"
    say "$name: the program's bits in the SQLite of ${node##*/}"
  done
done
