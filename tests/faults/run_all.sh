#!/usr/bin/env bash
# Runs all failing calls and all expensive texts, of which the tests run a share. This takes about two hours on two
# cores and needs the build of tools/test.sh. Arguments select files: tests/faults/run_all.sh server_test.
# FAULTS_STEP=8 runs one eighth, which FAULTS_SEED chooses; the seeds 1 to 8 together run all.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tools/setup/setup.sh

export FAULTS_STEP=${FAULTS_STEP:-1} FAULTS_SECONDS=${FAULTS_SECONDS:-600}
export BERT_INFER_PROGRAM=$PWD/build/bert-infer BERT_FAULTS_SHIM=$PWD/build/tests/libfaults_shim.so
export BERT_TINY_MODELS=$PWD/build/tests/write_tiny_models
names=("$@")
if ((${#names[@]} == 0)); then names=(server_test hostile_texts_test hostile_bodies_test random_test program_test); fi
status=0
for name in "${names[@]}"; do
  file=tests/faults/$name.py
  if [[ ! -f $file ]]; then file=tests/program/server/$name.py; fi
  "$(python_program)" -B "$file" || status=1
done
exit "$status"
