#include "tools/cli/commands/head_command.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "bert/error.h"
#include "tools/cli/output/console.h"
#include "tools/cli/output/csv.h"

namespace bert::cli {

namespace {

// Public models with the head; "": none is well known.
std::string models_with(Head head) {
  switch (head) {
    case Head::kMaskedLm:
      return "google-bert/bert-base-uncased and google-bert/bert-base-multilingual-cased";
    case Head::kSequenceClassification:
      return "nlptown/bert-base-multilingual-uncased-sentiment and unitary/toxic-bert";
    case Head::kTokenClassification:
      return "dslim/bert-base-NER and dslim/bert-large-NER";
    case Head::kQuestionAnswering:
      return "deepset/bert-base-cased-squad2 and google-bert/bert-large-uncased-whole-word-masking-finetuned-squad";
    default:
      return "";
  }
}

void require_head(const Model& model, Head head) {
  if (head == Head::kTokenClassification && reads_labels(model, LabelTask::kEntities)) {
    throw UsageError("the model reads labels, expected those that are looked for: --labels A,B,…");
  }
  if (head == Head::kSequenceClassification && reads_labels(model, LabelTask::kClasses)) {
    throw UsageError("the model reads labels, expected those that a text may have: classify --labels A,B,…");
  }
  try {
    model.require(head);
  } catch (const Error& error) {
    const std::string others = models_with(head);
    if (others.empty()) throw;
    throw Error(error.code(), error.what() + ("; " + others) + " have one: bert-infer fetch NAME, then --model NAME");
  }
}

}  // namespace

std::vector<TokenLogits> HeadResult::token_logits() const {
  std::vector<TokenLogits> all;
  for (const Sequence& window : windows) all.push_back({&window.encoding, &window.logits});
  return all;
}

std::vector<WindowEntities> HeadResult::window_entities() const {
  std::vector<WindowEntities> all;
  for (const Sequence& window : windows) all.push_back({window.place(), window.entities});
  return all;
}

void HeadCommand::declare_run(OptionTable& table, const std::string& length_by_default,
                              const std::vector<OutputFormat>& formats) {
  declare_model(table, options);
  declare_lengths(table, options, length_by_default);
  declare_output(table, options, formats);
  declare_batches(table, options);
}

int HeadCommand::run_texts(Input& input, Console& console) {
  Output output(options.output, Output::Access::kStream);
  const Model model = changed_model(load_model(options, console), interventions_);
  if (std::holds_alternative<HeadOptions>(task())) require_head(model, head_);
  begin(model);
  TokenRules rules = model_token_rules(options, model);
  rules.tokenize.max_windows = kMostWindows;
  adjust(rules, model);

  RunSummary summary(input, output, console);
  JsonResults json(output, options.format);
  std::optional<CsvResults> csv;
  if (options.format == OutputFormat::kCsv) csv.emplace(output, options, csv_columns());
  const bool titles = has_titles() && (!options.inputs.empty() || options.texts.size() > 1);
  bool any = false;
  HeadResult result;
  size_t items = 0;  // of the result so far
  const auto emit = [&] {
    Sequence whole = result.sequence();
    whole.window.reset();
    whole.encoding.truncated_tokens = whole.unknown_tokens = 0;
    for (const Sequence& window : result.windows) {
      if (items_of_result() == 1) {
        whole.encoding.truncated_tokens += window.encoding.truncated_tokens;
        whole.unknown_tokens += window.unknown_tokens;
      } else {  // the same text, cut for each of them
        whole.encoding.truncated_tokens = std::max(whole.encoding.truncated_tokens, window.encoding.truncated_tokens);
        whole.unknown_tokens = std::max(whole.unknown_tokens, window.unknown_tokens);
      }
      if (!whole.error) whole.error = window.error;
    }
    try {
      if (!whole.error) check(model, result);
    } catch (const Error& error) {
      whole.error = error;
    }
    if (csv && whole.error) {
      csv->add_error(whole.index, whole.source, whole.error->what());
    } else if (csv) {
      for (const std::vector<std::string>& row : csv_rows(model, result)) csv->add(whole.index, whole.source, row);
    } else if (options.format != OutputFormat::kText && whole.error) {
      json.add(error_object(whole));
    } else if (options.format != OutputFormat::kText) {
      JsonWriter object = begin_result(whole);
      add_members(object, model, result);
      add_token_counts(object, whole);
      json.add(object.take());
    } else if (whole.error) {
      output.write("\n");
    } else {
      if (titles) output.write((any ? "\n" : "") + result_title(whole) + "\n");
      output.write(text(model, result));
    }
    any = true;
    summary.count(whole, result.windows);
  };
  Sequences sequences(input, model, task(), rules);
  for (Sequence sequence; sequences.next(sequence);) {
    const bool is_last = sequence.is_last;
    result.windows.push_back(std::move(sequence));
    if (is_last && ++items == items_of_result()) {
      emit();
      result = {};
      items = 0;
    }
    if (!sequences.ready()) output.flush();
  }
  json.finish();
  return summary.finish(output, model);
}

}  // namespace bert::cli
