// The rows of the word table that are nearest to a word's.
#include <algorithm>
#include <string>

#include "analysis/rows.h"
#include "bert/experiments.h"
#include "engine/layers/embeddings.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"
#include "models/research/layer_states.h"

namespace bert {
namespace {

constexpr size_t kBlockRows = 1024;  // in memory at once, as floats

}  // namespace

std::vector<double> word_cosines(const Model& model, int32_t id) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const WeightView& table = impl.encoder.plan.embeddings.word;
  if (id < 0 || static_cast<size_t>(id) >= table.rows) {
    refuse_argument("id " + std::to_string(id) + ", expected one of the " + std::to_string(table.rows) +
                    " rows of the word table");
  }
  Backend::Lease lease(impl.backend, workspace_shape(impl.encoder.plan, 1, 1, 1, impl.backend.threads()));
  const auto read = [&](size_t begin, std::vector<float>& rows) {
    const size_t count = rows.size() / table.cols;
    copy_table(table.row_range(begin, count), {rows.data(), count, table.cols, table.cols}, lease.context());
    if (all_finite(rows)) return;
    throw Error(ErrorCode::kNonFinite,
                "a NaN or an infinity in " + impl.model_named() + "'s word vectors, expected finite numbers");
  };
  std::vector<float> word(table.cols);
  read(static_cast<size_t>(id), word);
  std::vector<double> cosines;
  std::vector<float> block;
  for (size_t begin = 0; begin < table.rows; begin += kBlockRows) {
    block.resize(std::min(kBlockRows, table.rows - begin) * table.cols);
    read(begin, block);
    const analysis::Rows rows{block, table.cols};
    for (size_t i = 0; i < rows.count(); ++i) cosines.push_back(analysis::cosine(rows[i], word));
  }
  return cosines;
}

std::vector<WordNeighbor> nearest_words(const Model& model, int32_t id, size_t count) {
  return nearest_words(word_cosines(model, id), id, count);
}

std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, int32_t id, size_t count) {
  std::vector<WordNeighbor> words;
  for (size_t i = 0; i < cosines.size(); ++i) {
    if (i != static_cast<size_t>(id)) words.push_back({static_cast<int32_t>(i), cosines[i]});
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
