// Implements Cohere's /v2/embed. A request can ask for several number types; the kind of its input selects the model's
// prompt; a text that is too long can be truncated at either end.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "bert/vectors.h"
#include "program/server/http/request_id.h"
#include "program/server/routes/base64.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"

namespace bert::server {
namespace {

// Names of prompts in models' files for Cohere's word for the input; the first one that the model has is used.
struct InputType {
  const char* word;
  std::vector<std::string> prompts;
};
const std::vector<InputType>& input_types() {
  static const std::vector<InputType> types = {
      {"search_query", {"query", "retrieval.query", "search_query"}},
      {"search_document", {"document", "passage", "retrieval.passage", "search_document"}},
      {"classification", {"classification", "Classification"}},
      {"clustering", {"clustering", "separation", "Clustering"}},
  };
  return types;
}

std::optional<std::string> prompt_for(const Model& model, const std::string& word) {
  const std::vector<std::string> known = model.prompt_names();
  for (const InputType& type : input_types()) {
    if (type.word != word) continue;
    for (const std::string& name : type.prompts) {
      if (std::find(known.begin(), known.end(), name) != known.end()) return name;
    }
  }
  return std::nullopt;
}

// Converts a number of a vector of length 1 to 8 bits: 127 times the number, rounded.
int8_t as_int8(float value) { return static_cast<int8_t>(std::lround(std::clamp(value, -1.0f, 1.0f) * 127.0f)); }

// Sorted by name, as in the answer.
enum class EmbeddingType { kBase64, kBinary, kFloat, kInt8, kUbinary, kUint8 };
constexpr const char* kEmbeddingTypes[] = {"base64", "binary", "float", "int8", "ubinary", "uint8"};

// Returns each type once, in order.
std::set<EmbeddingType> embedding_types(const Call& call) {
  if (optional_field(call.body, "embedding_types") == nullptr) return {EmbeddingType::kFloat};
  std::set<EmbeddingType> types;
  for (const std::string& word : required_strings(call.body, "embedding_types")) {
    check_word(word, "embedding_types", call.words("embedding_types"));
    const auto* const found = std::find(std::begin(kEmbeddingTypes), std::end(kEmbeddingTypes), word);
    types.insert(static_cast<EmbeddingType>(found - std::begin(kEmbeddingTypes)));
  }
  return types;
}

void append_vector(std::string& out, EmbeddingType type, const std::vector<float>& values) {
  const auto append = [&out](const auto& numbers, const auto& convert) {
    append_list(out, numbers, [&](std::string& text, auto number) { append_number(text, int32_t{convert(number)}); });
  };
  const auto append_bits = [&](VectorPrecision precision, const auto& convert) {
    std::vector<uint8_t> bits(vector_bytes(precision, values.size()));
    quantize_vectors(values, values.size(), precision, {}, bits);
    append(bits, convert);
  };
  switch (type) {
    case EmbeddingType::kBase64:
      return append_string(out, base64(std::span<const float>(values)));
    case EmbeddingType::kBinary:
      return append_bits(VectorPrecision::kBinary, [](uint8_t byte) { return static_cast<int8_t>(byte); });
    case EmbeddingType::kFloat: {
      const size_t shape[] = {values.size()};
      return append_tensor(out, values, shape);
    }
    case EmbeddingType::kInt8:
      return append(values, as_int8);
    case EmbeddingType::kUbinary:
      return append_bits(VectorPrecision::kUbinary, [](uint8_t byte) { return byte; });
    case EmbeddingType::kUint8:
      return append(values, [](float value) { return as_int8(value) + 128; });
  }
}

std::string embed_body(const Job& job, const std::set<EmbeddingType>& types) {
  JsonWriter object, embeddings, meta, version, units;
  object.string("id", random_uuid());
  for (const EmbeddingType type : types) {
    append_outputs(embeddings.member(kEmbeddingTypes[static_cast<size_t>(type)]), job,
                   [&](std::string& out, const TextOutput& one) {
                     append_vector(out, type, std::get<TextVectors>(one.output).dense);
                   });
  }
  object.member("embeddings") += embeddings.take();
  append_list(object.member("texts"), job.texts,
              [](std::string& out, const TextItem& one) { append_string(out, one.text); });
  version.string("version", "2");
  units.number("input_tokens", uint64_t{usage_of(job).tokens});
  meta.member("api_version") += version.take();
  meta.member("billed_units") += units.take();
  object.member("meta") += meta.take();
  object.string("response_type", "embeddings_by_type");
  add_compute(object, job);
  return object.take();
}

}  // namespace

HandlerResult cohere_embed(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kEmbedder);
  for (const char* field : {"images", "inputs"}) {
    if (optional_field(call.body, field) != nullptr) {
      throw ApiError(Fault::kInvalid, std::string("'") + field + "' is not supported, expected 'texts'", field);
    }
  }
  std::vector<TextItem> texts;
  for (std::string& text : required_strings(call.body, "texts")) texts.push_back({.text = std::move(text)});
  const std::set<EmbeddingType> types = embedding_types(call);
  VectorRequest request{
      .dense = EmbedOptions{.normalize = true, .dimensions = optional_size(call.body, "output_dimension")}};
  if (const auto word = call.word("input_type")) request.prompt = prompt_for(model->model, *word);
  const std::string truncate = call.word("truncate").value_or("END");
  auto job = new_job(call, std::move(model), std::move(request), std::move(texts), "texts");
  TextRequest& asked = job->request;
  asked.may_truncate = truncate != "NONE";
  if (truncate == "START") asked.truncation_direction = Direction::kLeft;
  if (truncate == "END") asked.truncation_direction = Direction::kRight;
  return Computing{std::move(job), [types](const Job& done) { return embed_body(done, types); }, true};
}

}  // namespace bert::server
