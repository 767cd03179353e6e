#!/usr/bin/env bash
# Tests the image of packaging/docker/Dockerfile, which buildah builds FROM scratch and runs as an unprivileged user.
# The first stage of the Dockerfile, which builds the program, does not run: the program is BUILD's, with the libraries
# that it needs, or the static one that BERT_TEST_STATIC_PROGRAM names.
#   tests/install/image.sh BUILD SCRATCH
# Skips, with exit status 77, if buildah or jq is missing, or if buildah lacks privileges.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
scratch=$2
skip() {
  echo "SKIPPED: $1"
  exit 77
}
for tool in buildah jq curl; do command -v "$tool" >/dev/null || skip "no $tool"; done
if [[ $(id -u) != 0 ]]; then skip "buildah without a container runtime needs root"; fi
rm -rf "$scratch"
mkdir -p "$scratch/context/libraries" "$scratch/run"
scratch=$(cd "$scratch" && pwd)
export XDG_RUNTIME_DIR=$scratch/run
storage=(--root "$scratch/storage" --runroot "$scratch/run" --storage-driver vfs)

program=${BERT_TEST_STATIC_PROGRAM:-$build/bert-infer}
install -m 755 "$program" "$scratch/context/bert-infer"
if [[ -z ${BERT_TEST_STATIC_PROGRAM:-} ]]; then
  mapfile -t libraries < <(ldd "$program" | grep -o '/[^ ]*')
  cp --dereference --parents "${libraries[@]}" "$scratch/context/libraries"
fi
sed -n '/^FROM scratch/,$p' packaging/docker/Dockerfile |
  sed -e 's#^COPY --from=build /image/bert-infer#COPY bert-infer#' -e 's#^USER#COPY libraries /\nUSER#' \
    >"$scratch/context/Dockerfile"
grep -q '^COPY bert-infer /bert-infer$' "$scratch/context/Dockerfile"
if ! buildah "${storage[@]}" bud --format docker --isolation chroot --tag bert-infer "$scratch/context" \
  >"$scratch/build.log" 2>&1; then
  skip "buildah may not work here: $(tail -n 1 "$scratch/build.log")"
fi

# expect FOUND EXPECTED: fails if the two differ.
expect() {
  if [[ $1 != "$2" ]]; then
    echo "found '$1', expected '$2'" >&2
    exit 1
  fi
}
buildah "${storage[@]}" inspect --type image bert-infer | jq .Docker.config >"$scratch/config.json"
expect "$(jq -r .User "$scratch/config.json")" 65534:65534
expect "$(jq -r .StopSignal "$scratch/config.json")" SIGTERM
expect "$(jq -c .Healthcheck.Test "$scratch/config.json")" '["CMD","/bert-infer","serve","--check"]'
expect "$(jq -c '.ExposedPorts | keys' "$scratch/config.json")" '["8080/tcp"]'

mapfile -t entry < <(jq -r '.Entrypoint[]' "$scratch/config.json")
expect "${entry[*]}" "/bert-infer serve --listen 0.0.0.0:8080"
container=$(buildah "${storage[@]}" from bert-infer)
in_image() { buildah "${storage[@]}" run --isolation chroot "$container" -- "$@"; }
if ! in_image /bert-infer --version >"$scratch/version" 2>"$scratch/version.log"; then
  skip "buildah may run nothing here: $(tail -n 1 "$scratch/version.log")"
fi
# A free port replaces the image's.
in_image "${entry[@]/#0.0.0.0:8080/127.0.0.1:0}" >"$scratch/server.log" 2>&1 &
started=$!
trap 'buildah "${storage[@]}" rm "$container" >/dev/null; rm -rf "$scratch/storage"' EXIT
address=
for _ in {1..600}; do
  address=$(sed -n 's/.*listening at \(127[0-9.:]*\)$/\1/p' "$scratch/server.log")
  if [[ -n $address ]]; then break; fi
  sleep 0.1
done
if [[ -z $address ]]; then cat "$scratch/server.log" >&2; fi
for _ in {1..600}; do
  if in_image /bert-infer serve --check "$address" 2>/dev/null; then break; fi
  sleep 0.1
done
code=$(curl --silent --max-time 60 --json '{"inputs": "a text"}' --output "$scratch/answer" \
  --write-out '%{http_code}' "http://$address/embed")
expect "$code" 200
expect "$(jq 'length' "$scratch/answer")" 1
server=$started
while child=$(pgrep --parent "$server" | head -n 1) && [[ -n $child ]]; do server=$child; done
expect "$(cat "/proc/$server/comm")" bert-infer
expect "$(awk '/^Uid/ { print $2 }' "/proc/$server/status")" 65534
kill "$server"
wait "$started"
echo "the image of $(cut -d' ' -f1-2 "$scratch/version") by $(buildah --version): it serves, as user 65534, and drains"
