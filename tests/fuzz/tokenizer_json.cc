// tokenizer.json. The model of one that is accepted tokenizes a text.
#include "tokenizer/tokenizer_json.h"

#include <vector>

#include "tests/fuzz/target.h"
#include "tokenizer/model_factory.h"
#include "tokenizer/pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
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
