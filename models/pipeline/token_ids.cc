// Tokens alone.
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

class TokenIds : public Computation {
 public:
  template <class Source>
  TokenIds(const Source& source, const TextOptions& options) : Computation(source), sequences_(source, options) {}

  void run(std::span<TextResult* const>) const override {}
  bool shares_passes_with(const Computation&) const override { return true; }
  bool computes() const override { return false; }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override { return sequences_.of(item); }

  const TextSequences sequences_;
};

}  // namespace

ComputationPtr token_ids(const Model& model, const TextOptions& options) {
  return std::make_unique<TokenIds>(model, options);
}

ComputationPtr token_ids(const Tokenizer& tokenizer, const TextOptions& options) {
  return std::make_unique<TokenIds>(tokenizer, options);
}

}  // namespace bert
