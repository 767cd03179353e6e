#include "tokenizer/files/side_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// From this number on, model_max_length means "no limit": Python writes int(1e30).
constexpr double kNoLimit = 1e6;

// Returns whether the class uses tokenizer.json as it is.
bool is_general_class(std::string_view name) {
  return name == "PreTrainedTokenizerFast" || name == "PreTrainedTokenizer" || name == "TokenizersBackend";
}

// Returns nullopt for the large number that means "no limit".
std::optional<size_t> read_model_max_length(const JsonObject& config) {
  const auto value = config.nullable("model_max_length");
  if (!value) return std::nullopt;
  const auto length = value->number();
  if (!length) config.refuse("model_max_length", "a number");
  if (*length < 1) config.refuse("model_max_length", "at least 1");
  return *length < kNoLimit ? std::optional(static_cast<size_t>(*length)) : std::nullopt;
}

}  // namespace

std::optional<SideFile> read_side_file(const FileSource& files, const char* name) {
  const auto text = files.read(name, kMaxModelFile);
  return text ? std::optional<SideFile>(std::in_place, *text, files.display_name(name)) : std::nullopt;
}

std::vector<std::string> SideFiles::notices() const {
  std::vector<std::string> all;
  for (const std::optional<SideFile>* const file : {&config, &special_tokens_map, &added_tokens}) {
    if (*file) all.insert(all.end(), (*file)->notices().begin(), (*file)->notices().end());
  }
  return all;
}

SideFiles read_side_files(const FileSource& files) {
  return {read_side_file(files, kTokenizerConfig), read_side_file(files, kSpecialTokensMap),
          read_side_file(files, kAddedTokens)};
}

std::optional<NamedClass> named_class(const SideFiles& side_files, const SideFile* model_config) {
  for (const SideFile* const file : {side_files.config ? &*side_files.config : nullptr, model_config}) {
    if (file == nullptr) continue;
    if (const auto name = file->object().nullable_string("tokenizer_class")) return NamedClass{*name, file->name()};
  }
  return std::nullopt;
}

void note_unknown_class(const NamedClass& named, const std::string& consequence, std::vector<std::string>& notices) {
  if (is_general_class(named.name)) return;
  notices.push_back(quote_path(named.file) + ": tokenizer_class " + quote(named.name) + " is not known; " +
                    consequence);
}

const TokenizerFamily* named_family(const FileSource& files, const SideFiles& side_files,
                                    const TokenizerFamilies& families, std::vector<std::string>& notices) {
  const auto config = read_side_file(files, kModelConfig);
  if (const auto named = named_class(side_files, config ? &*config : nullptr)) {
    if (families.is_unsupported_class(named->name)) {
      throw Error(ErrorCode::kUnsupported, quote_path(named->file) + ": tokenizer_class " + quote(named->name) +
                                               " is not supported, expected BertTokenizer or one that works the same");
    }
    if (const TokenizerFamily* const family = families.of_class(named->name)) return family;
    note_unknown_class(*named, "the files that are there decide", notices);
  }
  const auto type = config ? config->object().nullable_string("model_type") : std::nullopt;
  return type ? families.of_model(*type) : nullptr;
}

void read_call_defaults(const JsonObject& config, TokenizerSettings& settings) {
  settings.model_max_length = read_model_max_length(config);
  if (config.nullable("model_input_names")) {
    const std::vector<std::string> names = *config.strings("model_input_names");
    settings.has_segments = std::find(names.begin(), names.end(), "token_type_ids") != names.end();
  }
  if (const auto side = config.nullable_string("truncation_side")) {
    if (*side != "left" && *side != "right") config.refuse("truncation_side", "left or right");
    settings.truncation_direction = *side == "left" ? Direction::kLeft : Direction::kRight;
  }
  if (const auto split = config.nullable_boolean("split_special_tokens")) settings.split_special_tokens = *split;
  settings.clean_up_spaces = config.nullable_boolean("clean_up_tokenization_spaces").value_or(false);
}

}  // namespace bert
