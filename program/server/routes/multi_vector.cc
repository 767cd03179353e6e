// Several vectors per text from a late-interaction model, as in Jina's API.
#include <utility>

#include "bert/token_vectors.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"

namespace bert::server {
namespace {

std::string vectors_body(const Job& job) {
  std::string data;
  size_t index = 0;
  append_list(data, job.outputs, [&](std::string& out, const TextOutput& one) {
    JsonWriter object;
    object.string("object", "embeddings");
    object.number("index", uint64_t{index++});
    const TokenVectors& vectors = std::get<TextVectors>(one.output).tokens;
    const size_t shape[] = {vectors.tokens.size(), vectors.tokens.empty() ? 0 : vectors.size};
    std::string& list = object.member("embeddings");
    if (one.has_failed()) {
      list += "null";
    } else {
      append_tensor(list, vectors.values, shape);
    }
    out += object.take();
  });
  JsonWriter object, usage;
  object.string("model", job.model->source.name);
  object.string("object", "list");
  usage.number("total_tokens", uint64_t{usage_of(job).tokens});
  usage.number("prompt_tokens", uint64_t{usage_of(job).tokens});
  object.member("usage") += usage.take();
  object.member("data") += data;
  add_compute(object, job);
  return object.take();
}

}  // namespace

HandlerResult jina_multi_vector(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kEmbedder);
  if (!makes_token_vectors(model->model)) {
    throw ApiError(Fault::kWrongKind,
                   "model '" + model->source.name + "' makes no token vectors, expected a late-interaction model",
                   "model");
  }
  const size_t size = token_vector_settings(model->model).size;
  if (const auto asked = optional_size(call.body, "dimensions"); asked && *asked != size) {
    throw ApiError(Fault::kInvalid,
                   "'dimensions' is " + std::to_string(*asked) + ", expected " + std::to_string(size) + ", the model's",
                   "dimensions");
  }
  call.word("embedding_type");
  std::vector<TextItem> texts = texts_of(call, "input");
  for (const TextItem& text : texts) {
    if (text.ids) throw ApiError(Fault::kInvalid, "'input' has token ids, expected texts", "input");
  }
  const bool are_queries = call.word("input_type") == "query";
  const VectorRequest request{.tokens = true, .role = are_queries ? TextRole::kQuery : TextRole::kDocument};
  auto job = new_job(call, std::move(model), request, std::move(texts), "input");
  job->request.may_truncate = optional_bool(call.body, "truncate").value_or(true);
  return Computing{std::move(job), vectors_body, true};
}

}  // namespace bert::server
