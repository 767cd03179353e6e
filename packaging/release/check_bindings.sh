#!/usr/bin/env bash
# Checks the Node package and the SQLite extension on systems where nothing else is installed:
#   packaging/release/check_bindings.sh OUT NODE_PACKAGE SQLITE_EXTENSION [SYSTEM]
# NODE_PACKAGE is the file that `npm pack` makes of the Node package. SQLITE_EXTENSION is the file bert_sqlite.so. The
# script makes two folders in OUT by debootstrap. The first has only Debian's nodejs: npm, from npm's own package,
# installs NODE_PACKAGE there without a network, and README's example and examples/node/search.mjs run. The second has
# only Debian's sqlite3: README's example must print there what README says. A folder is removed when its checks have
# passed. SYSTEM is bookworm (Debian 12, the default) or trixie. Needs root, and debootstrap, npm and unshare; MIRROR is
# as in check_systems.sh.
set -euo pipefail
usage="usage: packaging/release/check_bindings.sh OUT NODE_PACKAGE SQLITE_EXTENSION [SYSTEM]"
out=$(realpath -m "${1:?$usage}") package=$(realpath "${2:?$usage}") extension=$(realpath "${3:?$usage}")
system=${4:-bookworm}
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

for tool in debootstrap npm unshare; do
  command -v "$tool" >/dev/null || fail "$tool is missing (Debian: apt-get install debootstrap npm util-linux)"
done
[[ $(id -u) == 0 ]] || fail "needs root, for debootstrap and chroot"
mkdir -p "$out"

# make_root NAME PACKAGE: makes the folder OUT/NAME, a system in which only this package is installed.
make_root() {
  say "$system with $2: debootstrap"
  rm -rf "${out:?}/$1"
  debootstrap --variant=minbase --include="$2" "$system" "$out/$1" ${MIRROR:+"$MIRROR"} >"$out/$1.log" 2>&1 ||
    fail "debootstrap failed: $(tail -n 1 "$out/$1.log")"
  mkdir -p "$out/$1/srv/app"
}

# on NAME COMMAND: runs a line of shell in the folder's /srv/app, without a network.
on() {
  # shellcheck disable=SC2016  # the inner shell expands them
  unshare --mount --net --pid --fork --kill-child bash -euc '
    mount -t proc proc "$1/proc"
    exec env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" sh -euc "cd /srv/app; $2"' on "$out/$1" "$2"
}

# block LANGUAGE FILE: prints the first block of code in this language.
block() {
  awk -v fence='\140\140\140' '$0 == fence { is_in = 0 } is_in; $0 == fence language && !seen++ { is_in = 1 }' \
    language="$1" "$2"
}

make_root node nodejs
(cd "$out/node/srv" && npm pack --silent npm@10 >/dev/null && tar -xzf npm-10.*.tgz && mv package npm)
cp "$package" "$out/node/srv/bert-infer.tgz"
cp examples/node/search.mjs examples/sentences.txt "$out/node/srv/app/"
# README's example prints nothing by itself, so a line that prints is added.
block js bindings/node/README.md >"$out/node/srv/app/readme.mjs"
echo 'console.log(vectors.length, best.index);' >>"$out/node/srv/app/readme.mjs"
on node 'node ../npm/bin/npm-cli.js install --offline --no-audit --no-fund --loglevel=error ../bert-infer.tgz'
found=$(on node 'node readme.mjs')
[[ $found == "2 1" ]] || fail "README's example: two vectors and the best document expected, found '$found'"
found=$(on node 'node search.mjs sentences.txt "an animal sleeps"')
[[ $(wc -l <<<"$found") == 3 ]] || fail "search.mjs: three lines expected, found '$found'"
say "Node $(on node 'node --version'), installed $(du -sm "$out/node/srv/app/node_modules" | cut -f1) MB: $found"
rm -rf "$out/node"

make_root sqlite sqlite3
mkdir "$out/sqlite/srv/app/build"
cp "$extension" "$out/sqlite/srv/app/build/bert_sqlite.so"
block console bindings/sqlite/README.md >"$out/sqlite/srv/app/readme.txt"
sed -n 's/^\$ //p; /^\.load/,/^END$/p' "$out/sqlite/srv/app/readme.txt" >"$out/sqlite/srv/app/commands"
sed '1,/^END$/d' "$out/sqlite/srv/app/readme.txt" >"$out/expected.txt"
on sqlite '. ./commands' >"$out/found.txt"
diff "$out/expected.txt" "$out/found.txt" || fail "README's example of SQLite: what it says (<) and prints (>) differ"
say "sqlite3 $(on sqlite 'sqlite3 --version' | cut -d' ' -f1): README's example prints what it says"
rm -rf "$out/sqlite"
