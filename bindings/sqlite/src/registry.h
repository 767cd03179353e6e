// The models of a database: the table bert_models says which directory each name stands for, and what the vectors that
// the database stores were made by. A connection keeps the models that it has loaded. Used by the connection's thread.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bert/bert.h"
#include "bindings/sqlite/src/api.h"

namespace bert_sqlite {

// The message of an SQL error, one line.
class SqlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void check(bert_status status);  // throws SqlError with the library's message

struct RegisteredModel {
  std::string directory;  // "": the built-in model
  std::string digest;     // of its files, bert_model_digest
  std::string version;    // of the library
  bool operator==(const RegisteredModel&) const = default;
};

using ModelPtr = std::unique_ptr<bert_model, decltype(&bert_model_free)>;

class Registry {
 public:
  explicit Registry(sqlite3* database) : database_(database) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Writes the row of a name, and returns its digest. directory: "" for the built-in model. Throws SqlError.
  std::string add(const std::string& name, const std::string& directory);

  // The model of a name. Throws SqlError for a name that is not registered, and where the files or the library are not
  // those that the row names: what is stored would not be what is computed.
  const bert_model* find(const std::string& name);

 private:
  struct Loaded {
    RegisteredModel row;
    ModelPtr model;
  };

  RegisteredModel row_of(const std::string& name);

  sqlite3* const database_;
  std::map<std::string, Loaded, std::less<>> loaded_;
};

}  // namespace bert_sqlite
