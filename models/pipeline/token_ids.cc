// Tokens alone.
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

class TokenIds : public Computation {
 public:
  template <class Source>
  TokenIds(const Source& source, const TextRules& rules) : Computation(source), sequences_(source, rules) {}

  void run(std::span<TextResult* const>) const override {}
  bool shares_passes_with(const Computation&) const override { return true; }
  bool computes() const override { return false; }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override { return sequences_.of(item); }
  bool takes_words() const override { return true; }

  const TextSequences sequences_;
};

}  // namespace

ComputationPtr computation_of(const Model& model, std::monostate, const TextRules& rules) {
  return std::make_unique<TokenIds>(model, rules);
}

ComputationPtr computation_of(const Tokenizer& tokenizer, const TextRules& rules) {
  return std::make_unique<TokenIds>(tokenizer, rules);
}

}  // namespace bert
