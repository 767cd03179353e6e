// The command cluster: groups texts, or vectors, by the cosine: into --k groups by k-means, or, with --threshold, into
// groups of texts near a centre.
#include <algorithm>
#include <memory>
#include <optional>
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

constexpr size_t kLeastSize = 2;

// The cluster of a row.
struct Place {
  std::optional<size_t> cluster;
  double cosine = 0;  // cosine with the centre
};

class Cluster : public Command {
 public:
  void declare(OptionTable& table) override {
    table.begin_group("Clusters");
    table.number("--k", k_, "the number of clusters, found by k-means", 1);
    table.number("--seed", seed_, "with --k, chooses the first centres (default: 0)");
    table.number("--iterations", iterations_, "with --k, the largest number of iterations (default: 100)", 1);
    table.cosine(
        "--threshold", threshold_,
        "in place of --k: a cluster has the texts whose cosine with one of them, its centre, is at least this");
    table.number("--min-size", least_size_, "with --threshold, the smallest number of texts in a cluster (default: 2)",
                 1);
    source_.declare(table, options);
    declare_output(table, options,
                   {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv});
    declare_keep(table, options, {"index", "text", "cluster", "cosine"});
  }

  int run(Console& console) override {
    if (k_.has_value() == (threshold_ > 0)) throw UsageError("cluster needs --k N or --threshold COSINE, one of them");
    if (!k_ && (seed_ || iterations_)) throw UsageError("--seed and --iterations are for --k");
    if (k_ && least_size_) throw UsageError("--min-size is for --threshold");
    Output output(options.output, Output::Access::kStream);
    rows_ = source_.read(options, output, console);
    if (k_) {
      by_k_means(console);
    } else {
      by_threshold(console);
    }
    console.clear_status();
    if (options.format == OutputFormat::kText) {
      write_clusters(output);
    } else if (options.format == OutputFormat::kCsv) {
      write_csv(output);
    } else {
      write_json(output);
    }
    output.commit();
    return rows_.status;
  }

 private:
  void by_k_means(Console& console) {
    if (*k_ > rows_.rows()) {
      const std::string needed = std::to_string(*k_);
      throw InputError("--k " + needed + " needs " + needed + (rows_.has_texts ? " texts" : " vectors") +
                       ": the input has " + std::to_string(rows_.rows()));
    }
    const KMeans found = k_means(rows_.vectors, rows_.size,
                                 {.clusters = *k_,
                                  .seed = seed_.value_or(0),
                                  .most_iterations = iterations_.value_or(100),
                                  .run = source_.run(options, console)});
    for (size_t row = 0; row < rows_.rows(); ++row) places_.push_back({found.clusters[row], found.cosines[row]});
    clusters_ = found.sizes.size();
    console.clear_status();
    if (clusters_ < *k_) {
      console.note(std::to_string(clusters_) + " of " + std::to_string(*k_) + " clusters: no more of the " +
                   (rows_.has_texts ? "texts" : "vectors") + " differ");
    }
    if (found.has_converged) return;
    console.note("texts still changed their clusters after " + std::to_string(found.iterations) +
                 (found.iterations == 1 ? " iteration" : " iterations") + " (--iterations)");
  }

  void by_threshold(Console& console) {
    const std::vector<Community> found = find_communities(rows_.vectors, rows_.size,
                                                          {.threshold = threshold_,
                                                           .least_rows = least_size_.value_or(kLeastSize),
                                                           .run = source_.run(options, console)});
    places_.resize(rows_.rows());
    clusters_ = found.size();
    size_t placed = 0;
    for (size_t cluster = 0; cluster < found.size(); ++cluster) {
      const Community& one = found[cluster];
      for (size_t i = 0; i < one.rows.size(); ++i) places_[one.rows[i]] = {cluster, one.cosines[i]};
      placed += one.rows.size();
    }
    console.clear_status();
    console.note(std::to_string(clusters_) + (clusters_ == 1 ? " cluster; " : " clusters; ") +
                 with_commas(rows_.rows() - placed) + " of " + with_commas(rows_.rows()) +
                 (rows_.has_texts ? " texts" : " vectors") + " in none");
  }

  // Writes cluster by cluster, texts nearest to the centre first.
  void write_clusters(Output& output) const {
    std::vector<std::vector<size_t>> members(clusters_);
    for (size_t row = 0; row < rows_.rows(); ++row) {
      if (places_[row].cluster) members[*places_[row].cluster].push_back(row);
    }
    for (size_t cluster = 0; cluster < clusters_; ++cluster) {
      std::vector<size_t>& rows = members[cluster];
      std::stable_sort(rows.begin(), rows.end(),
                       [&](size_t a, size_t b) { return places_[a].cosine > places_[b].cosine; });
      Table table = rows_.table();
      for (const size_t row : rows) table.add(rows_.cells(row, fixed(places_[row].cosine, 6)));
      output.write((cluster > 0 ? "\n" : "") + ("cluster " + std::to_string(cluster)) + ": " +
                   with_commas(rows.size()) + (rows_.has_texts ? " text" : " vector") + (rows.size() == 1 ? "" : "s") +
                   "\n" + table.text(output.style()));
    }
  }

  // Goes through the items of the input in order. Calls failure(index) for an item with an error, and result(index,
  // row) for any other, where `row` counts the items without an error from 0.
  template <class Result, class Failure>
  void for_each_item(const Result& result, const Failure& failure) const {
    size_t row = 0;
    for (size_t index = 0; index < rows_.items.size(); ++index) {
      if (rows_.items[index].error) {
        failure(index);
      } else {
        result(index, row++);
      }
    }
  }

  void write_json(Output& output) const {
    JsonResults results(output, options.format);
    const auto add = [&](size_t index, size_t row) {
      JsonWriter object = rows_.begin_object(index);
      const Place& place = places_[row];
      if (place.cluster) {
        object.number("cluster", static_cast<uint64_t>(*place.cluster));
        object.number("cosine", place.cosine);
      } else {
        object.member("cluster") += "null";
      }
      if (rows_.has_texts) object.string("text", rows_.items[index].text);
      results.add(object.take());
    };
    const auto fail = [&](size_t index) {
      JsonWriter object = rows_.begin_object(index);
      object.string("error", *rows_.items[index].error);
      results.add(object.take());
    };
    for_each_item(add, fail);
    results.finish();
  }

  void write_csv(Output& output) const {
    std::vector<std::string> columns = {"cluster", "cosine"};
    if (rows_.has_texts) columns.emplace_back("text");
    CsvResults results(output, options, columns);
    const auto add = [&](size_t index, size_t row) {
      std::vector<std::string> cells(2);
      if (places_[row].cluster) {
        cells[0] = std::to_string(*places_[row].cluster);
        append_number(cells[1], places_[row].cosine);
      }
      if (rows_.has_texts) cells.push_back(rows_.items[index].text);
      results.add(index, rows_.items[index].source, cells);
    };
    for_each_item(
        add, [&](size_t index) { results.add_error(index, rows_.items[index].source, *rows_.items[index].error); });
  }

  VectorSource source_;
  std::optional<size_t> k_, seed_, iterations_, least_size_;
  double threshold_ = 0;
  VectorRows rows_;
  std::vector<Place> places_;  // for each row
  size_t clusters_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_cluster() { return std::make_unique<Cluster>(); }

}  // namespace bert::cli
