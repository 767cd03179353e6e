// The models of a database. The table bert_models has a row per model: its name, its directory, and the digest of the
// files and the version of the library that made the stored vectors. If the database cannot be written, the table is in
// the connection's schema temp. The connections of a process share one loaded model per row. A Registry is used only in
// its connection's thread.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "bert/bert.h"
#include "bindings/sqlite/src/api.h"

namespace bert_sqlite {

// An error whose message of one line becomes an SQL error.
class SqlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void check(bert_status status);  // throws SqlError with the library's message

struct RegisteredModel {
  std::string directory;  // "": the built-in model
  std::string digest;     // bert_model_digest of the model's files
  std::string version;    // the library's version
  auto operator<=>(const RegisteredModel&) const = default;
};

using ModelPtr = std::shared_ptr<const bert_model>;

class Registry {
 public:
  explicit Registry(sqlite3* database) : database_(database) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Writes the row of a name and returns the digest. directory: "" for the built-in model; the row has the absolute
  // path of a directory. Throws SqlError.
  std::string add(const std::string& name, std::string directory);

  // Returns the model of a name. Throws SqlError if the name is not registered, if the files or the library differ from
  // the row, so that results would not match stored ones, or if reading the row calls this function again, as a view
  // instead of the table can do.
  ModelPtr find(const std::string& name);

  // Returns whether the running statement was interrupted (sqlite3_interrupt).
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
