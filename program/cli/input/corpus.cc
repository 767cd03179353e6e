#include "program/cli/input/corpus.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bert/quantize.h"
#include "program/cli/common.h"
#include "program/cli/input/npy_file.h"
#include "program/cli/output/console.h"
#include "program/cli/run/run_record.h"

namespace bert::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

// Returns the first member that differs, in words; "": none does.
std::string changed_member(const std::string& old_label, const std::string& label) {
  const Json before = Json::parse(old_label, nullptr, false), now = Json::parse(label);
  for (const auto& [name, value] : now.items()) {
    if (!before.is_object() || !before.contains(name) || before[name] != value) return name;
  }
  return old_label == label ? "" : "description";
}

// Calls add(vector) for each line, with NaN for an empty or failed line. Returns the exit status.
int embed_lines(const Options& options, const EmbedOptions& embed, bool normalize, const Model& model, Input& input,
                const Output& output, Console& console, const std::function<void(std::span<const float>)>& add) {
  const std::vector<float> none(model.embedding_size(embed), std::numeric_limits<float>::quiet_NaN());
  size_t blank = 0;
  RunSummary summary(input, output, console);
  const VectorRequest request{.dense = embed, .role = TextRole::kDocument};
  Sequences sequences(input, model, request, embed_token_rules(options, model, !model.prompt(request).empty()));
  for (Sequence sequence; sequences.next(sequence);) {
    std::vector<float> vector = sequence.vectors().dense;
    if (normalize) scale_to_unit_length(vector);
    add(sequence.error || sequence.source.is_blank ? none : vector);
    if (sequence.source.is_blank) ++blank;
    summary.count(sequence);
  }
  if (blank > 0) {
    console.note(with_commas(blank) + (blank == 1 ? " line is" : " lines are") + " empty and not searched");
  }
  return summary.finish();
}

// Returns the file's index if it is up to date; else reports why it is not.
std::optional<VectorIndex> open_if_current(const std::string& path, const std::string& label, size_t threads,
                                           Console& console) {
  if (!fs::exists(path)) return std::nullopt;
  if (!is_vector_index(path)) {
    throw InputError(in_quotes(path) + " exists and is not an index of vectors: it is not replaced");
  }
  std::string reason;
  try {
    VectorIndex index = VectorIndex::open(path, threads);
    const std::string changed = changed_member(std::string(index.label()), label);
    if (changed.empty() && !index.has_checksums()) {
      console.note("the index " + in_quotes(path) +
                   " is of an earlier version, without checksums: damage is not found");
    }
    if (changed.empty()) return index;
    reason = "the " + changed + " changed";
  } catch (const Error& error) {
    reason = error.what();
  }
  console.note("the index " + in_quotes(path) + " is made again: " + reason);
  return std::nullopt;
}

// Returns JSON that describes what the vectors were computed from. An index file stores it, and is written again if it
// differs. Throws Error, InputError.
std::string describe_vectors(const Options& options, const CorpusVectors& vectors, const Corpus& corpus) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json described = {{"corpus", corpus.digest()}, {"model", describe_model(options)}};
  described["options"] = {
      {"pooling", vectors.embed.pooling ? Json(name(*vectors.embed.pooling)) : Json()},
      {"normalize", or_null(vectors.embed.normalize)},
      {"dimensions", or_null(vectors.embed.dimensions)},
      {"prompt", or_null(vectors.embed.prompt)},
      {"unit_length", vectors.normalize},
      {"rows", name(vectors.scan)},
      {"task", or_null(options.task)},
      {"case", options.cased     ? "cased"
               : options.uncased ? "uncased"
                                 : ""},
      {"gemm", static_cast<int>(options.gemm)},
      {"precision", static_cast<int>(options.precision)},
      {"positions", static_cast<int>(options.positions.kind)},
      {"positions_at", static_cast<int>(options.positions.at)},
      {"max_length", or_null(options.max_length)},
      {"truncation", options.truncation ? Json(static_cast<int>(*options.truncation)) : Json()},
      {"split_special_tokens", options.split_special_tokens},
  };
  return described.dump();
}

}  // namespace

Corpus::FileState Corpus::state_of(const std::string& path) {
  if (path == "-") return {};
  std::error_code error;
  FileState state{.is_regular = fs::is_regular_file(path, error)};
  if (state.is_regular) state.bytes = fs::file_size(path, error);
  if (state.is_regular && !error) state.modified = fs::last_write_time(path, error);
  return error ? FileState{} : state;
}

// Marks blank items, and keeps each item if `kept` is not null.
class Corpus::Lines : public InputOver {
 public:
  Lines(Input& input, std::vector<Item>* kept) : InputOver(input), kept_(kept) {}

  State next(Item& item, Wait wait) override {
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    item.source.is_blank = !item.error && item.text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
    if (kept_ != nullptr) kept_->push_back(item);
    return state;
  }

 private:
  std::vector<Item>* kept_;
};

Corpus::Corpus(const Options& options) : options_(options) {
  for (const std::string& name : options.inputs) files_.push_back(state_of(name));
  are_files_ = std::ranges::all_of(files_, &FileState::is_regular);
  input_ = open_input(options_);
  lines_ = std::make_unique<Lines>(*input_, are_files_ ? nullptr : &kept_);
}

std::string Corpus::digest() const {
  std::string digest;
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string& name = options_.inputs[i];
    if (!files_[i].is_regular) throw InputError("--index needs an --input that is a file; found " + in_quotes(name));
    digest += (i > 0 ? " " : "") + file_sha256(name);
  }
  check_is_unchanged();
  std::string reading = options_.jsonl ? " jsonl" : options_.csv ? " csv" : options_.tsv ? " tsv" : "";
  if (options_.encoding != TextEncoding::kUtf8)
    reading += " encoding " + std::to_string(static_cast<int>(options_.encoding));
  if (options_.invalid != InvalidBytes::kFail)
    reading += " invalid " + std::to_string(static_cast<int>(options_.invalid));
  if (!options_.field.empty()) reading += ' ' + options_.field;
  return digest + reading;
}

std::map<size_t, Item> Corpus::lines(const std::set<size_t>& numbers) const {
  std::map<size_t, Item> lines;
  if (!are_files_) {
    for (const size_t number : numbers) lines[number] = kept_.at(number);
    return lines;
  }
  if (!numbers.empty()) {
    const std::unique_ptr<Input> input = open_input(options_);
    size_t number = 0;
    for (Item item; number <= *numbers.rbegin(); ++number) {
      if (input->next(item, TextSource::kForever) != Input::State::kItem) break;
      if (numbers.contains(number)) lines[number] = std::move(item);
    }
  }
  check_is_unchanged();
  return lines;
}

void Corpus::check_is_unchanged() const {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (state_of(options_.inputs[i]) == files_[i]) continue;
    throw InputError(in_quotes(options_.inputs[i]) + " was written while it was read");
  }
}

CorpusIndex open_corpus_index(const std::string& path, const Options& options, const CorpusVectors& vectors,
                              const Model& model, Corpus& corpus, Console& console) {
  const size_t size = model.embedding_size(vectors.embed);
  const size_t threads = model.threads();
  const auto embed = [&](const Output& output, const std::function<void(std::span<const float>)>& add) {
    return embed_lines(options, vectors.embed, vectors.normalize, model, corpus.input(), output, console, add);
  };
  if (path.empty()) {
    std::vector<float> all;
    const Output unused("", Output::Access::kStream);
    const int status = embed(unused, [&](std::span<const float> v) { all.insert(all.end(), v.begin(), v.end()); });
    return {VectorIndex(all, size, {.scan = vectors.scan, .threads = threads}), status};
  }

  const std::string label = describe_vectors(options, vectors, corpus);
  if (std::optional<VectorIndex> index = open_if_current(path, label, threads, console)) {
    if (const size_t rows = index->unusable_rows(); rows > 0) {
      console.note(with_commas(rows) + (rows == 1 ? " line has" : " lines have") +
                   " no vector: empty, or failed when the index was made");
    }
    return {std::move(*index), kDone};
  }
  Output file(path, Output::Access::kSeekable);  // a partial index is useless
  VectorIndexWriter writer([&](std::string_view bytes) { file.write(bytes); }, size, vectors.scan, label);
  const int status = embed(file, [&](std::span<const float> vector) { writer.add(vector); });
  writer.finish();
  corpus.digest();  // throws if the lines were written to meanwhile
  model.check_files();
  file.commit();
  return {VectorIndex::open(path, threads), status};
}

CorpusIndex read_corpus_vectors(const std::string& path, const CorpusVectors& vectors, const Model& model,
                                Corpus& corpus, Console& console) {
  VectorTable table = read_npy(path);
  const size_t size = model.embedding_size(vectors.embed);
  check_vector_size(path, table.size, size, "of a query");
  size_t lines = 0, left_out = 0;
  for (Item item; corpus.input().next(item, TextSource::kForever) == Input::State::kItem; ++lines) {
    if (lines >= table.rows) continue;
    const std::span<float> row = std::span(table.numbers).subspan(lines * size, size);
    if (vectors.normalize) scale_to_unit_length(row);
    const bool is_finite = std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
    if (is_finite && !item.error && !item.source.is_blank) continue;
    ++left_out;
    std::fill(row.begin(), row.end(), std::numeric_limits<float>::quiet_NaN());
  }
  if (lines != table.rows) {
    throw InputError(in_quotes(path) + " has " + with_commas(table.rows) + " vectors, expected " + with_commas(lines) +
                     ", one for each line of the corpus");
  }
  if (left_out > 0) {
    console.note(with_commas(left_out) + (left_out == 1 ? " line is" : " lines are") +
                 " not searched: empty, or without a vector");
  }
  return {VectorIndex(table.numbers, size, {.scan = vectors.scan, .threads = model.threads()}), kDone};
}

void check_vector_size(const std::string& path, size_t found, size_t expected, const std::string& of_what) {
  if (found == expected) return;
  throw InputError(in_quotes(path) + " has vectors of " + std::to_string(found) + " numbers, expected " +
                   std::to_string(expected) + ", as the model makes " + of_what);
}

void scale_to_unit_length(std::span<float> vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * value;
  if (!(squares > 0)) return;
  const double length = std::sqrt(squares);
  for (float& value : vector) value = static_cast<float>(value / length);
}

}  // namespace bert::cli
