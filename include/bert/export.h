// Defines BERT_API, which marks what the library exports; everything else is hidden.
#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "the headers of bert-infer need C++20, expected the compiler's option -std=c++20 or a later one"
#endif

// The debug mode of the standard library changes the size of its containers.
#if defined(__cplusplus) && defined(_GLIBCXX_DEBUG) != defined(BERT_INFER_GLIBCXX_DEBUG)
#error \
    "_GLIBCXX_DEBUG must be defined for bert-infer's library and for the program, or for neither; expected a build of both with the same CMAKE_CXX_FLAGS, or _GLIBCXX_ASSERTIONS, which changes no size"
#endif

#if defined(__GNUC__)
#define BERT_API __attribute__((visibility("default")))
#else
#define BERT_API
#endif
