#include "bindings/sqlite/src/registry.h"

#include "bert/bert_files.h"

namespace bert_sqlite {
namespace {

constexpr const char* kCreate =
    "CREATE TABLE IF NOT EXISTS main.bert_models("
    "name TEXT PRIMARY KEY, directory TEXT NOT NULL, digest TEXT NOT NULL, version TEXT NOT NULL)";
constexpr const char* kInsert =
    "INSERT INTO main.bert_models VALUES(?1, ?2, ?3, ?4) ON CONFLICT(name) DO UPDATE SET "
    "directory = excluded.directory, digest = excluded.digest, version = excluded.version";
constexpr const char* kSelect = "SELECT directory, digest, version FROM main.bert_models WHERE name = ?1";

std::string digest_of(const std::string& directory) {
  char digest[65];
  check(bert_model_digest(directory.empty() ? nullptr : directory.c_str(), nullptr, digest));
  return digest;
}

ModelPtr load(const std::string& directory) {
  bert_model* model = nullptr;
  check(bert_model_load(directory.empty() ? nullptr : directory.c_str(), nullptr, &model));
  return ModelPtr(model, bert_model_free);
}

[[noreturn]] void refuse_stale(const std::string& name, const std::string& what) {
  throw SqlError("model '" + name + "': " + what + "; SELECT bert_register('" + name +
                 "', …) takes it as it is now, and what was computed before must be computed again (REINDEX)");
}

}  // namespace

void check(bert_status status) {
  if (status != BERT_OK) throw SqlError(bert_error_message());
}

std::string Registry::add(const std::string& name, const std::string& directory) {
  const std::string digest = digest_of(directory);
  ModelPtr model = load(directory);  // throws for what is no model
  if (sqlite3_exec(database_, kCreate, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw SqlError(std::string("the table bert_models cannot be made: ") + sqlite3_errmsg(database_));
  }
  sqlite3_stmt* insert = nullptr;
  int status = sqlite3_prepare_v2(database_, kInsert, -1, &insert, nullptr);
  if (status == SQLITE_OK) {
    int place = 0;
    for (const std::string_view text : {std::string_view(name), std::string_view(directory), std::string_view(digest),
                                        std::string_view(bert_version())}) {
      sqlite3_bind_text(insert, ++place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    status = sqlite3_step(insert);
  }
  sqlite3_finalize(insert);
  if (status != SQLITE_DONE) {
    throw SqlError(std::string("the table bert_models cannot be written: ") + sqlite3_errmsg(database_));
  }
  loaded_.insert_or_assign(name, Loaded{{directory, digest, bert_version()}, std::move(model)});
  return digest;
}

RegisteredModel Registry::row_of(const std::string& name) {
  // Prepared for each call: a statement that is kept keeps a connection from closing.
  sqlite3_stmt* select = nullptr;
  RegisteredModel row;
  bool is_there = false;
  if (sqlite3_prepare_v2(database_, kSelect, -1, &select, nullptr) == SQLITE_OK) {
    sqlite3_bind_text(select, 1, name.data(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
    is_there = sqlite3_step(select) == SQLITE_ROW;
    const auto text = [&](int column) {
      const auto* characters = reinterpret_cast<const char*>(sqlite3_column_text(select, column));
      return std::string(characters == nullptr ? "" : characters);
    };
    if (is_there) row = {text(0), text(1), text(2)};
  }
  sqlite3_finalize(select);
  if (is_there) return row;
  throw SqlError("no model '" + name + "' in this database; SELECT bert_register('" + name +
                 "', 'path/to/its/directory') adds it, with NULL the built-in one");
}

const bert_model* Registry::find(const std::string& name) {
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
    found = loaded_.insert_or_assign(name, Loaded{row, load(row.directory)}).first;
  }
  const bert_model* model = found->second.model.get();
  if (bert_model_check_files(model) != BERT_OK) {
    const std::string what = bert_error_message();
    loaded_.erase(found);  // the next call looks at the files as they are then
    refuse_stale(name, what);
  }
  return model;
}

}  // namespace bert_sqlite
