// Fuzzes the files of a tokenizer as the loader finds them in a directory. The first byte chooses the files. Text files
// follow one another with a NUL byte between them. An accepted tokenizer must tokenize a text and decode it.
#include <vector>

#include "bert/tokenizer.h"
#include "tests/fuzz/target.h"
#include "tests/support/temporary_directory.h"

namespace bert::fuzz {
namespace {

constexpr char kText[] =
    "The quick ``brown'' fox, na\u00EFve <mask> \u4E2D\u56FD 9,5 it's  \uFB01ne [MASK]</s>\r\n\U0001F600";

struct Kind {
  std::vector<const char*> files;
  const char* config = nullptr;  // the small file that names the model or tokenizer class
  const char* config_text = nullptr;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {{"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"}},
      {{"vocab.json", "merges.txt", "tokenizer_config.json"}},
      {{"vocab.txt", "added_tokens.json", "special_tokens_map.json", "config.json"}},
      {{"spiece.model"}, "config.json", R"({"model_type": "albert"})"},
      {{"sentencepiece.bpe.model"}, "config.json", R"({"model_type": "xlm-roberta"})"},
      {{"sentencepiece.bpe.model"}, "config.json", R"({"model_type": "camembert"})"},
  };
  return all;
}

void check(const Tokenizer& tokenizer) {
  const std::string_view text = kText;
  const Encoding encoding = tokenizer.tokenize(text, "b", {.padding = {.length = 8}});
  for (size_t i = 0; i < encoding.size(); ++i) {
    const Offset span = encoding.offsets[i];
    require(span.begin <= span.end && span.end <= (encoding.sequence_ids[i] == 1 ? 1 : text.size()),
            "spans are inside");
    require(encoding.ids[i] >= 0, "an id is a number of a token");
  }
  tokenizer.decode(encoding.ids, false);
  tokenizer.decode(encoding.ids, true);
  tokenizer.tokenize_windows(text, std::nullopt, {.max_length = 6, .stride = 1});
}

}  // namespace
}  // namespace bert::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  if (size == 0) return 0;
  const fuzz::Kind& kind = fuzz::kinds()[data[0] % fuzz::kinds().size()];
  std::string_view rest = fuzz::text_of(data + 1, size - 1);
  const test::TemporaryDirectory directory;
  if (kind.config != nullptr) {
    directory.write(kind.config, kind.config_text);
    directory.write(kind.files[0], rest);
  } else {
    for (const char* name : kind.files) {
      const size_t end = rest.find('\0');
      directory.write(name, rest.substr(0, end));
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
    }
  }
  fuzz::parse_or_refuse([&] { fuzz::check(Tokenizer::load(directory.path())); });
  return 0;
}
