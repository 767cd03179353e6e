#include "bindings/sqlite/src/values.h"

#include <cmath>
#include <cstring>

namespace bert_sqlite {

std::string type_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return "the integer " + std::to_string(sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return "a number";
    case SQLITE_TEXT:
      return "a text";
    case SQLITE_BLOB:
      return "a blob of " + std::to_string(sqlite3_value_bytes(value)) + " bytes";
    default:
      return "NULL";
  }
}

std::string text_of(sqlite3_value* value, const char* name) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_BLOB || type == SQLITE_NULL) {
    throw SqlError(std::string(name) + ": found " + type_of(value) + ", expected a text");
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) throw std::bad_alloc();
  return std::string(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

std::vector<float> vector_of(sqlite3_value* value, const char* name) {
  const bool is_blob = sqlite3_value_type(value) == SQLITE_BLOB;
  const void* const numbers = is_blob ? sqlite3_value_blob(value) : nullptr;  // is also null without memory
  const auto bytes = static_cast<size_t>(sqlite3_value_bytes(value));
  if (!is_blob || bytes == 0 || bytes % sizeof(float) != 0) {
    throw SqlError(std::string(name) + ": found " + type_of(value) + ", expected a vector of bert_embed");
  }
  if (numbers == nullptr) throw std::bad_alloc();
  std::vector<float> vector(bytes / sizeof(float));
  std::memcpy(vector.data(), numbers, bytes);
  for (size_t i = 0; i < vector.size(); ++i) {
    if (std::isfinite(vector[i])) continue;
    throw SqlError(std::string(name) + ": number " + std::to_string(i) + " is NaN or infinite, expected finite ones");
  }
  return vector;
}

bert_text view(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace bert_sqlite
