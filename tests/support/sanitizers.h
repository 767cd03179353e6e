// Defines BERT_SANITIZED as 1 if a sanitizer with its own allocator is built in, so that memory cannot be counted.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BERT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BERT_SANITIZED 1
#endif
#endif
#ifndef BERT_SANITIZED
#define BERT_SANITIZED 0
#endif
