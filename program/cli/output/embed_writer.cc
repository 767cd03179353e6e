#include "program/cli/output/embed_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "program/cli/output/csv.h"
#include "program/cli/output/results.h"

namespace bert::cli {
namespace {

// Writes a line of numbers per text; an empty line for a failed text.
class PlainVectors : public EmbedWriter {
 public:
  explicit PlainVectors(Output& output) : output_(output) {}

  void add(const Sequence& sequence) override {
    std::string line;
    for (const float value : sequence.vectors().dense) {
      if (!line.empty()) line += ' ';
      append_number(line, value);
    }
    output_.write(line += '\n');
  }

 private:
  Output& output_;
};

class JsonVectors : public EmbedWriter {
 public:
  JsonVectors(Output& output, OutputFormat format, std::vector<AddVectors> kinds)
      : results_(output, format), kinds_(std::move(kinds)) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_object(sequence));
    JsonWriter object = begin_result(sequence);
    for (const AddVectors& add : kinds_) add(object, sequence);
    if (sequence.tokens.from_text) add_token_counts(object, sequence);
    results_.add(object.take());
  }

  void finish() override { results_.finish(); }

 private:
  JsonResults results_;
  std::vector<AddVectors> kinds_;
};

// Writes a row per text, or per window, with a column for each number of the vector.
class CsvVectors : public EmbedWriter {
 public:
  CsvVectors(Output& output, const EmbedFormat& format, const Options& options)
      : has_windows_(options.has_windows()), results_(output, options, columns(format.dimensions)) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add_error(sequence.input.index, sequence.source, sequence.error->what());
    std::vector<std::string> cells;
    if (has_windows_) cells.push_back(sequence.input.window ? std::to_string(*sequence.input.window) : "");
    for (const float value : sequence.vectors().dense) append_number(cells.emplace_back(), value);
    results_.add(sequence.input.index, sequence.source, cells);
  }

 private:
  std::vector<std::string> columns(size_t dimensions) const {
    std::vector<std::string> names;
    if (has_windows_) names.emplace_back("window");
    for (size_t i = 0; i < dimensions; ++i) names.push_back("e" + std::to_string(i));
    return names;
  }

  bool has_windows_;
  CsvResults results_;
};

// Writes a row per text; for a failed text NaN, or what quantize_vectors makes of NaN.
class MatrixVectors : public EmbedWriter {
 public:
  MatrixVectors(Output& output, const EmbedFormat& format, size_t rows)
      : file_(output, format.layout(), format.ranges, rows),
        failed_(format.dimensions, std::numeric_limits<float>::quiet_NaN()) {}

  void add(const Sequence& sequence) override { file_.add(sequence.error ? failed_ : sequence.vectors().dense); }

  void finish() override { file_.finish(); }

 private:
  VectorFile file_;
  std::vector<float> failed_;
};

}  // namespace

VectorLayout EmbedFormat::layout() const {
  return {file_format == OutputFormat::kNpy ? VectorLayout::Format::kNpy : VectorLayout::Format::kSafetensors, type,
          dimensions};
}

std::unique_ptr<EmbedWriter> make_json_writer(Output& output, OutputFormat format, std::vector<AddVectors> kinds) {
  return std::make_unique<JsonVectors>(output, format, std::move(kinds));
}

void add_dense(JsonWriter& object, const Sequence& sequence) {
  object.numbers<float>("embedding", sequence.vectors().dense);
}

void add_chunks(JsonWriter& object, const Sequence& sequence) {
  const std::vector<TextChunk>& chunks = sequence.vectors().chunks;
  const std::span<const float> vectors = sequence.vectors().dense;
  size_t next = 0;
  const TextUnits* units = sequence.units.get();
  append_list(object.member("chunks"), chunks, [&](std::string& text, const TextChunk& chunk) {
    JsonWriter one;
    add_place(one, chunk.bytes, chunk.code_points, units == nullptr ? nullptr : &units->of_text());
    one.number("tokens", chunk.tokens);
    const size_t size = vectors.size() / chunks.size();
    one.numbers<float>("embedding", vectors.subspan(next++ * size, size));
    text += one.take();
  });
  add_offset_unit(object, sequence);
}

std::unique_ptr<EmbedWriter> make_embed_writer(Output& output, const EmbedFormat& format, const Options& options,
                                               size_t results) {
  if (format.file_format == OutputFormat::kCsv) return std::make_unique<CsvVectors>(output, format, options);
  if (format.is_matrix()) return std::make_unique<MatrixVectors>(output, format, results);
  if (format.file_format == OutputFormat::kText) return std::make_unique<PlainVectors>(output);
  return make_json_writer(output, format.file_format, {add_dense});
}

void check_range(Sequence& sequence, NumberType type) {
  if (type != NumberType::kFloat16 || sequence.error) return;
  const std::vector<float>& vector = sequence.vectors().dense;
  const auto found =
      std::find_if(vector.begin(), vector.end(), [](float value) { return std::abs(value) >= kFloat16Overflow; });
  if (found == vector.end()) return;
  std::string number;
  append_number(number, *found);
  sequence.error.emplace(ErrorCode::kNonFinite, "number " + std::to_string(found - vector.begin()) +
                                                    " of the vector is " + number +
                                                    ", expected at most 65504 for float16");
}

}  // namespace bert::cli
