// Ollama's embeddings, and the routes around them that its clients use.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"

namespace bert::server {
namespace {

std::string rfc3339(int64_t unix_time) {
  const std::time_t time = unix_time;
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Returns a number of parameters as Ollama writes it: "334M", "22.71M", "7.6B".
std::string human_number(size_t number) {
  const auto text = [&](size_t unit, int digits, const char* name) {
    char out[32];
    std::snprintf(out, sizeof(out), "%.*f%s", number % unit == 0 ? 0 : digits,
                  static_cast<double>(number) / static_cast<double>(unit), name);
    return std::string(out);
  };
  if (number >= 1'000'000'000) return text(1'000'000'000, 1, "B");
  if (number >= 1'000'000) return text(1'000'000, 2, "M");
  if (number >= 1'000) return text(1'000, 0, "K");
  return std::to_string(number);
}

std::string details(const ServedModel& served) {
  JsonWriter object;
  object.string("parent_model", "");
  object.string("format", "safetensors");
  object.string("family", served.model.config().model_type);
  append_list(object.member("families"), std::vector<std::string>{served.model.config().model_type},
              [](std::string& out, const std::string& one) { append_string(out, one); });
  object.string("parameter_size", human_number(served.parameters));
  object.string("quantization_level", served.precision);
  return object.take();
}

std::string capabilities(const ServedModel& served) {
  return served.kind == ModelKind::kEmbedder ? R"(["embedding"])" : "[]";
}

// Adds what the lists of models say about a model.
void add_model(JsonWriter& one, const ServedModel& served) {
  one.string("name", served.source.name);
  one.string("model", served.source.name);
  one.number("size", uint64_t{served.weight_bytes});
  one.string("digest", served.digest.text());
  one.member("details") += details(served);
  one.member("capabilities") += capabilities(served);
}

std::shared_ptr<Job> ollama_job(const Call& call, const EmbedOptions& dense, const std::string& field) {
  const VectorRequest request{.dense = dense};
  auto job = new_job(call, call.model(ModelKind::kEmbedder), request, texts_of(call, field), field);
  job->request.may_truncate = optional_bool(call.body, "truncate").value_or(true);
  return job;
}

}  // namespace

HandlerResult ollama_embed(const Call& call) {
  auto job = ollama_job(call, {.normalize = true, .dimensions = optional_size(call.body, "dimensions")}, "input");
  return Computing{std::move(job),
                   [](const Job& done) {
                     JsonWriter object;
                     object.string("model", done.model->source.name);
                     append_outputs(object.member("embeddings"), done, [](std::string& out, const TextOutput& one) {
                       const std::vector<float>& vector = std::get<TextVectors>(one.output).dense;
                       const size_t shape[] = {vector.size()};
                       append_tensor(out, vector, shape);
                     });
                     const auto total = done.queue_time + done.tokenize_time + done.compute_time;
                     object.number("total_duration",
                                   int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(total).count()});
                     object.number("load_duration", int64_t{0});
                     object.number("prompt_eval_count", uint64_t{usage_of(done).tokens});
                     add_compute(object, done);
                     return object.take();
                   },
                   true};
}

HandlerResult ollama_embeddings(const Call& call) {
  if (!required_field(call.body, "prompt").is_string()) throw_type("prompt", call.body["prompt"], "a string");
  auto job = ollama_job(call, {}, "prompt");
  return Computing{std::move(job), [](const Job& done) {
                     JsonWriter object;
                     object.numbers<float>("embedding", std::get<TextVectors>(done.outputs.front().output).dense);
                     add_compute(object, done);
                     return object.take();
                   }};
}

HandlerResult ollama_tags(const Call& call) {
  JsonWriter object;
  append_list(object.member("models"), call.models.all(), [](std::string& out, const ServedModelPtr& served) {
    JsonWriter one;
    add_model(one, *served);
    one.string("modified_at", rfc3339(served->loaded_at));
    out += one.take();
  });
  return HttpResponse{.body = object.take()};
}

// All models stay loaded, in the machine's memory.
HandlerResult ollama_ps(const Call& call) {
  JsonWriter object;
  append_list(object.member("models"), call.models.all(), [](std::string& out, const ServedModelPtr& served) {
    JsonWriter one;
    add_model(one, *served);
    one.string("expires_at", "9999-12-31T23:59:59Z");
    one.number("size_vram", uint64_t{0});
    one.number("context_length", uint64_t{served->model.max_length()});
    out += one.take();
  });
  return HttpResponse{.body = object.take()};
}

HandlerResult ollama_show(const Call& call) {
  const bool has_model = optional_field(call.body, "model") != nullptr;
  const std::string name = required_string(call.body, has_model ? "model" : "name");
  const ServedModelPtr served = call.find(name);
  const ModelConfig& config = served->model.config();
  JsonWriter object, info;
  object.string("modelfile", "");
  object.string("parameters", "");
  object.string("template", "");
  object.member("details") += details(*served);
  info.string("general.architecture", config.model_type);
  info.number(config.model_type + ".context_length", uint64_t{served->model.max_length()});
  info.number(config.model_type + ".block_count", uint64_t{static_cast<size_t>(config.num_hidden_layers)});
  if (served->kind == ModelKind::kEmbedder) {
    info.number(config.model_type + ".embedding_length", uint64_t{served->model.embedding_size()});
  }
  object.member("model_info") += info.take();
  object.member("capabilities") += capabilities(*served);
  object.string("modified_at", rfc3339(served->loaded_at));
  return HttpResponse{.body = object.take()};
}

HandlerResult ollama_version(const Call&) {
  JsonWriter object;
  object.string("version", version());
  return HttpResponse{.body = object.take()};
}

}  // namespace bert::server
