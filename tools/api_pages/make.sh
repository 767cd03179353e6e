#!/usr/bin/env bash
# Makes the pages of the public interface from the headers' comments, by Doxygen: build/api/html/index.html. A warning
# is an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

install_missing doxygen
pages=build/api
rm -rf "$pages"
mkdir -p "$pages"
{ cat tools/api_pages/Doxyfile; echo "OUTPUT_DIRECTORY = $pages"; } | doxygen -
[[ -s $pages/html/classbert_1_1Model.html ]]
say "the pages begin at $pages/html/index.html"
