// OpenAI's embeddings and models.
#include <algorithm>
#include <span>
#include <utility>

#include "program/server/routes/base64.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"

namespace bert::server {
namespace {

std::string model_object(const ServedModel& model) {
  JsonWriter object;
  object.string("id", model.source.name);
  object.string("object", "model");
  object.number("created", model.loaded_at);
  object.string("owned_by", "bert-infer");
  object.string("kind", name(model.kind));
  object.string("sha256", model.digest.text());
  object.string("precision", model.precision);
  object.number("max_length", uint64_t{model.model.max_length()});
  if (model.kind == ModelKind::kEmbedder) object.number("dimensions", uint64_t{model.model.embedding_size()});
  return object.take();
}

// Returns one text whose chunks are the request's texts, separated by spaces (late_chunking).
std::vector<TextItem> as_chunks(const std::vector<TextItem>& texts) {
  TextItem whole;
  for (const TextItem& chunk : texts) {
    if (chunk.ids) throw ApiError(Fault::kInvalid, "late_chunking: found ids, expected strings", "input");
    if (!whole.text.empty()) whole.text += ' ';
    const size_t begin = whole.text.size();
    whole.text += chunk.text;
    whole.spans.push_back({begin, whole.text.size()});
  }
  std::vector<TextItem> one;
  one.push_back(std::move(whole));
  return one;
}

// Returns the vector of each text, or of each chunk of a text; empty for a failed text.
std::vector<std::span<const float>> embeddings_of(const Job& job) {
  std::vector<std::span<const float>> vectors;
  for (const TextOutput& output : job.outputs) {
    const auto* made = std::get_if<TextVectors>(&output.output);
    const std::span<const float> dense = made != nullptr ? made->dense : std::span<const float>();
    const size_t count = made != nullptr ? std::max<size_t>(made->chunks.size(), 1) : 1, size = dense.size() / count;
    for (size_t i = 0; i < count; ++i) vectors.push_back(dense.subspan(i * size, size));
  }
  return vectors;
}

std::string embeddings_body(const Job& job, bool is_base64) {
  std::string data = "[";
  uint64_t index = 0;
  for (const std::span<const float> vector : embeddings_of(job)) {
    JsonWriter one;
    one.string("object", "embedding");
    one.number("index", index);
    if (vector.empty()) {
      one.member("embedding") += "null";
    } else if (is_base64) {
      one.string("embedding", base64(vector));
    } else {
      one.numbers<float>("embedding", vector);
    }
    data += (index++ > 0 ? "," : "") + one.take();
  }
  const Usage usage = usage_of(job);
  JsonWriter counts;
  counts.number("prompt_tokens", uint64_t{usage.tokens});
  counts.number("total_tokens", uint64_t{usage.tokens});
  JsonWriter object;
  object.string("object", "list");
  object.member("data") += data + "]";
  object.string("model", job.model->source.name);
  object.member("usage") += counts.take();
  add_compute(object, job);
  return object.take();
}

}  // namespace

HandlerResult openai_embeddings(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kEmbedder);
  const bool is_base64 = call.word("encoding_format") == "base64";
  VectorRequest request{.dense = EmbedOptions{.normalize = true, .dimensions = optional_size(call.body, "dimensions")}};
  std::vector<TextItem> texts = texts_of(call, "input");
  if (optional_bool(call.body, "late_chunking").value_or(false)) {
    request.chunks = ChunkOptions{};
    texts = as_chunks(texts);
  }
  auto job = new_job(call, std::move(model), request, std::move(texts), "input");
  if (const auto truncate = optional_bool(call.body, "truncate")) job->request.may_truncate = *truncate;
  const bool is_of_texts = !request.chunks;
  return Computing{std::move(job), [is_base64](const Job& done) { return embeddings_body(done, is_base64); },
                   is_of_texts};
}

HandlerResult openai_models(const Call& call) {
  std::string data = "[";
  for (const ServedModelPtr& model : call.models.all()) data += (data.size() > 1 ? "," : "") + model_object(*model);
  JsonWriter object;
  object.string("object", "list");
  object.member("data") += data + "]";
  return HttpResponse{.body = object.take()};
}

HandlerResult openai_model(const Call& call) {
  if (const ServedModelPtr model = call.models.find(call.path_parameter)) {
    return HttpResponse{.body = model_object(*model)};
  }
  throw ApiError(Fault::kModelNotFound, "model '" + call.path_parameter.substr(0, 100) + "' not found", "model");
}

}  // namespace bert::server
