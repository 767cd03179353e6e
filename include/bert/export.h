// BERT_API marks what the library exports; everything else is hidden. Read by the compiler only.
#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "the headers of bert-infer need C++20, expected the compiler's option -std=c++20 or a later one"
#endif

#if defined(__GNUC__)
#define BERT_API __attribute__((visibility("default")))
#else
#define BERT_API
#endif
