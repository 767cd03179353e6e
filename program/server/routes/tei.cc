// The computing routes of Hugging Face's text-embeddings-inference.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "bert/tasks.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/rerank_job.h"
#include "program/server/routes/task_fields.h"

namespace bert::server {
namespace {

// Reads the fields that all these routes have.
void read_common(const Json& fields, Job& job) {
  if (const auto truncate = optional_bool(fields, "truncate")) job.request.may_truncate = *truncate;
  job.request.truncation_direction = truncation_direction(fields);
  auto* request = std::get_if<VectorRequest>(&*job.request.task);
  if (request != nullptr) request->prompt = optional_string(fields, "prompt_name");
}

constexpr std::string_view kDirections[] = {"right", "left", "Right", "Left"};

TextItem sequence_of(const Json& list, const std::string& name) {
  constexpr const char* kExpected = "a string, a pair [string, string], or a list of [string] and [string, string]";
  if (!list.is_array() || list.empty() || list.size() > 2) throw_type(name, list, kExpected);
  for (const Json& text : list) {
    if (!text.is_string()) throw_type(name, text, kExpected);
  }
  TextItem input{.text = list[0].get<std::string>()};
  if (list.size() == 2) input.pair = list[1].get<std::string>();
  return input;
}

std::string predictions_of(const Job& job, size_t input) {
  std::string text;
  append_list(text, std::get<std::vector<LabelScore>>(output_of(job, input)),
              [](std::string& out, const LabelScore& one) {
                JsonWriter object;
                object.number("score", static_cast<float>(one.score));
                object.string("label", one.label);
                out += object.take();
              });
  return text;
}

// Returns a list with an entry for each text; null for a failed one.
Computing listed(std::shared_ptr<Job> job, std::function<void(std::string&, const TextOutput&)> append) {
  const auto body = [append = std::move(append)](const Job& done) {
    std::string text;
    append_outputs(text, done, append);
    return text;
  };
  return {std::move(job), body, true};
}

}  // namespace

std::string label_name(const ModelConfig& config, size_t index) {
  return index < config.labels.size() && config.labels[index] ? *config.labels[index]
                                                              : "LABEL_" + std::to_string(index);
}

std::optional<Direction> truncation_direction(const Json& body) {
  const auto word = optional_word(body, "truncation_direction", kDirections);
  if (!word) return std::nullopt;
  return std::tolower((*word)[0]) == 'l' ? Direction::kLeft : Direction::kRight;
}

std::vector<TextItem> texts_of(const Call& call, const std::string& field) {
  const Json& given = required_field(call.body, field);
  if (given.is_string()) return {{.text = given.get<std::string>()}};
  if (!given.is_array()) throw_type(field, given, "a string or a list of strings");
  const auto ids = [&](const Json& list) {
    if (!call.options().accept_token_ids) {
      throw ApiError(Fault::kInvalid,
                     "'" + field +
                         "' has token ids, expected texts: ids of another tokenizer would give wrong vectors. "
                         "(LangChain's OpenAIEmbeddings sends texts with check_embedding_ctx_length=False; the "
                         "server's --accept-token-ids takes ids of its own model)",
                     field);
    }
    return TextItem{.ids = ids_of(list, field)};
  };
  if (!given.empty() && given.front().is_number()) return {ids(given)};
  check_count(call, given.size(), field);
  std::vector<TextItem> texts;
  for (const Json& one : given) {
    if (one.is_string()) {
      texts.push_back({.text = one.get<std::string>()});
    } else if (one.is_array()) {
      texts.push_back(ids(one));
    } else {
      throw_type(field + "[" + std::to_string(texts.size()) + "]", one, "a string");
    }
  }
  return texts;
}

HandlerResult tei_embed(const Call& call) {
  const VectorRequest request{.dense = EmbedOptions{.normalize = optional_bool(call.body, "normalize").value_or(true),
                                                    .dimensions = optional_size(call.body, "dimensions")}};
  auto job = new_job(call, call.model(ModelKind::kEmbedder), request, texts_of(call, "inputs"), "inputs");
  read_common(call.body, *job);
  return listed(std::move(job), [](std::string& out, const TextOutput& one) {
    const std::vector<float>& vector = std::get<TextVectors>(one.output).dense;
    const size_t shape[] = {vector.size()};
    append_tensor(out, vector, shape);
  });
}

HandlerResult tei_embed_all(const Call& call) {
  auto job = new_job(call, call.model(ModelKind::kEmbedder), EncodeOptions{}, texts_of(call, "inputs"), "inputs");
  read_common(call.body, *job);
  job->request.prompt = job->model->model.prompt(optional_string(call.body, "prompt_name"));
  return listed(std::move(job), [](std::string& out, const TextOutput& one) {
    const auto& encoded = std::get<EncodedSequence>(one.output);
    const size_t shape[] = {encoded.tokens, encoded.hidden};
    append_tensor(out, encoded.last_hidden_state, shape);
  });
}

HandlerResult tei_embed_sparse(const Call& call) {
  const VectorRequest request{.sparse = SparseOptions{}};
  auto job = new_job(call, call.model(ModelKind::kEmbedder), request, texts_of(call, "inputs"), "inputs");
  read_common(call.body, *job);
  return listed(std::move(job), [](std::string& out, const TextOutput& one) {
    const SparseVector& vector = std::get<TextVectors>(one.output).sparse;
    std::vector<size_t> places(vector.ids.size());
    std::iota(places.begin(), places.end(), size_t{0});
    append_list(out, places, [&](std::string& list, size_t i) {
      JsonWriter entry;
      entry.number("index", vector.ids[i]);
      entry.number("value", vector.weights[i]);
      list += entry.take();
    });
  });
}

HandlerResult tei_predict(const Call& call) {
  // A reranker is a classifier with one label.
  ServedModelPtr model = call.models.first(ModelKind::kClassifier) == nullptr && call.path_model.empty()
                             ? call.model(ModelKind::kReranker)
                             : call.any_model();
  if (model->kind == ModelKind::kEmbedder || model->kind == ModelKind::kTagger) {
    model = call.model(ModelKind::kClassifier);
  }
  if (reads_labels(model->model, LabelTask::kClasses)) {
    throw ApiError(Fault::kWrongKind,
                   "model '" + model->source.name +
                       "' reads labels, expected one that has its own; /v1/classify takes " + "labels",
                   "model");
  }
  const Json& given = required_field(call.body, "inputs");
  const bool is_list = given.is_array() && !given.empty() && given.front().is_array();
  std::vector<TextItem> texts;
  if (given.is_string()) {
    texts.push_back({.text = given.get<std::string>()});
  } else if (is_list) {
    check_count(call, given.size(), "inputs");
    for (const Json& one : given) texts.push_back(sequence_of(one, "inputs[" + std::to_string(texts.size()) + "]"));
  } else {
    texts.push_back(sequence_of(given, "inputs"));
  }
  const bool raw = optional_bool(call.body, "raw_scores").value_or(false);
  TaskCallPtr task =
      classify_call(model->model, {}, {.function = raw ? std::optional(LogitFunction::kNone) : std::nullopt});
  auto job = task_job(call, std::move(model), std::move(task), std::move(texts), "inputs",
                      long_texts_of(call.body, TaskSettings("classify"), call.cut_or_error()));
  read_common(call.body, *job);
  return Computing{std::move(job),
                   [is_list](const Job& done) {
                     if (!is_list) return predictions_of(done, 0);
                     std::string text;
                     append_results(text, done,
                                    [&](std::string& out, size_t input) { out += predictions_of(done, input); });
                     return text;
                   },
                   is_list};
}

HandlerResult tei_rerank(const Call& call) {
  TaskSettings settings = settings_of(call.body, "rerank", {{"query"}, {"prompt_name", "prompt"}});
  const Json& given = required_field(call.body, "texts");
  if (given.is_array()) check_pairs(call, call.body["query"], given, "texts");
  const LongTexts long_texts = long_texts_of(call.body, settings, call.cut_or_error());
  auto job = rerank_job(call, std::move(settings), required_strings(call.body, "texts"), "texts", long_texts);
  read_common(call.body, *job);
  const bool raw = optional_bool(call.body, "raw_scores").value_or(false);
  const bool with_text = optional_bool(call.body, "return_text").value_or(false);
  return Computing{std::move(job), [raw, with_text](const Job& done) {
                     std::string text;
                     append_list(text, ranked_documents(done), [&](std::string& out, const RankedDocument& one) {
                       JsonWriter object;
                       object.number("index", uint64_t{one.index});
                       if (with_text) object.string("text", one.text);
                       add_score(object, "score", one, raw);
                       out += object.take();
                     });
                     return text;
                   }};
}

HandlerResult tei_similarity(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kEmbedder);
  const Json& inputs = required_field(call.body, "inputs");
  if (!inputs.is_object()) throw_type("inputs", inputs, "an object with source_sentence and sentences");
  std::vector<TextItem> texts = {{.text = required_string(inputs, "source_sentence")}};
  for (std::string& text : required_strings(inputs, "sentences")) texts.push_back({.text = std::move(text)});
  if (texts.size() == 1) throw ApiError(Fault::kEmpty, "'sentences' is empty, expected at least one text", "sentences");
  auto job = new_job(call, std::move(model), VectorRequest{.dense = EmbedOptions{}}, std::move(texts), "sentences");
  if (const Json* parameters = optional_field(call.body, "parameters")) {
    if (!parameters->is_object()) throw_type("parameters", *parameters, "an object");
    read_common(*parameters, *job);
  }
  return Computing{std::move(job), [](const Job& done) {
                     std::string text = "[";
                     for (size_t i = 1; i < done.outputs.size(); ++i) {
                       if (i > 1) text += ',';
                       append_number(text, static_cast<float>(
                                               cosine_similarity(std::get<TextVectors>(done.outputs[0].output).dense,
                                                                 std::get<TextVectors>(done.outputs[i].output).dense)));
                     }
                     return text + "]";
                   }};
}

HandlerResult tei_by_kind(const Call& call) {
  if (is_hub_request(call.body)) return hub_task(call);
  switch (call.any_model()->kind) {
    case ModelKind::kEmbedder:
      return tei_embed(call);
    case ModelKind::kReranker:
      return tei_rerank(call);
    case ModelKind::kClassifier:
    case ModelKind::kTagger:
      break;
  }
  return tei_predict(call);
}

}  // namespace bert::server
