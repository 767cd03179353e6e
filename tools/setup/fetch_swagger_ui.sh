#!/usr/bin/env bash
# Fetches swagger-ui-dist (Apache-2.0), which the page /docs of the server is made of, from npm, and checks it:
#   tools/setup/fetch_swagger_ui.sh DIRECTORY
# then build with -DBERT_INFER_SWAGGER_UI=DIRECTORY. The directory appears whole or not at all.
set -euo pipefail
directory=${1:?usage: tools/setup/fetch_swagger_ui.sh DIRECTORY}
package=swagger-ui-dist@5.35.0
sha256=1b8e891893404ea4c3558b6a87e2a3e494e7eedba41168c2ece5800a391a6ea6
if [[ -f $directory/swagger-ui-bundle.js ]]; then exit 0; fi
command -v npm >/dev/null || { echo "fetch_swagger_ui.sh: no npm here, which fetches $package" >&2; exit 1; }
mkdir -p "$(dirname "$directory")"
scratch=$(mktemp -d "$(dirname "$directory")/fetch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
npm pack --silent --pack-destination "$scratch" "$package" >/dev/null
echo "$sha256  $(echo "$scratch"/*.tgz)" | sha256sum --check --status ||
  { echo "fetch_swagger_ui.sh: $package is not what was expected: its SHA-256 differs from $sha256" >&2; exit 1; }
tar -xzf "$scratch"/*.tgz -C "$scratch"
rm -rf "$directory"
mv "$scratch/package" "$directory"
