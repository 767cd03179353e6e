#include "tokenizer/files/loader.h"

#include <string>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/files/side_files.h"
#include "tokenizer/files/tokenizer_json_loader.h"
#include "tokenizer/files/vocabulary_files.h"

namespace bert {
namespace {

constexpr size_t kMaxTokenizerJson = size_t{256} << 20;

TokenizerSettings read_settings(const FileSource& files, const TokenizerFamilies& families,
                                const TokenizerOptions& options) {
  const auto text = files.read(kTokenizerJson, kMaxTokenizerJson);
  // The reference libraries of static models read only tokenizer.json.
  const SideFiles side_files = text && options.of_static_model ? SideFiles() : read_side_files(files);
  std::vector<std::string> notices = side_files.notices();
  if (text) {
    TokenizerSettings settings = settings_from_tokenizer_json(*text, files, families, side_files, options);
    settings.notices.insert(settings.notices.begin(), notices.begin(), notices.end());
    return settings;
  }
  const TokenizerFamily* const named = named_family(files, side_files, families, notices);
  using enum TokenizerFiles;
  for (const TokenizerFiles kind : {kWordPiece, kByteLevelBpe, kSentencePiece, kTokenList}) {
    if (named != nullptr && named->files != kind) continue;
    const auto vocabulary = read_vocabulary_files(files, kind);
    if (!vocabulary) continue;
    const TokenizerFamily* const family = named != nullptr ? named : families.usual(kind);
    if (family == nullptr) {
      throw Error(ErrorCode::kUnsupported, quote_path(vocabulary->name) +
                                               ": how its ids count differs by model, and no tokenizer_class in " +
                                               "'tokenizer_config.json' or model_type in 'config.json' says which");
    }
    return settings_from_vocabulary(*family, *vocabulary, side_files, options, std::move(notices));
  }
  const bool reads_others = named == nullptr || named->files != kTokenizerJson;
  throw Error(ErrorCode::kNotFound, quote_path(files.name()) + ": no tokenizer, expected " +
                                        (reads_others ? kExpectedTokenizerFiles : bert::kTokenizerJson));
}

// As in sentence-transformers 6.2. The added tokens are normalized again.
void lowercase_first(TokenizerSettings& settings) {
  if (settings.lists_lowercase) return;
  if (!settings.normalizer.lowercases()) {
    settings.notices.push_back("do_lower_case true of the model's Transformer module: its texts are lower-cased first");
  }
  Normalizer first(BertNormalizer{.lowercase = true});
  for (const NormalizerStep& step : settings.normalizer.steps()) first.add(step);
  settings.normalizer = std::move(first);
  settings.added_tokens =
      settings.added_tokens.with_special(settings.vocabulary, settings.normalizer, {}, settings.source);
}

}  // namespace

TokenizerSettings load_settings(const FileSource& files, const TokenizerFamilies& families,
                                const TokenizerOptions& options) {
  TokenizerSettings settings = read_settings(files, families, options);
  if (options.lowercase_first) lowercase_first(settings);
  if (!options.added_special_tokens.empty()) {
    settings.added_tokens = settings.added_tokens.with_special(settings.vocabulary, settings.normalizer,
                                                               options.added_special_tokens, settings.source);
  }
  if (!settings.has_segments) settings.post_processor = settings.post_processor.without_segments();
  if (options.of_static_model || !options.special_tokens) {
    settings.post_processor = settings.post_processor.without_special_tokens();
  }
  return settings;
}

}  // namespace bert
