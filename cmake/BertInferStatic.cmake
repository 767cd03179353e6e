# Builds the program as one static file (BERT_INFER_STATIC). Other builds load Oniguruma and OpenBLAS at run time. Here
# Oniguruma is linked, and the program rejects a request for OpenBLAS with an error. packaging/release.sh builds the
# libraries. A program for Windows uses the DLLs that every Windows has, and can load others; its C library is linked
# with Oniguruma too.
find_library(BERT_INFER_ONIGURUMA onig REQUIRED)
target_compile_definitions(bertinfer_engine_base PRIVATE BERT_INFER_STATIC)
target_compile_definitions(bertinfer_tokenizer PRIVATE BERT_INFER_STATIC)
if(WIN32)
  link_libraries(${BERT_INFER_ONIGURUMA})
else()
  # mimalloc is linked as an object file, so that its malloc comes before the C library's.
  find_file(BERT_INFER_ALLOCATOR mimalloc.o PATH_SUFFIXES lib REQUIRED)
endif()

# bert_infer_static_program(TARGET): musl gives a thread a stack of 128 KiB, unless the program's header asks for more.
# 8 MiB is what threads have elsewhere by default, and musl's most.
function(bert_infer_static_program target)
  if(WIN32)
    target_link_options(${target} PRIVATE -s)
  else()
    target_link_options(${target} PRIVATE -static -s LINKER:-z,stack-size=8388608)
    target_link_libraries(${target} PRIVATE ${BERT_INFER_ALLOCATOR} ${BERT_INFER_ONIGURUMA})
  endif()
endfunction()
