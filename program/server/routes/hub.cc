// Tasks of Hugging Face's inference API: POST / and /models/NAME with "inputs" and "parameters", as sent by
// huggingface_hub's InferenceClient. The answers have the pipelines' values in the client's form. The task is
// recognised by the fields, else by the model.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "bert/labels.h"
#include "bert/task_calls.h"
#include "engine/base/joined.h"
#include "program/server/queue/answer_bytes.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/label_body.h"
#include "program/server/routes/task_fields.h"
#include "program/server/routes/windows.h"

namespace bert::server {
namespace {

constexpr size_t kSequenceBytes = 4096;  // limit for a text that tokens make longer than it was: special tokens, a
                                         // candidate
constexpr std::string_view kFunctions[] = {"sigmoid", "softmax", "none"};
constexpr std::string_view kEncodingFormats[] = {"float"};

// Throws ApiError for a parameter that the task does not have.
void check_parameters(const Json& parameters, const std::string& task, const std::vector<std::string>& names) {
  for (const auto& [field, value] : parameters.items()) {
    if (value.is_null() || std::find(names.begin(), names.end(), field) != names.end()) continue;
    const std::string expected = joined(names, ", ");
    throw ApiError(Fault::kInvalid,
                   "'parameters' has '" + field.substr(0, 100) + "', which " + task +
                       " does not take; expected any of " + expected,
                   "parameters");
  }
}

std::string one_text(const Call& call) { return required_string(call.body, "inputs"); }

bool has_head(const ServedModel& served, Head head) {
  const std::vector<Head>& heads = served.model.heads();
  return std::find(heads.begin(), heads.end(), head) != heads.end();
}

// Returns the model that the request names, or the first one with the head.
ServedModelPtr model_with(const Call& call, Head head, const std::string& task) {
  if (ServedModelPtr named = call.named()) {
    if (has_head(*named, head)) return named;
    throw ApiError(Fault::kWrongKind, "model '" + named->source.name + "' has no head for " + task, "model");
  }
  for (const ServedModelPtr& served : call.models.all()) {
    if (has_head(*served, head)) return served;
  }
  throw ApiError(Fault::kWrongKind, "this server has no model for " + task);
}

HandlerResult zero_shot(const Call& call, const Json& given) {
  check_parameters(given, "zero-shot classification",
                   {"candidate_labels", "multi_label", "hypothesis_template", "stride", "window_scores"});
  const std::string text = one_text(call);
  ServedModelPtr served = model_with(call, Head::kSequenceClassification, "zero-shot classification");
  const bool reads = reads_labels(served->model, LabelTask::kClasses);
  TaskSettings settings = settings_of(given, reads ? "classify" : "zero_shot",
                                      {{"candidate_labels", "labels"}, {"multi_label"}, {"stride"}, {"window_scores"}});
  const std::vector<std::string> labels = settings.texts("labels");
  const auto hypothesis = optional_string(given, "hypothesis_template");
  check_labels(call, labels, {{.text = text}});
  if (reads && hypothesis) {
    throw ApiError(Fault::kInvalid,
                   "'hypothesis_template' is for a classifier of natural language inference; model '" +
                       served->source.name + "' reads the labels themselves",
                   "parameters");
  }
  if (!reads) {
    entailment_output(served->model.config());
    check_count(call, labels.size(), "candidate_labels");
    const size_t bytes = labels.size() * (text.size() + (hypothesis ? hypothesis->size() : 0));
    if (bytes > call.facts.queue.max_bytes) {
      throw ApiError(Fault::kTooLarge,
                     "the text and the template are read with each of " + std::to_string(labels.size()) +
                         " labels, together " + std::to_string(bytes) + " bytes, expected at most " +
                         std::to_string(call.facts.queue.max_bytes),
                     "inputs");
    }
    if (hypothesis) settings.set("hypothesis_template", *hypothesis);
  }
  TaskCallPtr task = make_call(served->model, settings);
  const LongTexts long_texts = long_texts_of(given, settings, LongText::kCut);
  return Computing{task_job(call, std::move(served), std::move(task), {{.text = text}}, "inputs", long_texts),
                   [](const Job& done) { return json_of(done, 0); }};
}

// Returns a list for each text, also for a single text.
HandlerResult text_classification(const Call& call, const Json& given, ServedModelPtr served) {
  check_parameters(given, "text classification", {"function_to_apply", "top_k"});
  const auto function = optional_word(given, "function_to_apply", kFunctions);
  std::optional<LogitFunction> applied;
  if (function) {
    applied = *function == "none"      ? LogitFunction::kNone
              : *function == "sigmoid" ? LogitFunction::kSigmoid
                                       : LogitFunction::kSoftmax;
  }
  TaskCallPtr task = classify_call(served->model, {}, {.top_k = optional_size(given, "top_k"), .function = applied});
  auto job = task_job(call, std::move(served), std::move(task), texts_of(call, "inputs"), "inputs", LongTexts{});
  return Computing{std::move(job),
                   [](const Job& done) {
                     std::string text;
                     append_results(text, done, [&](std::string& out, size_t input) { out += json_of(done, input); });
                     return text;
                   },
                   true};
}

HandlerResult token_classification(const Call& call, const Json& given) {
  check_parameters(given, "token classification", {"aggregation_strategy", "ignore_labels", "stride"});
  ServedModelPtr served = model_with(call, Head::kTokenClassification, "token classification");
  TaskSettings settings = settings_of(given, "tag", {{"aggregation_strategy", "aggregation"}, {"stride"}});
  settings.set("scheme", std::string("iob"));  // as the pipeline reads all labels
  std::set<std::string> ignored = {"O"};
  if (optional_field(given, "ignore_labels") != nullptr) {
    for (std::string& label : required_strings(given, "ignore_labels")) ignored.insert(std::move(label));
  }
  const LongTexts long_texts = long_texts_of(given, settings, LongText::kCut);
  TaskCallPtr task = make_call(served->model, settings);
  const bool are_tokens = settings.word<Aggregation>("aggregation", kAggregationWords) == Aggregation::kNone;
  auto job = task_job(call, std::move(served), std::move(task), {{.text = one_text(call)}}, "inputs", long_texts);
  return Computing{std::move(job), [are_tokens, ignored](const Job& done) {
                     auto found = std::get<std::vector<Entity>>(output_of(done, 0));
                     std::erase_if(found, [&](const Entity& entity) { return ignored.contains(entity.entity); });
                     std::string text;
                     append_list(text, found, [&](std::string& out, const Entity& entity) {
                       JsonWriter one;
                       one.string(are_tokens ? "entity" : "entity_group", entity.entity);
                       one.number("score", entity.score);
                       one.string("word", entity.word);
                       one.number("start", uint64_t{entity.code_point_start});
                       one.number("end", uint64_t{entity.code_point_end});
                       out += one.take();
                     });
                     return text;
                   }};
}

HandlerResult question_answering(const Call& call, const Json& given) {
  check_parameters(
      given, "question answering",
      {"align_to_words", "doc_stride", "handle_impossible_answer", "max_answer_len", "max_seq_len", "top_k"});
  const Json& inputs = call.body["inputs"];
  const TaskSettings settings = settings_of(given, "answer",
                                            {{"align_to_words"},
                                             {"handle_impossible_answer", "no_answer"},
                                             {"max_answer_len", "max_answer_tokens"},
                                             {"max_seq_len", "window_tokens"},
                                             {"top_k"}});
  ServedModelPtr served = model_with(call, Head::kQuestionAnswering, "question answering");
  const std::optional<size_t> stride = optional_size(given, "doc_stride");
  TextItem item{.text = required_string(inputs, "question"), .pair = required_string(inputs, "context")};
  TaskCallPtr task = make_call(served->model, settings);
  auto job = task_job(call, std::move(served), std::move(task), {std::move(item)}, "inputs",
                      {.kind = LongText::kWindows,
                       .stride = stride.value_or(kAnswerStride),
                       .fits_stride = !stride,
                       .merges_short = true});
  return Computing{
      std::move(job), [longest = settings.size("max_answer_tokens"), most = settings.size("top_k")](const Job& done) {
        size_t spans = 0;
        for (const TextOutput& window : done.outputs[0].windows) {
          const size_t tokens = window.encoding.size();
          spans += tokens * std::min(longest, tokens);
        }
        reserve_more(done, kTextBytes * (sizeof(Answer) + done.texts[0].pair->size()) * std::min(most, spans));
        const auto answers = std::get<std::vector<Answer>>(output_of(done, 0));
        std::string text;
        const auto append = [](std::string& out, const Answer& answer) {
          JsonWriter one;
          one.number("score", answer.score);
          one.number("start", uint64_t{answer.code_point_start});
          one.number("end", uint64_t{answer.code_point_end});
          one.string("answer", answer.answer);
          out += one.take();
        };
        if (most == 1 && !answers.empty()) {
          append(text, answers.front());
        } else {
          append_list(text, answers, append);
        }
        return text;
      }};
}

// Returns the target, or, if it is not a token, its first token.
std::string target_token(const Tokenizer& tokenizer, const std::string& target) {
  if (tokenizer.id(target)) return target;
  const Encoding encoding = tokenizer.tokenize(target, TokenizeOptions{.add_special_tokens = false, .only_ids = true});
  if (!encoding.ids.empty()) return std::string(tokenizer.token(encoding.ids.front()));
  throw ApiError(Fault::kInvalid, "'targets' has a word without a token, expected words of the vocabulary",
                 "parameters");
}

HandlerResult fill_mask(const Call& call, const Json& given, ServedModelPtr served) {
  check_parameters(given, "fill mask", {"targets", "top_k"});
  const Tokenizer& tokenizer = served->model.tokenizer();
  TaskSettings settings = settings_of(given, "fill_mask", {{"targets"}, {"top_k"}});
  std::set<std::string> targets;
  for (const std::string& target : settings.texts("targets")) targets.insert(target_token(tokenizer, target));
  settings.set("targets", std::vector(targets.begin(), targets.end()));
  TaskCallPtr task = make_call(served->model, settings);
  auto job = task_job(call, std::move(served), std::move(task), {{.text = one_text(call)}}, "inputs", LongTexts{});
  return Computing{
      std::move(job), [targets = targets.size(), most = settings.size("top_k")](const Job& done) {
        const Tokenizer& words = done.model->model.tokenizer();
        const TextOutput& output = done.outputs[0];
        const auto& logits = std::get<Logits>(output.output);
        const size_t shown = std::min(targets == 0 ? words.vocabulary_size() : targets, most);
        const size_t bytes = kTextBytes * (sizeof(MaskCandidate) + done.texts[0].text.size() + kSequenceBytes);
        reserve_more(done, logits.rows * shown * bytes);
        std::vector<std::string> masks;
        const auto found = std::get<std::vector<std::vector<MaskCandidate>>>(output_of(done, 0));
        for (const auto& candidates : found) {
          append_list(masks.emplace_back(), candidates, [&](std::string& out, const MaskCandidate& candidate) {
            JsonWriter one;
            one.number("score", candidate.score);
            one.number("token", candidate.id);
            one.string("token_str", words.decode(std::array{candidate.id}, false));
            one.string("sequence", candidate.sequence);
            out += one.take();
          });
        }
        if (masks.size() == 1) return masks.front();
        std::string text;
        append_list(text, masks, [](std::string& out, const std::string& one) { out += one; });
        return text;
      }};
}

// The parameters contain the fields of TEI's /embed.
HandlerResult feature_extraction(const Call& call, const Json& given) {
  check_parameters(given, "feature extraction",
                   {"normalize", "prompt_name", "truncate", "truncation_direction", "dimensions", "encoding_format"});
  optional_word(given, "encoding_format", kEncodingFormats);
  JsonBody body;
  body.root = given;
  body.root["inputs"] = call.body["inputs"];
  return tei_embed(call.with_body(body));
}

// Returns whether the text has a mask and the model was trained to fill it, without modules that make vectors.
bool asks_for_words(const ServedModel& served, const Json& inputs, const Json& parameters) {
  if (!has_head(served, Head::kMaskedLm)) return false;
  if (parameters.contains("targets") || parameters.contains("top_k")) return true;
  const std::optional<int32_t> mask = served.model.tokenizer().mask_id();
  return mask && inputs.is_string() && !served.model.pooling().declared &&
         inputs.get_ref<const std::string&>().find(served.model.tokenizer().token(*mask)) != std::string::npos;
}

}  // namespace

bool is_hub_request(const Json& body) {
  const Json* inputs = optional_field(body, "inputs");
  if (optional_field(body, "parameters") != nullptr) return true;
  return inputs != nullptr && inputs->is_object();
}

HandlerResult hub_task(const Call& call) {
  const Json none = Json::object();
  const Json* given = optional_field(call.body, "parameters");
  if (given != nullptr && !given->is_object()) throw_type("parameters", *given, "an object");
  const Json& parameters = given != nullptr ? *given : none;
  const Json& inputs = required_field(call.body, "inputs");
  const auto has = [](const Json& object, const char* name) { return object.is_object() && object.contains(name); };
  if (has(inputs, "source_sentence")) return tei_similarity(call);
  if (has(inputs, "question")) return question_answering(call, parameters);
  if (has(parameters, "candidate_labels")) return zero_shot(call, parameters);
  const ServedModelPtr served = call.any_model();
  switch (served->kind) {
    case ModelKind::kTagger:
      return token_classification(call, parameters);
    case ModelKind::kClassifier:
    case ModelKind::kReranker:
      return text_classification(call, parameters, served);
    case ModelKind::kEmbedder:
      break;
  }
  if (asks_for_words(*served, inputs, parameters)) return fill_mask(call, parameters, served);
  return feature_extraction(call, parameters);
}

}  // namespace bert::server
