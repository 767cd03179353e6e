#!/usr/bin/env bash
# Tests packaging/systemd: the units are valid, the service has few privileges, and the program takes systemd's socket.
#   tests/install/systemd.sh BUILD SCRATCH
# Skips, with exit status 77, if systemd's tools or curl are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(cd "$1" && pwd)
scratch=$2
for tool in systemd-analyze systemd-socket-activate curl; do
  if ! command -v "$tool" >/dev/null; then
    echo "SKIPPED: no $tool"
    exit 77
  fi
done
rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)

# The program and its manual page are not installed here.
cp packaging/systemd/bert-infer.socket "$scratch"
sed -e "s#/usr/bin/bert-infer#$build/bert-infer#" -e '/^Documentation=/d' packaging/systemd/bert-infer.service \
  >"$scratch/bert-infer.service"
systemd-analyze verify "$scratch/bert-infer.service" "$scratch/bert-infer.socket"
# The threshold is in tenths: 20 is 2.0, "OK".
systemd-analyze security --offline=true --threshold=20 "$scratch/bert-infer.service" | tail -n 1

systemd-socket-activate --listen="$scratch/server" "$build/bert-infer" serve 2>"$scratch/server.log" &
server=$!
trap 'kill "$server"' EXIT
# The first connection starts the program and waits for it.
for _ in {1..600}; do
  if curl --silent --fail --unix-socket "$scratch/server" http://server/ready; then break; fi
  sleep 0.1
done
answer=$(curl --silent --show-error --fail --unix-socket "$scratch/server" --json '{"inputs": "a text"}' \
  http://server/embed)
[[ $answer == "[["* ]]
grep -q "listening at unix:$scratch/server" "$scratch/server.log"
echo "socket activation: works"
