#!/usr/bin/env bash
# Writes recipes for vcpkg, conda and Homebrew that build from a published source archive. Each recipe has its own test.
#   packaging/recipes.sh ARCHIVE URL HOMEPAGE OUT
# ARCHIVE is a copy of the file at URL. It holds the whole tree in one folder, as `git archive` makes it (.tar.gz). The
# script puts its version and digests into the templates of packaging/recipes/. OUT gets
#   vcpkg/ports/bert-infer/, vcpkg/test/    a port, and a project that uses the port as an overlay
#   conda/recipe.yaml                       the Python package
#   homebrew/bert-infer.rb                  the program
set -euo pipefail

refuse() {
  printf 'recipes.sh: %s\n' "$*" >&2
  exit 2
}

if (($# != 4)); then refuse "$# arguments, expected ARCHIVE URL HOMEPAGE OUT"; fi
archive=$1 url=$2 homepage=$3 out=$4
templates=$(cd "$(dirname "$0")" && pwd)/recipes
web='^https://[A-Za-z0-9._~:/?#@!&+,;=%-]+$'
for address in "$url" "$homepage"; do
  if [[ ! $address =~ $web ]]; then refuse "'$address', expected an address that begins with https://"; fi
done
if [[ ! -f $archive ]]; then refuse "'$archive': no such file"; fi
names=$(tar -tzf "$archive") || refuse "'$archive': expected a .tar.gz"
# grep reads the names from a string, because grep -q would end a pipe from tar early.
folder=${names%%/*}
for part in CMakeLists.txt pyproject.toml program/cli/main.cc models/builtin/model.safetensors; do
  grep -qxF "$folder/$part" <<<"$names" || refuse "'$archive' has no $folder/$part, expected the whole tree in a folder"
done
version=$(tar -xzOf "$archive" "$folder/CMakeLists.txt" | sed -n 's/^project(bert-infer VERSION \([0-9.]*\).*/\1/p')
if [[ -z $version ]]; then refuse "'$archive': $folder/CMakeLists.txt names no version"; fi
sha256=$(sha256sum <"$archive") sha512=$(sha512sum <"$archive")

# filled TEMPLATE FILE: writes the template to the file, with its places filled in.
filled() {
  local text
  text=$(<"$templates/$1")
  text=${text//@VERSION@/"$version"} text=${text//@URL@/"$url"} text=${text//@HOMEPAGE@/"$homepage"}
  text=${text//@SHA256@/"${sha256%% *}"} text=${text//@SHA512@/"${sha512%% *}"}
  mkdir -p "$(dirname "$out/$2")"
  printf '%s\n' "$text" >"$out/$2"
}
for file in portfile.cmake vcpkg.json usage; do filled "vcpkg/$file" "vcpkg/ports/bert-infer/$file"; done
for file in CMakeLists.txt vcpkg.json vcpkg-configuration.json; do filled "vcpkg/test/$file" "vcpkg/test/$file"; done
cp "$templates/../conan/test_package/main.cc" "$out/vcpkg/test/"
filled conda/recipe.yaml conda/recipe.yaml
filled homebrew/bert-infer.rb homebrew/bert-infer.rb
