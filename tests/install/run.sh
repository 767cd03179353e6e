#!/usr/bin/env bash
# Installs a build into a scratch folder, and follows README's steps for users of the library: builds README's C++
# program by README's commands, by CMake and by pkg-config, and runs it.
#   run.sh BUILD_DIRECTORY SCRATCH_DIRECTORY COMPILER [COMPILER_FLAGS]
set -euo pipefail
build=$1 scratch=$2 compiler=$3 flags=${4:-}
readme=$(dirname "$0")/../../README.md

rm -rf "$scratch"
mkdir -p "$scratch/example"
cmake --install "$build" --prefix "$scratch/built" >/dev/null
# An installation may be moved.
mv "$scratch/built" "$scratch/prefix"

# block LANGUAGE: prints the first fenced block of README in this language.
block() {
  awk -v fence='```' -v language="$1" 'on && $0 == fence {exit} on {print} $0 == fence language {on = 1}' "$readme"
}
block cpp >"$scratch/example/main.cc"
{
  echo "cmake_minimum_required(VERSION 3.25)"
  echo "project(example LANGUAGES CXX)"
  block cmake
} >"$scratch/example/CMakeLists.txt"
grep -q "int main" "$scratch/example/main.cc"
grep -q "find_package" "$scratch/example/CMakeLists.txt"

# Runs README's commands with this prefix and this compiler: first CMake, then pkg-config.
package=$(dirname "$(find "$scratch/prefix" -name bertinfer.pc)")
sed '1,/^## From C++/d' "$readme" | readme=/dev/stdin block sh |
  sed "s|PREFIX/lib|$(dirname "$package")|g; s|=PREFIX |=$scratch/prefix |; s|^c++|$compiler $flags|" \
    >"$scratch/example/commands.sh"
(cd "$scratch/example" && env CMAKE_GENERATOR=Ninja CXX="$compiler" CXXFLAGS="$flags" bash -euo pipefail commands.sh) |
  tee "$scratch/printed.txt"
[[ $(grep -c "^cosine to itself 1.000$" "$scratch/printed.txt") == 2 ]]

"$scratch/prefix/bin/bert-infer" --version
# The installed manual page and completions equal those that the program prints.
"$scratch/prefix/bin/bert-infer" --manual | cmp - <(gzip -dc "$scratch/prefix/share/man/man1/bert-infer.1.gz")
for shell in bash:bash-completion/completions/bert-infer zsh:zsh/site-functions/_bert-infer \
  zsh:zsh/vendor-completions/_bert-infer fish:fish/vendor_completions.d/bert-infer.fish; do
  "$scratch/prefix/bin/bert-infer" --completion "${shell%%:*}" | cmp - "$scratch/prefix/share/${shell#*:}"
done
# bash-completion finds the completion by the program's name.
loader=/usr/share/bash-completion/bash_completion
if [[ -f $loader ]]; then
  [[ $(XDG_DATA_DIRS=$scratch/prefix/share bash --norc -c \
    "source $loader && _completion_loader bert-infer; complete -p bert-infer") == *_bert_infer* ]]
else
  echo "not looked at: how bash-completion loads it (no bash-completion here)"
fi
# The documentation is installed, and each of its links leads to an installed file.
docs=$(dirname "$(find "$scratch/prefix" -name CHANGELOG.md)")
[[ -f $docs/README.md && -f $docs/docs/commands/embed.md && -f $docs/examples/embed.c && -f $docs/LICENSE ]]
while IFS=: read -r page link; do
  target=${link:2:-1}
  target=${target%%#*}
  [[ -z $target || $target == http* || -e $(dirname "$page")/$target ]] ||
    { echo "$page: the link to $target leads nowhere" >&2; exit 1; }
done < <(grep -roE '\]\([^][() ;]+\)' --include='*.md' "$docs")
# Only the public headers are installed.
[[ $(ls "$scratch/prefix/include") == bert ]]
echo "installed, used through CMake and pkg-config, and run"
