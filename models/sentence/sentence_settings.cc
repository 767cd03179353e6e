#include "models/sentence/sentence_settings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/config/family.h"
#include "models/sentence/model2vec.h"
#include "models/sentence/modules_file.h"
#include "models/sentence/router.h"

namespace bert {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int32_t>::max();  // limit for texts of a static model, in tokens

// Returns the file names that the reference library tries for the Transformer module's settings, for the families here.
std::vector<std::string> transformer_files() {
  std::vector<std::string> names = {"sentence_bert_config.json"};
  for (const Family* family : families()) {
    if (family->names_sentence_file) names.push_back("sentence_" + std::string(family->model_type) + "_config.json");
  }
  return names;
}

struct TransformerFile {
  JsonDocument json;
  std::string name;  // for messages
  JsonObject fields() const { return {json.root(), name}; }
};

// Reads the first of these files in the Transformer module's directory.
std::optional<TransformerFile> read_transformer_file(const FileSource& files, const std::string& directory,
                                                     std::vector<std::string>* notices) {
  for (const std::string& file : transformer_files()) {
    const std::string name = generic_utf8(path_of(directory) / file);
    if (auto json = read_json_file(files, name, notices)) {
      return TransformerFile{std::move(*json), files.display_name(name)};
    }
  }
  return std::nullopt;
}

std::vector<SentenceModule> plain_pooling() { return {{"", PoolingModule{.modes = {PoolingMode::kMean}}}}; }

bool is_transformer(const NamedModule& named) {
  const std::string kind = module_class(named.type);
  const auto brings = [&](const Family* family) {
    return !family->transformer_class.empty() && family->transformer_class == kind;
  };
  return kind == "Transformer" || kind == "BERT" ||  // "BERT" before version 0.4
         kind == "MLMTransformer" ||                 // of a SparseEncoder before 5.4
         std::any_of(families().begin(), families().end(), brings);
}

bool is_static(const NamedModule& named) { return module_class(named.type) == "StaticEmbedding"; }
bool is_token_weights(const NamedModule& named) { return module_class(named.type) == "SparseStaticEmbedding"; }

// Returns the configuration beside a StaticEmbedding of the whole directory, unless modules.json is there and decides.
std::optional<Model2vecConfig> model2vec_config(const FileSource& files,
                                                const std::optional<std::vector<NamedModule>>& modules,
                                                StaticFile static_file) {
  if (modules && static_file == StaticFile::kModules) return std::nullopt;
  const bool is_beside =
      modules && !modules->empty() && is_static(modules->front()) && modules->front().directory.empty();
  return modules && !is_beside ? std::nullopt : read_model2vec_config(files, is_beside);
}

class SettingsReader {
 public:
  SettingsReader(const FileSource& files, size_t hidden_size, const std::optional<std::string>& task,
                 StaticFile static_file)
      : files_(files), hidden_size_(hidden_size), task_(task), static_file_(static_file) {}

  SentenceSettings read() {
    const auto modules = read_modules_file(files_, &settings_.notices);
    if (const auto config = model2vec_config(files_, modules, static_file_)) {
      settings_.notices.insert(settings_.notices.end(), config->notices.begin(), config->notices.end());
      read_model2vec(JsonObject(config->json.root(), files_.display_name("config.json")));
    } else if (modules) {
      settings_.pooling.declared = true;
      settings_.has_routes = has_router(*modules);
      const std::vector<NamedModule> followed = follow_routes(*modules, files_, task_, &settings_.notices);
      read_late(followed);
      read_modules(followed);
      read_transformer_settings();
      read_library_settings();
      refuse_without_sparse_module();
    } else {
      settings_.modules = plain_pooling();
      note_unread_files();
      read_late(std::nullopt);
    }
    read_heads();
    return std::move(settings_);
  }

 private:
  // Returns the name of a file beside the first module's files.
  std::string beside_weights(const std::string& name) const {
    return generic_utf8(path_of(settings_.transformer_directory) / name);
  }
  std::optional<JsonDocument> read_json(const std::string& name) {
    return read_json_file(files_, name, &settings_.notices);
  }

  Error unsupported(const std::string& file, const std::string& what) const {
    return Error(ErrorCode::kUnsupported, quote_path(files_.display_name(file)) + ": " + what);
  }

  void read_late(const std::optional<std::vector<NamedModule>>& modules) {
    try {
      settings_.late =
          read_late_settings(files_, modules, modules && !modules->empty() ? modules->front().directory : "");
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInvalidFile) throw;
      return refuse_pooling(settings_, error);
    }
    if (!settings_.late) return;
    refuse_pooling(settings_, unsupported(modules ? "modules.json" : "config.json",
                                          "the model makes a vector of each token (late interaction), expected one "
                                          "of the text: embed its tokens"));
    for (const std::string& notice : settings_.late->notices) settings_.notices.push_back(notice);
  }

  // Reads the settings as model2vec does, since modules.json only repeats them.
  void read_model2vec(const JsonObject& config) {
    constexpr size_t kDefaultLength = 512;
    settings_.pooling.declared = true;
    settings_.pooling.normalize = config.nullable_boolean("normalize").value_or(false);
    settings_.modules.push_back({"", StaticModule{.leaves_unknown_out = true}});
    settings_.pooling.modules.push_back(describe_module(settings_.modules.front()));
    if (settings_.pooling.normalize) settings_.pooling.modules.push_back(describe_module({"", NormalizeModule{}}));
    const auto length = config.nullable_integer("max_length", {.min = 1, .max = kUnlimited});
    const bool is_unlimited = config.is_null("max_length");
    settings_.max_length = is_unlimited ? kUnlimited : static_cast<size_t>(length.value_or(kDefaultLength));
    read_library_settings();
  }

  void read_modules(const std::vector<NamedModule>& modules) {
    for (size_t i = 0; i < modules.size(); ++i) read_module(modules[i], i == 0);
    if (settings_.logit_score) {
      return refuse_pooling(settings_, unsupported("modules.json",
                                                   "the model scores pairs of a query and a document, expected one "
                                                   "that makes vectors: rerank with it"));
    }
    if (settings_.sparse) return refuse_dense();
    if (!settings_.pooling_refusal) finish_modules();
  }

  void read_module(const NamedModule& named, bool is_first) {
    if (is_first && is_transformer(named)) {
      settings_.transformer_directory = named.directory;
    } else if (is_first && is_static(named)) {
      settings_.transformer_directory = named.directory;
      settings_.modules.push_back({named.directory, StaticModule{}});
    } else if (is_first && is_token_weights(named)) {
      settings_.transformer_directory = named.directory;
      settings_.sparse = TokenWeightsModule{};
    } else if (is_first) {
      refuse_pooling(settings_, unsupported_module(named, files_, "Transformer"));
    } else if (settings_.sparse) {
      settings_.sparse.reset();
      refuse_pooling(settings_, unsupported_module(named, files_, "no module after one that makes a sparse vector"));
    } else if (!settings_.pooling_refusal) {
      try {
        if (module_class(named.type) == "LogitScore" && settings_.modules.empty()) return read_logit_score(named);
        if (module_class(named.type) == "SpladePooling" && settings_.modules.empty()) {
          settings_.sparse = read_splade_pooling(named, files_);
          return;
        }
        std::optional<SentenceModule> module = read_sentence_module(named, files_, settings_.notices);
        if (module) settings_.modules.push_back(std::move(*module));
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kInvalidFile) throw;
        refuse_pooling(settings_, error);
      }
    }
  }

  void read_logit_score(const NamedModule& named) {
    const std::string name = named.directory.empty() ? "config.json" : named.directory + "/config.json";
    const auto json = read_json(name);
    if (!json) throw unsupported(name, "no such file, expected the true_token_id of LogitScore");
    const JsonObject fields(json->root(), files_.display_name(name));
    check_messages();
    const JsonObject::Range ids = {.min = 0, .max = std::numeric_limits<int32_t>::max()};
    const auto true_id = fields.integer("true_token_id", ids),
               false_id = fields.nullable_integer("false_token_id", ids);
    if (!true_id) fields.refuse("true_token_id", "the id of a token");
    settings_.logit_score.emplace(LogitScore{
        .true_id = static_cast<int32_t>(*true_id), .false_id = std::nullopt, .chat_template = read_chat_template()});
    if (false_id) settings_.logit_score->false_id = static_cast<int32_t>(*false_id);
  }

  // Throws unless the inputs that the file lists are a chat's messages.
  void check_messages() {
    const std::string name = beside_weights("sentence_bert_config.json");
    const auto json = read_json(name);
    if (!json) return;
    const auto inputs = JsonObject(json->root(), files_.display_name(name)).nullable_object("modality_config");
    if (inputs && !inputs->has("message")) {
      throw unsupported(name,
                        "modality_config without 'message' is not supported, expected a pair as a chat's messages");
    }
  }

  // Reads chat_template.jinja, else chat_template of tokenizer_config.json.
  ChatTemplate read_chat_template() {
    const std::string file = beside_weights("chat_template.jinja"), config = beside_weights("tokenizer_config.json");
    if (const auto text = files_.read(file, kMaxModelFile)) return {*text, quote_path(files_.display_name(file))};
    const auto json = read_json(config);
    const auto text =
        json ? JsonObject(json->root(), files_.display_name(config)).nullable_string("chat_template") : std::nullopt;
    if (!text) throw unsupported(config, "no chat_template, expected the text that a query and a document become");
    return {*text, quote_path(files_.display_name(config))};
  }

  void refuse_dense() {
    const std::string module = describe_module(*settings_.sparse);
    refuse_pooling(settings_, unsupported("modules.json", "the model makes sparse vectors (" + module +
                                                              "), expected a dense one: embed them as sparse"));
    settings_.pooling.modules.push_back(module);
  }

  void finish_modules() {
    std::vector<SentenceModule>& modules = settings_.modules;
    if (hidden_size_ != 0) text_width(modules, hidden_size_);
    const PoolingModule* pooling = nullptr;
    const bool has_rows = !modules.empty() && std::holds_alternative<StaticModule>(modules.front().kind);
    for (const SentenceModule& module : modules) {
      settings_.pooling.modules.push_back(describe_module(module));
      const auto* found = std::get_if<PoolingModule>(&module.kind);
      if (found == nullptr) continue;
      pooling = found;
      if (found->include_prompt) continue;
      settings_.prompt_refusal =
          unsupported(module.directory + "/config.json", "include_prompt false is not supported, expected true");
    }
    if (pooling == nullptr && !has_rows) {
      return refuse_pooling(settings_,
                            unsupported("modules.json", "no Pooling module, expected one after Transformer"));
    }
    if (makes_scores(modules)) return;
    if (pooling != nullptr) settings_.pooling.modes = pooling->modes;
    const auto* last = std::get_if<NormalizeModule>(&modules.back().kind);
    if (last == nullptr || last->of != VectorOf::kText) return;
    settings_.pooling.normalize = true;
    modules.pop_back();
  }

  // Returns whether the modules are a classifier's; they are then moved to settings_.classifier.
  bool makes_scores(const std::vector<SentenceModule>& modules) {
    for (size_t i = 0; i < modules.size(); ++i) {
      const auto* dense = std::get_if<DenseModule>(&modules[i].kind);
      if (dense == nullptr || !dense->makes_scores) continue;
      const bool is_last = i + 1 == modules.size();
      if (is_last) settings_.classifier = modules;
      refuse_pooling(settings_,
                     unsupported("modules.json", is_last ? "the modules make the scores of a classifier's labels, "
                                                           "expected a vector of the text: classify it"
                                                         : "a module after the one that makes a classifier's scores, "
                                                           "expected that one last"));
      return true;
    }
    return false;
  }

  // Adds notices for files that are not read: the reference library reads them only from a directory with modules.json.
  void note_unread_files() {
    std::vector<std::string> names = transformer_files();
    names.push_back("config_sentence_transformers.json");
    for (const std::string& name : names) {
      if (!files_.read(name, kMaxModelFile)) continue;
      settings_.notices.push_back(quote_path(files_.display_name(name)) +
                                  " is not read: there is no modules.json, without which the reference library does "
                                  "not read it either");
    }
  }

  void read_transformer_settings() {
    const auto file = read_transformer_file(files_, settings_.transformer_directory, &settings_.notices);
    if (!file) return;
    const auto length = file->fields().nullable_integer("max_seq_length", {.min = 1, .max = int64_t{1} << 53});
    if (length) settings_.max_length = static_cast<size_t>(*length);
    file->fields().nullable_boolean("do_lower_case");  // checks the type; lowercases_first() is for the tokenizer,
                                                       // which may be absent
  }

  void read_library_settings() {
    const std::string name = "config_sentence_transformers.json";
    const auto json = read_json(name);
    if (!json) return;
    const JsonObject fields(json->root(), files_.display_name(name));
    const std::string model_type = fields.string("model_type").value_or("SentenceTransformer");
    settings_.is_sparse_encoder = model_type == "SparseEncoder";
    if (model_type != "SentenceTransformer" && !settings_.is_sparse_encoder) {
      refuse_pooling(settings_, unsupported(name, "model_type " + quote(model_type, 60) +
                                                      " is not supported, expected SentenceTransformer"));
    }
    if (const auto prompts = fields.nullable_object("prompts")) {
      for (const auto& [key, text] : prompts->json().members()) {
        if (!text.is_string()) prompts->refuse(key, "a string");
        settings_.prompts[std::string(key)] = text.string();
      }
    }
    settings_.similarity_fn = fields.nullable_string("similarity_fn_name").value_or("");
    settings_.activation_fn = fields.nullable_string("activation_fn").value_or("");
    if (const auto kept = fields.nullable_integer("truncate_dim", {.min = 1, .max = int64_t{1} << 20})) {
      settings_.pooling.dimensions = static_cast<size_t>(*kept);
    }
    if (const auto most = fields.nullable_integer("max_active_dims", {.min = 1, .max = int64_t{1} << 31})) {
      settings_.max_active = static_cast<size_t>(*most);
    }
    const auto default_prompt = fields.nullable_string("default_prompt_name");
    if (!default_prompt) return;
    settings_.default_prompt = *default_prompt;
    if (!settings_.prompts.contains(settings_.default_prompt)) {
      fields.refuse("default_prompt_name", "a name among the prompts");
    }
  }

  // Reads BGE-M3's heads, beside the modules of its dense vector.
  void read_heads() {
    if (settings_.late || settings_.sparse) return;
    if (auto head = read_head_module(kTokenHead, files_, settings_.notices)) settings_.late = head_settings(*head);
    if (auto head = read_head_module(kLexicalHead, files_, settings_.notices)) settings_.sparse = LexicalModule{*head};
  }

  void refuse_without_sparse_module() {
    if (!settings_.is_sparse_encoder || settings_.sparse) return;
    refuse_pooling(settings_, unsupported("config_sentence_transformers.json",
                                          "model_type 'SparseEncoder' without a module that makes a sparse vector, "
                                          "expected SpladePooling or SparseStaticEmbedding in modules.json"));
  }

  const FileSource& files_;
  size_t hidden_size_;
  const std::optional<std::string>& task_;
  StaticFile static_file_;
  SentenceSettings settings_;
};

}  // namespace

void refuse_pooling(SentenceSettings& settings, const Error& why) {
  if (!settings.pooling_refusal) settings.pooling_refusal = why;
  settings.pooling = {.unsupported = settings.pooling_refusal->what()};
  settings.modules = plain_pooling();
}

std::string read_transformer_directory(const FileSource& files, const std::optional<std::string>& task) {
  const auto named = read_modules_file(files);
  if (!named || named->empty()) return "";
  const std::vector<NamedModule> modules = follow_routes(*named, files, task, nullptr);
  if (modules.empty()) return "";
  const NamedModule& first = modules.front();
  if (is_transformer(first) || is_static(first) || is_token_weights(first)) return first.directory;
  if (files.read("config.json", kMaxModelFile)) return "";
  throw unsupported_module(first, files, "Transformer");
}

StaticKind static_kind(const FileSource& files, const std::optional<std::string>& task, StaticFile static_file) {
  const auto named = read_modules_file(files);
  if (model2vec_config(files, named, static_file)) return StaticKind::kRows;
  if (!named) return StaticKind::kNone;
  const std::vector<NamedModule> modules = follow_routes(*named, files, task, nullptr);
  if (!modules.empty() && is_static(modules.front())) return StaticKind::kRows;
  return !modules.empty() && is_token_weights(modules.front()) ? StaticKind::kTokenWeights : StaticKind::kNone;
}

SentenceSettings read_sentence_settings(const FileSource& files, size_t hidden_size,
                                        const std::optional<std::string>& task, StaticFile static_file) {
  return SettingsReader(files, hidden_size, task, static_file).read();
}

bool lowercases_first(const FileSource& files, const std::optional<std::string>& task) {
  const auto named = read_modules_file(files);
  if (!named) return false;
  const std::vector<NamedModule> modules = follow_routes(*named, files, task, nullptr);
  if (modules.empty() || !is_transformer(modules.front())) return false;
  const auto file = read_transformer_file(files, modules.front().directory, nullptr);
  return file && file->fields().nullable_boolean("do_lower_case").value_or(false);
}

}  // namespace bert
