#include "models/families/jina_embeddings_v3.h"

namespace bert {
namespace {

void read_jina_v3(const JsonObject& fields, ModelConfig& config) { read_rotary(fields, 20000, config); }

}  // namespace

constinit const Family jina_embeddings_v3_family = make_jina_v3("jina_embeddings_v3", "JinaEmbeddingsV3", read_jina_v3);

}  // namespace bert
