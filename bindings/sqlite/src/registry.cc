#include "bindings/sqlite/src/registry.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include "bert/bert_files.h"

namespace bert_sqlite {
namespace {

std::string create_in(const std::string& schema) {
  return "CREATE TABLE IF NOT EXISTS " + schema +
         ".bert_models(name TEXT PRIMARY KEY, directory TEXT NOT NULL, digest TEXT NOT NULL, version TEXT NOT NULL)";
}
std::string insert_in(const std::string& schema) {
  return "INSERT INTO " + schema +
         ".bert_models VALUES(?1, ?2, ?3, ?4) ON CONFLICT(name) DO UPDATE SET "
         "directory = excluded.directory, digest = excluded.digest, version = excluded.version";
}
std::string select_in(const std::string& schema) {
  return "SELECT directory, digest, version FROM " + schema + ".bert_models WHERE name = ?1";
}

std::string digest_of(const std::string& directory) {
  char digest[65];
  check(bert_model_digest(directory.empty() ? nullptr : directory.c_str(), nullptr, digest));
  return digest;
}

// Returns the process's model for a row. Loads it if no connection has it.
ModelPtr shared_model(const RegisteredModel& row) {
  static std::mutex mutex;
  static std::map<RegisteredModel, std::weak_ptr<const bert_model>> models;
  const std::lock_guard lock(mutex);
  std::erase_if(models, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const bert_model>& known = models[row];
  if (ModelPtr model = known.lock(); model != nullptr && bert_model_check_files(model.get()) == BERT_OK) return model;
  bert_model* made = nullptr;
  check(bert_model_load(row.directory.empty() ? nullptr : row.directory.c_str(), nullptr, &made));
  ModelPtr model(made, [](const bert_model* freed) { bert_model_free(const_cast<bert_model*>(freed)); });
  known = model;
  return model;
}

[[noreturn]] void refuse_stale(const std::string& name, const std::string& what) {
  throw SqlError("model '" + name + "': " + what + "; SELECT bert_register('" + name +
                 "', …) takes it as it is now, and what was computed before must be computed again (REINDEX)");
}

}  // namespace

void check(bert_status status) {
  if (status != BERT_OK) throw SqlError(bert_error_message());
}

std::string Registry::add(const std::string& name, std::string directory) {
  // A name in the hub's local cache is not a directory and is kept as it is.
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) directory = std::filesystem::absolute(directory).string();
  const RegisteredModel row{directory, digest_of(directory), bert_version()};
  ModelPtr model = shared_model(row);  // throws if the files are not a model
  const std::string schema = sqlite3_db_readonly(database_, "main") == 1 ? "temp" : "main";
  if (sqlite3_exec(database_, create_in(schema).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw SqlError(std::string("the table bert_models cannot be made: ") + sqlite3_errmsg(database_));
  }
  sqlite3_stmt* insert = nullptr;
  int status = sqlite3_prepare_v2(database_, insert_in(schema).c_str(), -1, &insert, nullptr);
  if (status == SQLITE_OK) {
    int place = 0;
    for (const std::string_view text : {std::string_view(name), std::string_view(row.directory),
                                        std::string_view(row.digest), std::string_view(row.version)}) {
      sqlite3_bind_text(insert, ++place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    status = sqlite3_step(insert);
  }
  sqlite3_finalize(insert);
  if (status != SQLITE_DONE) {
    throw SqlError(std::string("the table bert_models cannot be written: ") + sqlite3_errmsg(database_));
  }
  loaded_.insert_or_assign(name, Loaded{row, std::move(model)});
  return row.digest;
}

bool Registry::is_interrupted() const {
  // A statement that starts within an interrupted one is interrupted too. SQLite has a function for this only since
  // 3.41.
  return sqlite3_exec(database_, "SELECT 1", nullptr, nullptr, nullptr) == SQLITE_INTERRUPT;
}

// Sets the flag for its lifetime. Throws SqlError if the flag is set already.
class Registry::Reading {
 public:
  explicit Reading(bool& flag) : flag_(flag) {
    if (flag_) {
      throw SqlError("bert_models calls a function of this extension, expected the table that bert_register makes");
    }
    flag_ = true;
  }
  ~Reading() { flag_ = false; }

 private:
  bool& flag_;
};

RegisteredModel Registry::row_of(const std::string& name) {
  const Reading reading(reads_row_);
  RegisteredModel row;
  bool is_there = false;
  std::string failure;
  for (const char* schema : {"temp", "main"}) {
    // The statement is prepared for each call, because a statement that is kept keeps the connection from closing.
    sqlite3_stmt* select = nullptr;
    if (sqlite3_prepare_v2(database_, select_in(schema).c_str(), -1, &select, nullptr) == SQLITE_OK) {
      sqlite3_bind_text(select, 1, name.data(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
      const int status = sqlite3_step(select);
      is_there = status == SQLITE_ROW;
      if (!is_there && status != SQLITE_DONE) failure = sqlite3_errmsg(database_);
      const auto text = [&](int column) {
        const auto* characters = reinterpret_cast<const char*>(sqlite3_column_text(select, column));
        return std::string(characters == nullptr ? "" : characters);
      };
      if (is_there) row = {text(0), text(1), text(2)};
    }
    sqlite3_finalize(select);
    if (is_there) break;
  }
  if (is_there) return row;
  if (!failure.empty()) throw SqlError("the table bert_models cannot be read: " + failure);
  throw SqlError("no model '" + name + "' in this database; SELECT bert_register('" + name +
                 "', 'path/to/its/directory') adds it, with NULL the built-in one");
}

ModelPtr Registry::find(const std::string& name) {
  const RegisteredModel row = row_of(name);
  auto found = loaded_.find(name);
  if (found == loaded_.end() || found->second.row != row) {
    if (row.version != bert_version()) {
      refuse_stale(name, "registered with version " + row.version + " of bert-infer, this is " + bert_version());
    }
    const std::string digest = digest_of(row.directory);
    if (digest != row.digest) {
      refuse_stale(name, "its files have the digest " + digest + ", registered was " + row.digest);
    }
    found = loaded_.insert_or_assign(name, Loaded{row, shared_model(row)}).first;
  }
  if (bert_model_check_files(found->second.model.get()) != BERT_OK) {
    const std::string what = bert_error_message();
    loaded_.erase(found);  // the next call reads the files again
    refuse_stale(name, what);
  }
  return found->second.model;
}

}  // namespace bert_sqlite
