# Fetches and checks the inputs of a release, which packaging/release/pins.txt names. packaging/release.sh sources this
# file after tools/setup/setup.sh. Needs apt-get with this system's package sources, dpkg-source and pip.
# shellcheck shell=bash

# read_pins FILE: reads the lines KIND NAME VERSION SHA256 USE LICENCE into arrays. Refuses a line of another form.
read_pins() {
  local word='[A-Za-z0-9.+:~-]+'
  local pin_form="^(pypi|deb|trixie|source) ([a-z0-9.+-]+(:arm64)?) ($word) ([0-9a-f]{64})"
  pin_form+=" (library|program|linux|module|build) ([^ ].*)\$"
  local line number=0
  pin_kinds=() pin_names=() pin_versions=() pin_digests=() pin_uses=() pin_licences=()
  while IFS= read -r line; do
    number=$((number + 1))
    if [[ -z $line || $line == \#* ]]; then continue; fi
    if [[ ! $line =~ $pin_form ]]; then
      say "$1, line $number: '$line', expected KIND NAME VERSION SHA256 USE LICENCE, KIND being pypi, deb, trixie or" \
        "source, USE library, program, linux, module or build"
      return 1
    fi
    pin_kinds+=("${BASH_REMATCH[1]}") pin_names+=("${BASH_REMATCH[2]}") pin_versions+=("${BASH_REMATCH[4]}")
    pin_digests+=("${BASH_REMATCH[5]}") pin_uses+=("${BASH_REMATCH[6]}") pin_licences+=("${BASH_REMATCH[7]}")
  done <"$1"
}

# gets_into_program INDEX SYSTEM: returns whether the pin with that index is part of the program for linux, macos or
# windows.
gets_into_program() {
  [[ " library program $2 " == *" ${pin_uses[$1]} "* ]]
}

# private_apt DIRECTORY: creates apt's own files there. They have this system's sources of Debian packages, with the
# source packages added. APT_CONFIG then names them. Does not change the system's package manager.
private_apt() {
  local file
  mkdir -p "$1"/{state/lists,cache/archives}/partial "$1/sources"
  touch "$1/status" "$1/none"
  rm -f "$1"/sources/*
  for file in /etc/apt/sources.list.d/*.sources; do
    if [[ -f $file ]]; then sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$1/sources/${file##*/}"; fi
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [[ -f $file ]]; then sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' "$file" >"$1/sources/${file##*/}.list"; fi
  done
  # Adds Debian 13 from the same servers, for the packages of kind trixie.
  find "$1/sources" -name '*.sources' -exec cat {} + | awk -v RS= -v ORS='\n\n' \
    '/Suites:[^\n]*bookworm/ && !/security/ { sub(/Suites:[^\n]*/, "Suites: trixie"); print }' >"$1/trixie.sources"
  find "$1/sources" -name '*.list' -exec cat {} + |
    sed -n '/security/d; s/^\(deb.*\) bookworm /\1 trixie /p' >"$1/trixie.list"
  mv "$1"/trixie.* "$1/sources/"
  cat >"$1/apt.conf" <<END
APT::Sandbox::User "root";
APT::Architectures { "amd64"; "arm64"; };
Acquire::Languages "none";
Dir::State "$1/state";
Dir::State::status "$1/status";
Dir::Cache "$1/cache";
Dir::Etc::sourcelist "$1/none";
Dir::Etc::sourceparts "$1/sources";
END
  export APT_CONFIG=$1/apt.conf
  apt-get -qq update >&2 || say "apt-get update failed for some sources; going on with what it has"
}

# fetch_input KIND NAME VERSION DIRECTORY: fetches an input; an empty VERSION means the newest. Sets input_file to the
# file whose digest is the input's. For a source package this is its .dsc, which has the digests of the other files;
# dpkg-source compares these.
fetch_input() {
  local kind=$1 name=$2 version=$3 directory=$4 files
  rm -rf "$directory"
  mkdir -p "$directory"
  case $kind in
    pypi)
      "$(python_program)" -m pip download --quiet --disable-pip-version-check --no-deps --no-cache-dir -d "$directory" \
        --only-binary :all: --platform manylinux2014_x86_64 "$name${version:+==$version}" >&2 || return 1
      files=("$directory"/*.whl)
      ;;
    deb | trixie)
      local release=bookworm
      if [[ $kind == trixie ]]; then release=trixie; fi
      (cd "$directory" && apt-get -qq download -t "$release" "$name${version:+=$version}" >&2) || return 1
      files=("$directory"/*.deb)
      ;;
    source)
      (cd "$directory" && apt-get -qq --download-only -t bookworm source "$name${version:+=$version}" >&2) || return 1
      files=("$directory"/*.dsc)
      ;;
  esac
  input_file=${files[0]}
}

# version_of KIND FILE: prints the version of a fetched input.
version_of() {
  local name
  case $1 in
    pypi) name=${2##*/} name=${name#*-} && echo "${name%%-*}" ;;
    deb | trixie) dpkg-deb --field "$2" Version ;;
    source) sed -n 's/^Version: //p' "$2" | head -n 1 ;;
  esac
}

digest_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# fetch_inputs DIRECTORY: fetches every pinned input into DIRECTORY/NAME, unless it is there. Fails, with its name, for
# an input that cannot be fetched or has another digest.
fetch_inputs() {
  local index kind name version found
  for index in "${!pin_names[@]}"; do
    kind=${pin_kinds[index]} name=${pin_names[index]} version=${pin_versions[index]}
    found=("$1/$name"/*.whl "$1/$name"/*.deb "$1/$name"/*.dsc)
    input_file=
    for found in "${found[@]}"; do
      if [[ -f $found ]]; then input_file=$found; fi
    done
    if [[ -z $input_file || $(version_of "$kind" "$input_file") != "$version" ]]; then
      if [[ -z ${APT_CONFIG:-} && $kind != pypi ]]; then private_apt "$1/apt"; fi
      say "fetching $name $version"
      if ! fetch_input "$kind" "$name" "$version" "$1/$name"; then
        say "$name: version $version cannot be had here; --update-pins takes those that can"
        return 1
      fi
    fi
    if [[ $(digest_of "$input_file") != "${pin_digests[index]}" ]]; then
      say "$name $version: SHA-256 is $(digest_of "$input_file"), expected ${pin_digests[index]}"
      return 1
    fi
  done
}

# update_pins FILE DIRECTORY: rewrites the file with the newest available versions, and fetches them. Comments and
# licences stay; whoever reviews the new file must check whether a licence changed.
update_pins() {
  local index kind name version
  private_apt "$2/apt"
  grep '^#' "$1" >"$2/pins"
  for index in "${!pin_names[@]}"; do
    kind=${pin_kinds[index]} name=${pin_names[index]}
    if ! fetch_input "$kind" "$name" "" "$2/$name"; then
      say "$name: cannot be had here"
      return 1
    fi
    version=$(version_of "$kind" "$input_file")
    if [[ $version != "${pin_versions[index]}" ]]; then say "$name: ${pin_versions[index]} becomes $version"; fi
    echo "$kind $name $version $(digest_of "$input_file") ${pin_uses[index]} ${pin_licences[index]}" >>"$2/pins"
  done
  mv "$2/pins" "$1"
}
