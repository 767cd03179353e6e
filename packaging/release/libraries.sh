# Builds the libraries of a static program from their sources, and installs the headers of those that are only headers.
# packaging/release.sh sources this file. The variables inputs (the inputs' folder), zig (the compiler) and top (the
# source tree) must be set.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by the caller

# compiler_scripts TARGET DIRECTORY: writes scripts that run zig under a compiler's usual names, for x86_64-linux-musl
# and the like. The settings keep the results independent of this machine's directories, variables and libraries.
compiler_scripts() {
  local tool
  mkdir -p "$2"
  for tool in cc c++; do
    printf '#!/bin/sh\nexec %q %s -target %s "$@"\n' "$zig" "$tool" "$1" >"$2/zig-$tool"
  done
  for tool in ar ranlib dlltool; do printf '#!/bin/sh\nexec %q %s "$@"\n' "$zig" "$tool" >"$2/zig-$tool"; done
  chmod +x "$2"/zig-*
  unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CPATH CPLUS_INCLUDE_PATH C_INCLUDE_PATH LIBRARY_PATH
  unset ASMFLAGS CPPFLAGS LDFLAGS CMAKE_PREFIX_PATH PKG_CONFIG_PATH
  export CC=$2/zig-cc CXX=$2/zig-c++ SOURCE_DATE_EPOCH=0
  compile_flags=(-g0 "-ffile-prefix-map=$top=.")
  export CFLAGS="${compile_flags[*]}" CXXFLAGS="${compile_flags[*]}"
}

# kernel_compiler FILE: unpacks GCC below build-release/gcc, and writes a script that runs it with its own libraries and
# no headers but its own.
kernel_compiler() {
  local name root=$work/gcc
  rm -rf "$root"
  for name in g++-12 libgcc-12-dev libisl23 libmpc3 libmpfr6 libgmp10 libzstd1 zlib1g; do
    dpkg-deb -x "$inputs/$name"/*.deb "$root"
  done
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q -nostdinc -isystem %q "$@"\n' \
    "$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu" "$root/usr/bin/x86_64-linux-gnu-g++-12" \
    "$root/usr/lib/gcc/x86_64-linux-gnu/12/include" >"$1"
  chmod +x "$1"
}

# logged FILE COMMAND...: runs the command quietly. If it fails, shows the end of its output.
logged() {
  if ! "${@:2}" >"$1" 2>&1; then
    tail -n 60 "$1" >&2
    say "failed: ${*:2}"
    return 1
  fi
}

# cmake_for CPU ROOT ARGUMENT...: configures by CMake for that CPU and $system. CMake finds only what is below ROOT. GCC
# compiles the kernels for Linux on x86-64, because few rows then take less time than with zig (docs/RELEASE.md).
declare -A zig_systems=([linux]=linux-musl [macos]=macos [windows]=windows-gnu)
declare -A cmake_systems=([linux]=Linux [macos]=Darwin [windows]=Windows)
cmake_for() {
  local kernels=""
  if [[ $system-$1 == linux-x86_64 ]]; then kernels=$work/gcc-kernels; fi
  cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME="${cmake_systems[$system]}" \
    -DCMAKE_SYSTEM_PROCESSOR="$1" -DBERT_INFER_KERNEL_COMPILER="$kernels" \
    -DCMAKE_AR="$2/bin/zig-ar" -DCMAKE_RANLIB="$2/bin/zig-ranlib" -DCMAKE_DLLTOOL="$2/bin/zig-dlltool" \
    -DCMAKE_FIND_ROOT_PATH="$2" \
    -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY \
    -DCMAKE_INSTALL_PREFIX="$2/usr" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF --no-warn-unused-cli "${@:3}"
}

# archive ROOT NAME FILE...: compiles C files into ROOT/usr/lib/libNAME.a.
archive() {
  local file objects=() macros=(-D_LARGEFILE64_SOURCE)
  # zlib would define fdopen as nothing; every file offset of macOS has 64 bits.
  if [[ $system == macos ]]; then macros=(-Dfdopen=fdopen -DUSE_FILE32API); fi
  if [[ $system == windows ]]; then macros=(-DUSE_FILE32API); fi
  for file in "${@:3}"; do
    objects+=("$1/build/$2-$(basename "$file" .c).o")
    "$CC" -w -O3 -DNDEBUG -DHAVE_UNISTD_H "${macros[@]}" -DNOCRYPT "${compile_flags[@]}" -I "$1/usr/include" \
      -c "$file" -o "${objects[-1]}"
  done
  "$1/bin/zig-ar" rcsD "$1/usr/lib/lib$2.a" "${objects[@]}"
}

# library CPU ROOT NAME FOLDER TARGET ARGUMENT...: builds and installs one library by its own CMakeLists.txt, which is
# in FOLDER of its sources. With a TARGET only that is built, and nothing is installed.
library() {
  local build=$2/build/$3
  logged "$build.configure.log" cmake_for "$1" "$2" -S "$2/source/$3/$4" -B "$build" "${@:6}"
  logged "$build.log" cmake --build "$build" ${5:+--target "$5"}
  if [[ -z $5 ]]; then logged "$build.install.log" cmake --install "$build"; fi
}

# build_libraries CPU ROOT: builds every library for $system below ROOT/usr, with files for pkg-config.
build_libraries() {
  local cpu=$1 root=$2 index name file
  local usr=$root/usr source=$root/source
  mkdir -p "$usr"/{include,lib/pkgconfig} "$source" "$root/build"
  compiler_scripts "$cpu-${zig_systems[$system]}" "$root/bin"
  export PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig
  for index in "${!pin_names[@]}"; do
    name=${pin_names[index]}
    if ! gets_into_program "$index" "$system"; then continue; fi
    case ${pin_kinds[index]} in
      deb) dpkg-deb -x "$inputs/$name"/*.deb "$root" ;;
      source)
        # dpkg-source compares the digests of the package's files with those in the .dsc.
        logged "$source/$name.log" dpkg-source --no-copy -x "$inputs/$name"/*.dsc "$source/$name"
        ;;
    esac
  done

  say "$cpu: building the libraries"
  # Debian's sources lack some files that zlib's CMakeLists.txt names; minizip's own build is made by autotools.
  archive "$root" z "$source/zlib"/*.c
  cp "$source/zlib"/{zlib,zconf}.h "$usr/include/"
  pkg_config_file zlib "-lz" >"$usr/lib/pkgconfig/zlib.pc"
  archive "$root" minizip "$source/minizip"/{zip,ioapi}.c
  mkdir "$usr/include/minizip"
  cp "$source/minizip"/{zip,ioapi}.h "$usr/include/minizip/"
  pkg_config_file minizip "-lminizip -lz" >"$usr/lib/pkgconfig/minizip.pc"
  library "$cpu" "$root" libzstd build/cmake "" -DZSTD_BUILD_SHARED=OFF -DZSTD_BUILD_PROGRAMS=OFF \
    -DZSTD_MULTITHREAD_SUPPORT=OFF
  library "$cpu" "$root" libonig . "" -DENABLE_POSIX_API=OFF -DENABLE_BINARY_COMPATIBLE_POSIX_API=OFF
  if [[ $system != linux ]]; then return; fi
  library "$cpu" "$root" prometheus-cpp . "" -DENABLE_PULL=OFF -DENABLE_PUSH=OFF -DENABLE_TESTING=OFF
  # Without this macro of glibc's, mimalloc does not define aligned_alloc. The C library's aligned_alloc would then
  # return blocks that mimalloc's free does not know.
  library "$cpu" "$root" mimalloc . mimalloc-obj -DMI_BUILD_TESTS=OFF -DMI_BUILD_SHARED=OFF \
    -DCMAKE_C_FLAGS="$CFLAGS -D__USE_ISOC11"
  find "$root/build/mimalloc" -name '*.o' -exec cp {} "$usr/lib/mimalloc.o" \;
}

# pkg_config_file NAME LIBRARIES: prints the file that pkg-config reads, for a library below the prefix.
pkg_config_file() {
  # shellcheck disable=SC2016  # pkg-config's variables
  printf '%s\n' 'prefix=${pcfiledir}/../..' "Name: $1" "Description: $1" 'Version: 1' "Libs: -L\${prefix}/lib $2" \
    'Cflags: -I${prefix}/include'
}
