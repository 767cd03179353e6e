#include "bindings/sqlite/src/tables.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include "bert/bert_vectors.h"
#include "bindings/sqlite/src/tasks.h"
#include "bindings/sqlite/src/values.h"

namespace bert_sqlite {
namespace {

struct Blob {
  std::string bytes;
};
using Cell = std::variant<std::string, int64_t, double, Blob>;
using Row = std::vector<Cell>;
using Arguments = std::vector<sqlite3_value*>;

struct Call {
  const bert_model* model;
  const Registry* registry;
};

// A table-valued function. Its schema has the columns first, then the arguments as hidden columns.
struct Function {
  const char* name;
  const char* schema;
  int columns;    // number of columns that are not hidden
  int arguments;  // greatest number of arguments
  int needed;     // number of arguments that must be given
  std::vector<Row> (*rows)(const Call& call, const Arguments& arguments);
};

Cell place(size_t at) { return static_cast<int64_t>(at); }

// Calls bert_tokenize twice. The first call returns the needed size.
std::vector<Row> token_rows(const Call& call, const Arguments& arguments) {
  const std::string text = text_of(arguments[1], "text");
  const bert_tokenizer* tokenizer = bert_model_tokenizer(call.model);
  if (tokenizer == nullptr) throw SqlError("the model has no tokenizer");
  bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;
  options.offset_unit = BERT_CODE_POINTS;
  bert_tokens tokens = BERT_TOKENS_INIT;
  const bert_status status = bert_tokenize(tokenizer, text.data(), text.size(), nullptr, 0, &options, &tokens);
  if (status != BERT_BUFFER_TOO_SMALL) check(status);
  const size_t count = tokens.capacity = tokens.size;
  std::vector<int32_t> ids(count);
  std::vector<size_t> starts(count), ends(count);
  tokens.ids = ids.data();
  tokens.offset_begins = starts.data();
  tokens.offset_ends = ends.data();
  check(bert_tokenize(tokenizer, text.data(), text.size(), nullptr, 0, &options, &tokens));
  std::vector<Row> rows;
  for (size_t i = 0; i < count; ++i) {
    std::string token(256, '\0');
    size_t bytes = 0;
    if (bert_token_text(tokenizer, ids[i], token.data(), token.size(), &bytes) == BERT_BUFFER_TOO_SMALL) {
      token.resize(bytes + 1);
      check(bert_token_text(tokenizer, ids[i], token.data(), token.size(), &bytes));
    }
    token.resize(bytes);
    rows.push_back({token, int64_t{ids[i]}, place(starts[i]), place(ends[i])});
  }
  return rows;
}

// Splits a text such as "person, city" into labels.
std::vector<std::string> labels_of(const std::string& text) {
  std::vector<std::string> labels;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const size_t first = text.find_first_not_of(' ', begin), last = text.find_last_not_of(' ', end - (end > 0));
    if (first < end) labels.push_back(text.substr(first, last + 1 - first));
    begin = end + 1;
  }
  return labels;
}

// Returns the byte at which each character of the text begins, then the text's size.
std::vector<size_t> character_bytes(const std::string& text) {
  std::vector<size_t> bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) bytes.push_back(i);
  }
  bytes.push_back(text.size());
  return bytes;
}

// Returns the entities of the caller's labels, found by a model that reads labels, or without labels those of a token
// classifier.
std::vector<Row> entity_rows(const Call& call, const Arguments& arguments) {
  const std::string text = text_of(arguments[1], "text");
  const Results results = run_task(*call.registry, call.model, "tag", text, [&](bert_task* task) {
    if (arguments[2] == nullptr) return;
    const std::vector<std::string> names = labels_of(text_of(arguments[2], "labels"));
    std::vector<bert_text> labels;
    for (const std::string& name : names) labels.push_back(view(name));
    check(bert_task_set_texts(task, "labels", labels.data(), labels.size()));
  });
  size_t count = 0;
  const bert_item* const items = bert_results_items(results.get(), 0, &count);
  const std::vector<size_t> bytes = character_bytes(text);
  std::vector<Row> rows;
  for (const bert_item& item : std::span(items, count)) {
    const size_t begin = bytes[item.start], end = bytes[item.end];
    rows.push_back({std::string(item.text, item.text_bytes), item.score, place(item.start), place(item.end),
                    text.substr(begin, end - begin)});
  }
  return rows;
}

std::vector<Row> chunk_rows(const Call& call, const Arguments& arguments) {
  const std::string text = text_of(arguments[1], "text");
  bert_chunk_options options = BERT_CHUNK_OPTIONS_INIT;
  options.offset_unit = BERT_CODE_POINTS;
  options.sentences = 1;
  if (arguments[2] != nullptr) {
    const int64_t tokens = sqlite3_value_int64(arguments[2]);
    if (sqlite3_value_type(arguments[2]) != SQLITE_INTEGER || tokens < 1) {
      throw SqlError("tokens: found " + type_of(arguments[2]) + ", expected an integer of at least 1");
    }
    options.tokens = static_cast<size_t>(tokens);
  }
  bert_vectors* made = nullptr;
  check(bert_embed_chunks(call.model, view(text), &options, &made));
  const std::unique_ptr<bert_vectors, decltype(&bert_vectors_free)> vectors(made, bert_vectors_free);
  const size_t size = bert_vectors_size(made);
  std::vector<Row> rows;
  for (size_t i = 0; i < bert_vectors_count(made); ++i) {
    const auto* vector = reinterpret_cast<const char*>(bert_vectors_data(made) + i * size);
    Row& row = rows.emplace_back();
    row.push_back(place(bert_vectors_starts(made)[i]));
    row.push_back(place(bert_vectors_ends(made)[i]));
    row.push_back(Blob{std::string(vector, size * sizeof(float))});
  }
  return rows;
}

constexpr Function kFunctions[] = {
    {"bert_tokens", R"(CREATE TABLE x(token, id, start, "end", model HIDDEN, text HIDDEN))", 4, 2, 2, token_rows},
    {"bert_entities", R"(CREATE TABLE x(label, score, start, "end", word, model HIDDEN, text HIDDEN, labels HIDDEN))",
     5, 3, 2, entity_rows},
    {"bert_chunks", R"(CREATE TABLE x(start, "end", vector, model HIDDEN, text HIDDEN, tokens HIDDEN))", 3, 3, 2,
     chunk_rows}};

struct Context {
  const Function* function;
  Registry* registry;
};

struct Table : sqlite3_vtab {
  const Context* context;
};

struct Cursor : sqlite3_vtab_cursor {
  std::vector<Row> rows;
  std::vector<sqlite3_value*> given;  // copies of the arguments; null: not given
  size_t at = 0;

  ~Cursor() { clear(); }
  void clear() {
    for (sqlite3_value* value : given) sqlite3_value_free(value);
    given.clear();
    rows.clear();
    at = 0;
  }
};

int connect(sqlite3* database, void* data, int, const char* const*, sqlite3_vtab** table, char**) {
  const auto* context = static_cast<const Context*>(data);
  const int status = sqlite3_declare_vtab(database, context->function->schema);
  if (status != SQLITE_OK) return status;
  auto* made = new (std::nothrow) Table{};
  if (made == nullptr) return SQLITE_NOMEM;
  made->context = context;
  *table = made;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// Sets a bit of idxNum for each given argument. xFilter gets these arguments in their order.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const Function& function = *static_cast<Table*>(table)->context->function;
  int mask = 0, place = 0;
  for (int argument = 0; argument < function.arguments; ++argument) {
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != function.columns + argument || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.usable == 0) return SQLITE_CONSTRAINT;
      info->aConstraintUsage[i].argvIndex = ++place;
      info->aConstraintUsage[i].omit = 1;
      mask |= 1 << argument;
      break;
    }
  }
  const int needed = (1 << function.needed) - 1;
  if ((mask & needed) != needed) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s needs at least %d arguments", function.name, function.needed);
    return SQLITE_ERROR;
  }
  info->idxNum = mask;
  info->estimatedCost = 1000;
  info->estimatedRows = 20;
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) Cursor{};
  return *cursor == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int mask, const char*, int count, sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  const Context& context = *static_cast<Table*>(base->pVtab)->context;
  try {
    cursor.clear();
    for (int argument = 0, next = 0; argument < context.function->arguments; ++argument) {
      const bool is_given = (mask >> argument & 1) != 0 && next < count;
      sqlite3_value* value = is_given ? values[next++] : nullptr;
      cursor.given.push_back(value == nullptr ? nullptr : sqlite3_value_dup(value));
    }
    const ModelPtr model = context.registry->find(text_of(cursor.given[0], "model"));
    if (sqlite3_value_type(cursor.given[1]) == SQLITE_NULL) return SQLITE_OK;  // NULL has no rows
    cursor.rows = context.function->rows({model.get(), context.registry}, cursor.given);
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    if (context.registry->is_interrupted()) return SQLITE_INTERRUPT;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<Cursor*>(base);
  return cursor.at >= cursor.rows.size();
}

struct Result {
  sqlite3_context* context;
  void operator()(const std::string& text) const {
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void operator()(int64_t number) const { sqlite3_result_int64(context, number); }
  void operator()(double number) const { sqlite3_result_double(context, number); }
  void operator()(const Blob& blob) const {
    sqlite3_result_blob64(context, blob.bytes.data(), blob.bytes.size(), SQLITE_TRANSIENT);
  }
};

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const auto& cursor = *static_cast<Cursor*>(base);
  const int columns = static_cast<Table*>(base->pVtab)->context->function->columns;
  if (index < columns) {
    std::visit(Result{context}, cursor.rows[cursor.at][static_cast<size_t>(index)]);
  } else if (sqlite3_value* given = cursor.given[static_cast<size_t>(index - columns)]; given != nullptr) {
    sqlite3_result_value(context, given);
  }
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<Cursor*>(cursor)->at);
  return SQLITE_OK;
}

const sqlite3_module& module() {
  static const sqlite3_module made = [] {
    sqlite3_module functions{};
    functions.xConnect = connect;  // null xCreate: the table is a table-valued function
    functions.xBestIndex = best_index;
    functions.xDisconnect = disconnect;
    functions.xOpen = open;
    functions.xClose = close;
    functions.xFilter = filter;
    functions.xNext = next;
    functions.xEof = is_at_end;
    functions.xColumn = column;
    functions.xRowid = row_id;
    return functions;
  }();
  return made;
}

}  // namespace

int add_tables(sqlite3* database, Registry* registry) {
  for (const Function& function : kFunctions) {
    auto* context = new (std::nothrow) Context{&function, registry};
    if (context == nullptr) return SQLITE_NOMEM;
    const auto drop = [](void* data) { delete static_cast<Context*>(data); };
    const int status = sqlite3_create_module_v2(database, function.name, &module(), context, drop);
    if (status != SQLITE_OK) return status;
  }
  return SQLITE_OK;
}

}  // namespace bert_sqlite
