// Fuzzes tokenizer.json. The reader's lists must equal those of a tree of the whole file, and the model of an accepted
// file must tokenize a text.
#include "tokenizer/files/tokenizer_json.h"

#include <cmath>
#include <optional>

#include "models/text/tokenizer_families.h"
#include "tests/fuzz/target.h"
#include "tokenizer/files/tokenizer_json_parser.h"
#include "tokenizer/model/model_factory.h"
#include "tokenizer/sequence_tokenizer.h"

namespace {

using namespace bert;

// Returns the tree's list `key`, and checks that it has the `count` elements that the reader read. Returns nullopt if
// the reader read none.
std::optional<Json> list_of(const Json& model, const char* key, size_t count) {
  if (count == 0) return std::nullopt;
  const auto list = model.find(key);
  fuzz::require(list && list->size() == count, "a list has all its elements");
  return list;
}

void compare_readers(std::string_view text) {
  const ParsedTokenizerJson parsed = parse_tokenizer_json(text, "fuzz.tokenizer.json");
  const JsonDocument whole = parse_json(text, "fuzz.tokenizer.json");
  const auto model = whole.root().is_object() ? whole.root().find("model") : std::nullopt;
  if (!model || !model->is_object()) return;
  if (const auto list = list_of(*model, "vocab", parsed.vocabulary.size())) {
    auto entry = parsed.vocabulary.begin();
    for (const auto& [token, id] : list->members()) {
      fuzz::require(entry->first == token && entry->second == id.unsigned_integer(), "a token and its id");
      ++entry;
    }
  }
  if (const auto list = list_of(*model, "vocab", parsed.scored_vocabulary.size())) {
    auto entry = parsed.scored_vocabulary.begin();
    for (const Json pair : list->elements()) {
      fuzz::require(pair[0].string() == entry->first, "a token");
      const double nearest = pair[1].number().value_or(0);  // the reference's reading differs in the last bits
      fuzz::require(std::abs(nearest - entry->second) <= 1e-14 * std::abs(nearest) + 1e-300, "a score");
      ++entry;
    }
  }
  list_of(*model, "merges", parsed.merges.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::parse_or_refuse([&] { compare_readers(fuzz::text_of(data, size)); });
  fuzz::parse_or_refuse([&] {
    TokenizerJson file = read_tokenizer_json(fuzz::text_of(data, size), "fuzz.tokenizer.json", tokenizer_families());
    const TokenizerSettings& settings = file.settings;
    const auto model = make_model(settings.vocabulary, settings.model, "fuzz.tokenizer.json");
    const SequenceTokenizer tokenizer(settings.normalizer, settings.pre_tokenizer, settings.added_tokens, *model);
    TokenList tokens;
    tokenizer.append_tokens("The quick brown fox, na\u00EFve \u4E2D\u56FD it's  \uFB01ne 9,5", "text", false, tokens);
    for (const int32_t id : tokens.kept().ids) fuzz::require(id >= 0, "an id is the vocabulary's");
  });
  return 0;
}
