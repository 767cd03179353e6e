#!/usr/bin/env bash
# Writes bert-infer-sys/src/bindings.rs from the C headers, by bindgen 0.73 (cargo install bindgen-cli).
set -euo pipefail
cd "$(dirname "$0")"
for header in "" _tasks _vectors _explain _files; do echo "#include \"bert/bert$header.h\""; done |
  bindgen --allowlist-item '(bert|BERT)_.*' --blocklist-item 'BERT_BERT_.*_H' --no-layout-tests \
    --default-enum-style consts --no-prepend-enum-name --rust-target 1.63 --merge-extern-blocks --no-doc-comments \
    --disable-header-comment -o bert-infer-sys/src/bindings.rs /dev/stdin -- -x c -I../../include
