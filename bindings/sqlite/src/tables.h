// The table-valued functions bert_tokens(model, text), bert_entities(model, text, labels) and bert_chunks(model, text,
// tokens). Places are in characters, from 0; SQL's substr counts from 1: substr(text, start + 1, "end" - start).
#pragma once

#include "bindings/sqlite/src/api.h"
#include "bindings/sqlite/src/registry.h"

namespace bert_sqlite {

// Adds the functions. registry must outlive the connection's statements. Returns SQLite's status.
int add_tables(sqlite3* database, Registry* registry);

}  // namespace bert_sqlite
