// The list, and the Tokenizer's load functions, because they need all families.
#include "models/text/tokenizer_families.h"

#include <array>
#include <filesystem>
#include <map>
#include <string>

#include "bert/error.h"
#include "bert/tokenizer.h"
#include "engine/base/file.h"
#include "engine/base/file_source.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/config/family.h"
#include "tokenizer/files/loader.h"

namespace bert {
namespace {

// Tokenizer classes whose families are rejected: they have a vocab.txt like BERT's, but split words or apply a template
// differently.
constexpr std::array<std::string_view, 7> kUnsupportedClasses = {"BertJapanese", "RoFormer", "Funnel", "Splinter",
                                                                 "ProphetNet",   "Tapas",    "RemBert"};

}  // namespace

TokenizerFamilies tokenizer_families() {
  std::vector<NamedTokenizer> all;
  for (const Family* family : families()) {
    all.push_back({family->model_type, family->class_prefix, &family->tokenizer});
  }
  return {std::move(all), kUnsupportedClasses};
}

Tokenizer Tokenizer::load(const std::filesystem::path& directory, const TokenizerOptions& options) {
  if (!directory_exists(directory)) {
    throw Error(ErrorCode::kNotFound,
                quote_path(utf8(directory)) + ": not a directory, expected one with " + kExpectedTokenizerFiles);
  }
  return Tokenizer(load_settings(DirectorySource(directory), tokenizer_families(), options));
}

Tokenizer Tokenizer::from_vocabulary(std::string_view vocabulary, std::string_view tokenizer_config,
                                     const TokenizerOptions& options) {
  std::map<std::string, std::string_view> files = {{"vocab.txt", vocabulary}};
  if (!tokenizer_config.empty()) files["tokenizer_config.json"] = tokenizer_config;
  return Tokenizer(load_settings(MemorySource(std::move(files), ""), tokenizer_families(), options));
}

}  // namespace bert
