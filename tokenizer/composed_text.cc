#include "tokenizer/composed_text.h"

namespace bert {
namespace {

bool read(const JsonObject* config, const char* key, bool otherwise) {
  return config == nullptr ? otherwise : config->nullable_boolean(key).value_or(otherwise);
}

}  // namespace

TextNormalizer composed_normalizer(const JsonObject* config) {
  TextNormalizer normalizer;
  if (read(config, "do_lower_case", false)) normalizer.add(Normalizer{.lowercase = true});
  normalizer.add(Replacement{Pattern::regular_expression(R"(\s{2,}|[\n\r\t])", "the class's normalizer"), " "});
  normalizer.add(NormalForm{.compatibility = false, .composed = true});
  normalizer.add(StrippedEnds{.left = false, .right = true});
  return normalizer;
}

WordSplitter composed_splitter(const JsonObject* config) {
  WordSplitter splitter;
  if (read(config, "split_by_punct", false)) splitter.add(PunctuationSplit{});
  const bool always = read(config, "add_prefix_space", true);
  splitter.add(Metaspace{.prepend = always ? Metaspace::Prepend::kAlways : Metaspace::Prepend::kFirst});
  return splitter;
}

}  // namespace bert
