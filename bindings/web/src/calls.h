// The functions that the page calls, besides those of the C interface that take only numbers. Each function takes one
// array of words and returns a bert_status. The page writes the arguments into the array, in the order in which the
// function reads them, and reads the results from the same array, from kResults on. A text is an address and a number
// of bytes. A null address is an absent text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bert/bert.h"
#include "bert/bert_tasks.h"

#define BERT_CALL(name) extern "C" __attribute__((export_name(#name))) bert_status name(uint32_t* words)

namespace bert_web {

constexpr size_t kResults = 24;

// Reads the arguments in their order.
class Arguments {
 public:
  explicit Arguments(const uint32_t* words) : words_(words) {}
  uint32_t number() { return *words_++; }
  int32_t integer() { return static_cast<int32_t>(number()); }
  template <class Type>
  Type* pointer() {
    return reinterpret_cast<Type*>(number());
  }
  const char* name() { return pointer<const char>(); }  // the text ends at its zero byte
  bert_text text() {
    const char* const data = pointer<const char>();
    return {data, number()};
  }

 private:
  const uint32_t* words_;
};

inline uint32_t address(const void* pointer) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer)); }

}  // namespace bert_web
