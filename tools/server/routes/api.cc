#include "tools/server/routes/api.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "tools/common/joined.h"
#include "tools/server/routes/json_body.h"

namespace bert::server {
namespace {

using common::JsonWriter;

struct FaultEntry {
  Fault fault;
  const char* name;
  // Status codes of the originals.
  int openai, tei, jina, cohere, ollama;
  const char* tei_type;
};

constexpr FaultEntry kFaults[] = {
    {Fault::kSyntax, "syntax", 400, 400, 422, 400, 400, "Validation"},
    {Fault::kInvalid, "validation", 400, 422, 422, 400, 400, "Validation"},
    {Fault::kEmpty, "empty", 400, 400, 422, 400, 400, "Empty"},
    {Fault::kTooLong, "too_long", 400, 422, 400, 400, 400, "Validation"},
    {Fault::kTooManyTexts, "too_many_texts", 400, 422, 422, 400, 400, "Validation"},
    {Fault::kModelNotFound, "model_not_found", 404, 404, 404, 404, 404, "Validation"},
    {Fault::kWrongKind, "wrong_kind", 400, 424, 400, 400, 400, "Backend"},
    {Fault::kUnsupported, "unsupported", 501, 501, 501, 501, 501, "Backend"},
    {Fault::kNotFound, "not_found", 404, 404, 404, 404, 404, "Validation"},
    {Fault::kMethod, "method", 405, 405, 405, 405, 405, "Validation"},
    {Fault::kUnauthorized, "unauthorized", 401, 401, 401, 401, 401, "Validation"},
    {Fault::kTooLarge, "too_large", 413, 413, 413, 413, 413, "Validation"},
    {Fault::kHeaderTooLarge, "header_too_large", 431, 431, 431, 431, 431, "Validation"},
    {Fault::kTimeout, "timeout", 408, 408, 408, 408, 408, "Validation"},
    {Fault::kMediaType, "media_type", 415, 415, 415, 415, 415, "Validation"},
    {Fault::kMisdirected, "misdirected", 421, 421, 421, 421, 421, "Validation"},
    {Fault::kOverloaded, "overloaded", 429, 429, 429, 429, 429, "Overloaded"},
    {Fault::kUnavailable, "unavailable", 503, 503, 503, 503, 503, "Unhealthy"},
    {Fault::kInternal, "internal", 500, 424, 500, 500, 500, "Backend"},
};

const FaultEntry& entry_of(Fault fault) {
  return *std::find_if(std::begin(kFaults), std::end(kFaults), [&](const FaultEntry& e) { return e.fault == fault; });
}

std::string openai_body(const ApiError& error, const FaultEntry& entry) {
  JsonWriter inner;
  inner.string("message", error.what());
  inner.string("type", entry.openai >= 500   ? "server_error"
                       : entry.openai == 429 ? "rate_limit_error"
                                             : "invalid_request_error");
  if (error.parameter().empty()) {
    inner.member("param") += "null";
  } else {
    inner.string("param", error.parameter());
  }
  switch (error.fault()) {
    case Fault::kModelNotFound:
    case Fault::kOverloaded:
      inner.string("code", entry.name);
      break;
    case Fault::kUnauthorized:
      inner.string("code", "invalid_api_key");
      break;
    case Fault::kTooLong:
      inner.string("code", "context_length_exceeded");
      break;
    default:
      inner.member("code") += "null";
  }
  JsonWriter object;
  object.member("error") += inner.take();
  return object.take();
}

std::string milliseconds_text(Job::Clock::duration time) { return std::to_string(std::lround(milliseconds(time))); }

size_t characters_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Another attempt may succeed.
ApiError unavailable(const std::string& reason) {
  return with_field({Fault::kUnavailable, reason}, "Retry-After", "1");
}

// A client of Ollama adds the tag ":latest" to a name.
ServedModelPtr find_by_name(const ModelSet& models, const std::string& name) {
  constexpr std::string_view kTag = ":latest";
  if (ServedModelPtr found = models.find(name)) return found;
  return name.ends_with(kTag) ? models.find(name.substr(0, name.size() - kTag.size())) : nullptr;
}

}  // namespace

std::string_view name(Fault fault) { return entry_of(fault).name; }

std::string log_text(const ApiError& error) {
  if (error.fault() == Fault::kInternal || error.fault() == Fault::kUnavailable) return error.what();
  std::string text(name(error.fault()));
  if (!error.parameter().empty()) text += ": '" + error.parameter() + "'";
  return text;
}

ApiError without_directories(const ApiError& error, const ModelSet& models) {
  ApiError told(error.fault(), models.without_directories(error.what()), error.parameter());
  told.fields = error.fields;
  return told;
}

ApiError with_field(ApiError error, std::string field, std::string value) {
  error.fields.emplace_back(std::move(field), std::move(value));
  return error;
}

ApiError as_api_error(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kNonFinite:
    case ErrorCode::kIo:
    case ErrorCode::kInvalidFile:
      return {Fault::kInternal, error.what()};
    case ErrorCode::kOutOfMemory:
      return unavailable(error.what());
    default:
      return {Fault::kInvalid, error.what()};
  }
}

ApiError lack_of_memory(const std::string& subject) { return unavailable("not enough memory for " + subject); }

ApiError too_large_answer(size_t most) {
  return {Fault::kTooLarge, "the answer needs more than " + std::to_string(most) +
                                " bytes of memory; expected a request of fewer texts or tokens"};
}

std::shared_ptr<const void> Call::share_for(size_t bytes) const {
  auto share = std::make_shared<AnswerShare>(facts.answers);
  if (share->share.grow_to(bytes)) return share;
  if (const size_t most = facts.answers->largest_share(); bytes > most) throw too_large_answer(most);
  throw lack_of_memory("this answer");
}

HttpResponse error_response(ApiStyle style, const ApiError& error) {
  const FaultEntry& entry = entry_of(error.fault());
  HttpResponse response;
  response.fields = error.fields;
  JsonWriter object;
  switch (style) {
    case ApiStyle::kOpenAi:
      response.status = entry.openai;
      response.body = openai_body(error, entry);
      return response;
    case ApiStyle::kTei:
      response.status = entry.tei;
      object.string("error", error.what());
      object.string("error_type", entry.tei_type);
      break;
    case ApiStyle::kJina:
      response.status = entry.jina;
      object.string("detail", error.what());
      break;
    case ApiStyle::kCohere:
      response.status = entry.cohere;
      object.string("message", error.what());
      break;
    case ApiStyle::kOllama:
      response.status = entry.ollama;
      object.string("error", error.what());
      break;
  }
  response.body = object.take();
  return response;
}

ServedModelPtr Call::named() const {
  std::string wanted = path_model;
  if (wanted.empty() && body.is_object()) wanted = optional_string(body, "model").value_or("");
  if (wanted.empty()) return nullptr;
  const bool is_alone = models.all().size() == 1 && !options().strict_model_names;
  const bool may_be_any = (is_alone || options().any_model_name) && path_model.empty();
  return may_be_any && !find_by_name(models, wanted) ? nullptr : find(wanted);
}

ServedModelPtr Call::find(const std::string& wanted) const {
  if (ServedModelPtr found = find_by_name(models, wanted)) return found;
  const std::string known =
      common::joined(models.all(), ", ", [](const ServedModelPtr& model) { return model->source.name; });
  throw ApiError(Fault::kModelNotFound, "model '" + wanted.substr(0, 100) + "' not found; this server has " + known,
                 "model");
}

ServedModelPtr Call::model(ModelKind kind) const {
  if (ServedModelPtr found = named()) {
    if (found->kind == kind) return found;
    throw ApiError(Fault::kWrongKind,
                   "model '" + found->source.name + "' is of the kind " + std::string(name(found->kind)) +
                       ", expected " + std::string(name(kind)),
                   "model");
  }
  if (ServedModelPtr found = models.first(kind)) return found;
  throw ApiError(Fault::kWrongKind, "this server has no model of the kind " + std::string(name(kind)));
}

ServedModelPtr Call::reranker() const {
  const ServedModelPtr found = named();
  const bool embeds = found ? found->kind == ModelKind::kEmbedder : models.first(ModelKind::kReranker) == nullptr;
  return embeds ? model(ModelKind::kEmbedder) : model(ModelKind::kReranker);
}

ServedModelPtr Call::any_model() const {
  if (ServedModelPtr found = named()) return found;
  return models.all().front();
}

Usage usage_of(const Job& job) {
  Usage usage;
  for (const TextOutput& output : job.outputs) {
    usage.tokens += output.tokens;
    usage.truncated_tokens += output.truncated_tokens;
    usage.coarse_rows += output.coarse_rows;
  }
  for (const TextItem& text : job.texts) {
    usage.characters += characters_of(text.text) + (text.pair ? characters_of(*text.pair) : 0);
  }
  return usage;
}

ApiError error_of(const Job& job, size_t index) {
  const TextOutput& output = job.outputs[index];
  const std::string text = "text " + std::to_string(index);
  if (!output.error) return lack_of_memory(text);
  const ApiError reason = as_api_error(*output.error);
  ApiError error(output.is_too_long ? Fault::kTooLong : reason.fault(), text + ": " + reason.what());
  error.fields = reason.fields;
  return error;
}

std::vector<size_t> failed_texts(const Job& job) {
  std::vector<size_t> failed;
  for (size_t i = 0; i < job.outputs.size(); ++i) {
    if (job.outputs[i].has_failed()) failed.push_back(i);
  }
  return failed;
}

void reserve_more(const Job& job, size_t bytes) {
  MemoryShare& share = job.share->share;
  if (!share.grow_to(share.bytes() + bytes)) refuse_share(job, share.bytes() + bytes);
}

void refuse_share(const Job& job, size_t bytes) {
  const size_t most = job.share->budget->largest_share();
  if (bytes > most) throw too_large_answer(most);
  throw lack_of_memory("this answer");
}

void append_outputs(std::string& out, const Job& job,
                    const std::function<void(std::string&, const TextOutput&)>& append) {
  common::append_list(out, job.outputs, [&](std::string& text, const TextOutput& one) {
    if (one.has_failed()) {
      text += "null";
    } else {
      append(text, one);
    }
  });
}

void add_compute(JsonWriter& object, const Job& job) {
  if (const std::vector<size_t> failed = failed_texts(job); !failed.empty()) {
    common::append_list(object.member("errors"), failed, [&](std::string& out, size_t index) {
      JsonWriter one;
      one.number("index", uint64_t{index});
      one.string("message", error_of(job, index).what());
      out += one.take();
    });
  }
  const Usage usage = usage_of(job);
  JsonWriter compute;
  compute.number("tokens", uint64_t{usage.tokens});
  compute.number("truncated_tokens", uint64_t{usage.truncated_tokens});
  compute.string("model", job.model->source.name);
  compute.string("sha256", job.model->digest.text());
  compute.string("precision", job.model->precision);
  compute.number("queue_ms", milliseconds(job.queue_time));
  compute.number("tokenization_ms", milliseconds(job.tokenize_time));
  compute.number("inference_ms", milliseconds(job.compute_time));
  object.member("compute") += compute.take();
}

void add_compute_fields(const Job& job, Job::Clock::duration total, HttpFields& fields) {
  const Usage usage = usage_of(job);
  fields.emplace_back("x-compute-type", "cpu");
  fields.emplace_back("x-compute-time", milliseconds_text(total));
  fields.emplace_back("x-compute-characters", std::to_string(usage.characters));
  fields.emplace_back("x-compute-tokens", std::to_string(usage.tokens));
  fields.emplace_back("x-total-time", milliseconds_text(total));
  fields.emplace_back("x-tokenization-time", milliseconds_text(job.tokenize_time));
  fields.emplace_back("x-queue-time", milliseconds_text(job.queue_time));
  fields.emplace_back("x-inference-time", milliseconds_text(job.compute_time));
  fields.emplace_back("x-truncated-tokens", std::to_string(usage.truncated_tokens));
  fields.emplace_back("x-model", job.model->source.name);
  fields.emplace_back("x-model-precision", job.model->precision);
  if (job.model->digest.is_known()) fields.emplace_back("x-model-sha256", job.model->digest.text());
}

void check_files(const ServedModel& model) {
  const std::string change = model.files.change(model.model);
  if (change.empty()) return;
  throw ApiError(Fault::kUnavailable,
                 "model '" + model.source.name + "' is not served until it is loaded again: " + change);
}

void check_count(const Call& call, size_t texts, const std::string& field) {
  if (texts == 0) throw ApiError(Fault::kEmpty, "'" + field + "' is empty, expected at least one text", field);
  const size_t most = std::min(call.options().max_texts, call.facts.queue.max_texts);
  if (texts > most) {
    throw ApiError(Fault::kTooManyTexts,
                   "'" + field + "' has " + std::to_string(texts) + " texts, expected at most " + std::to_string(most),
                   field);
  }
}

void check_pairs(const Call& call, const Json& query, const Json& texts, const std::string& field) {
  check_count(call, texts.size(), field);
  const auto bytes_of = [](const Json& text) {
    return text.is_string() ? text.get_ref<const std::string&>().size() : 0;
  };
  size_t bytes = texts.size() * bytes_of(query);
  for (const Json& text : texts) {
    const Json* inner = text.is_object() ? optional_field(text, "text") : &text;
    if (inner != nullptr) bytes += bytes_of(*inner);
  }
  const size_t most = call.facts.queue.max_bytes;
  if (bytes <= most) return;
  throw ApiError(Fault::kTooLarge,
                 "'" + field + "' has " + std::to_string(texts.size()) + " texts and the query " +
                     std::to_string(bytes_of(query)) + " bytes, together " + std::to_string(bytes) +
                     " bytes of pairs, expected at most " + std::to_string(most),
                 field);
}

std::shared_ptr<Job> new_job(const Call& call, ServedModelPtr model, std::optional<TextTask> task,
                             std::vector<TextItem> texts, const std::string& field) {
  check_count(call, texts.size(), field);
  auto job = std::make_shared<Job>();
  job->model = std::move(model);
  job->request.task = std::move(task);
  job->request.may_truncate = call.options().auto_truncate;
  job->request.is_partial = call.body.is_object() && optional_bool(call.body, "partial").value_or(false);
  job->request.fails_whole = !job->request.is_partial;
  job->texts = std::move(texts);
  return job;
}

}  // namespace bert::server
