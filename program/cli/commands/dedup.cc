// The command dedup: prints the texts, or the vectors, that are left when near-duplicates of earlier ones are dropped;
// or the groups of near-duplicates.
#include <memory>
#include <string>
#include <vector>

#include "bert/clusters.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/output/csv.h"
#include "program/cli/output/results.h"
#include "program/cli/run/vector_rows.h"

namespace bert::cli {
namespace {

constexpr double kThreshold = 0.9;

class Dedup : public Command {
 public:
  void declare(OptionTable& table) override {
    table.begin_group("Comparison");
    table.cosine("--threshold", threshold_,
                 "a text is dropped if its cosine with an earlier one that stays is at least this (default: 0.9)");
    table.flag("--groups", groups_, "write groups, each a text that stays with those dropped for it");
    source_.declare(table, options);
    declare_output(table, options,
                   {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv});
    declare_keep(table, options, {"index", "text", "kept", "cosine", "duplicates"});
  }

  int run(Console& console) override {
    Output output(options.output, Output::Access::kStream);
    rows_ = source_.read(options, output, console);
    const std::vector<Duplicate> duplicates =
        find_duplicates(rows_.vectors, rows_.size, {.threshold = threshold_, .run = source_.run(options, console)});
    console.clear_status();
    dropped_.resize(rows_.rows());
    for (const Duplicate& one : duplicates) dropped_[one.row] = &one;
    if (groups_ && options.format != OutputFormat::kCsv) {
      write_groups(duplicates, output);
    } else if (options.format == OutputFormat::kCsv) {
      write_csv(output);
    } else {
      write_kept(output);
    }
    output.commit();
    console.note("kept " + with_commas(rows_.rows() - duplicates.size()) + " of " + with_commas(rows_.rows()) +
                 (rows_.has_texts ? " texts" : " vectors") + ", dropped " + with_commas(duplicates.size()) +
                 (duplicates.size() == 1 ? " near-duplicate" : " near-duplicates"));
    return rows_.status;
  }

 private:
  void add_text(JsonWriter& object, size_t row) const {
    if (rows_.has_texts) object.string("text", rows_.item(row).text);
  }

  void write_kept(Output& output) const {
    JsonResults results(output, options.format);
    for (size_t row = 0; row < rows_.rows(); ++row) {
      if (dropped_[row] != nullptr) continue;
      if (options.format == OutputFormat::kText) {
        output.write((rows_.has_texts ? rows_.item(row).text : std::to_string(rows_.indices[row])) + "\n");
        continue;
      }
      JsonWriter object = rows_.begin_object(rows_.indices[row]);
      add_text(object, row);
      results.add(object.take());
    }
    results.finish();
  }

  void write_groups(const std::vector<Duplicate>& duplicates, Output& output) const {
    std::vector<std::vector<const Duplicate*>> groups(rows_.rows());
    for (const Duplicate& one : duplicates) groups[one.kept].push_back(&one);
    JsonResults results(output, options.format);
    bool any = false;
    for (size_t row = 0; row < rows_.rows(); ++row) {
      if (groups[row].empty()) continue;
      if (options.format == OutputFormat::kText) {
        output.write((any ? "\n" : "") + group_text(row, groups[row], output.style()));
      } else {
        results.add(group_object(row, groups[row]));
      }
      any = true;
    }
    results.finish();
  }

  std::string group_object(size_t row, const std::vector<const Duplicate*>& group) const {
    JsonWriter object = rows_.begin_object(rows_.indices[row]);
    add_text(object, row);
    append_list(object.member("duplicates"), group, [&](std::string& list, const Duplicate* one) {
      JsonWriter duplicate = rows_.begin_object(rows_.indices[one->row]);
      duplicate.number("cosine", one->cosine);
      add_text(duplicate, one->row);
      list += duplicate.take();
    });
    return object.take();
  }

  std::string group_text(size_t row, const std::vector<const Duplicate*>& group, const TextStyle& style) const {
    Table table = rows_.table();
    table.add(rows_.cells(row, "stays"));
    for (const Duplicate* one : group) table.add(rows_.cells(one->row, fixed(one->cosine, 6)));
    return table.text(style);
  }

  // With --groups, writes a row for each text: "kept", the index of the kept text, and the cosine with it.
  void write_csv(Output& output) const {
    std::vector<std::string> columns;
    if (groups_) columns = {"kept", "cosine"};
    if (rows_.has_texts) columns.emplace_back("text");
    CsvResults results(output, options, columns, CsvResults::Failed::kIsLeftOut);
    for (size_t row = 0; row < rows_.rows(); ++row) {
      const Duplicate* const dropped = dropped_[row];
      if (dropped != nullptr && !groups_) continue;
      std::vector<std::string> cells;
      if (groups_) {
        cells.push_back(std::to_string(rows_.indices[dropped == nullptr ? row : dropped->kept]));
        std::string& cosine = cells.emplace_back();
        if (dropped != nullptr) append_number(cosine, dropped->cosine);
      }
      if (rows_.has_texts) cells.push_back(rows_.item(row).text);
      results.add(rows_.indices[row], rows_.item(row).source, cells);
    }
  }

  VectorSource source_;
  double threshold_ = kThreshold;
  bool groups_ = false;
  VectorRows rows_;
  std::vector<const Duplicate*> dropped_;  // for each row; null: the row is kept
};

}  // namespace

std::unique_ptr<Command> make_dedup() { return std::make_unique<Dedup>(); }

}  // namespace bert::cli
