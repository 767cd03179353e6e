#include "program/cli/run/vector_rows.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "bert/memory.h"
#include "program/cli/input/npy_file.h"
#include "program/cli/input/sequences.h"
#include "program/cli/options/pooling_options.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

void add_row(VectorRows& rows, std::span<const float> vector) {
  rows.indices.push_back(rows.items.size() - 1);
  rows.vectors.insert(rows.vectors.end(), vector.begin(), vector.end());
}

std::vector<RowText> read_items(const Options& options) {
  std::vector<RowText> items;
  const std::unique_ptr<Input> input = open_input(options);
  for (Item item; input->next(item, TextSource::kForever) == Input::State::kItem;) {
    RowText& row = items.emplace_back(RowText{std::move(item.text), std::move(item.source), std::move(item.label), {}});
    if (item.error) row.error = item.error->what();
  }
  return items;
}

}  // namespace

std::vector<std::string> VectorRows::cells(size_t row, std::string cosine) const {
  return {std::move(cosine), std::to_string(has_texts ? item(row).source.number : indices[row]),
          one_line(item(row).text)};
}

JsonWriter VectorRows::begin_object(size_t index) const {
  JsonWriter object = begin_result(items[index].source);
  object.number("index", static_cast<uint64_t>(index));
  return object;
}

VectorRows read_vector_file(const std::string& path, const Options& options, Console& console) {
  if (!options.model.empty() && !options.model_is_bundled) {
    throw UsageError("--vectors takes the place of the model's vectors; --model is given too");
  }
  VectorTable table = read_npy(path);
  VectorRows rows{.vectors = {}, .size = table.size, .indices = {}, .items = {}, .has_texts = !options.inputs.empty()};
  if (!options.texts.empty()) throw UsageError("--vectors goes with the texts of --input, or without any");
  std::vector<RowText> items = rows.has_texts ? read_items(options) : std::vector<RowText>(table.rows);
  if (items.size() != table.rows) {
    throw InputError(in_quotes(path) + " has " + with_commas(table.rows) + " vectors, expected " +
                     with_commas(items.size()) + ", one for each text of the input");
  }
  size_t failed = 0, first_failed = 0;
  for (size_t i = 0; i < table.rows; ++i) {
    const std::span<const float> vector = std::span(table.numbers).subspan(i * table.size, table.size);
    RowText& item = rows.items.emplace_back(std::move(items[i]));
    if (!rows.has_texts) item.source.number = i + 1;
    const bool is_finite = std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); });
    if (!is_finite && !item.error) item.error = "its vector has a NaN or an infinity";
    if (item.error) {
      if (failed++ == 0) first_failed = i + 1;
    } else {
      add_row(rows, vector);
    }
  }
  if (failed > 0) {
    console.note(with_commas(failed) + " of " + with_commas(table.rows) + " vectors " + (failed == 1 ? "is" : "are") +
                 " left out: a NaN or an infinity, or a text that cannot be read; " +
                 (failed == 1 ? "it is" : "the first is") + " the vector of row " + with_commas(first_failed));
    rows.status = kFailed;
  }
  return rows;
}

void VectorSource::declare(OptionTable& table, Options& options) {
  declare_input(table, options, kLoneTextLines);
  table.text("--vectors", file_, "FILE",
             "vectors in numpy's .npy, one for each text of --input, or without texts, in place of the model's");
  declare_model(table, options);
  declare_pooling(table, embed_);
  declare_lengths(table, options);
  declare_truncation(table, options);
  declare_batches(table, options);
  table.number("--memory", memory_,
               "mebibytes that the comparison may take besides the vectors (default: what is free)", 1);
}

VectorRows VectorSource::read(const Options& options, const Output& output, Console& console) const {
  return file_.empty() ? embed(options, output, console) : read_vector_file(file_, options, console);
}

VectorRows VectorSource::embed(const Options& options, const Output& output, Console& console) const {
  const std::unique_ptr<Input> input = open_input(options);
  const Model model = load_model(options, console);
  settle_pooling(model, embed_, console);
  VectorRows rows{.vectors = {}, .size = model.embedding_size(embed_), .indices = {}, .items = {}, .has_texts = true};
  RunSummary summary(*input, output, console);
  TokenRules rules = embed_token_rules(options, model, embed_.prompt.has_value());
  rules.no_ids = kNeedsText;
  rules.no_pair = kNeedsNoPair;
  Sequences sequences(*input, model, VectorRequest{.dense = embed_}, rules);
  for (Sequence sequence; sequences.next(sequence);) {
    summary.count(sequence);
    RowText& item =
        rows.items.emplace_back(RowText{std::move(sequence.input.text), std::move(sequence.source), {}, {}});
    if (sequence.error) {
      item.error = sequence.error->what();
    } else {
      add_row(rows, sequence.vectors().dense);
    }
  }
  rows.status = summary.finish();
  model.check_files();
  return rows;
}

ClusterRun VectorSource::run(const Options& options, Console& console) const {
  ClusterRun run;
  run.threads = options.threads.value_or(0);
  run.most_bytes = memory_ ? *memory_ * kMebibyte : available_memory();
  run.progress = [&console](double done) {
    console.show_status("compared: " + std::to_string(static_cast<int>(100 * done)) + " %");
  };
  return run;
}

}  // namespace bert::cli
