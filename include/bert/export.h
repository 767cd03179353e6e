// BERT_API marks what the library exports; everything else is hidden. Read by the compiler only.
#pragma once

#if defined(__GNUC__)
#define BERT_API __attribute__((visibility("default")))
#else
#define BERT_API
#endif
