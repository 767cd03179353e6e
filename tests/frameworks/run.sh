#!/usr/bin/env bash
# Tests the Python package with the packages that it works with. Each file here runs in its own environment below
# build/frameworks, with a wheel of these sources. Arguments select files: tests/frameworks/run.sh langchain sklearn.
# server_test.py starts the program, build/bert-infer. The variables are
#   BERT_TEST_MINILM                 the directory of all-MiniLM-L6-v2
#   BERT_TEST_MINILM_ONNX            a directory of this model with an export to model.onnx
#   BERT_TEST_SENTENCE_TRANSFORMERS  a checkout of this package's repository, for its tests and documentation
#   BERT_INFER_LIBRARY               a libbertinfer.a of these sources, which the wheel then uses and does not compile
set -euo pipefail
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

declare -A packages=(
  [behaviour]="sentence-transformers" [bertopic]="bertopic" [haystack]="haystack-ai" [keybert]="keybert"
  [datasets]="datasets" [fastapi]="fastapi httpx httpx2" [setfit]="setfit" [spacy]="spacy" [txtai]="txtai"
  [mteb]="mteb datasets" [arguments]="sentence-transformers fastembed" [evaluators]="sentence-transformers datasets"
  [examples]="sentence-transformers fastembed"
  [gliner]="gliner transformers<5.17 presidio-analyzer"
  [chroma]="chromadb" [fastembed]="fastembed" [langchain]="langchain-core" [llama_index]="llama-index-core"
  [parquet]="pyarrow" [qdrant]="qdrant-client" [ray]="ray[data]" [sentence_transformers]="sentence-transformers"
  [server]="openai huggingface_hub cohere ollama langchain-openai llama-index-embeddings-openai chromadb"
  [original_documentation]="sentence-transformers" [util]="sentence-transformers"
  [original_suite]="sentence-transformers accelerate datasets pillow psutil pytest pytest-subtests pytest-timeout"
  [sklearn]="scikit-learn" [spark]="pyspark pandas pyarrow"
  [vector_stores]="duckdb-ext-vss pgvector weaviate-client"
)
top=$PWD/build/frameworks
names=("$@")
if ((${#names[@]} == 0)); then mapfile -t names < <(basename -s _test.py tests/frameworks/*_test.py); fi
if [[ -z ${BERT_TEST_MINILM:-} ]] && fetch_minilm build/test-data/all-MiniLM-L6-v2; then
  export BERT_TEST_MINILM=$PWD/build/test-data/all-MiniLM-L6-v2
fi
install_missing python3-venv
mkdir -p "$top"
settings=()
if [[ -n ${BERT_INFER_LIBRARY:-} ]]; then
  settings=(--config-settings="cmake.define.BERT_INFER_LIBRARY=$BERT_INFER_LIBRARY")
fi
"$(python_program)" -m pip wheel --quiet --no-deps --wheel-dir "$top" "${settings[@]}" .
if [[ -n $(find "$top" -maxdepth 1 -name '*.whl' -size +15000000c) ]]; then
  say "the wheel has more than 15 MB"
  exit 1
fi

status=0
for name in "${names[@]}"; do
  [[ -d $top/$name ]] || "$(python_program)" -m venv "$top/$name"
  # shellcheck disable=SC2086  # the value is a list of packages
  "$top/$name/bin/pip" install --quiet --disable-pip-version-check ${packages[$name]} numpy
  "$top/$name/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$top"/*.whl
  first=${packages[$name]%%[[ ]*}
  say "$("$top/$name/bin/pip" freeze | grep -i "^$first==")"
  # Runs in another folder, so that Python imports the installed package.
  (cd "$top" && "$top/$name/bin/python" -B -W ignore "$OLDPWD/tests/frameworks/${name}_test.py") || status=1
done
exit "$status"
