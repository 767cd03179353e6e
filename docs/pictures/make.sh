#!/usr/bin/env bash
# Draws the pictures of README and of docs/EMBEDDINGS.md: docs/pictures/make.sh [FOLDER], by default this one. The
# working directory has the models and texts that are named below. BERT_INFER_PROGRAM: the program, by default
# build/bert-infer. A test compares the pictures.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:-$here}" && pwd)
program=${BERT_INFER_PROGRAM:-$here/../../build/bert-infer}
draw() {
  local picture=$1
  shift
  "$program" "$@" --svg "$out/$picture.svg" --output "$out/$picture.txt" 2>/dev/null
  rm "$out/$picture.txt"
}

minilm=(--model all-MiniLM-L6-v2)
"$here/../../tools/empty_checkpoint.py" "$out/bert-base" >/dev/null
draw numbers inspect --model "$out/bert-base"
rm -r "$out/bert-base"
draw sum explain "${minilm[@]}" "The quick brown fox jumps over the lazy dog"
draw parts explain "${minilm[@]}" --drawing 2 "The dog saw a fox."
draw vectors neighbors "${minilm[@]}" --drawing 2 king
draw neighbors neighbors "${minilm[@]}" king
draw order order "${minilm[@]}" "I do like coding"
draw learned positions "${minilm[@]}"
draw sines positions "${minilm[@]}" --positions sinusoidal
draw sine-map positions "${minilm[@]}" --positions sinusoidal --drawing 2
draw waves positions "${minilm[@]}" --positions sinusoidal --drawing 3
draw segments segments "${minilm[@]}" "The dog saw a fox." "It barked at the fox."
grep -E '.{200}' wikitext2-valid.txt | sed 's/^ *//; s/ *$//' | awk 'NR <= 150' >"$out/texts.txt"
draw probe probe "${minilm[@]}" --max-length 128 "$out/texts.txt"
rm "$out/texts.txt"
draw tuned compare bert-tiny-own bert-tiny-own-sst2
mkdir "$out/modernbert"
echo '{"model_type": "modernbert"}' >"$out/modernbert/config.json"
draw rotary positions --model "$out/modernbert"
rm -r "$out/modernbert"
