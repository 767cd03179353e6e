#include "program/cli/commands/head_command.h"

#include <optional>
#include <string>
#include <utility>

#include "bert/error.h"
#include "bert/task_json.h"
#include "program/cli/common.h"
#include "program/cli/input/labelled_input.h"
#include "program/cli/output/console.h"
#include "program/cli/output/csv.h"
#include "program/cli/output/evaluation.h"
#include "program/cli/output/task_output.h"

namespace bert::cli {

namespace {

// Returns names of public models with the head; "": none is well known.
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

void require_head(const Model& model, Head head, const char* models) {
  if (head == Head::kTokenClassification && reads_labels(model, LabelTask::kEntities)) {
    throw UsageError("the model reads labels, expected those that are looked for: --labels A,B,…");
  }
  if (head == Head::kSequenceClassification && reads_labels(model, LabelTask::kClasses)) {
    throw UsageError("the model reads labels, expected those that a text may have: classify --labels A,B,…");
  }
  try {
    model.require(head);
  } catch (const Error& error) {
    const std::string others = models != nullptr ? models : models_with(head);
    if (others.empty()) throw;
    throw Error(error.code(), error.what() + ("; " + others) + " have one: bert-infer fetch NAME, then --model NAME");
  }
}

std::vector<std::string> names_of(const std::vector<LabelScore>& labels) {
  std::vector<std::string> names;
  for (const LabelScore& label : labels) names.push_back(label.label);
  return names;
}

}  // namespace

void HeadCommand::declare_run(OptionTable& table, const std::string& length_by_default,
                              const std::vector<OutputFormat>& formats) {
  declare_model(table, options);
  declare_lengths(table, options, length_by_default);
  declare_output(table, options, formats);
  declare_batches(table, options);
}

void HeadCommand::declare_expect(OptionTable& table) {
  table.begin_group("Evaluation");
  options.label_option = "--expect";
  table.text(
      "--expect", options.label, "NAME",
      "the column, or the objects' member, with the right label of each text; prints how often the label with the "
      "highest score is right, with F1 and confusions, in place of the results");
}

void HeadCommand::check_expect(const TaskSettings& settings) const {
  if (options.label.empty()) return;
  if (options.inputs.empty() || !options.has_records()) {
    throw UsageError("--expect " + in_quotes(options.label) +
                     " names a part of records: it needs --input with .csv, .tsv or .jsonl");
  }
  if (options.format != OutputFormat::kText && options.format != OutputFormat::kJson) {
    throw UsageError("--expect writes text or json");
  }
  if (settings.has("top_k") || !options.keep.empty()) {
    throw UsageError(std::string("--expect has no results for ") + (options.keep.empty() ? "--top-k" : "--keep"));
  }
}

int HeadCommand::run_texts(Input& all_texts, Console& console, const TaskNeeds& needs) {
  const bool is_evaluated = !options.label.empty();
  std::optional<LabelledInput> labelled;
  Input& input = is_evaluated ? labelled.emplace(all_texts) : all_texts;
  std::optional<Evaluation> evaluation;
  Output output(options.output, Output::Access::kStream);
  const Model model = changed_model(load_model(options, console), interventions_);
  if (needs.head) require_head(model, *needs.head, needs.models);
  const TaskCallPtr task = call(model);
  TokenRules rules = model_token_rules(options, model);
  if (needs.text) rules.no_ids = kNeedsText;
  if (needs.lone) rules.no_pair = kNeedsNoPair;

  RunSummary summary(input, output, console);
  JsonResults json(output, options.format);
  std::optional<CsvResults> csv;
  if (options.format == OutputFormat::kCsv) csv.emplace(output, options, csv_columns());
  const bool are_many = !options.inputs.empty() || options.texts.size() > 1;
  bool any = false;
  TaskTexts texts(input, model, *task, rules);
  for (Sequence text; texts.next(text);) {
    const TaskOutput& found = texts.result();
    if (is_evaluated && !text.error) {
      const auto& labels = std::get<std::vector<LabelScore>>(found);
      if (!evaluation) evaluation.emplace(names_of(labels));
      evaluation->add(labelled->label(text.input.index), labels.front().label, text.source);
    } else if (is_evaluated) {  // the error is reported, and the text left out
    } else if (csv && text.error) {
      csv->add_error(text.input.index, text.source, text.error->what());
    } else if (csv) {
      for (const auto& row : rows_of(found, text)) csv->add(text.input.index, text.source, row);
    } else if (options.format != OutputFormat::kText && text.error) {
      json.add(error_object(text));
    } else if (options.format != OutputFormat::kText) {
      JsonWriter object = begin_result(text);
      object.member(member_name(found)) += to_json(found, text, options.offset_unit);
      if (!text.input.words) add_offset_unit(object, text);  // labels of words have no places
      add_token_counts(object, text);
      json.add(object.take());
    } else if (text.error) {
      output.write("\n");
    } else {
      if (are_many && has_titles(found)) output.write((any ? "\n" : "") + result_title(text) + "\n");
      output.write(lines_of(found, text));
    }
    any = true;
    summary.count(text, texts.sequences());
    if (!texts.ready()) output.flush();
  }
  if (is_evaluated && evaluation) {
    output.write(options.format == OutputFormat::kText ? evaluation->text(output.style()) : evaluation->json());
  } else {
    json.finish();
  }
  return summary.finish(output, model);
}

}  // namespace bert::cli
