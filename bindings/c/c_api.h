// Shared by the files of the C interface: the objects of its handles, functions that convert exceptions to a status,
// and functions that read the caller's structures and pointers. Thread safety is as in bert/bert.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bert/bert.h"
#include "bert/bert_tasks.h"
#include "bert/model.h"
#include "bert/offsets.h"
#include "bert/text_pipeline.h"
#include "bert/windows.h"

struct bert_runtime {
  const bert::Runtime runtime;
};

struct bert_tokenizer {
  std::unique_ptr<const bert::Tokenizer> own;  // null for a model's tokenizer
  const bert::Tokenizer* tokenizer = nullptr;  // null for a model without a tokenizer
};

struct bert_model {
  explicit bert_model(bert::Model loaded)
      : model(std::move(loaded)),
        precision(model.describe().precision),
        tokenizer{nullptr, model.has_tokenizer() ? &model.tokenizer() : nullptr} {}
  const bert::Model model;
  const std::string precision;
  const bert_tokenizer tokenizer;
};

namespace bert::c_api {

// Keeps the message for the thread and returns `status`.
bert_status keep(bert_status status, std::string_view message) noexcept;
bert_status status_of(ErrorCode code);

// The library reports this error only through the C interface.
class TooSmall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class Call>
bert_status guard(const Call& call) noexcept {
  try {
    call();
    return BERT_OK;
  } catch (const Error& error) {
    return keep(status_of(error.code()), error.what());
  } catch (const TooSmall& error) {
    return keep(BERT_BUFFER_TOO_SMALL, error.what());
  } catch (const std::bad_alloc&) {
    return keep(BERT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return keep(BERT_INTERNAL, error.what());
  } catch (...) {
    return keep(BERT_INTERNAL, "an error that is no std::exception");
  }
}

[[noreturn]] inline void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is null, expected a pointer");
  return *pointer;
}

// Makes an object by calling `make`; *object is null after an error.
template <class T, class Make>
bert_status new_object(T** object, const char* name, const Make& make) noexcept {
  if (object != nullptr) *object = nullptr;
  return guard([&] {
    T*& result = need(object, name);
    result = make().release();
  });
}

void check_room(size_t found, size_t expected, const std::string& what);

// Returns the part of the caller's structure that this version knows. `smallest` is the structure's size in the first
// version that had it.
template <class T>
T known_part(const T* given, size_t smallest = sizeof(size_t)) {
  T known{};
  if (given == nullptr) return known;
  const size_t bytes = given->struct_bytes;
  if (bytes < smallest || bytes > 4096) {
    refuse("struct_bytes is " + std::to_string(bytes) + ", expected the structure's size, " +
           std::to_string(sizeof(T)));
  }
  const auto* raw = reinterpret_cast<const unsigned char*>(given);
  std::memcpy(&known, raw, std::min(bytes, sizeof(T)));
  for (size_t i = sizeof(T); i < bytes; ++i) {
    if (raw[i] != 0) refuse("an option of a later version is set, byte " + std::to_string(i) + " of its structure");
  }
  return known;
}

size_t index_of(int32_t number, size_t count, const char* name);

OffsetUnit offset_unit(int32_t number);  // number: a bert_offset_unit
std::optional<bool> choice_of(int32_t choice, const char* name);
std::string_view text_of(const char* text, size_t bytes, const char* name);
std::string_view text_of(const bert_text& text, const char* name);
LoadOptions load_options(const bert_load_options* given);
EmbedOptions embed_options(const bert_embed_options* given);
std::optional<LongText> long_text_of(int32_t long_text);  // returns nullopt for the call's default
Truncation truncation_of(int32_t long_text);              // for a call that cannot use windows
// Returns the vectors of one text. long_text: a bert_long_text.
TextResult read_text(const Model& model, std::string_view text, const VectorRequest& request, int32_t long_text);
ProgressCallback progress_of(bert_progress progress, void* context);

template <class From, class To>
void copy_if_wanted(const From& from, To* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

}  // namespace bert::c_api
