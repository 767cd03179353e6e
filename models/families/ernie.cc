// ERNIE: BERT, with a fourth vector in the sum if config.json sets use_task_id. It is the vector of the first task, as
// in the reference if no task is given.
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kErniePrefixes[] = {"", "ernie.", "model.", "0.auto_model."};

void read_ernie(const JsonObject& fields, ModelConfig& config) {
  if (!fields.nullable_boolean("use_task_id").value_or(false)) return;
  const auto tasks = fields.integer("task_type_vocab_size", {.min = 1, .max = 1 << 20}).value_or(3);
  config.task_type_vocab_size = static_cast<size_t>(tasks);
}

constexpr Family make_ernie() {
  Family family = kBert;
  family.model_type = "ernie";
  family.class_prefix = "Ernie";
  family.tokenizer.usual = false;
  family.read_settings = read_ernie;
  family.weights.prefixes = kErniePrefixes;
  family.names.task_type_embeddings = "embeddings.task_type_embeddings";
  return family;
}

}  // namespace

constinit const Family ernie_family = make_ernie();

}  // namespace bert
