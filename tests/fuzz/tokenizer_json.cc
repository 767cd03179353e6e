// tokenizer.json. The lists that the fast reader takes out are what the strict parser sees in the file, and the model
// of one that is accepted tokenizes a text.
#include "tokenizer/tokenizer_json.h"

#include <cmath>
#include <utility>
#include <vector>

#include "tests/fuzz/target.h"
#include "tokenizer/model_factory.h"
#include "tokenizer/pipeline.h"
#include "tokenizer/tokenizer_json_parser.h"

namespace {

using namespace bert;

void compare_parsers(std::string_view text) {
  const ParsedTokenizerJson fast = parse_tokenizer_json(text, "fuzz.tokenizer.json");
  Json strict = parse_json(text, "fuzz.tokenizer.json");
  if (fast.text != nullptr && strict.contains("model")) {
    Json& model = strict["model"];
    const auto take = [&](const char* key, size_t count) {
      const Json list = std::exchange(model[key], model[key].is_object() ? Json::object() : Json::array());
      fuzz::require(list.size() == count, "a list has all its elements");
      return list;
    };
    if (!fast.vocabulary.empty()) {
      const Json list = take("vocab", fast.vocabulary.size());
      for (const auto& [token, id] : fast.vocabulary) fuzz::require(list.at(std::string(token)) == id, "an id");
    }
    if (!fast.scored_vocabulary.empty()) {
      const Json list = take("vocab", fast.scored_vocabulary.size());
      for (size_t i = 0; i < list.size(); ++i) {
        const auto& [token, score] = fast.scored_vocabulary[i];
        fuzz::require(list[i][0] == token, "a token");
        const double nearest = list[i][1];  // the reference's reading differs in the last bits
        fuzz::require(std::abs(nearest - score) <= 1e-14 * std::abs(nearest) + 1e-300, "a score");
      }
    }
    if (!fast.merges.empty()) take("merges", fast.merges.size());
  }
  fuzz::require(fast.json == strict, "the rest of the tree");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::parse_or_refuse([&] { compare_parsers(fuzz::text_of(data, size)); });
  fuzz::parse_or_refuse([&] {
    TokenizerJson file = read_tokenizer_json(fuzz::text_of(data, size), "fuzz.tokenizer.json");
    const TokenizerSettings& settings = file.settings;
    const auto model = make_model(settings.vocabulary, settings.model, "fuzz.tokenizer.json");
    const Pipeline pipeline(settings.normalizer, settings.splitter, settings.added_tokens, *model);
    std::vector<Token> tokens;
    pipeline.encode("The quick brown fox, na\u00EFve \u4E2D\u56FD it's  \uFB01ne 9,5", "text", false, tokens);
    for (const Token& token : tokens) fuzz::require(token.id >= 0, "an id is the vocabulary's");
  });
  return 0;
}
