#include "models/sentence_settings.h"

#include <array>
#include <string_view>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/json_object.h"
#include "engine/base/quote.h"
#include "models/family.h"

namespace bert {
namespace {

constexpr std::string_view kLibrary = "sentence_transformers.";

// Every name under which the reference library looks for the Transformer module's settings, of the families here.
std::vector<std::string> transformer_files() {
  std::vector<std::string> names = {"sentence_bert_config.json"};
  for (const Family* family : families()) {
    std::string name = "sentence_" + std::string(family->model_type) + "_config.json";
    if (name != names.front()) names.push_back(std::move(name));
  }
  return names;
}

struct Mode {
  const char* key;        // in 1_Pooling/config.json
  std::string_view name;  // as the key pooling_mode spells it
  std::optional<PoolingMode> mode;
  bool otherwise;  // what the reference takes where the key is absent
};
constexpr std::array kModes = {
    Mode{"pooling_mode_cls_token", "cls", PoolingMode::kCls, false},
    Mode{"pooling_mode_max_tokens", "max", PoolingMode::kMax, false},
    Mode{"pooling_mode_mean_tokens", "mean", PoolingMode::kMean, true},
    Mode{"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", std::nullopt, false},
    Mode{"pooling_mode_weightedmean_tokens", "weightedmean", std::nullopt, false},
    Mode{"pooling_mode_lasttoken", "lasttoken", std::nullopt, false},
};

class SettingsReader {
 public:
  SettingsReader(const FileSource& files, size_t hidden_size) : files_(files), hidden_size_(hidden_size) {}

  SentenceSettings read() {
    if (const auto modules = read_json("modules.json")) read_modules(modules->root());
    read_transformer_settings();
    read_library_settings();
    if (settings_.pooling_refusal) {
      settings_.pooling.declared = false;
      settings_.pooling.unsupported = settings_.pooling_refusal->what();
    }
    return std::move(settings_);
  }

 private:
  std::optional<JsonDocument> read_json(const std::string& name) const {
    const std::optional<std::string> text = files_.read(name, kMaxModelFile);
    if (!text) return std::nullopt;
    return parse_json(*text, files_.display_name(name), {.max_bytes = kMaxModelFile});
  }

  Error unsupported(const std::string& file, const std::string& what) const {
    return Error(ErrorCode::kUnsupported, quote_path(files_.display_name(file)) + ": " + what);
  }

  void refuse_pooling(Error error) {
    if (!settings_.pooling_refusal) settings_.pooling_refusal = std::move(error);
  }

  // [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}, …], run in this order.
  void read_modules(Json modules) {
    const std::string file = files_.display_name("modules.json");
    if (!modules.is_array()) {
      throw Error(ErrorCode::kInvalidFile, quote_path(file) + ": " + json_excerpt(modules) + ", expected an array");
    }
    settings_.pooling.declared = true;
    constexpr std::string_view kExpected =
        "expected Transformer, Pooling and Normalize, in this order, the last if wanted";
    size_t index = 0;
    bool has_pooling = false;
    for (const Json element : modules.elements()) {
      const JsonObject module(element, file, "module " + std::to_string(index));
      const std::string type = module.string("type").value_or("");
      const std::string path = module.string("path").value_or("");
      if (!path.empty() && !is_plain_file_name(path)) module.refuse("path", "\"\" or the plain name of a directory");
      const std::string kind = kind_of(type);
      if (index == 0 && (kind == "Transformer" || kind == "BERT")) {  // the latter before version 0.4 of that library
        settings_.transformer_directory = path;
      } else if (index == 1 && kind == "Pooling") {
        has_pooling = true;
        read_pooling(path.empty() ? "config.json" : path + "/config.json");
      } else if (index >= 2 && kind == "Normalize") {
        settings_.pooling.normalize = true;
      } else {
        refuse_pooling(unsupported("modules.json", "module " + std::to_string(index) + " of type " + quote(type) +
                                                       " is not supported, " + std::string(kExpected)));
      }
      ++index;
    }
    if (!has_pooling) refuse_pooling(unsupported("modules.json", "no Pooling module, " + std::string(kExpected)));
  }

  // "Pooling" of "sentence_transformers.models.Pooling"; another library's types, which are code of their own, as they
  // are.
  static std::string kind_of(const std::string& type) {
    return type.starts_with(kLibrary) ? type.substr(type.rfind('.') + 1) : type;
  }

  void read_pooling(const std::string& name) {
    const auto json = read_json(name);
    if (!json) {
      return refuse_pooling(
          Error(ErrorCode::kNotFound,
                quote_path(files_.display_name(name)) + ": no such file, expected it because modules.json names it"));
    }
    const JsonObject fields(json->root(), files_.display_name(name));
    for (const char* key : {"word_embedding_dimension", "embedding_dimension"}) {
      const auto dimension = fields.integer(key, {.min = 1, .max = 65536});
      if (dimension && hidden_size_ != 0 && static_cast<size_t>(*dimension) != hidden_size_) {
        fields.refuse(key, "the encoder's hidden_size " + std::to_string(hidden_size_));
      }
    }
    if (!fields.boolean("include_prompt").value_or(true)) {
      settings_.prompt_refusal = unsupported(name, "include_prompt false is not supported, expected true");
    }
    std::vector<const Mode*> modes;
    if (fields.has("pooling_mode")) {
      const std::string mode = *fields.string("pooling_mode");
      for (const Mode& known : kModes) {
        if (known.name == mode) modes.push_back(&known);
      }
      if (modes.empty()) {
        return refuse_pooling(
            unsupported(name, "pooling_mode " + quote(mode, 60) + " is not supported, expected cls, mean or max"));
      }
    } else {
      for (const Mode& known : kModes) {
        if (fields.boolean(known.key).value_or(known.otherwise)) modes.push_back(&known);
      }
    }
    if (modes.size() == 1 && modes[0]->mode) {
      settings_.pooling.mode = *modes[0]->mode;
      return;
    }
    std::string found;
    for (const Mode* mode : modes) found.append(found.empty() ? "" : " and ").append(mode->name);
    refuse_pooling(unsupported(name, "pooling " + (found.empty() ? "by no mode" : found) +
                                         " is not supported, expected one of cls, mean and max"));
  }

  void read_transformer_settings() {
    const std::string folder = settings_.transformer_directory.empty() ? "" : settings_.transformer_directory + "/";
    for (const std::string& file : transformer_files()) {
      const std::string name = folder + file;
      const auto json = read_json(name);
      if (!json) continue;
      const JsonObject fields(json->root(), files_.display_name(name));
      const auto length = fields.nullable_integer("max_seq_length", {.min = 1, .max = int64_t{1} << 53});
      if (length) settings_.max_length = static_cast<size_t>(*length);
      if (fields.nullable_boolean("do_lower_case").value_or(false)) {
        settings_.lowercase_refusal = unsupported(
            name, "do_lower_case true before a tokenizer that keeps upper case is not supported, expected false");
      }
      return;
    }
  }

  void read_library_settings() {
    const std::string name = "config_sentence_transformers.json";
    const auto json = read_json(name);
    if (!json) return;
    const JsonObject fields(json->root(), files_.display_name(name));
    const std::string model_type = fields.string("model_type").value_or("SentenceTransformer");
    if (model_type != "SentenceTransformer") {
      refuse_pooling(
          unsupported(name, "model_type " + quote(model_type, 60) + " is not supported, expected SentenceTransformer"));
    }
    if (const auto prompts = fields.nullable_object("prompts")) {
      for (const auto& [key, text] : prompts->json().members()) {
        if (!text.is_string()) prompts->refuse(key, "a string");
        settings_.prompts[std::string(key)] = text.string();
      }
    }
    const auto default_prompt = fields.nullable_string("default_prompt_name");
    if (!default_prompt) return;
    settings_.default_prompt = *default_prompt;
    if (!settings_.prompts.contains(settings_.default_prompt)) {
      fields.refuse("default_prompt_name", "a name among the prompts");
    }
  }

  const FileSource& files_;
  size_t hidden_size_;
  SentenceSettings settings_;
};

}  // namespace

SentenceSettings read_sentence_settings(const FileSource& files, size_t hidden_size) {
  return SettingsReader(files, hidden_size).read();
}

LengthLimit resolve_length_limit(const LengthLimits& limits) {
  const std::optional<size_t>& said = limits.sentence ? limits.sentence : limits.tokenizer;
  if (!limits.positions || (said && *said <= *limits.positions)) return {.tokens = said, .notice = ""};
  if (!said) return {.tokens = limits.positions, .notice = ""};
  return {.tokens = limits.positions,
          .notice = "the model's files allow " + std::to_string(*said) + " tokens, its position table has " +
                    std::to_string(*limits.positions) + ": the limit is lowered to that"};
}

}  // namespace bert
