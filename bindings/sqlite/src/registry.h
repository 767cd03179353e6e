// The models of a database: the table bert_models says which directory each name stands for, and what the vectors that
// the database stores were made by. A database that cannot be written has that table in the connection's schema temp.
// The connections of a process share one loaded model of each kind. Used by the connection's thread.
#pragma once

#include <compare>
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
  auto operator<=>(const RegisteredModel&) const = default;
};

using ModelPtr = std::shared_ptr<const bert_model>;

class Registry {
 public:
  explicit Registry(sqlite3* database) : database_(database) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Writes the row of a name, and returns its digest. directory: "" for the built-in model; the row has the absolute
  // path of a directory. Throws SqlError.
  std::string add(const std::string& name, std::string directory);

  // The model of a name. Throws SqlError for a name that is not registered, where the files or the library are not
  // those that the row names (what is stored would not be what is computed), and where reading the row calls this
  // function again, as a view in the table's place can do.
  ModelPtr find(const std::string& name);

  // Whether the running statement was interrupted (sqlite3_interrupt).
  bool is_interrupted() const;

 private:
  struct Loaded {
    RegisteredModel row;
    ModelPtr model;
  };

  class Reading;

  RegisteredModel row_of(const std::string& name);

  sqlite3* const database_;
  bool reads_row_ = false;
  std::map<std::string, Loaded, std::less<>> loaded_;
};

}  // namespace bert_sqlite
