#include "program/cli/output/sparse_writer.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "program/cli/output/results.h"

namespace bert::cli {
namespace {

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

}  // namespace

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

}  // namespace bert::cli
