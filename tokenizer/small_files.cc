#include "tokenizer/small_files.h"

#include <string_view>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// model_max_length means "none" from here on: Python writes int(1e30).
constexpr double kNoLimit = 1e6;

bool ends_as_bert(std::string_view name) {
  return name.ends_with("BertTokenizer") || name.ends_with("BertTokenizerFast") || name == "PreTrainedTokenizerFast";
}

// nullopt for the large number that means "no limit".
std::optional<size_t> read_model_max_length(const JsonObject& config) {
  const auto value = config.nullable("model_max_length");
  if (!value) return std::nullopt;
  const auto length = value->number();
  if (!length) config.refuse("model_max_length", "a number");
  if (*length < 1) config.refuse("model_max_length", "at least 1");
  return *length < kNoLimit ? std::optional(static_cast<size_t>(*length)) : std::nullopt;
}

// The family that tokenizer_config.json names; null if it names no known one.
const TokenizerFamily* family_of_class(const JsonObject& config, const TokenizerFamilies& families,
                                       std::vector<std::string>& notices) {
  const auto name = config.nullable_string("tokenizer_class");
  if (!name) return nullptr;
  if (families.is_unsupported_class(*name)) {
    throw Error(ErrorCode::kUnsupported, quote(config.source()) + ": tokenizer_class " + quote(*name) +
                                             " is not supported, expected BertTokenizer or one that works the same");
  }
  const TokenizerFamily* const family = families.of_class(*name);
  if (family == nullptr && !ends_as_bert(*name)) {
    notices.push_back(quote(config.source()) + ": tokenizer_class " + quote(*name) +
                      " is not known; the files that are there decide");
  }
  return family;
}

}  // namespace

std::optional<SmallFile> read_small_file(const FileSource& files, const char* name) {
  const auto text = files.read(name, kMaxModelFile);
  return text ? std::optional<SmallFile>(std::in_place, parse_json(*text, name), name) : std::nullopt;
}

SmallFiles read_small_files(const FileSource& files) {
  return {read_small_file(files, kTokenizerConfig), read_small_file(files, kSpecialTokensMap),
          read_small_file(files, kAddedTokens)};
}

const TokenizerFamily* named_family(const FileSource& files, const SmallFiles& small_files,
                                    const TokenizerFamilies& families, std::vector<std::string>& notices) {
  if (small_files.config) {
    const TokenizerFamily* const family = family_of_class(small_files.config->object(), families, notices);
    if (family != nullptr) return family;
  }
  const auto config = read_small_file(files, kModelConfig);
  const auto type = config ? config->object().nullable_string("model_type") : std::nullopt;
  return type ? families.of_model(*type) : nullptr;
}

void read_call_defaults(const JsonObject& config, TokenizerSettings& settings) {
  settings.model_max_length = read_model_max_length(config);
  if (const auto side = config.nullable_string("truncation_side")) {
    if (*side != "left" && *side != "right") config.refuse("truncation_side", "left or right");
    settings.truncation_direction = *side == "left" ? Direction::kLeft : Direction::kRight;
  }
  if (const auto split = config.nullable_boolean("split_special_tokens")) settings.split_special_tokens = *split;
  settings.clean_up_spaces = config.nullable_boolean("clean_up_tokenization_spaces").value_or(false);
}

}  // namespace bert
