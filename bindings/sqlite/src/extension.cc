// A loadable extension of SQLite over the C interface. Its functions make vectors of texts and compute similarities,
// ranks, tokens and entities. bert_embed and bert_rerank give the same bits for the same text in any order and on any
// CPU, and they refuse a model that is not the registered one. So they are deterministic, as indexes and generated
// columns need. All functions read files that the database names, so they are not innocuous: for a database from an
// unknown source, PRAGMA trusted_schema = OFF keeps its views and triggers from calling them. bert_register can only be
// called directly.
#include "bindings/sqlite/src/api.h"
#include "bindings/sqlite/src/registry.h"
#include "bindings/sqlite/src/tables.h"
#include "bindings/sqlite/src/tasks.h"
#include "bindings/sqlite/src/values.h"

SQLITE_EXTENSION_INIT1

namespace bert_sqlite {
namespace {

Registry& registry_of(sqlite3_context* context) { return *static_cast<Registry*>(sqlite3_user_data(context)); }

bool has_null(int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
  }
  return false;
}

// bert_register(name, directory or NULL) -> the digest
void register_model(sqlite3_context* context, int, sqlite3_value** values) {
  guarded(context, [&] {
    const std::string name = text_of(values[0], "name");
    const bool is_builtin = sqlite3_value_type(values[1]) == SQLITE_NULL;
    const std::string directory = is_builtin ? "" : text_of(values[1], "directory");
    if (!is_builtin && directory.empty()) throw SqlError("directory: found '', expected a model's directory, or NULL");
    if (directory.find('\0') != std::string::npos) throw SqlError("directory: found a zero character, expected a path");
    const std::string digest = registry_of(context).add(name, directory);
    sqlite3_result_text(context, digest.c_str(), -1, SQLITE_TRANSIENT);
  });
}

// Reads the argument that says what to do with a text that is too long: 'cut', 'error', or not given.
int32_t long_text_of(int count, sqlite3_value** values, int index) {
  if (count <= index) return BERT_LONG_TEXT_DEFAULT;
  const std::string word = text_of(values[index], "long_text");
  if (word == "cut") return BERT_LONG_TEXT_CUT;
  if (word == "error") return BERT_LONG_TEXT_ERROR;
  throw SqlError("long_text: found '" + word + "', expected 'cut' or 'error'");
}

// bert_embed(model, text, long_text) -> a blob of float32; NULL for NULL
void embed(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    if (has_null(count, values)) return sqlite3_result_null(context);
    const ModelPtr model = registry_of(context).find(text_of(values[0], "model"));
    const std::string text = text_of(values[1], "text");
    bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
    options.long_text = long_text_of(count, values, 2);
    size_t size = 0;
    check(bert_embed_get_size(model.get(), &options, &size));
    std::vector<float> vector(size);
    check(bert_embed_text(model.get(), text.data(), text.size(), &options, vector.data(), size));
    sqlite3_result_blob64(context, vector.data(), size * sizeof(float), SQLITE_TRANSIENT);
  });
}

// bert_truncated(model, text) -> the number of tokens of the text that bert_embed does not read; NULL for NULL
void truncated(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    if (has_null(count, values)) return sqlite3_result_null(context);
    const ModelPtr model = registry_of(context).find(text_of(values[0], "model"));
    size_t prompt_bytes = 0;
    if (bert_model_prompt(model.get(), nullptr, nullptr, 0, &prompt_bytes) != BERT_BUFFER_TOO_SMALL) prompt_bytes = 0;
    std::string text(prompt_bytes + 1, '\0');
    check(bert_model_prompt(model.get(), nullptr, text.data(), text.size(), nullptr));
    text.resize(prompt_bytes);
    text += text_of(values[1], "text");
    bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;
    options.max_length = bert_model_max_length(model.get());
    std::vector<int32_t> ids(options.max_length);
    bert_tokens tokens = BERT_TOKENS_INIT;
    tokens.capacity = ids.size();
    tokens.ids = ids.data();
    const bert_tokenizer* const tokenizer = bert_model_tokenizer(model.get());
    check(bert_tokenize(tokenizer, text.data(), text.size(), nullptr, 0, &options, &tokens));
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(tokens.truncated_tokens));
  });
}

// bert_similarity(a, b) -> the cosine of two vectors; NULL for NULL
void similarity(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    if (has_null(count, values)) return sqlite3_result_null(context);
    const std::vector<float> a = vector_of(values[0], "a"), b = vector_of(values[1], "b");
    if (a.size() != b.size()) {
      throw SqlError("vectors of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                     " numbers, expected one size");
    }
    double cosine = 0;
    check(bert_cosine_similarity(a.data(), b.data(), a.size(), &cosine));
    sqlite3_result_double(context, cosine);
  });
}

// bert_rerank(model, query, text, long_text) -> how well the text fits the query; NULL for NULL
void rerank(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    if (has_null(count, values)) return sqlite3_result_null(context);
    const ModelPtr model = registry_of(context).find(text_of(values[0], "model"));
    const std::string query = text_of(values[1], "query"), document = text_of(values[2], "text");
    const char* const long_text = long_text_of(count, values, 3) == BERT_LONG_TEXT_ERROR ? "error" : "cut";
    const Results results = run_task(registry_of(context), model.get(), "rerank", document, [&](bert_task* task) {
      const bert_text given = view(query);
      check(bert_task_set_texts(task, "query", &given, 1));
      check(bert_task_set_word(task, "long_text", long_text));
    });
    sqlite3_result_double(context, bert_results_items(results.get(), 0, nullptr)->score);
  });
}

void version(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_text(context, bert_version(), -1, SQLITE_STATIC);
}

int add_functions(sqlite3* database) {
  auto* registry = new (std::nothrow) Registry(database);
  if (registry == nullptr) return SQLITE_NOMEM;
  struct Scalar {
    const char* name;
    int arguments;
    int flags;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
  };
  static constexpr Scalar kScalars[] = {{"bert_embed", 2, SQLITE_DETERMINISTIC, embed},
                                        {"bert_embed", 3, SQLITE_DETERMINISTIC, embed},
                                        {"bert_truncated", 2, SQLITE_DETERMINISTIC, truncated},
                                        {"bert_rerank", 3, SQLITE_DETERMINISTIC, rerank},
                                        {"bert_rerank", 4, SQLITE_DETERMINISTIC, rerank},
                                        {"bert_similarity", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, similarity},
                                        {"bert_version", 0, SQLITE_INNOCUOUS, version}};
  // SQLite deletes the registry with this function, when the connection is closed.
  const auto drop = [](void* data) { delete static_cast<Registry*>(data); };
  int status = sqlite3_create_function_v2(database, "bert_register", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, registry,
                                          register_model, nullptr, nullptr, drop);
  for (const Scalar& scalar : kScalars) {
    if (status != SQLITE_OK) return status;
    status = sqlite3_create_function_v2(database, scalar.name, scalar.arguments, SQLITE_UTF8 | scalar.flags, registry,
                                        scalar.call, nullptr, nullptr, nullptr);
  }
  return status == SQLITE_OK ? add_tables(database, registry) : status;
}

}  // namespace
}  // namespace bert_sqlite

extern "C" __attribute__((visibility("default"))) int sqlite3_bertsqlite_init(sqlite3* database, char**,
                                                                              const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api)
  return bert_sqlite::add_functions(database);
}
