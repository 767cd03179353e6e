// The other routes of text-embeddings-inference: tokens, ids, information about the server, and Vertex AI's route.
#include <algorithm>
#include <iterator>
#include <utility>

#include "program/server/queue/answer_bytes.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/label_body.h"
#include "program/server/routes/rerank_job.h"

namespace bert::server {
namespace {

// Returns the tokens of a text, or of its words; for words, a token's place is inside its word.
std::string tokens_of(const Tokenizer& tokenizer, const std::string& whole, const TextItem& item,
                      const Encoding& encoding, OffsetUnit unit) {
  const OffsetUnits units_of_whole(whole, unit);
  std::string out = "[";
  for (size_t i = 0; i < encoding.size(); ++i) {
    const bool special = encoding.special_tokens_mask[i] != 0;
    const bool in_word = item.words && !special;
    const std::string& text = in_word ? (*item.words)[static_cast<size_t>(encoding.word_ids[i])] : whole;
    const OffsetUnits units = in_word ? OffsetUnits(text, unit) : units_of_whole;
    const Offset offset = encoding.offsets[i];
    JsonWriter token;
    token.number("id", encoding.ids[i]);
    token.string("text", special ? tokenizer.token(encoding.ids[i])
                                 : std::string_view(text).substr(offset.begin, offset.end - offset.begin));
    token.boolean("special", special);
    if (special) {
      token.member("start") += "null";
      token.member("stop") += "null";
    } else {
      token.number("start", uint64_t{units.before(offset.begin)});
      token.number("stop", uint64_t{units.before(offset.end)});
    }
    if (item.words) {
      if (special) {
        token.member("word") += "null";
      } else {
        token.number("word", encoding.word_ids[i]);
      }
    }
    out += (i > 0 ? "," : "") + token.take();
  }
  return out + "]";
}

std::string model_type(const ServedModel& served) {
  JsonWriter inner, outer;
  if (served.kind == ModelKind::kEmbedder) {
    std::string modes;
    const PoolingSettings settings = served.model.pooling();
    for (const PoolingMode mode : settings.modes) {
      modes += (modes.empty() ? "" : "+") + std::string(bert::name(mode));
    }
    inner.string("pooling", modes);
    if (const std::string guess = undeclared_pooling(settings); !guess.empty()) inner.string("pooling_note", guess);
    if (const auto score = vector_score_name(served)) inner.string("rerank_score", *score);
  } else if (!reads_labels(served.model, LabelTask::kEntities) && !reads_labels(served.model, LabelTask::kClasses)) {
    const ModelConfig& config = served.model.config();
    JsonWriter by_id, by_label;
    for (size_t i = 0; i < config.labels.size(); ++i) {
      by_id.string(std::to_string(i), label_name(config, i));
      by_label.number(label_name(config, i), uint64_t{i});
    }
    inner.member("id2label") += by_id.take();
    inner.member("label2id") += by_label.take();
  }
  outer.member(name(served.kind)) += inner.take();
  return outer.take();
}

}  // namespace

HandlerResult tei_tokenize(const Call& call) {
  ServedModelPtr model = call.any_model();
  std::optional<std::vector<TextItem>> words = words_of(call, "inputs");
  std::vector<TextItem> texts;
  if (words) {
    texts = std::move(*words);
    if (optional_string(call.body, "prompt_name")) {
      throw ApiError(Fault::kInvalid, "'prompt_name' is of 'inputs', not of 'words'", "prompt_name");
    }
  } else if (const Json& given = required_field(call.body, "inputs"); given.is_string()) {
    texts.push_back({.text = given.get<std::string>()});
  } else {
    for (std::string& text : required_strings(call.body, "inputs")) texts.push_back({.text = std::move(text)});
  }
  auto job = new_job(call, std::move(model), std::nullopt, std::move(texts), words ? "words" : "inputs");
  job->request.add_special_tokens = optional_bool(call.body, "add_special_tokens").value_or(true);
  if (const auto prompt = optional_string(call.body, "prompt_name")) {
    job->request.prompt = job->model->model.prompt(prompt);
  }
  const OffsetUnit unit = offset_unit(call).value_or(OffsetUnit::kBytes);
  return Computing{std::move(job), [unit](const Job& done) {
                     std::string text = "[";
                     for (size_t i = 0; i < done.outputs.size(); ++i) {
                       text += (i > 0 ? "," : "") + tokens_of(done.model->model.tokenizer(),
                                                              done.request.prompt + done.texts[i].text, done.texts[i],
                                                              done.outputs[i].encoding, unit);
                     }
                     return text + "]";
                   }};
}

HandlerResult tei_decode(const Call& call) {
  const ServedModelPtr model = call.any_model();
  const Json& given = required_field(call.body, "ids");
  if (!given.is_array()) throw_type("ids", given, "a list of token ids, or a list of such lists");
  const bool is_list = !given.empty() && given.front().is_array();
  const bool skip = optional_bool(call.body, "skip_special_tokens").value_or(true);
  const Tokenizer& tokenizer = model->model.tokenizer();
  std::vector<std::vector<int32_t>> lists;
  if (is_list) {
    for (const Json& ids : given) lists.push_back(ids_of(ids, "ids"));
  } else {
    lists.push_back(ids_of(given, "ids"));
  }
  size_t bytes = 0;
  for (const std::vector<int32_t>& ids : lists) {
    for (const int32_t id : ids) bytes += kTextBytes * (tokenizer.token(id).size() + 1);
  }
  HttpResponse response{.body = "[", .kept = call.share_for(bytes)};
  for (const std::vector<int32_t>& ids : lists) {
    if (response.body.size() > 1) response.body += ',';
    append_string(response.body, tokenizer.decode(ids, skip));
  }
  response.body += ']';
  return response;
}

HandlerResult tei_info(const Call& call) {
  const ServedModelPtr model = call.any_model();
  size_t bytes = 0;
  for (const std::optional<std::string>& label : model->model.config().labels) {
    bytes += 2 * kTextBytes * (kNumberedLabelBytes + (label ? label->size() : 0));
  }
  HttpResponse response{.kept = call.share_for(bytes)};
  JsonWriter object;
  object.string("model_id", model->source.name);
  object.string("model_sha", model->digest.text());
  object.string("model_dtype", model->precision);
  object.member("model_type") += model_type(*model);
  object.number("max_concurrent_requests", uint64_t{call.facts.queue.max_texts});
  object.number("max_input_length", uint64_t{model->model.max_length()});
  object.number("max_batch_tokens", uint64_t{call.facts.queue.batch_tokens});
  object.member("max_batch_requests") += "null";
  object.number("max_client_batch_size", uint64_t{call.options().max_texts});
  object.boolean("auto_truncate", call.options().auto_truncate);
  object.number("tokenization_workers", uint64_t{call.facts.queue.threads});
  object.string("version", version());
  object.member("sha") += "null";
  object.member("docker_label") += "null";
  object.number("payload_limit", uint64_t{call.facts.body_bytes});
  response.body = object.take();
  return response;
}

// Each instance is a request of the route for the model's kind. All are computed as one job with all texts; a part gets
// its own job while its answer is made.
HandlerResult tei_vertex(const Call& call) {
  const Json& instances = required_field(call.body, "instances");
  if (!instances.is_array()) throw_type("instances", instances, "a list of objects");
  struct Part {
    std::shared_ptr<Job> job;
    size_t texts = 0;
    std::function<std::string(const Job&)> body;
  };
  if (!instances.empty()) check_count(call, instances.size(), "instances");
  std::vector<Part> parts;
  std::vector<TextItem> texts;
  size_t bytes = 0;
  for (const Json& instance : instances) {
    if (!instance.is_object()) throw_type("instances[" + std::to_string(parts.size()) + "]", instance, "an object");
    auto computing = std::get<Computing>(tei_by_kind(call.with_body(instance)));
    if (!parts.empty() && !(computing.job->request == parts.front().job->request)) {
      throw ApiError(Fault::kInvalid, "'instances' have different options, expected the same in all", "instances");
    }
    std::vector<TextItem>& own = computing.job->texts;
    check_count(call, texts.size() + own.size(), "instances");
    for (const TextItem& text : own) bytes += bytes_of(text);
    if (bytes > call.facts.queue.max_bytes) {
      throw ApiError(Fault::kTooLarge,
                     "'instances' have more than " + std::to_string(call.facts.queue.max_bytes) + " bytes of texts",
                     "instances");
    }
    parts.push_back({computing.job, own.size(), std::move(computing.body)});
    std::move(own.begin(), own.end(), std::back_inserter(texts));
    own.clear();
  }
  if (parts.empty()) throw ApiError(Fault::kEmpty, "'instances' is empty, expected at least one", "instances");
  const Job& first = *parts.front().job;
  auto job = new_job(call, first.model, first.request.task, std::move(texts), "instances");
  job->request = first.request;
  job->merge = first.merge;
  for (const Part& part : parts) {  // all have windows or none, because the request has the stride
    if (!job->first_windows.empty()) job->first_windows.pop_back();
    for (const size_t window : part.job->first_windows) job->first_windows.push_back(job->windows.size() + window);
    std::move(part.job->windows.begin(), part.job->windows.end(), std::back_inserter(job->windows));
  }
  return Computing{std::move(job), [parts = std::move(parts)](const Job& done) {
                     std::string predictions = "[";
                     size_t next = 0;
                     for (const Part& part : parts) {
                       const auto begin = static_cast<std::ptrdiff_t>(next);
                       const auto end = static_cast<std::ptrdiff_t>(next += part.texts);
                       part.job->texts.assign(done.texts.begin() + begin, done.texts.begin() + end);
                       part.job->outputs.assign(done.outputs.begin() + begin, done.outputs.begin() + end);
                       part.job->share = done.share;
                       predictions += (predictions.size() > 1 ? "," : "") + part.body(*part.job);
                       part.job->texts.clear();
                       part.job->outputs.clear();
                       part.job->share.reset();
                     }
                     JsonWriter object;
                     object.member("predictions") += predictions + "]";
                     add_compute(object, done);
                     return object.take();
                   }};
}

}  // namespace bert::server
