#!/usr/bin/env bash
# Checks a release's wheels for this CPU and glibc: check_wheels.sh OUT PROGRAM [ROOT]...
#
# Installs each wheel, with numpy, for every python3.11 to python3.14 in PATH that the wheel supports, and in each ROOT.
# A ROOT is the folder of another system with python3, numpy and pip (debootstrap makes one; this needs root). In each
# installation, the vector of a text must have the same bits as that of PROGRAM, a build of these sources, both from the
# package and from the command `bert-infer`. MUSL_PYTHON, a Python 3.11 on musl (musl_python.sh makes one), runs the
# wheel for musl.
set -euo pipefail
out=$(cd "$1" && pwd) program=$(realpath "$2") sources=$(cd "$(dirname "$0")/../.." && pwd)
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
text="A man plays the guitar." failed=0
fail() { echo "$*" >&2 && failed=1; }

"$program" embed --output "$scratch/expected.npy" "$text"
expected=$(tail -c 640 "$scratch/expected.npy" | od -An -v -tx1 | tr -d ' \n')
read -r -d '' check <<'END' || true
import subprocess, sys, tempfile
import bert_infer
text, program = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, "embed", "--output", folder + "/v.npy", text], check=True)
    written = open(folder + "/v.npy", "rb").read()[-640:]
print(bert_infer.Model().encode([text]).tobytes().hex(), written.hex())
END

# check NAME PROGRAM PYTHON...: checks an installed wheel. The last words run the Python in which it is installed.
check() {
  local found
  if ! found=$("${@:3}" -c "$check" "$text" "$2"); then
    fail "$1: failed"
  elif [[ $found != "$expected $expected" ]]; then
    fail "$1: other bits than $program"
  else
    echo "$1: the same bits"
  fi
}

most=$(($(stat -c %s "$sources/models/builtin/model.safetensors") + 7000000))
for wheel in "$out"/*_"$(uname -m)".whl; do
  name=${wheel##*/}
  if (($(stat -c %s "$wheel") > most)); then fail "$name has $(stat -c %s "$wheel") bytes, expected at most $most"; fi
  mkdir "$scratch/files"
  python3 -m zipfile -e "$wheel" "$scratch/files"
  symbols=$(readelf -V "$scratch"/files/bert_infer/*.so | { grep -o 'GLIBC_[0-9.]*' || true; } | sort -uV | xargs)
  rm -r "$scratch/files"
  if [[ $name != *manylinux* ]]; then
    if [[ -n $symbols ]]; then fail "$name needs $symbols of glibc"; fi
    if [[ -z ${MUSL_PYTHON:-} || $name != *cp311* ]]; then
      echo "$name: not run, for want of a Python on musl that it is for"
      continue
    fi
    # MUSL_PYTHON has no pip, so this system's pip installs the wheel. The command that pip writes would start this
    # system's Python; its first line is changed to start MUSL_PYTHON.
    rm -rf "$scratch/musl"
    python3 -m pip install --quiet --disable-pip-version-check --target "$scratch/musl" --only-binary :all: \
      --platform musllinux_1_2_x86_64 --python-version 3.11 --implementation cp --abi cp311 numpy "$wheel"
    sed -i "1s|.*|#!$(realpath "$MUSL_PYTHON")|" "$scratch/musl/bin/bert-infer"
    check "$name, $MUSL_PYTHON" "$scratch/musl/bin/bert-infer" env PYTHONPATH="$scratch/musl" "$MUSL_PYTHON"
    continue
  fi
  if [[ $(printf '%s\n' "${symbols##* }" GLIBC_2.17 | sort -V | tail -n 1) != GLIBC_2.17 ]]; then
    fail "$name needs ${symbols##* }, expected at most GLIBC_2.17"
  fi
  for version in 3.11 3.12 3.13 3.14; do
    if [[ $name == *cp311* && $version != 3.11 || $name == *cp312* && $version == 3.11 ]]; then continue; fi
    if ! "python$version" -c "" 2>/dev/null; then continue; fi
    rm -rf "$scratch/env"
    "python$version" -m venv "$scratch/env"
    "$scratch/env/bin/pip" install --quiet --disable-pip-version-check numpy "$wheel"
    check "$name, python$version" "$scratch/env/bin/bert-infer" "$scratch/env/bin/python"
  done
  for root in "$@"; do
    version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [[ $name == *cp311* && $version != 3.11 || $name == *cp312* && $version == 3.11 ]]; then continue; fi
    cp "$wheel" "$root/tmp/"
    chroot "$root" pip install --quiet --break-system-packages --no-deps --force-reinstall "/tmp/$name"
    check "$name, $root" /usr/local/bin/bert-infer chroot "$root" python3
  done
done
exit "$failed"
