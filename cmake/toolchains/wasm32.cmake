# Compiles for WebAssembly with Clang 19 and its linker, and with the C and C++ libraries of Debian's emscripten 3.1.6.
# Emscripten's own compiler (Clang 14) is not used: it encodes the relaxed multiply-add instructions with an opcode that
# engines reject.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_ASM_COMPILER clang-19)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
foreach(language C CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET wasm32-unknown-emscripten)
endforeach()
set(CMAKE_SYSROOT /usr/share/emscripten/cache/sysroot CACHE PATH "Emscripten's headers and libraries")

# As em++ compiles for these libraries; exceptions by the engine's instructions. Every object can be part of a module
# with threads: an engine knows atomic instructions on memory that is not shared too.
set(libraries_flags "-isystem ${CMAKE_SYSROOT}/include/compat -D__EMSCRIPTEN_major__=3 -D_LIBCPP_ABI_VERSION=2")
set(CMAKE_C_FLAGS_INIT "-isystem ${CMAKE_SYSROOT}/include/compat -pthread -msimd128")
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ -isystem ${CMAKE_SYSROOT}/include/c++/v1 ${libraries_flags} -fwasm-exceptions -pthread -msimd128")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Eigen has only headers, and the host's are any target's.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
