#!/usr/bin/env bash
# Builds the benchmarks, runs all of them, and prints one report in Markdown on standard output:
#   tools/bench/run.sh            everything; about 30 minutes on two cores
#   tools/bench/run.sh --quick    the figures that the targets name; about 12 minutes
#   tools/bench/run.sh --peers    compares with other engines; about 35 minutes
#   tools/bench/run.sh --report   the report of the last run again
# The programs' results are in build/bench-results as JSON. BERT_TEST_DATA names a folder with text/wikitext2-test.txt
# for the tokenizer, BERT_TEST_MINILM the directory of all-MiniLM-L6-v2. A benchmark that lacks its variable is skipped,
# with a message. With --peers, BERT_PEERS_PYTHON names a Python that has the other engines. Without that variable the
# script installs the engines from PyPI into build/peers.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

results=build/bench-results
quick=no
peers=no
build=yes
for argument in "$@"; do
  case $argument in
    --quick) quick=yes ;;
    --peers) peers=yes ;;
    --report) exec python3 tools/bench/report.py "$results" ;;
    --no-build) build=no ;;
    --help | -h)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
      exit 0
      ;;
    *)
      say "unknown option '$argument', expected --quick, --peers, --report, --no-build or --help"
      exit 2
      ;;
  esac
done

if [[ $build == yes ]]; then
  install_missing "${BUILD_PACKAGES[@]}" libbenchmark-dev python3
  options=()
  if [[ ! -f build/CMakeCache.txt ]]; then options+=(-DBERT_INFER_TESTS=OFF); fi
  cmake --preset bench "${options[@]}" >&2
  cmake --build --preset bench --target bench >&2
fi

mkdir -p "$results"

# compare NAME COMMAND...: prints the command's table, and keeps it in a file.
compare() {
  local name=$1
  shift
  say "$name, with the load at $(cut -d' ' -f1-3 /proc/loadavg)"
  printf '## %s\n\n' "$name"
  "$@" 2>"$results/$name.log" | tee "$results/$name.md" || say "$name failed: see $results/$name.log"
  printf '\n'
}

if [[ $peers == yes ]]; then
  python=${BERT_PEERS_PYTHON:-build/peers/bin/python}
  if [[ ! -x $python ]]; then
    install_missing python3-venv
    python3 -m venv build/peers
    build/peers/bin/pip install torch transformers onnx onnxscript onnxruntime openvino nncf ctranslate2 sympy \
      tokenizers nanotoken gigatoken >&2
  fi
  with_peers=("$python" tools/bench/peers.py --repeats 9)
  for precision in float32 bfloat16 int8; do
    engines=(onnxruntime openvino)
    if [[ $precision == bfloat16 ]]; then engines=(openvino); fi
    compare "$precision" "${with_peers[@]}" --precision $precision
    compare "$precision-mix" "${with_peers[@]}" --precision $precision --batches mix --engines "${engines[@]}"
    # OpenVINO's own kernels are not limited by oneDNN's setting.
    compare "$precision-avx2" env BERT_INFER_ISA=avx2 ONEDNN_MAX_CPU_ISA=AVX2 \
      "${with_peers[@]}" --precision $precision --engines openvino
  done
  if [[ -n ${BERT_TEST_MINILM:-} && -n ${BERT_TEST_DATA:-} ]]; then
    compare tokens "$python" tools/bench/token_peers.py --model "$BERT_TEST_MINILM"
  else
    say "SKIPPED tokens: BERT_TEST_MINILM and BERT_TEST_DATA are not set"
  fi
  compare search build/tools/bench/bench search
  exit
fi

gemm=()
encode=()
process=()
if [[ $quick == yes ]]; then
  gemm=(--benchmark_filter='ceiling/|gemms/|gemm/(8|1024)x.*/f32/')
  encode=(--benchmark_filter='ceiling/|gemms/|/(1x8|1x128|8x128)/f32/')
  process=(--lines=0)
fi

# measure NAME ARGUMENT...
measure() {
  local name=$1
  shift
  say "$name, with the load at $(cut -d' ' -f1-3 /proc/loadavg)"
  build/tools/bench/bench "$name" --benchmark_out="$results/$name.json" --benchmark_out_format=json "$@" \
    >"$results/$name.txt"
}

rm -f "$results"/*.json
measure gemm "${gemm[@]}"
measure encode "${encode[@]}"
measure tokenize
measure process "${process[@]}"
python3 tools/bench/report.py "$results"
