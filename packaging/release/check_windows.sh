#!/usr/bin/env bash
# Compares the program for Windows, under Wine, with the program for Linux of the same sources:
#   packaging/release/check_windows.sh PROGRAM.exe OTHER
# Both must compute the same bytes from arguments, standard input and files whose names have characters of many scripts.
# They must refuse the same inputs with the same lines and statuses. Needs wine, python3 and cmp.
set -euo pipefail
program=$(realpath "${1:?usage: packaging/release/check_windows.sh PROGRAM.exe OTHER}")
other=$(realpath "${2:?usage: packaging/release/check_windows.sh PROGRAM.exe OTHER}")
# shellcheck source=tools/setup/setup.sh
source "$(dirname "$0")/../../tools/setup/setup.sh"
builtin=$(realpath "$(dirname "$0")/../../models/builtin")
interrupted=$(realpath "$(dirname "$0")/../../tests/support/interrupted.py")
export WINEDEBUG=-all HF_HUB_CACHE=cache
export -n BERT_INFER_MODEL

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WINEPREFIX=${WINEPREFIX:-$scratch/wine}
mkdir "$scratch/files"
cd "$scratch/files"

# same ARGUMENT...: runs both programs with the file $input as standard input. Fails unless they print the same on
# standard output and standard error, and end with the same status.
input=/dev/null
same() {
  local statuses=(0 0)
  wine "$program" "$@" <"$input" >"$scratch/found" 2>"$scratch/found.log" || statuses[0]=$?
  "$other" "$@" <"$input" >"$scratch/other" 2>"$scratch/other.log" || statuses[1]=$?
  [[ ${statuses[0]} == "${statuses[1]}" ]] ||
    fail "$*: status ${statuses[0]}, expected ${statuses[1]}: $(<"$scratch/found.log")"
  cmp "$scratch/found" "$scratch/other" || fail "$*: the outputs differ"
  # On Windows, paths have \ for /, and the system's reasons have other words.
  diff <(sed 's|\\|/|g' "$scratch/found.log") "$scratch/other.log" >&2 || fail "$*: the messages differ"
  say "$1: the same $(wc -c <"$scratch/found") bytes, status ${statuses[0]}"
}

# written FILE ARGUMENT...: fails unless both programs write the same file.
written() {
  same "${@:2}" --output "$1"
  mv "$1" "$scratch/other.file"
  wine "$program" "${@:2}" --output "$1" 2>/dev/null
  cmp "$1" "$scratch/other.file" || fail "${*:2}: the files differ"
}

# refused WORDS ARGUMENT...: fails unless the program for Windows prints these words and ends with status 1.
refused() {
  local status=0
  wine "$program" "${@:2}" </dev/null >/dev/null 2>"$scratch/refusal" || status=$?
  [[ $status == 1 && $(<"$scratch/refusal") == *"$1"* ]] || fail "${*:2}: status $status, $(<"$scratch/refusal")"
  say "$2: $(<"$scratch/refusal")"
}

texts=("A man plays a guitar." "Ein Häuschen, 東京, a naïve café 👍, and words that nobody knows: xyzzyplugh.")
printf '%s\r\n' "${texts[@]}" "The stock market fell." "Somebody plays a guitar." >'Zeilen 東京.txt'
cp -r "$builtin" 'Modell Häuschen 東京'
model=(--model 'Modell Häuschen 東京')
same encode "${texts[@]}"
same embed --format json "${texts[@]}"
same embed --format json --threads 2 --gemm portable "${texts[@]}"
same embed --format json "${model[@]}" "${texts[@]}"
same tokenize "${model[@]}" "${texts[@]}"
same similarity "${texts[@]}"
same inspect
same search --input 'Zeilen 東京.txt' --top-k 2 "$(printf 'music 東京')"
same search --input 'Zeilen 東京.txt' --index 'Zeilen 東京.index' music
same dedup --input 'Zeilen 東京.txt'
same tag "${texts[0]}"
input='Zeilen 東京.txt'
same embed --format jsonl
input=/dev/null
written 'Vektoren 東京.npy' embed --format npy --input 'Zeilen 東京.txt'
written vectors.jsonl embed --format jsonl --input 'Zeilen 東京.txt' --resume
"$other" quantize 'Modell Häuschen 東京' other-small 2>/dev/null
wine "$program" quantize 'Modell Häuschen 東京' 'klein 東京' 2>/dev/null
diff -r other-small 'klein 東京' || fail "quantize: the models differ"
same embed --format json --model 'klein 東京' "${texts[@]}"
wine "$program" pack 'klein 東京' 2>/dev/null
same embed --format json --model 'klein 東京' "${texts[@]}"

same embed --model missing/model "A text"
same embed --input missing.txt
same embed --no-such-option
printf '[]' >'klein 東京/config.json'
same embed --model 'klein 東京' "A text"
touch read-only.txt
chmod a-w read-only.txt
refused "cannot write 'read-only.txt'" embed --output read-only.txt "A text"
refused "fetch needs libcurl: libcurl" fetch org/name
status=0
wine "$program" serve --listen 127.0.0.1:8080 2>"$scratch/refusal" || status=$?
[[ $status == 2 && $(<"$scratch/refusal") == *"'serve': this program has no server"* ]] ||
  fail "serve: status $status, $(<"$scratch/refusal")"

for _ in {1..20000}; do echo "${texts[1]}"; done >many.txt
"$(python_program)" -B "$interrupted" wine "$program" embed --format jsonl --input many.txt --output many.jsonl
[[ -s many.jsonl.partial && ! -e many.jsonl ]] || fail "Ctrl-C: no many.jsonl.partial"
