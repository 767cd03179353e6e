// Fuzzes config.json. An accepted configuration must be safe for computations.
#include "models/config/config.h"

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  fuzz::parse_or_refuse([&] {
    const ModelConfig config = parse_config(fuzz::text_of(data, size), "fuzz.config.json");
    fuzz::require(config.vocab_size > 0 && config.hidden_size > 0 && config.num_attention_heads > 0, "sizes are sizes");
    fuzz::require(config.head_size > 0 || config.hidden_size % config.num_attention_heads == 0,
                  "heads have a size of their own, or divide the hidden size");
    fuzz::require(config.head_dim() > 0 && config.num_attention_heads % config.key_value_heads() == 0,
                  "heads share those of keys and values equally");
    fuzz::require(config.intermediate_size > 0 && config.max_position_embeddings > 0, "sizes are sizes");
    fuzz::require(config.layer_norm_eps >= 0 && config.layer_norm_eps < 1e30, "epsilon is a number");
  });
  return 0;
}
