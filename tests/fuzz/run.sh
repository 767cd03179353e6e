#!/usr/bin/env bash
# Fuzzes each target (by default all) for SECONDS, two at a time, with the build of the preset asan:
#   tests/fuzz/run.sh SECONDS [TARGET…]
# The corpus begins with the inputs of tests/fuzz/seeds.py and is kept in build-asan/fuzz/corpus. At the end, prints a
# line per target: runs, runs per second, inputs in the corpus. A finding is stored in build-asan/fuzz/findings and
# makes the script fail. FUZZ_JOBS=1 runs one target at a time.
#
# shellcheck disable=SC2317  # fuzz_one is called by xargs
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET…]}
shift
targets=("$@")
if ((${#targets[@]} == 0)); then
  targets=(safetensors shard_index config tokenizer_json tokenizer_files vocabulary json_record tokenizer server_body
    server_request)
fi

export work=build-asan/fuzz
cmake --preset asan >/dev/null
cmake --build build-asan --target "${targets[@]/#/fuzz_}"
tests/fuzz/seeds.py "$work"/seeds
mkdir -p "$work"/findings "$work"/logs

fuzz_one() {
  local target=$1 corpus=$work/corpus/$1 options=(-max_len=20000)
  mkdir -p "$corpus"
  case $target in
    server_body) options=(-max_len=4000 -dict=tests/fuzz/json.dict) ;;
    server_request) options=(-max_len=4000 -dict=tests/fuzz/http.dict) ;;
    tokenizer) options=(-max_len=400) ;; # the plain tokenizer takes quadratic time
    vocabulary) ;;
    *) options+=(-dict=tests/fuzz/json.dict) ;;
  esac
  build-asan/tests/fuzz/fuzz_"$target" "$corpus" "$work/seeds/$target" "${options[@]}" -max_total_time="$seconds" \
    -timeout=20 -rss_limit_mb=1500 -malloc_limit_mb=500 -print_final_stats=1 \
    -artifact_prefix="$work/findings/$target"- >"$work/logs/$target.log" 2>&1
}
export -f fuzz_one
export seconds

status=0
printf '%s\n' "${targets[@]}" | xargs -P "${FUZZ_JOBS:-2}" -I{} bash -euc 'fuzz_one {}' || status=1
for target in "${targets[@]}"; do
  figure() { sed -n "s/^stat::$1: *//p" "$work/logs/$target.log"; }
  printf '%-15s %12s runs %8s a second %7s in the corpus\n' "$target" "$(figure number_of_executed_units)" \
    "$(figure average_exec_per_sec)" "$(find "$work/corpus/$target" -type f | wc -l)"
done
if ((status != 0)); then
  printf 'findings:\n' >&2
  find "$work"/findings -type f >&2
  for log in "$work"/logs/*.log; do # from a finding's first line: an exception, a failed check or a sanitizer's error
    sed -n -E '/^terminate called|^finding|Assertion|runtime error:|^==[0-9]+== *ERROR/,$p' "$log" | sed -n 1,60p >&2
  done
fi
exit "$status"
