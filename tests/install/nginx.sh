#!/usr/bin/env bash
# Tests packaging/nginx/bert-infer.conf: Debian's nginx serves TLS and HTTP/2 on localhost and passes requests to the
# program.
#   tests/install/nginx.sh BUILD SCRATCH
# Skips, with exit status 77, if nginx, openssl or curl is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
scratch=$2
for tool in nginx openssl curl; do
  if ! command -v "$tool" >/dev/null; then
    echo "SKIPPED: no $tool"
    exit 77
  fi
done
rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=embeddings.example.org \
  -addext subjectAltName=DNS:embeddings.example.org -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null

# The server gets the options that the example's comment gives.
mapfile -t options < <(sed -n 's/^#   bert-infer serve //p' packaging/nginx/bert-infer.conf | tr ' ' '\n')
"$build/bert-infer" serve --listen 127.0.0.1:0 --listen "unix:$scratch/server" "${options[@]}" 2>"$scratch/server.log" &
server=$!
trap 'kill "$server"; [[ ! -f $scratch/nginx.pid ]] || kill "$(cat "$scratch/nginx.pid")"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for _ in {1..600}; do
  backend=$(sed -n 's/.*listening at \(127[0-9.:]*\)$/\1/p' "$scratch/server.log")
  if [[ -n $backend ]]; then break; fi
  sleep 0.1
done
sed -e "s#127.0.0.1:8080#$backend#" -e "s#listen 443#listen 127.0.0.1:$port#" \
  -e "s#/etc/ssl/certs/embeddings.pem#$scratch/cert.pem#" -e "s#/etc/ssl/private/embeddings.key#$scratch/key.pem#" \
  packaging/nginx/bert-infer.conf >"$scratch/site.conf"
cat >"$scratch/nginx.conf" <<END
pid $scratch/nginx.pid;
error_log $scratch/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $scratch/body;
  proxy_temp_path $scratch/proxy;
  fastcgi_temp_path $scratch/fastcgi;
  uwsgi_temp_path $scratch/uwsgi;
  scgi_temp_path $scratch/scgi;
  include $scratch/site.conf;
}
END
# nginx's own user cannot read the folder of this test.
if [[ $(id -u) == 0 ]]; then sed -i '1i user root;' "$scratch/nginx.conf"; fi
nginx -e "$scratch/error.log" -p "$scratch" -c "$scratch/nginx.conf"

ask() {
  curl --silent --show-error --http2 --cacert "$scratch/cert.pem" --max-time 60 --output "$scratch/answer" \
    --resolve "embeddings.example.org:$port:127.0.0.1" --write-out '%{http_version} %{http_code}' \
    "https://embeddings.example.org:$port$1" "${@:2}"
}
# expect FOUND EXPECTED: fails if the two differ.
expect() {
  if [[ $1 != "$2" ]]; then
    echo "found '$1', expected '$2'" >&2
    exit 1
  fi
}
for _ in {1..600}; do
  if curl --silent --fail --unix-socket "$scratch/server" http://server/ready; then break; fi
  sleep 0.1
done
expect "$(ask /embed --json '{"inputs": "a text"}')" "2 200"
curl --silent --unix-socket "$scratch/server" --json '{"inputs": "a text"}' http://server/embed >"$scratch/direct"
cmp "$scratch/answer" "$scratch/direct"
expect "$(ask /health)" "2 200"
for inside in /metrics /ready /readyz; do expect "$(ask $inside)" "2 404"; done
echo "TLS and HTTP/2 by $(nginx -v 2>&1): as without it"
