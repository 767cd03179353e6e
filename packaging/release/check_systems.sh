#!/usr/bin/env bash
# Runs README's two commands on fresh systems:
#   packaging/release/check_systems.sh [--quickstart] OUT [SYSTEM...]
# SYSTEM is bookworm (Debian 12) or trixie (Debian 13). Without one, both are tested. debootstrap makes a folder
# OUT/SYSTEM for each, with git and nothing else. A clone of this commit runs tools/quickstart.sh there and then
# tools/test.sh, or with --quickstart only the first. The program must build without a warning. The output of the first
# script, and the numbers that the program computes, must be the same bytes on all systems. OUT gets the logs and these
# outputs. A folder is removed when its system has passed. The script copies the tests' data from BERT_TEST_DATA, or
# from ../shared/data if it exists, and the certificates that the administrator added here. Needs root, and debootstrap,
# unshare and git. MIRROR is the address from which debootstrap fetches packages in place of its default.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

tests=yes
if [[ ${1:-} == --quickstart ]]; then
  tests=no
  shift
fi
out=$(realpath -m "${1:?usage: packaging/release/check_systems.sh [--quickstart] OUT [SYSTEM...]}")
systems=("${@:2}")
if ((${#systems[@]} == 0)); then systems=(bookworm trixie); fi
for tool in debootstrap unshare git; do
  command -v "$tool" >/dev/null || fail "$tool is missing (Debian: apt-get install debootstrap util-linux git)"
done
[[ $(id -u) == 0 ]] || fail "needs root, for debootstrap and chroot"
[[ -z $(git status --porcelain) ]] || say "what is not committed is not tested"
data=${BERT_TEST_DATA:-../shared/data}
mkdir -p "$out"

# on ROOT COMMAND...: runs the command in the clone in ROOT. The command has devices and processes of its own, which end
# with it. The words of the command may not contain blanks.
on() {
  # shellcheck disable=SC2016  # the inner shell expands them
  unshare --mount --pid --fork --kill-child bash -euc '
    root=$1
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    exec env -i HOME=/srv PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
      chroot "$root" sh -c "cd /srv/bert-infer && exec ${*:2}"' on "$@"
}

# passes SYSTEM: returns whether the system's commands pass, and prints a line for each. Writes the programs' outputs to
# OUT/SYSTEM.output.
passes() {
  local root=$out/$1 log=$out/$1 begin
  rm -rf "$root"
  say "$1: debootstrap"
  if ! debootstrap --variant=minbase --include=git,ca-certificates "$1" "$root" ${MIRROR:+"$MIRROR"} \
    >"$log.debootstrap.log" 2>&1; then
    say "$1: debootstrap failed: $(tail -n 1 "$log.debootstrap.log")"
    return 1
  fi
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/archives/*.deb
  if compgen -G "/usr/local/share/ca-certificates/*.crt" >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >>"$log.debootstrap.log" 2>&1
  fi
  git clone --quiet --no-hardlinks . "$root/srv/bert-infer"
  if [[ -d $data ]]; then
    mkdir -p "$root/srv/shared"
    cp -r "$data" "$root/srv/shared/data"
  fi

  begin=$SECONDS
  if ! on "$root" tools/quickstart.sh >"$log.quickstart.log" 2>&1; then
    say "$1: tools/quickstart.sh failed: $(tail -n 1 "$log.quickstart.log"); $log.quickstart.log has more"
    return 1
  fi
  say "$1: tools/quickstart.sh passed in $((SECONDS - begin)) s"
  # The program's own output begins with the table's heading.
  sed '/^ #  token/,$!d' "$log.quickstart.log" >"$log.output"
  if ! grep -q '^pooled output' "$log.output"; then
    say "$1: tools/quickstart.sh printed no table"
    return 1
  fi
  for options in "encode --format json" "embed --format json" "embed --format json --gemm portable --threads 2" \
    "tokenize --format json"; do
    # shellcheck disable=SC2086
    on "$root" build/bert-infer $options --input examples/sentences.txt >>"$log.output" 2>>"$log.quickstart.log" ||
      { say "$1: bert-infer $options failed, $log.quickstart.log" && return 1; }
  done
  if [[ $(grep -c warning: "$log.quickstart.log" || true) != 0 ]]; then
    say "$1: the build warns: $(grep -m1 warning: "$log.quickstart.log")"
    return 1
  fi

  if [[ $tests == yes ]]; then
    begin=$SECONDS
    if ! on "$root" tools/test.sh >"$log.test.log" 2>&1; then
      say "$1: tools/test.sh failed after $((SECONDS - begin)) s: $(tail -n 1 "$log.test.log"); $log.test.log has more"
      return 1
    fi
    say "$1: tools/test.sh passed in $((SECONDS - begin)) s: $(tail -n 1 "$log.test.log")"
  fi
}

status=0
for system in "${systems[@]}"; do
  if ! passes "$system"; then
    status=1
    continue
  fi
  rm -rf "${out:?}/$system"
  if ! cmp "$out/${systems[0]}.output" "$out/$system.output" >&2; then
    say "$system: the program's output is not that of ${systems[0]}"
    status=1
  fi
  say "$system: SHA-256 of $(wc -c <"$out/$system.output") bytes that the program printed:" \
    "$(sha256sum <"$out/$system.output" | cut -d ' ' -f 1)"
done
exit "$status"
