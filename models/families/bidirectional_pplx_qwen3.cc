// pplx-embed: Qwen3's layers, without causal attention.
#include "models/families/qwen3.h"

namespace bert {
namespace {

void read_bidirectional_pplx_qwen3(const JsonObject& fields, ModelConfig& config) {
  read_qwen3_layers(fields, config);
  require(fields, "use_sliding_window", false);
}

}  // namespace

constinit const Family bidirectional_pplx_qwen3_family =
    make_qwen3("bidirectional_pplx_qwen3", "PPLXQwen3", read_bidirectional_pplx_qwen3);

}  // namespace bert
