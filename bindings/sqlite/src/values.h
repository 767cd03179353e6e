// Conversion of SQL values to C++ and back, and errors.
#pragma once

#include <string>
#include <vector>

#include "bert/bert_tasks.h"
#include "bindings/sqlite/src/api.h"
#include "bindings/sqlite/src/registry.h"

namespace bert_sqlite {

std::string type_of(sqlite3_value* value);  // "NULL", "the integer 3", "a text", …

// Returns a text argument; a number counts as a text, as usual in SQL. Throws SqlError for a blob.
std::string text_of(sqlite3_value* value, const char* name);

// Returns a vector from a blob of float32. Throws SqlError for any other value.
std::vector<float> vector_of(sqlite3_value* value, const char* name);

bert_text view(const std::string& text);

// Calls the body of a function; an exception becomes an SQL error.
template <class Body>
void guarded(sqlite3_context* context, const Body& body) noexcept {
  try {
    body();
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

}  // namespace bert_sqlite
