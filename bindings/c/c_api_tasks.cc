// The C interface's tasks by name, their runs and results.
#include <mutex>
#include <utility>
#include <vector>

#include "bert/task_json.h"
#include "bert/task_settings.h"
#include "bindings/c/c_api.h"
#include "bindings/c/c_api_items.h"

struct bert_task {
  bert_task(const bert::Model& of, const char* name) : model(of), settings(name) {}

  const bert::Model& model;
  bert::TaskSettings settings;
  mutable std::mutex making;
  mutable std::shared_ptr<const bert::TaskCall> made;  // null until it is made with these settings

  std::shared_ptr<const bert::TaskCall> call() const {
    const std::lock_guard lock(making);
    if (!made) made = bert::make_call(model, settings);
    return made;
  }
};

struct bert_results {
  struct Input {
    std::optional<bert::Error> error = {};  // if set, only truncated_tokens is valid too
    bert::c_api::Items items = {};
    size_t truncated_tokens = 0;
    std::optional<std::string> text = {}, json = {};
  };
  std::vector<Input> inputs;
  std::vector<size_t> ranking;
  bool is_ranked = false;
};

namespace bert::c_api {
namespace {

TextItem item_of(const TaskDescription& task, const bert_input& input) {
  const auto refuse_part = [&](const char* what) {
    refuse(std::string(what) + ": " + std::string(task.name) + " reads a " + std::string(name(task.reads)));
  };
  TextItem item;
  if (input.words != nullptr) {
    if (task.reads != TaskInput::kTextOrWords) refuse_part("words given, expected none");
    if (input.text.data != nullptr) refuse_part("a text beside words, expected one of them");
    item.words = texts_of<std::string>(input.words, input.word_count, "words");
  } else {
    item.text = text_of(input.text, "text");
  }
  if (input.pair.data != nullptr) {
    if (task.reads != TaskInput::kPair && task.reads != TaskInput::kTextOrPair) {
      refuse_part("pair given, expected none");
    }
    item.pair = text_of(input.pair, "pair");
  } else if (task.reads == TaskInput::kPair) {
    refuse_part("pair is null, expected a text");
  }
  return item;
}

// Reads inputs from the caller's function.
class NextInputs : public TextSource {
 public:
  NextInputs(const TaskDescription& task, bert_next give, void* context)
      : task_(task), give_(give), context_(context) {}

  State next(TextItem& item, Wait) override {
    bert_input input = {};
    if (give_(context_, &input) == 0) return State::kEnd;
    try {
      item = item_of(task_, input);
    } catch (const Error& error) {
      item.error = error;
    }
    return State::kItem;
  }

 private:
  const TaskDescription& task_;
  const bert_next give_;
  void* const context_;
};

// Adds the items of a task's output to an input's results.
struct Adder {
  const std::vector<std::string>& labels;  // the caller's labels, or the names of the caller's options
  const TaskSequence& read;
  const OffsetUnit unit;
  bert_results::Input& to;

  bert_item& add(std::string_view label, double score) const {
    bert_item& item = to.items.add(label);
    item.score = score;
    const auto place = std::find(labels.begin(), labels.end(), label);
    if (place != labels.end()) item.index = static_cast<size_t>(place - labels.begin());
    return item;
  }

  // Adds an item without a text.
  void add_score(double score) const {
    bert_item item = {};
    item.score = score;
    to.items.list.push_back(item);
  }

  void operator()(const std::vector<LabelScore>& found) const {
    for (const LabelScore& one : found) add(one.label, one.score);
  }
  void operator()(const std::vector<Entity>& found) const {
    const OffsetUnits units(read.text, unit);
    for (const Entity& one : found) set_offsets(add(one.entity, one.score), units, one.start, one.end);
  }
  void operator()(const std::vector<WordLabel>& found) const {
    for (size_t i = 0; i < found.size(); ++i) {
      bert_item& item = to.items.add(found[i].label);
      item.score = found[i].score;
      item.index = i;
    }
  }
  void operator()(const std::vector<std::vector<MaskCandidate>>& masks) const {
    for (size_t mask = 0; mask < masks.size(); ++mask) {
      for (const MaskCandidate& one : masks[mask]) {
        bert_item& item = to.items.add(one.token);
        item.score = one.score;
        item.index = mask;
        item.id = one.id;
      }
    }
  }
  void operator()(const std::vector<Answer>& found) const {
    const OffsetUnits units(read.pair, unit);
    for (const Answer& one : found) {
      bert_item& item = to.items.add(one.answer);
      item.score = one.score;
      set_offsets(item, units, one.start, one.end);
    }
  }
  void operator()(const NextSentence& found) const { add_score(found.is_next); }
  void operator()(const Relevance& found) const { add_score(found.score); }
  void operator()(const RedactedText& found) const {
    const OffsetUnits units(read.text, unit);
    for (const Redaction& one : found.replaced) set_offsets(add(one.label, 0), units, one.place.begin, one.place.end);
    to.text = found.text;
  }
};

// Runs a task with the options of the C interface.
class Run {
 public:
  Run(const bert_task& task, TextSource& inputs, const bert_run_options* options)
      : known_(known_part(options)), unit_(offset_unit(known_.offset_unit)), call_(task.call()) {
    for (const char* option : {"labels", "names"}) {
      if (task.settings.has(option)) labels_ = task.settings.texts(option);
    }
    TextOptions how = text_options(task.model, *call_, task.settings);
    how.progress = progress_of(known_.progress, known_.progress_context);
    run_ = std::make_unique<TaskRun>(task.model, *call_, inputs, how);
  }

  // Adds the results of the next input; returns false at the end.
  bool next(bert_results& results) {
    if (!run_->next()) return false;
    bert_results::Input& to = results.inputs.emplace_back();
    relevance_.reset();
    try {
      if (const auto error = run_->error()) throw Error(*error);
      set(run_->result(), to);
    } catch (const Error& error) {
      to = {.error = error};
    }
    to.truncated_tokens = run_->truncated_tokens();
    return true;
  }
  const std::optional<Relevance>& relevance() const { return relevance_; }  // of the input that next() added
  bool has_json() const { return known_.json != 0; }

 private:
  void set(const TaskOutput& output, bert_results::Input& to) {
    const TaskSequence read(run_->sequences().front());
    std::visit(Adder{labels_, read, unit_, to}, output);
    if (has_json()) to.json = to_json(output, read, unit_);
    if (const auto* found = std::get_if<Relevance>(&output)) relevance_ = *found;
  }

  const bert_run_options known_;
  const OffsetUnit unit_;
  const std::shared_ptr<const TaskCall> call_;
  std::vector<std::string> labels_;
  std::unique_ptr<TaskRun> run_;
  std::optional<Relevance> relevance_;
};

// Sets the order of compared inputs, and the scores of choices, which depend on all inputs.
void rank(const bert_task& task, std::vector<Relevance> found, const std::vector<size_t>& places, const Run& run,
          bert_results& results) {
  if (task.settings.task().name == "choose") {
    choice_scores(found);
    for (size_t i = 0; i < found.size(); ++i) {
      bert_results::Input& input = results.inputs[places[i]];
      input.items.list.front().score = found[i].score;
      if (run.has_json()) input.json = to_json(found[i], TaskSequence(SequenceOutput{}, Encoding{}));
    }
  }
  for (const size_t place : best_first(found)) results.ranking.push_back(places[place]);
  if (!task.settings.has("top_k")) return;
  results.ranking.resize(std::min(results.ranking.size(), task.settings.size("top_k")));
}

const bert_results::Input* input_of(const bert_results* results, size_t input) {
  return results == nullptr || input >= results->inputs.size() ? nullptr : &results->inputs[input];
}

template <class Set>
bert_status set_option(bert_task* task, const char* option, const Set& set) noexcept {
  return guard([&] {
    set(need(task, "task").settings, std::string_view(&need(option, "option")));
    task->made.reset();
  });
}

}  // namespace
}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

const char* bert_tasks_json(void) {
  try {
    static const std::string text = tasks_json();
    return text.c_str();
  } catch (const std::exception&) {
    return "[]";
  }
}

bert_status bert_task_new(const bert_model* model, const char* name, bert_task** task) {
  return new_object(task, "task",
                    [&] { return std::make_unique<bert_task>(need(model, "model").model, &need(name, "name")); });
}

void bert_task_free(bert_task* task) { delete task; }

bert_status bert_task_set_word(bert_task* task, const char* option, const char* word) {
  return set_option(task, option, [&](TaskSettings& settings, std::string_view name) {
    settings.set(name, std::string(text_of(&need(word, "word"), BERT_TO_NUL, "word")));
  });
}

bert_status bert_task_set_size(bert_task* task, const char* option, size_t size) {
  return set_option(task, option, [&](TaskSettings& settings, std::string_view name) { settings.set(name, size); });
}

bert_status bert_task_set_double(bert_task* task, const char* option, double number) {
  return set_option(task, option, [&](TaskSettings& settings, std::string_view name) { settings.set(name, number); });
}

bert_status bert_task_set_bool(bert_task* task, const char* option, int flag) {
  return set_option(task, option,
                    [&](TaskSettings& settings, std::string_view name) { settings.set(name, flag != 0); });
}

bert_status bert_task_set_texts(bert_task* task, const char* option, const bert_text* texts, size_t count) {
  return set_option(task, option, [&](TaskSettings& settings, std::string_view name) {
    std::vector<std::string> all = texts_of<std::string>(texts, count, "texts");
    const bool is_one = option_named(settings.task(), name).type == OptionType::kText && all.size() == 1;
    settings.set(name, is_one ? OptionValue(std::move(all.front())) : OptionValue(std::move(all)));
  });
}

bert_status bert_task_set_json(bert_task* task, const char* json, size_t json_bytes) {
  return guard([&] {
    TaskSettings settings = need(task, "task").settings;
    settings.set_json(text_of(json, json_bytes, "json"));
    task->settings = std::move(settings);
    task->made.reset();
  });
}

int bert_model_reads_labels(const bert_model* model, const char* task) {
  if (model == nullptr || task == nullptr) return 0;
  const std::string_view name = task;
  if (name == "tag" || name == "redact") return reads_labels(model->model, LabelTask::kEntities) ? 1 : 0;
  return name == "classify" && reads_labels(model->model, LabelTask::kClasses) ? 1 : 0;
}

int32_t bert_model_mask_id(const bert_model* model) {
  const bert::Tokenizer* const tokenizer = model == nullptr ? nullptr : model->tokenizer.tokenizer;
  return tokenizer == nullptr ? -1 : tokenizer->mask_id().value_or(-1);
}

bert_status bert_task_run(const bert_task* task, const bert_input* inputs, size_t count,
                          const bert_run_options* options, bert_results** results) {
  std::optional<Error> failed;  // the error of the first input that failed
  const bert_status status = new_object(results, "results", [&] {
    const TaskDescription& described = need(task, "task").settings.task();
    if (count > 0) need(inputs, "inputs");
    std::vector<TextItem> items;
    if (count > items.max_size()) {
      refuse("count is " + std::to_string(count) + ", expected at most " + std::to_string(items.max_size()));
    }
    items.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      try {
        items.push_back(item_of(described, inputs[i]));
      } catch (const Error& error) {
        throw Error(error.code(), "inputs[" + std::to_string(i) + "]: " + error.what());
      }
    }
    TextItems source(items);
    Run run(*task, source, options);
    auto made = std::make_unique<bert_results>();
    std::vector<Relevance> relevances;
    std::vector<size_t> places;
    for (size_t i = 0; run.next(*made); ++i) {
      if (!run.relevance()) continue;
      relevances.push_back(*run.relevance());
      places.push_back(i);
    }
    made->is_ranked = described.ranks;
    if (described.ranks) rank(*task, std::move(relevances), places, run, *made);
    for (size_t i = 0; i < count && !failed; ++i) {
      const std::optional<Error>& error = made->inputs[i].error;
      const std::string place = count == 1 ? "" : "inputs[" + std::to_string(i) + "]: ";
      if (error) failed.emplace(error->code(), place + error->what());
    }
    return made;
  });
  return status == BERT_OK && failed ? keep(status_of(failed->code()), failed->what()) : status;
}

bert_status bert_task_stream(const bert_task* task, bert_next next, bert_give give, void* context,
                             const bert_run_options* options) {
  return guard([&] {
    const TaskDescription& described = need(task, "task").settings.task();
    if (next == nullptr || give == nullptr) refuse("next or give is null, expected functions");
    if (described.name == "choose") {
      throw Error(ErrorCode::kUnsupported, "choose compares all of its inputs, expected bert_task_run");
    }
    NextInputs source(described, next, context);
    Run run(*task, source, options);
    bert_results one;
    for (size_t index = 0; run.next(one); ++index) {
      if (give(context, index, &one) == 0) throw Error(ErrorCode::kCancelled, "the run was ended by its caller");
      one.inputs.clear();
    }
  });
}

void bert_results_free(bert_results* results) { delete results; }

size_t bert_results_count(const bert_results* results) { return results == nullptr ? 0 : results->inputs.size(); }

bert_status bert_results_status(const bert_results* results, size_t input) {
  const auto* one = input_of(results, input);
  if (one == nullptr) return BERT_INVALID_ARGUMENT;
  return one->error ? status_of(one->error->code()) : BERT_OK;
}

const char* bert_results_message(const bert_results* results, size_t input) {
  const auto* one = input_of(results, input);
  if (one == nullptr) return nullptr;
  return one->error ? one->error->what() : "";
}

size_t bert_results_truncated_tokens(const bert_results* results, size_t input) {
  const auto* one = input_of(results, input);
  return one == nullptr ? 0 : one->truncated_tokens;
}

const bert_item* bert_results_items(const bert_results* results, size_t input, size_t* count) {
  const auto* one = input_of(results, input);
  if (count != nullptr) *count = one == nullptr ? 0 : one->items.list.size();
  return one == nullptr ? nullptr : one->items.list.data();
}

const char* bert_results_text(const bert_results* results, size_t input, size_t* bytes) {
  const auto* one = input_of(results, input);
  const bool is_there = one != nullptr && one->text;
  if (bytes != nullptr) *bytes = is_there ? one->text->size() : 0;
  return is_there ? one->text->c_str() : nullptr;
}

const char* bert_results_json(const bert_results* results, size_t input) {
  const auto* one = input_of(results, input);
  return one == nullptr || !one->json ? nullptr : one->json->c_str();
}

const size_t* bert_results_ranking(const bert_results* results, size_t* count) {
  const bool is_ranked = results != nullptr && results->is_ranked;
  if (count != nullptr) *count = is_ranked ? results->ranking.size() : 0;
  return is_ranked ? results->ranking.data() : nullptr;
}
