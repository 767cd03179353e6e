// Finds the rows of the word table that are nearest to a word's row.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "engine/layers/embeddings.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"
#include "tasks/analysis/rows.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

constexpr size_t kBlockRows = 1024;  // rows in memory at once, as floats

// Reads rows of the word table as floats.
class WordTable {
 public:
  explicit WordTable(const Model& model)
      : impl_(ModelAccess::impl(model)),
        table_(impl_.encoder.plan.embeddings.word),
        lease_(impl_.backend, workspace_shape(impl_.encoder.plan, 1, 1, 1, impl_.backend.threads())) {}

  std::vector<float> row(int32_t id) {
    if (id < 0 || static_cast<size_t>(id) >= table_.rows) {
      refuse_argument("id " + std::to_string(id) + ", expected one of the " + std::to_string(table_.rows) +
                      " rows of the word table");
    }
    std::vector<float> word(table_.cols);
    read(static_cast<size_t>(id), word);
    return word;
  }

  std::vector<double> cosines(std::span<const float> word) {
    std::vector<double> cosines;
    std::vector<float> block;
    for (size_t begin = 0; begin < table_.rows; begin += kBlockRows) {
      block.resize(std::min(kBlockRows, table_.rows - begin) * table_.cols);
      read(begin, block);
      const analysis::Rows rows{block, table_.cols};
      for (size_t i = 0; i < rows.count(); ++i) cosines.push_back(analysis::cosine(rows[i], word));
    }
    return cosines;
  }

 private:
  void read(size_t begin, std::vector<float>& rows) {
    const size_t count = rows.size() / table_.cols;
    copy_table(table_.row_range(begin, count), {rows.data(), count, table_.cols, table_.cols}, lease_.context());
    if (all_finite(rows)) return;
    throw Error(ErrorCode::kNonFinite,
                "a NaN or an infinity in " + impl_.model_named() + "'s word vectors, expected finite numbers");
  }

  const Model::Impl& impl_;
  const WeightView& table_;
  Backend::Lease lease_;
};

}  // namespace

std::vector<double> word_cosines(const Model& model, int32_t id) {
  WordTable table(model);
  return table.cosines(table.row(id));
}

std::vector<double> word_cosines(const Model& model, std::span<const WordTerm> terms) {
  if (terms.empty()) refuse_argument("no words to add, expected at least one");
  WordTable table(model);
  std::vector<double> sum;
  for (const WordTerm& term : terms) {
    const std::vector<float> row = table.row(term.id);
    double squares = 0;
    for (const float value : row) squares += double{value} * value;
    const double scale = squares > 0 ? term.weight / std::sqrt(squares) : 0;
    sum.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) sum[i] += scale * row[i];
  }
  return table.cosines(std::vector<float>(sum.begin(), sum.end()));
}

std::vector<WordNeighbor> nearest_words(const Model& model, int32_t id, size_t count) {
  return nearest_words(word_cosines(model, id), id, count);
}

std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, int32_t id, size_t count) {
  return nearest_words(cosines, {&id, 1}, count);
}

std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, std::span<const int32_t> left_out,
                                        size_t count) {
  std::vector<WordNeighbor> words;
  for (size_t i = 0; i < cosines.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    if (std::find(left_out.begin(), left_out.end(), id) == left_out.end()) words.push_back({id, cosines[i]});
  }
  const size_t kept = std::min(count, words.size());
  std::partial_sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(kept), words.end(),
                    [](const WordNeighbor& a, const WordNeighbor& b) {
                      return a.cosine != b.cosine ? a.cosine > b.cosine : a.id < b.id;
                    });
  words.resize(kept);
  return words;
}

}  // namespace bert
