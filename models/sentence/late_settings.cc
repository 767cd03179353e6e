#include "models/sentence/late_settings.h"

#include <limits>
#include <utility>

#include "bert/error.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "models/sentence/modules_file.h"

namespace bert {
namespace {

constexpr const char* kLibraryFile = "config_sentence_transformers.json";
constexpr JsonObject::Range kLengths = {.min = 1, .max = std::numeric_limits<int32_t>::max()};
constexpr size_t kColbertLength = 32;  // length of an expanded query, if files name none

// Returns Python's string.punctuation, each character as a word.
std::vector<std::string> punctuation() {
  std::vector<std::string> words;
  for (const char c : std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")) words.emplace_back(1, c);
  return words;
}

std::optional<size_t> length_of(const JsonObject& fields, const char* key) {
  const std::optional<int64_t> length = fields.nullable_integer(key, kLengths);
  return length ? std::optional<size_t>(static_cast<size_t>(*length)) : std::nullopt;
}

class LateReader {
 public:
  LateReader(const FileSource& files, const std::optional<std::vector<NamedModule>>& modules,
             const std::string& transformer_directory)
      : files_(files), modules_(modules), transformer_directory_(transformer_directory) {
    settings_.document.skips_words = true;
  }

  std::optional<LateSettings> read() {
    const std::optional<JsonDocument> library = read_json_file(files_, kLibraryFile);
    if (library && modules_) {
      const JsonObject fields(library->root(), files_.display_name(kLibraryFile));
      const std::string type = fields.string("model_type").value_or("");
      const bool is_pylate = type == "ColBERT" || fields.has("query_prefix") || fields.has("document_prefix");
      if (type == "MultiVectorEncoder" ||
          (is_pylate && (type.empty() || type == "ColBERT" || type == "SentenceTransformer"))) {
        if (type != "MultiVectorEncoder") declares_all_ = false;
        read_modules();
        read_library(fields);
        read_transformer();
        return std::move(settings_);
      }
    } else if (!modules_ && is_stanford()) {
      read_stanford();
      return std::move(settings_);
    }
    return std::nullopt;
  }

 private:
  [[noreturn]] void unsupported(const std::string& file, const std::string& what) const {
    throw Error(ErrorCode::kUnsupported, quote_path(files_.display_name(file)) + ": " + what);
  }

  bool is_stanford() const {
    const std::optional<JsonDocument> config = read_json_file(files_, "config.json");
    if (!config || !config->root().is_object()) return false;
    const std::optional<Json> names = config->root().find("architectures");
    if (!names || !names->is_array()) return false;
    for (const Json name : names->elements()) {
      if (name.is_string() && name.string() == "HF_ColBERT") return true;
    }
    return false;
  }

  void read_stanford() {
    set_marker(settings_.query, "[unused0] ");
    set_marker(settings_.document, "[unused1] ");
    settings_.expansion = QueryExpansion{.length = kColbertLength};
    settings_.skipped_words = punctuation();
    constexpr const char* kFile = "artifact.metadata";
    const std::optional<JsonDocument> metadata = read_json_file(files_, kFile, &settings_.notices);
    if (metadata) {
      const JsonObject fields(metadata->root(), files_.display_name(kFile));
      if (const auto token = fields.nullable_string("query_token_id")) set_marker(settings_.query, *token + " ");
      if (const auto token = fields.nullable_string("doc_token_id")) set_marker(settings_.document, *token + " ");
      settings_.document.max_length = length_of(fields, "doc_maxlen");
      settings_.expansion->length = length_of(fields, "query_maxlen").value_or(kColbertLength);
      settings_.expansion->attended = fields.nullable_boolean("attend_to_mask_tokens").value_or(false);
      if (!fields.nullable_boolean("mask_punctuation").value_or(true)) settings_.skipped_words.clear();
    } else {
      settings_.notices.push_back(quote_path(files_.display_name(kFile)) +
                                  ": no such file: ColBERT's own settings are used, [unused0] and [unused1] before "
                                  "queries and documents, queries of 32 tokens");
    }
    settings_.modules.push_back({"", DenseModule{.of = VectorOf::kToken,
                                                 .bias = false,
                                                 .activation = Activation::kIdentity,
                                                 .activation_name = "Identity"}});
    settings_.modules.push_back({"", NormalizeModule{VectorOf::kToken}});
  }

  static void set_marker(RoleTexts& role, const std::string& prefix) {
    role.prompt = prefix;
    role.marker = prefix;
  }

  // PyLate's files name only Transformer and Dense, or the modules of the dense model that PyLate started from.
  void read_modules() {
    for (size_t i = 1; i < modules_->size(); ++i) {
      const NamedModule& named = (*modules_)[i];
      const std::string kind = module_class(named.type);
      if (kind == "MultiVectorMask") {
        read_mask(named);
        continue;
      }
      std::optional<SentenceModule> module = read_sentence_module(named, files_, settings_.notices, VectorOf::kToken);
      if (!module) continue;
      if (!declares_all_ && !to_tokens(*module)) continue;
      if (!is_of_tokens(*module)) {
        throw unsupported_module(named, files_, "Dense or Normalize of each token, or MultiVectorMask");
      }
      settings_.modules.push_back(std::move(*module));
    }
    if (declares_all_) return;
    settings_.skipped_words = punctuation();
    settings_.modules.push_back({"", NormalizeModule{VectorOf::kToken}});
  }

  // Adapts a dense model's modules: a Dense applies to each token instead of the text; Pooling and Normalize of the
  // text are dropped.
  static bool to_tokens(SentenceModule& module) {
    if (auto* dense = std::get_if<DenseModule>(&module.kind)) {
      dense->of = VectorOf::kToken;
      return true;
    }
    return is_of_tokens(module);
  }

  static bool is_of_tokens(const SentenceModule& module) {
    if (const auto* dense = std::get_if<DenseModule>(&module.kind)) return dense->of == VectorOf::kToken;
    const auto* normalize = std::get_if<NormalizeModule>(&module.kind);
    return normalize != nullptr && normalize->of == VectorOf::kToken;
  }

  void read_mask(const NamedModule& named) {
    const std::string name = named.directory.empty() ? "config.json" : named.directory + "/config.json";
    const std::optional<JsonDocument> json = read_json_file(files_, name, &settings_.notices);
    if (!json) return;
    const JsonObject fields(json->root(), files_.display_name(name));
    if (!fields.is_null("skiplist_words")) {
      settings_.skipped_words = fields.strings("skiplist_words").value_or(std::vector<std::string>());
    }
    if (fields.has("skiplist_tasks") && !fields.is_null("skiplist_tasks")) {
      settings_.document.skips_words = false;
      std::vector<std::string> tasks;
      if (fields.find("skiplist_tasks")->is_array()) {
        tasks = *fields.strings("skiplist_tasks");
      } else {
        tasks.push_back(*fields.string("skiplist_tasks"));
      }
      for (const std::string& task : tasks) {
        if (task == "query") settings_.query.skips_words = true;
        if (task == "document") settings_.document.skips_words = true;
      }
    }
    if (const std::optional<Json> ids = fields.nullable("keep_only_token_ids")) {
      if (!ids->is_array()) fields.refuse("keep_only_token_ids", "an array of token ids");
      for (const Json id : ids->elements()) {
        const std::optional<int64_t> number = id.integer();
        if (!number || *number < 0 || *number > kLengths.max)
          fields.refuse("keep_only_token_ids", "an array of token ids");
        settings_.kept_ids.push_back(static_cast<int32_t>(*number));
      }
    }
  }

  void read_library(const JsonObject& fields) {
    if (const auto prompts = fields.nullable_object("prompts")) {
      settings_.query.prompt = prompts->nullable_string("query").value_or("");
      for (const std::string_view name : prompt_names(TextRole::kDocument)) {
        if (!prompts->has(name)) continue;
        settings_.document.prompt = prompts->nullable_string(name).value_or("");
        break;
      }
    }
    read_prefix(fields, "query_prefix", settings_.query);
    read_prefix(fields, "document_prefix", settings_.document);
    settings_.mean_score = fields.nullable_string("similarity_fn_name").value_or("") == "meanmaxsim";
    settings_.document.max_length = length_of(fields, "document_length");
    settings_.query.max_length = length_of(fields, "query_length");
    if (!declares_all_ && fields.has("skiplist_words") && !fields.is_null("skiplist_words")) {
      settings_.skipped_words = *fields.strings("skiplist_words");
    }
    const bool says_expansion = fields.has("query_expansion");
    bool says_any = false;
    for (const char* key :
         {"query_length", "document_length", "query_expansion", "do_query_expansion", "attend_to_expansion_tokens",
          "attend_to_mask_tokens", "query_prefix", "document_prefix", "skiplist_words"}) {
      says_any = says_any || fields.has(key);
    }
    if (says_expansion) {
      read_expansion(fields);
    } else if (says_any && fields.nullable_boolean("do_query_expansion").value_or(true)) {
      settings_.expansion = QueryExpansion{.length = settings_.query.max_length.value_or(kColbertLength)};
      const char* key =
          fields.has("attend_to_expansion_tokens") ? "attend_to_expansion_tokens" : "attend_to_mask_tokens";
      settings_.expansion->attended = fields.nullable_boolean(key).value_or(false);
      settings_.query.max_length.reset();
    }
  }

  static void read_prefix(const JsonObject& fields, const char* key, RoleTexts& role) {
    if (!fields.has(key)) return;
    role.marker = fields.nullable_string(key).value_or("");
    if (!role.prompt.starts_with(role.marker)) role.prompt.insert(0, role.marker);
  }

  // Settings of the Transformer module have precedence over those of the library's file.
  void read_transformer() {
    const std::string name =
        (transformer_directory_.empty() ? "" : transformer_directory_ + "/") + "sentence_bert_config.json";
    const std::optional<JsonDocument> json = read_json_file(files_, name);
    if (!json) return;
    const JsonObject fields(json->root(), files_.display_name(name));
    if (const auto length = length_of(fields, "query_length")) settings_.query.max_length = length;
    if (const auto length = length_of(fields, "document_length")) settings_.document.max_length = length;
    if (fields.has("query_expansion")) read_expansion(fields);
  }

  void read_expansion(const JsonObject& fields) {
    const auto given = fields.nullable_object("query_expansion");
    settings_.expansion.reset();
    if (!given) return;
    const std::string strategy = given->required_string("strategy");
    if (strategy != "fixed" && strategy != "min") given->refuse("strategy", "fixed or min");
    const auto length = length_of(*given, "length");
    if (!length) given->refuse("length", "a number of tokens from 1");
    settings_.expansion = QueryExpansion{.length = *length,
                                         .fixed = strategy == "fixed",
                                         .attended = given->boolean("attend").value_or(false),
                                         .token = given->nullable_string("token")};
  }

  const FileSource& files_;
  const std::optional<std::vector<NamedModule>>& modules_;
  const std::string& transformer_directory_;
  bool declares_all_ = true;  // modules.json lists every module: it is MultiVectorEncoder's own
  LateSettings settings_;
};

}  // namespace

std::optional<LateSettings> read_late_settings(const FileSource& files,
                                               const std::optional<std::vector<NamedModule>>& modules,
                                               const std::string& transformer_directory) {
  return LateReader(files, modules, transformer_directory).read();
}

LateSettings head_settings(SentenceModule token_head) {
  LateSettings settings;
  settings.skips_first = true;
  settings.mean_score = true;
  settings.modules.push_back(std::move(token_head));
  settings.modules.push_back({"", NormalizeModule{VectorOf::kToken}});
  return settings;
}

}  // namespace bert
