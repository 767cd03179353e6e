#!/usr/bin/env bash
# Fetches a model from the Hugging Face hub into a directory that --model takes:
#   tools/fetch_model.sh sentence-transformers/all-MiniLM-L6-v2 [DIRECTORY]
# Without DIRECTORY it is checkpoints/all-MiniLM-L6-v2 in the current one. Only what bert-infer reads is fetched.
# The directory appears whole or not at all. HF_ENDPOINT is the hub's address, HF_TOKEN a token for private models, as
# for the hub's own tool. The token goes over https alone, or to this machine, and is on no command line; redirects are
# followed to https alone.
set -euo pipefail
# shellcheck source=tools/setup/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup/setup.sh"

endpoint=${HF_ENDPOINT:-https://huggingface.co}
# Those that a model may have; config.json and weights it must have.
list=$(dirname "${BASH_SOURCE[0]}")/../models/files/model_files.txt
mapfile -t files < <(sed -n 's/^[a-z][a-z]* //p' "$list")
if ((${#files[@]} == 0)); then say "cannot read $list, the list of a model's files" && exit 1; fi
# Heads of BGE-M3, as torch's files.
heads=(colbert_linear.pt sparse_linear.pt)

if (($# < 1 || $# > 2)) || [[ ! $1 =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]]; then
  say "usage: tools/fetch_model.sh ORGANISATION/NAME [DIRECTORY]"
  exit 2
fi
id=$1
directory=${2:-checkpoints/${id#*/}}
if [[ -e $directory ]]; then
  say "$directory is there already; remove it to fetch the model again"
  exit 1
fi
if [[ -n ${HF_TOKEN:-} ]]; then
  if [[ ! $HF_TOKEN =~ ^[!-~]+$ ]]; then say "HF_TOKEN has a character that no token has" && exit 2; fi
  this_machine='^http://(localhost|127\.[0-9]+\.[0-9]+\.[0-9]+|\[::1\])(:[0-9]+)?(/|$)'
  if [[ $endpoint != https://* && ! $endpoint =~ $this_machine ]]; then
    say "HF_TOKEN is not sent to $endpoint: expected https"
    exit 2
  fi
fi
install_missing curl ca-certificates

mkdir -p "$(dirname "$directory")"
scratch=$(mktemp -d "$(dirname "$directory")/fetch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# fetch FILE: 0 if it is there now, 1 if the model has no such file. Ends the script if the hub cannot be reached.
fetch() {
  local code options=(--disable --silent --show-error --location --create-dirs --write-out '%{http_code}')
  options+=(--proto '=http,https' --proto-redir '=https' --output "$scratch/$1")
  # By a descriptor: any user of the machine reads the arguments of a process.
  if ! code=$(curl "${options[@]}" --header @/dev/fd/3 "$endpoint/$id/resolve/main/$1" \
    3< <(printf '%s' "${HF_TOKEN:+Authorization: Bearer $HF_TOKEN}")); then
    say "$endpoint cannot be reached or broke off; without a network, copy the model's directory from another machine"
    exit 1
  fi
  case $code in
    200) say "fetched $1" ;;
    404) rm -f "$scratch/$1"; return 1 ;;
    401 | 403) say "$endpoint has no model $id, or needs a token for it in HF_TOKEN (status $code)"; exit 1 ;;
    *) say "$endpoint answered with status $code for $1 of $id"; exit 1 ;;
  esac
}

# names FILE PATTERN: the strings of a JSON file that match.
names() { grep -o "\"$2\"" "$scratch/$1" | tr -d '"' | sort -u; }

if ! fetch config.json && ! fetch gliner_config.json; then
  say "$endpoint has no config.json of a model $id; is the name right?"
  exit 1
fi
# fetch_into FOLDER/ FILE...: those of the files that are there, and the folders of a router's modules.
fetch_into() {
  local folder=$1 file module
  for file in "${@:2}"; do [[ -f $scratch/$folder$file ]] || fetch "$folder$file" || true; done
  if [[ ! -f $scratch/${folder}router_config.json ]]; then return 0; fi
  for module in $(names "${folder}router_config.json" '[A-Za-z]*_[0-9]*_[A-Za-z]*'); do
    for file in "${files[@]}" model.safetensors; do fetch "$folder$module/$file" || true; done
  done
}
if [[ -f $scratch/config.json ]]; then
  model_type=$(sed -n 's/.*"model_type" *: *"\([A-Za-z0-9_-]*\)".*/\1/p' "$scratch/config.json")
fi
files=("${files[@]//\*/${model_type:-bert}}")
fetch_into "" "${files[@]}" "${heads[@]}"
if [[ -f $scratch/modules.json ]]; then
  for module in $(names modules.json '[0-9]*_[A-Za-z]*'); do
    fetch_into "$module/" "${files[@]}" model.safetensors
  done
fi
# A GLiNER model can have a tokenizer of labels, or only name its encoder.
if [[ -f $scratch/gliner_config.json ]]; then
  fetch_into labels_tokenizer/ "${files[@]}"
  if [[ ! -f $scratch/tokenizer_config.json ]]; then
    say "the model only names its encoder: fetch that too, and give its directory as --encoder"
  fi
fi
# A GLiNER2 model has its encoder's configuration in a folder.
if [[ ${model_type:-} == extractor ]]; then fetch encoder_config/config.json || true; fi
if fetch model.safetensors; then
  :
elif fetch model.safetensors.index.json; then
  for shard in $(names model.safetensors.index.json '[A-Za-z0-9._-]*\.safetensors'); do fetch "$shard"; done
elif fetch pytorch_model.bin; then
  say "the model has only pytorch_model.bin; convert it with: python3 tools/convert_weights.py $directory"
else
  say "$id has neither model.safetensors nor pytorch_model.bin; use the model that it was converted from"
  exit 1
fi

for head in "${heads[@]}"; do
  if [[ -f $scratch/$head ]]; then say "$head is read after: python3 tools/convert_weights.py $directory"; fi
done
chmod 755 "$scratch"
mv -T "$scratch" "$directory"
say "the model is in $directory; try: bert-infer inspect --model $directory"
