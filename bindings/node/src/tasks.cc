// What a model's heads say of a text, and one that reads labels.
#include "bindings/node/src/calls.h"

#include "bert/bert_labels.h"
#include "bindings/node/src/objects.h"
#include "bindings/node/src/promise.h"

namespace bert_node {

namespace {

using Items = std::unique_ptr<bert_items, decltype(&bert_items_free)>;

// What a task needs beside the model, of which each takes its part.
struct TaskRequest {
  std::string text;
  OptionalText pair, hypothesis_template, prompt, relevant_label;
  std::vector<std::string> texts;  // labels, targets or documents
  bool multi_label = false, no_answer = false, nested = false;
  int32_t aggregation = 0, scheme = 0, windows = 0, long_text = 0;
  size_t top_k = 0, max_answer_tokens = 0, stride = 0;
  double threshold = 0;
};

using Task = bert_status (*)(const bert_model*, const TaskRequest&, bert_items**);

template <class Options>
void set_windows(Options& options, const TaskRequest& request) {
  options.windows = request.windows;
  options.stride = request.stride;
  options.long_text = request.long_text;
}

bert_status run_classify(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
  if (request.pair.is_there) options.pair = view(request.pair.text);
  set_windows(options, request);
  return bert_classify(model, view(request.text), &options, items);
}

bert_status run_zero_shot(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_zero_shot_options options = BERT_ZERO_SHOT_OPTIONS_INIT;
  options.hypothesis_template = request.hypothesis_template.c_str();
  options.multi_label = request.multi_label;
  set_windows(options, request);
  const std::vector<bert_text> labels = views(request.texts);
  return bert_zero_shot(model, view(request.text), labels.data(), labels.size(), &options, items);
}

bert_status run_tag(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_tag_options options = BERT_TAG_OPTIONS_INIT;
  options.aggregation = request.aggregation;
  options.scheme = request.scheme;
  options.stride = request.stride;
  options.long_text = request.long_text;
  options.offset_unit = BERT_UTF16;
  return bert_tag(model, view(request.text), &options, items);
}

bert_status run_fill_mask(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_fill_mask_options options = BERT_FILL_MASK_OPTIONS_INIT;
  const std::vector<bert_text> targets = views(request.texts);
  options.top_k = request.top_k;
  options.targets = targets.data();
  options.target_count = targets.size();
  options.long_text = request.long_text;
  return bert_fill_masks(model, view(request.text), &options, items);
}

bert_status run_answer(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_answer_options options = BERT_ANSWER_OPTIONS_INIT;
  options.top_k = request.top_k;
  options.max_answer_tokens = request.max_answer_tokens;
  options.no_answer = request.no_answer;
  options.offset_unit = BERT_UTF16;
  return bert_answer(model, view(request.text), view(request.pair.text), &options, items);
}

bert_status run_rerank(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_rerank_options options = BERT_RERANK_OPTIONS_INIT;
  options.prompt = request.prompt.c_str();
  options.relevant_label = request.relevant_label.c_str();
  set_windows(options, request);
  const std::vector<bert_text> documents = views(request.texts);
  return bert_rerank(model, view(request.text), documents.data(), documents.size(), &options, items);
}

bert_status run_find_entities(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_label_options options = BERT_LABEL_OPTIONS_INIT;
  options.threshold = request.threshold;
  options.nested = request.nested;
  options.multi_label = request.multi_label;
  options.offset_unit = BERT_UTF16;
  set_windows(options, request);
  const std::vector<bert_text> labels = views(request.texts);
  return bert_find_entities(model, view(request.text), labels.data(), labels.size(), &options, items);
}

bert_status run_score_labels(const bert_model* model, const TaskRequest& request, bert_items** items) {
  bert_class_options options = BERT_CLASS_OPTIONS_INIT;
  options.multi_label = request.multi_label;
  set_windows(options, request);
  const std::vector<bert_text> labels = views(request.texts);
  return bert_score_labels(model, view(request.text), labels.data(), labels.size(), &options, items);
}

}  // namespace

napi_value run_task(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    struct State {
      ModelPtr model;
      Task task = nullptr;
      TaskRequest request;
      Items items{nullptr, bert_items_free};
    };
    auto state = std::make_shared<State>();
    state->model = model_of(env, arguments[0]);
    static constexpr std::pair<const char*, Task> kTasks[] = {
        {"classify", run_classify},          {"zeroShot", run_zero_shot},      {"tag", run_tag},
        {"fillMask", run_fill_mask},         {"answer", run_answer},           {"rerank", run_rerank},
        {"findEntities", run_find_entities}, {"scoreLabels", run_score_labels}};
    const std::string name = string_of(env, arguments[1]);
    for (const auto& [known, task] : kTasks) {
      if (name == known) state->task = task;
    }
    if (state->task == nullptr) throw Failure(BERT_INVALID_ARGUMENT, "no task '" + name + "'");
    const napi_value given = arguments[2];
    TaskRequest& request = state->request;
    request.text = string_of(env, member_of(env, given, "text"));
    request.pair = text_member(env, given, "pair");
    request.hypothesis_template = text_member(env, given, "hypothesisTemplate");
    request.prompt = text_member(env, given, "prompt");
    request.relevant_label = text_member(env, given, "relevantLabel");
    request.texts = texts_member(env, given, "texts");
    request.multi_label = flag_of(env, given, "multiLabel");
    request.no_answer = flag_of(env, given, "noAnswer");
    request.nested = flag_of(env, given, "nested");
    request.threshold = double_of(env, given, "threshold");
    request.aggregation = static_cast<int32_t>(number_of(env, given, "aggregation"));
    request.scheme = static_cast<int32_t>(number_of(env, given, "scheme"));
    request.windows = static_cast<int32_t>(number_of(env, given, "windows"));
    request.long_text = static_cast<int32_t>(number_of(env, given, "longText"));
    request.stride = static_cast<size_t>(number_of(env, given, "stride"));
    request.top_k = static_cast<size_t>(number_of(env, given, "topK"));
    request.max_answer_tokens = static_cast<size_t>(number_of(env, given, "maxAnswerTokens"));
    return start(
        env,
        [state] {
          bert_items* items = nullptr;
          check(state->task(state->model.get(), state->request, &items));
          state->items.reset(items);
        },
        [state](napi_env now) {
          const bert_items* const items = state->items.get();
          const napi_value array = js_items(now, bert_items_data(items), bert_items_count(items));
          set(now, array, "truncatedTokens", js_number(now, static_cast<double>(bert_items_truncated_tokens(items))));
          return array;
        });
  });
}

}  // namespace bert_node
