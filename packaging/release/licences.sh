# Collects the licences of everything that is linked into a static program. packaging/release.sh sources this file after
# it has read the pins and set zig (the compiler).
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

# collect_licences ROOT SYSTEM: writes the licence texts of each library's package to a file ROOT/licences/LIBRARY.
collect_licences() {
  local root=$1 index name title text
  mkdir -p "$root/licences"
  for index in "${!pin_names[@]}"; do
    name=${pin_names[index]}
    if ! gets_into_program "$index" "$2"; then continue; fi
    title="$root/licences/$name ${pin_versions[index]}"
    case ${pin_kinds[index]} in
      source) cp "$root/source/$name/debian/copyright" "$title" ;;
      deb)
        text=$root/usr/share/doc/$name/copyright
        if [[ ${pin_licences[index]} == BSL-1.0 ]]; then
          # Boost's file lists thousands of holders. The licence does not ask to name them with a compiled program.
          awk '/^License: BSL-1.0$/ { inside = 1 } /^$/ { if (inside) exit } inside' "$text" >"$title"
        else
          cp "$text" "$title"
        fi
        ;;
      pypi)
        cp "${zig%/*}/LICENSE" "$title"
        if [[ $2 == windows ]]; then
          cp "${zig%/*}/lib/libc/mingw/COPYING" "$root/licences/mingw-w64"
        elif [[ $2 == linux ]]; then  # the C library of macOS is the system's
          cp "${zig%/*}/lib/libc/musl/COPYRIGHT" "$root/licences/musl"
        fi
        for text in libcxx libcxxabi libunwind; do
          cp "${zig%/*}/lib/$text/LICENSE.TXT" "$root/licences/$text"
        done
        ;;
    esac
  done
  for title in "$root/licences"/*; do
    if [[ ! -s $title ]]; then say "${title##*/}: no licence found" && return 1; fi
  done
}
