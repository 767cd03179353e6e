#!/usr/bin/env bash
# Makes the pages of the public interface from the headers' comments by Doxygen: build/api/html/index.html. A warning is
# an error. If the Python package is built (build/python), pydoc makes its pages too: build/api/python.
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

[[ -d build/python/bert_infer ]] || exit 0
modules=(bert_infer)
for name in model tasks experiments index vectors errors types fastembed ray sentence_transformers; do
  modules+=("bert_infer.$name")
done
for name in base sentence_transformer cross_encoder sparse_encoder multi_vector_encoder tokenizer util; do
  modules+=("bert_infer.sentence_transformers.$name")
done
mkdir -p "$pages/python"
(cd "$pages/python" && PYTHONPATH=$OLDPWD/build/python "$(python_program)" -B -m pydoc -w "${modules[@]}" >/dev/null)
for name in "${modules[@]}"; do [[ -s $pages/python/$name.html ]]; done
say "the pages of the Python package begin at $pages/python/bert_infer.model.html"
