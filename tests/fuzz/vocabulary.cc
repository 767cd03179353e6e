// Fuzzes vocab.txt and, after a NUL byte, the tokenizer_config.json beside it. An accepted vocabulary must tokenize a
// text and decode it.
#include "bert/tokenizer.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  const std::string_view text = fuzz::text_of(data, size);
  const size_t nul = text.find('\0');
  const std::string_view vocabulary = text.substr(0, nul);
  const std::string_view config = nul == std::string_view::npos ? std::string_view() : text.substr(nul + 1);
  fuzz::parse_or_refuse([&] {
    const Tokenizer tokenizer = Tokenizer::from_vocabulary(vocabulary, config);
    const Encoding encoding = tokenizer.tokenize("The quick brown fox, na\u00EFve [MASK] \u4E2D\u56FD unbelievable");
    for (const int32_t id : encoding.ids) {
      fuzz::require(id >= 0 && static_cast<size_t>(id) < tokenizer.vocabulary_size(), "an id is the vocabulary's");
    }
    tokenizer.decode(encoding.ids, false);
  });
  return 0;
}
