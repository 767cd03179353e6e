// The encoder's outputs for each token, and the pooled output.
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

class TokenStates : public Computation {
 public:
  TokenStates(const Model& model, const EncodeOptions& outputs, const TextRules& rules)
      : Computation(model), outputs_(outputs), sequences_(model, rules) {}

  void run(std::span<TextResult* const> pass) const override { give(pass, model()->encode(batch_of(pass), outputs_)); }
  bool shares_passes_with(const Computation& other) const override {
    return outputs_ == static_cast<const TokenStates&>(other).outputs_;
  }
  // The other outputs are many times larger.
  size_t pass_tokens() const override { return outputs_ == EncodeOptions{} ? Computation::pass_tokens() : 512; }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override { return sequences_.of(item); }
  bool takes_words() const override { return true; }

  const EncodeOptions outputs_;
  const TextSequences sequences_;
};

}  // namespace

ComputationPtr computation_of(const Model& model, const EncodeOptions& outputs, const TextRules& rules) {
  return std::make_unique<TokenStates>(model, outputs, rules);
}

}  // namespace bert
