// Computes the variance of the token vectors that position and word explain, over many texts.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "bert/experiments.h"
#include "tasks/analysis/two_way_variance.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

// Returns 1234567 as "1,234,567".
std::string with_commas(size_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

struct VarianceProbe::Impl {
  size_t max_words;
  std::optional<analysis::TwoWayVariance> sums = {};       // by position and word, for each layer
  size_t hidden = 0;                                       // width of a vector
  std::unordered_map<int32_t, uint32_t> word_groups = {};  // by id
  size_t texts = 0, tokens = 0, left_out = 0, positions = 0;

  void check(const Encoding& encoding, const EncodedSequence& encoded);
  std::optional<uint32_t> word_group(int32_t id);
};

VarianceProbe::VarianceProbe(size_t max_words) : impl_(std::make_unique<Impl>(Impl{max_words})) {}
VarianceProbe::VarianceProbe(VarianceProbe&&) noexcept = default;
VarianceProbe& VarianceProbe::operator=(VarianceProbe&&) noexcept = default;
VarianceProbe::~VarianceProbe() = default;

void VarianceProbe::Impl::check(const Encoding& encoding, const EncodedSequence& encoded) {
  const size_t size = encoded.tokens * encoded.hidden;
  if (size == 0 || encoded.hidden_states.empty() || encoded.hidden_states.size() % size != 0) {
    refuse_argument(std::to_string(encoded.hidden_states.size()) +
                    " numbers in the hidden states, expected layers of " + std::to_string(encoded.tokens) +
                    " tokens of " + std::to_string(encoded.hidden) + " numbers");
  }
  const size_t attended = attended_places(encoding).size();
  if (attended != encoded.tokens) {
    refuse_argument("an encoding of " + std::to_string(attended) + " tokens, expected " +
                    std::to_string(encoded.tokens) + ", those of the hidden states");
  }
  const size_t layers = layer_count(encoded);
  if (!sums) {
    sums.emplace(layers, encoded.hidden);
    hidden = encoded.hidden;
  }
  if (layers != sums->layers() || encoded.hidden != hidden) {
    refuse_argument("hidden states of " + std::to_string(layers) + " layers of " + std::to_string(encoded.hidden) +
                    " numbers, expected " + std::to_string(sums->layers()) + " of " + std::to_string(hidden) +
                    ", as in the texts before");
  }
}

std::optional<uint32_t> VarianceProbe::Impl::word_group(int32_t id) {
  const auto found = word_groups.find(id);
  if (found != word_groups.end()) return found->second;
  if (word_groups.size() >= max_words) return std::nullopt;
  return word_groups.emplace(id, static_cast<uint32_t>(word_groups.size())).first->second;
}

void VarianceProbe::add(const Encoding& encoding, const EncodedSequence& encoded) {
  const std::vector<uint8_t> special = special_places(encoding);
  if (encoding.ids.empty() && encoded.tokens == 0) {  // as for a static model
    ++impl_->texts;
    return;
  }
  impl_->check(encoding, encoded);
  ++impl_->texts;
  const std::vector<size_t> places = attended_places(encoding);
  std::vector<float> rows(impl_->sums->layers() * encoded.hidden);
  for (size_t t = 0; t < encoded.tokens; ++t) {
    const size_t place = places[t];
    if (special[place] != 0) continue;
    const std::optional<uint32_t> word = impl_->word_group(encoding.ids[place]);
    if (!word) {
      ++impl_->left_out;
      continue;
    }
    ++impl_->tokens;
    impl_->positions = std::max(impl_->positions, place + 1);
    for (size_t layer = 0; layer < impl_->sums->layers(); ++layer) {
      const std::span<const float> row = layer_rows(encoded, layer)[t];
      std::copy(row.begin(), row.end(), rows.begin() + static_cast<ptrdiff_t>(layer * encoded.hidden));
    }
    impl_->sums->add(static_cast<uint32_t>(place), *word, {rows, encoded.hidden});
  }
}

VarianceShares VarianceProbe::shares(std::string_view source) const {
  const std::string in_source = " in " + std::string(source);
  if (impl_->texts == 0) refuse_argument("no text" + in_source);
  if (impl_->tokens == 0) refuse_argument("no tokens" + in_source + ", expected some");
  const size_t words = impl_->word_groups.size(), positions = impl_->positions;
  if (impl_->tokens < words + positions) {
    refuse_argument("too few tokens" + in_source + ": " + with_commas(impl_->tokens) + ", expected at least " +
                    with_commas(words + positions) + ", the sum of words (" + with_commas(words) + ") and positions (" +
                    with_commas(positions) + ")");
  }
  VarianceShares result;
  result.texts = impl_->texts;
  result.tokens = impl_->tokens;
  result.left_out_tokens = impl_->left_out;
  result.words = words;
  result.positions = positions;
  for (size_t layer = 0; layer < impl_->sums->layers(); ++layer) {
    if (!impl_->sums->varies(layer)) {
      refuse_argument("all tokens have the same vector in layer " + std::to_string(layer) +
                      ", expected different ones");
    }
    const analysis::ExplainedVariance explained = impl_->sums->explained(layer);
    result.position.push_back(explained.first);
    result.word.push_back(explained.second);
    result.both.push_back(explained.both);
    result.neither.push_back(1 - explained.both);
  }
  return result;
}

}  // namespace bert
