// tokenizer.json.
#include "tokenizer/tokenizer_json.h"

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  fuzz::parse_or_refuse([&] { read_tokenizer_json(fuzz::text_of(data, size), "fuzz.tokenizer.json"); });
  return 0;
}
