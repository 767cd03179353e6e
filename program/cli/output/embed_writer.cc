#include "program/cli/output/embed_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "program/cli/output/csv.h"
#include "program/cli/output/npy.h"
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

const Tokenizer* tokenizer_of(const Model& model) { return model.has_tokenizer() ? &model.tokenizer() : nullptr; }

// Writes "token weight" for each weight, the largest first; an empty line for a failed text. Without a tokenizer,
// writes ids instead of tokens.
class TextWeights : public EmbedWriter {
 public:
  TextWeights(Output& output, const Tokenizer* tokenizer) : output_(output), tokenizer_(tokenizer) {}

  void add(const Sequence& sequence) override {
    const SparseVector& vector = sequence.vectors().sparse;
    std::vector<size_t> order(vector.ids.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return vector.weights[a] > vector.weights[b]; });
    std::string line;
    for (const size_t i : order) {
      if (!line.empty()) line += "  ";
      line += tokenizer_ != nullptr ? std::string(tokenizer_->token(vector.ids[i])) : std::to_string(vector.ids[i]);
      append_number(line += ' ', vector.weights[i]);
    }
    output_.write(line += '\n');
  }

 private:
  Output& output_;
  const Tokenizer* tokenizer_;
};

// Writes a row for each text. Source: scipy/sparse/_matrix_io.py, save_npz.
class CsrWeights : public EmbedWriter {
 public:
  CsrWeights(Output& output, size_t columns) : archive_(output), columns_(columns) {}

  void add(const Sequence& sequence) override {
    const SparseVector& vector = sequence.vectors().sparse;
    indices_.insert(indices_.end(), vector.ids.begin(), vector.ids.end());
    weights_.insert(weights_.end(), vector.weights.begin(), vector.weights.end());
    row_starts_.push_back(static_cast<int64_t>(indices_.size()));
  }

  void finish() override {
    const int64_t shape[] = {static_cast<int64_t>(row_starts_.size() - 1), static_cast<int64_t>(columns_)};
    archive_.add({make_array("indices", std::span<const int32_t>(indices_), {indices_.size()}),
                  make_array("indptr", std::span<const int64_t>(row_starts_), {row_starts_.size()}),
                  Array{"format", "|S3", {}, "csr"}, make_array("shape", std::span<const int64_t>(shape), {2}),
                  make_array("data", std::span<const float>(weights_), {weights_.size()})});
    archive_.finish();
  }

 private:
  NpzResults archive_;
  size_t columns_;
  std::vector<int32_t> indices_;
  std::vector<float> weights_;
  std::vector<int64_t> row_starts_ = {0};
};

// The texts of the tokens that have vectors; their ids if the model has no tokenizer.
std::vector<int32_t> ids_of(const Sequence& sequence) {
  std::vector<int32_t> ids;
  for (const uint32_t token : sequence.vectors().tokens.tokens) ids.push_back(sequence.tokens.encoding.ids[token]);
  return ids;
}

class NpzTokens : public EmbedWriter {
 public:
  explicit NpzTokens(Output& output) : results_(output) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_arrays(sequence));
    const TokenVectors& vectors = sequence.vectors().tokens;
    const std::vector<int32_t> ids = ids_of(sequence);
    results_.add({make_array("ids", std::span<const int32_t>(ids), {ids.size()}),
                  make_array("vectors", std::span<const float>(vectors.values), {ids.size(), vectors.size})});
  }

  void finish() override { results_.finish(); }

 private:
  NpzResults results_;
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

AddVectors add_sparse(const Model& model) {
  return [tokenizer = tokenizer_of(model)](JsonWriter& object, const Sequence& sequence) {
    const SparseVector& vector = sequence.vectors().sparse;
    std::vector<size_t> places(vector.ids.size());
    std::iota(places.begin(), places.end(), size_t{0});
    append_list(object.member("sparse"), places, [&](std::string& text, size_t i) {
      JsonWriter one;
      if (tokenizer != nullptr) one.string("token", tokenizer->token(vector.ids[i]));
      one.number("id", vector.ids[i]);
      one.number("weight", vector.weights[i]);
      text += one.take();
    });
  };
}

std::unique_ptr<EmbedWriter> make_sparse_writer(Output& output, OutputFormat format, const Model& model,
                                                const SparseSettings& settings) {
  if (format == OutputFormat::kNpz) return std::make_unique<CsrWeights>(output, settings.size);
  if (format == OutputFormat::kText) return std::make_unique<TextWeights>(output, tokenizer_of(model));
  return make_json_writer(output, format, {add_sparse(model)});
}

SparseSettings settle_sparse(const Model& model, const SparseOptions& chosen, Console& console) {
  SparseSettings settings = model.sparse(chosen);
  if (!settings.declared) {
    console.note("the model's files do not say how to make sparse vectors: " + settings.module +
                 " over the tokens, as sentence-transformers' SparseEncoder does");
  }
  return settings;
}

AddVectors add_tokens(const Model& model) {
  return [&model](JsonWriter& object, const Sequence& sequence) {
    const std::vector<int32_t> ids = ids_of(sequence);
    if (model.has_tokenizer()) {
      append_list(object.member("tokens"), ids,
                  [&](std::string& text, int32_t id) { append_string(text, model.tokenizer().token(id)); });
    }
    object.numbers<int32_t>("ids", ids);
    const TokenVectors& vectors = sequence.vectors().tokens;
    const size_t shape[] = {ids.size(), vectors.size};
    append_tensor(object.member("vectors"), vectors.values, shape);
  };
}

std::unique_ptr<EmbedWriter> make_token_writer(Output& output, OutputFormat format, const Model& model, TextRole role) {
  if (format == OutputFormat::kNpz) return std::make_unique<NpzTokens>(output);
  const auto add_role = [role](JsonWriter& object, const Sequence&) { object.string("role", name(role)); };
  return make_json_writer(output, format, {add_role, add_tokens(model)});
}

}  // namespace bert::cli
