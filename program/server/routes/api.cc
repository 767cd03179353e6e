#include "program/server/routes/api.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/joined.h"

namespace bert::server {
namespace {

std::string milliseconds_text(Job::Clock::duration time) { return std::to_string(std::lround(milliseconds(time))); }

size_t characters_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Finds a model. Ollama's clients add the tag ":latest" to a name.
ServedModelPtr find_by_name(const ModelSet& models, const std::string& name) {
  constexpr std::string_view kTag = ":latest";
  if (ServedModelPtr found = models.find(name)) return found;
  return name.ends_with(kTag) ? models.find(name.substr(0, name.size() - kTag.size())) : nullptr;
}

}  // namespace

std::shared_ptr<const void> Call::share_for(size_t bytes) const {
  auto share = std::make_shared<AnswerShare>(facts.answers);
  if (share->share.grow_to(bytes)) return share;
  if (const size_t most = facts.answers->largest_share(); bytes > most) throw too_large_answer(most);
  throw lack_of_memory("this answer");
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
  const std::string known = joined(models.all(), ", ", [](const ServedModelPtr& model) { return model->source.name; });
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

Words Call::words(std::string_view field) const {
  const auto known = std::ranges::find(form.fields, field, &Field::name);
  return known->type.items != nullptr ? known->type.items->words : known->type.words;
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
  append_list(out, job.outputs, [&](std::string& text, const TextOutput& one) {
    if (one.has_failed()) {
      text += "null";
    } else {
      append(text, one);
    }
  });
}

void append_results(std::string& out, const Job& job, const std::function<void(std::string&, size_t)>& append) {
  append_outputs(out, job, [&](std::string& text, const TextOutput& one) {
    append(text, static_cast<size_t>(&one - job.outputs.data()));
  });
}

void add_compute(JsonWriter& object, const Job& job) {
  if (const std::vector<size_t> failed = failed_texts(job); !failed.empty()) {
    append_list(object.member("errors"), failed, [&](std::string& out, size_t index) {
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

std::vector<TaskSequence> sequences_of(const Job& job, size_t input) {
  std::vector<TaskSequence> sequences;
  const auto add = [&](size_t text) {
    const size_t first = sequences.size();
    for (const TextOutput& one : job.outputs[text].sequences()) {
      const size_t window = sequences.size() - first;
      TaskSequence& sequence = sequences.emplace_back(one.output, one.encoding);
      sequence.truncated_tokens = one.truncated_tokens;
      if (!job.windows.empty()) sequence.place = job.window_places[job.first_windows[text] + window];
    }
    const TextItem& item = job.texts[text];
    sequences[first].text = item.text;
    if (item.pair) sequences[first].pair = *item.pair;
    if (item.words) sequences[first].words = &*item.words;
  };
  const size_t queries = job.task->query() != nullptr ? 1 : 0, items = job.task->item_count();
  if (queries > 0) add(0);
  for (size_t item = 0; item < items; ++item) add(queries + input * items + item);
  return sequences;
}

TaskOutput output_of(const Job& job, size_t input) { return job.task->result(sequences_of(job, input)); }

std::string json_of(const Job& job, size_t input, std::optional<OffsetUnit> unit) {
  const std::vector<TaskSequence> sequences = sequences_of(job, input);
  return to_json(job.task->result(sequences), sequences.front(), unit);
}

}  // namespace bert::server
