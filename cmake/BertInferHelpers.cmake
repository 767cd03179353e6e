# Functions of the build. They set warnings and floating-point rules for every target, make an object library of each
# folder, compile the kernels' files with ISA flags, and make an object file of the built-in model's files.

include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
check_cxx_compiler_flag(-fstack-clash-protection BERT_INFER_HAS_STACK_CLASH)
# _FORTIFY_SOURCE=3 also checks sizes that are known only when the program runs.
check_cxx_source_compiles("int main(int count, char** names) {
    return static_cast<int>(__builtin_dynamic_object_size(names[count - 1], 0));
  }" BERT_INFER_HAS_FORTIFY_3)

# Whether the build type has no optimisation: Debug, or none.
set(unoptimised_type $<OR:$<CONFIG:Debug>,$<STREQUAL:$<CONFIG>,>>)

# Adds checks that end the program before it overwrites memory it must not write. Targets that read input get them. The
# loops over numbers and over the characters of a text do not (engine/DECISIONS.md). A build with a sanitizer gets none,
# because the sanitizer has its own.
function(bert_infer_harden target)
  if(NOT BERT_INFER_HARDENING OR APPLE OR WIN32 OR CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR
     target MATCHES "^bertinfer_(engine_kernels|engine_layers|tokenizer)$")
    return()
  endif()
  set(fortify 2)
  if(BERT_INFER_HAS_FORTIFY_3)
    set(fortify 3)
  endif()
  set(flags -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${fortify} -D_GLIBCXX_ASSERTIONS)
  if(BERT_INFER_HAS_STACK_CLASH)
    list(APPEND flags -fstack-clash-protection)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND flags -fcf-protection)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:ASM>:-fcf-protection>)
  endif()
  # _FORTIFY_SOURCE needs optimisation.
  target_compile_options(${target} PRIVATE $<$<AND:$<NOT:${unoptimised_type}>,$<COMPILE_LANGUAGE:C,CXX>>:${flags}>)
endfunction()

# Warnings, the rule the numbers rest on (only written fused multiply-adds fuse: docs/NUMERICS.md), and objects that do
# not depend on the directory of the sources.
function(bert_infer_target target)
  bert_infer_harden(${target})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of std::string's own operator+ (GCC bug 105651, fixed in 13).
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  if(BERT_INFER_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # What parses input tells the fuzzer which of its branches are taken; for numbers that would only take time.
  if(BERT_INFER_FUZZ AND target MATCHES "^(fuzz_|bert_|bertinfer_(engine_base|engine_checkpoint|tokenizer|models_(config|text|files)))")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
  endif()
endfunction()

# Less optimisation for a target without hot loops, -O1 or -O2: by -O1 it compiles a third faster. None for the
# sanitizers (RelWithDebInfo), whose checks cost the compiler's time when it optimises them.
function(bert_infer_optimise target level)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${level}>
    $<$<AND:$<CONFIG:RelWithDebInfo>,$<COMPILE_LANGUAGE:CXX>>:-O0>)
endfunction()

# Optimises a folder's loops over numbers or characters where the build type does not: a user's own program is often
# built for debugging, and these would take thirty times as long.
function(bert_infer_optimise_always folder)
  string(REPLACE "/" "_" name bertinfer_${folder})
  if(BERT_INFER_OPTIMISE)
    target_compile_options(${name} PRIVATE $<$<AND:${unoptimised_type},$<COMPILE_LANGUAGE:CXX>>:-O3>)
  endif()
endfunction()

# The folder of engine/base that calls another system than this one.
set(other_system_folder windows)
if(WIN32)
  set(other_system_folder posix)
endif()

# A source folder of the library as the object library bertinfer_<folder>, with _ for /; without the folders in it that
# are libraries themselves.
function(bert_infer_folder folder)
  string(REPLACE "/" "_" name bertinfer_${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc ${folder}/*.h)
  foreach(other IN LISTS library_folders)
    if(other MATCHES "^${folder}/")
      list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${other}/")
    endif()
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/engine/base/${other_system_folder}/")
  add_library(${name} OBJECT ${sources})
  bert_infer_target(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)  # of a folder of headers too
endfunction()

# The objects of these folders, as generator expressions, in the variable `result`.
function(bert_infer_objects result)
  string(REPLACE "/" "_" names "${ARGN}")
  list(TRANSFORM names REPLACE "(.+)" "$<TARGET_OBJECTS:bertinfer_\\1>")
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# What a program needs to link a static library of objects: these headers, C++20, threads.
function(bert_infer_static_library target)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${ARGN})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} INTERFACE ${container_definitions})
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# engine/kernels/isa/<isa>.cc are the only files built with ISA flags. Each exports one table and includes no library
# header with inline functions, so the linker can never spread its instructions to code that runs on other CPUs, and any
# compiler can make them.
function(bert_infer_isa_sources)
  set(compiler_id ${CMAKE_CXX_COMPILER_ID})
  set(compiler_version ${CMAKE_CXX_COMPILER_VERSION})
  if(BERT_INFER_KERNEL_COMPILER)
    execute_process(COMMAND ${BERT_INFER_KERNEL_COMPILER} -dumpversion OUTPUT_VARIABLE compiler_version
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(compiler_id GNU)
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/engine/kernels/isa)
  # They define the same names over other Lanes.
  set(x86_sources ${folder}/avx2.cc ${folder}/avxvnni.cc ${folder}/avx512.cc ${folder}/avx512vnni.cc
    ${folder}/avx512bf16.cc)
  set(arm_sources ${folder}/neon.cc ${folder}/neon_dotprod.cc ${folder}/neon_i8mm.cc)
  set(relaxed_sources ${folder}/wasm_relaxed.cc ${CMAKE_CURRENT_SOURCE_DIR}/engine/base/relaxed_simd.cc)
  set_source_files_properties(${folder}/portable.cc ${x86_sources} ${arm_sources} ${folder}/wasm.cc ${relaxed_sources}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    # In the order of the source: else the sums of one input are moved apart, and inputs take the registers of sums.
    set(source_order -mllvm -pre-RA-sched=source)
    set_source_files_properties(${folder}/wasm.cc PROPERTIES COMPILE_OPTIONS "${source_order}")
    set_source_files_properties(${relaxed_sources} PROPERTIES COMPILE_OPTIONS "-mrelaxed-simd;${source_order}")
  else()
    set_source_files_properties(${folder}/wasm.cc ${relaxed_sources} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    if(compiler_id STREQUAL "GNU")
      # Before it chooses registers, GCC 12 moves the loads of a tile's inner loop so far ahead that sums are spilled.
      set(tile_flags -fno-schedule-insns)
    endif()
    set_source_files_properties(${folder}/neon.cc PROPERTIES COMPILE_OPTIONS "${tile_flags}")
    set(arm_features -march=armv8.2-a)
    if(CMAKE_CXX_COMPILER MATCHES "zig" AND NOT BERT_INFER_KERNEL_COMPILER)
      set(arm_features -mcpu=generic+v8_2a)  # the only form it has
    endif()
    set_source_files_properties(${folder}/neon_dotprod.cc PROPERTIES
      COMPILE_OPTIONS "${arm_features}+dotprod;${tile_flags}")
    set_source_files_properties(${folder}/neon_i8mm.cc PROPERTIES
      COMPILE_OPTIONS "${arm_features}+dotprod+i8mm;${tile_flags}")
  else()
    set_source_files_properties(${arm_sources} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(${x86_sources} PROPERTIES HEADER_FILE_ONLY ON)
  else()
    set(avx2_flags -mavx2 -mfma -mf16c)
    set_source_files_properties(${folder}/avx2.cc PROPERTIES COMPILE_OPTIONS "${avx2_flags}")
    set_source_files_properties(${folder}/avxvnni.cc PROPERTIES COMPILE_OPTIONS "${avx2_flags};-mavxvnni")
    set(avx512_flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mprefer-vector-width=512)
    if(compiler_id STREQUAL "GNU" AND compiler_version VERSION_LESS 13)
      # GCC 12 warns of its own AVX-512 header (GCC bug 105593, fixed in 13).
      list(APPEND avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
    if(compiler_id STREQUAL "Clang")
      # With -O3 one text of 8 tokens takes 3 % longer (Clang 22). Not -mtune: zig takes it for -mcpu, and uses
      # instructions that nobody asked for.
      list(APPEND avx512_flags $<$<CONFIG:Release>:-O2>)
    endif()
    set_source_files_properties(${folder}/avx512.cc PROPERTIES COMPILE_OPTIONS "${avx512_flags}")
    set_source_files_properties(${folder}/avx512vnni.cc PROPERTIES COMPILE_OPTIONS "${avx512_flags};-mavx512vnni")
    set_source_files_properties(${folder}/avx512bf16.cc PROPERTIES COMPILE_OPTIONS "${avx512_flags};-mavx512bf16")
  endif()
  if(BERT_INFER_KERNEL_COMPILER)
    bert_infer_compile_kernels(${folder}/portable.cc ${x86_sources} ${arm_sources})
  endif()
endfunction()

# Compiles these files to assembler by BERT_INFER_KERNEL_COMPILER, a g++; the C compiler assembles them. g++ needs no
# header but its own: mm_malloc.h, which its intrinsics include, would need the C library's.
function(bert_infer_compile_kernels)
  file(GLOB headers CONFIGURE_DEPENDS engine/kernels/*.h engine/kernels/isa/*.h)
  foreach(source IN LISTS ARGN)
    get_source_file_property(of_other_cpu ${source} HEADER_FILE_ONLY)
    if(of_other_cpu)
      continue()
    endif()
    get_source_file_property(flags ${source} COMPILE_OPTIONS)
    if(NOT flags)
      set(flags "")
    endif()
    cmake_path(GET source STEM name)
    set(assembler ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}.s)
    add_custom_command(OUTPUT ${assembler}
      COMMAND ${BERT_INFER_KERNEL_COMPILER} -std=c++20 -O3 -DNDEBUG -fPIC -fvisibility=hidden -ffp-contract=off
        -ffreestanding -fbuiltin -D_MM_MALLOC_H_INCLUDED -I${CMAKE_CURRENT_SOURCE_DIR} ${flags} -S ${source}
        -o ${assembler}
      DEPENDS ${source} ${headers} VERBATIM)
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
    set_source_files_properties(${assembler} PROPERTIES LANGUAGE ASM)
    target_sources(bertinfer_engine_kernels PRIVATE ${assembler})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kernels)
endfunction()

# Writes families.inc, which has BERT_FAMILY(x) for each x.cc of the folder, and adds its directory to the library's
# folders that are named after the folder.
function(bert_infer_families folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  set(text "// Generated by CMake: the files of ${folder}.\n")
  foreach(path IN LISTS sources)
    cmake_path(GET path STEM name)
    string(APPEND text "BERT_FAMILY(${name})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/families.inc CONTENT "${text}")
  foreach(user IN LISTS ARGN)
    string(REPLACE "/" "_" target bertinfer_${user})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
  endforeach()
endfunction()

# Gives the target a generated source that defines listed_forms() (models/model/model_form.h). The list has the header's
# function x_form for each argument x after the header.
function(bert_infer_forms target header)
  set(list "return {};")
  if(ARGN)
    list(TRANSFORM ARGN APPEND _form OUTPUT_VARIABLE forms)
    list(JOIN forms ", " forms)
    set(list "static constexpr ReadForm kForms[] = {${forms}};\n  return kForms;")
    set(include "#include \"${header}\"\n")
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/generated/${target}_list.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Generated by CMake: the forms of models with an extension.
#include \"models/model/model_form.h\"
${include}
namespace bert {

std::span<const ReadForm> listed_forms() {
  ${list}
}

}  // namespace bert
" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()

# Writes model_files.inc, which has BERT_MODEL_FILE(kind, "name") for each line of the list, and lets the targets after
# the list include it.
function(bert_infer_model_files list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^[a-z]")
  list(TRANSFORM lines REPLACE "^([a-z]+) (.+)$" "BERT_MODEL_FILE(\\1, \"\\2\")\n")
  list(JOIN lines "" text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/model_files.inc CONTENT "// Generated by CMake of ${list}.\n${text}")
  foreach(target IN LISTS ARGN)
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
  endforeach()
endfunction()

# ctest runs each suite of a GoogleTest program as the test PREFIX.<suite>: CMake's own gtest_discover_tests would start
# a process for each case. Suites are found when ctest starts, so that building needs to run nothing.
function(bert_infer_suites target prefix)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  file(GENERATE OUTPUT ${file} CONTENT "set(program [[$<TARGET_FILE:${target}>]])
set(emulator [[${CMAKE_CROSSCOMPILING_EMULATOR}]])
set(prefix ${prefix})
set(reports [[${PROJECT_BINARY_DIR}/test-reports/cases]])
include([[${PROJECT_SOURCE_DIR}/cmake/BertInferSuites.cmake]])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

# Every file of the built-in model's folder goes into the library's read-only data, 64-byte aligned.
function(bert_infer_builtin_model target folder)
  set(BUILTIN_DIR ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  if(NOT EXISTS ${BUILTIN_DIR}/model.safetensors)
    return()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${BUILTIN_DIR}/*.json ${BUILTIN_DIR}/*.txt ${BUILTIN_DIR}/*.safetensors)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/builtin_files.S)
  set(text "")
  set(table "")
  set(index 0)
  foreach(path IN LISTS files)
    file(RELATIVE_PATH name ${BUILTIN_DIR} ${path})
    string(APPEND text "  .balign 64\nbuiltin_begin_${index}:\n  .incbin \"${path}\"\nbuiltin_end_${index}:\n  .byte 0\n")
    string(APPEND text "builtin_name_${index}:\n  .asciz \"${name}\"\n")
    string(APPEND table "  .quad builtin_name_${index}, builtin_begin_${index}, builtin_end_${index}\n")
    math(EXPR index "${index} + 1")
  endforeach()
  # Directives of ELF's assembler, and of Mach-O's.
  set(read_only "  .section .rodata")
  set(relocated "  .section .data.rel.ro, \"aw\"")
  set(symbol bert_builtin_files)
  set(hidden "  .hidden ${symbol}\n  .type ${symbol}, %object")
  set(end "  .size ${symbol}, . - ${symbol}\n  .section .note.GNU-stack, \"\", %progbits
#if defined(__CET__) && defined(__has_include)
#if __has_include(<cet.h>)
#include <cet.h>  // its note: nothing here is jumped to
#endif
#endif")
  if(WIN32)
    set(read_only "  .section .rdata, \"dr\"")
    set(relocated "${read_only}")
    set(hidden "")
    set(end "")
  elseif(APPLE)
    set(read_only "  .section __TEXT,__const")
    set(relocated "  .section __DATA,__const")
    set(symbol _bert_builtin_files)
    set(hidden "  .private_extern ${symbol}")
    set(end "")
  endif()
  file(CONFIGURE OUTPUT ${source} CONTENT "// Generated by CMake: the files of ${folder}.
${read_only}
${text}
${relocated}
  .balign 8
  .globl ${symbol}
${hidden}
${symbol}:
${table}  .quad 0, 0, 0
${end}
")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${source})
  target_compile_definitions(${target} PRIVATE BERT_INFER_HAS_BUILTIN)
endfunction()

# Writes licenses.inc, the entries of an array in C++: {"the name of a work", "the text of its licence"} for the
# project, for the built-in model, and for each file in the folder BERT_INFER_LICENSES.
function(bert_infer_licenses output)
  set(names "bert-infer ${PROJECT_VERSION}" "The built-in model")
  set(files ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/models/builtin/NOTICE)
  if(BERT_INFER_LICENSES)
    file(GLOB others CONFIGURE_DEPENDS ${BERT_INFER_LICENSES}/*)
    foreach(path IN LISTS others)
      cmake_path(GET path FILENAME name)
      list(APPEND names ${name})
      list(APPEND files ${path})
    endforeach()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(table "// Generated by CMake.\n")
  foreach(name path IN ZIP_LISTS names files)
    file(READ ${path} text)
    string(APPEND table "{\"${name}\", R\"license(${text})license\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "@table@" @ONLY)
endfunction()

# The shared library of a static one's objects (its sources), which are position-independent. It exports what the public
# headers mark BERT_API, under a version node of the ABI's name, which is the SONAME's number too (docs/LIBRARY.md). On
# Windows it exports the C interface alone, by a list of its functions' names.
function(bert_infer_shared_library target from map)
  set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  get_target_property(objects ${from} SOURCES)
  add_library(${target} SHARED ${objects})
  add_library(BertInfer::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${from} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${abi})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  if(WIN32)
    file(GLOB headers CONFIGURE_DEPENDS include/bert/bert*.h)
    set(names "LIBRARY bertinfer\nEXPORTS\n")
    foreach(header IN LISTS headers)
      file(STRINGS ${header} functions REGEX "^BERT_API ")
      list(TRANSFORM functions REPLACE "^[^(]*[ *](bert_[a-z0-9_]+)[(].*" "  \\1\n")
      list(JOIN functions "" functions)
      string(APPEND names "${functions}")
    endforeach()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/bertinfer.def CONTENT "${names}")
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/bertinfer.def)
    set_target_properties(${target} PROPERTIES PREFIX "")
  elseif(NOT APPLE)  # its linker has no versions of symbols
    configure_file(${map} ${CMAKE_CURRENT_BINARY_DIR}/bertinfer.map @ONLY)
    target_link_options(${target} PRIVATE LINKER:--version-script=${CMAKE_CURRENT_BINARY_DIR}/bertinfer.map)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/bertinfer.map)
    # A process that closes it while a model lives must not lose the code of the model's threads.
    target_link_options(${target} PRIVATE LINKER:-z,nodelete)
  endif()
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
