// The kinds of output of tokens and of heads.
#include "models/pipeline/computations.h"

#include "models/model/logit_score.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

// Tokens alone.
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

// The encoder's outputs for each token, and the pooled output.
class TokenStates : public Computation {
 public:
  TokenStates(const Model& model, const EncodeOptions& outputs, const TextRules& rules)
      : Computation(model), outputs_(outputs), sequences_(model, rules) {}

  void run(std::span<TextResult* const> pass) const override {
    set_outputs(pass, model()->encode(batch_of(pass), outputs_));
  }
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

// A head's logits for each sequence.
class HeadLogits : public Computation {
 public:
  HeadLogits(const Model& model, const HeadOptions& head, const TextRules& rules)
      : Computation(model), head_(head), sequences_(model, rules, head.prompt) {
    model.require(head.head);
  }

  void run(std::span<TextResult* const> pass) const override {
    set_outputs(pass, model()->logits(head_.head, batch_of(pass), head_.logits));
  }
  bool shares_passes_with(const Computation& other) const override {
    return head_ == static_cast<const HeadLogits&>(other).head_;
  }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override {
    // A model that scores a query with a document has no score for a text alone.
    if (!item.ids && !item.pair && has_logit_score(*model())) {
      throw Error(ErrorCode::kInvalidText, "a text without its pair, expected a query and a document");
    }
    return sequences_.of(item);
  }
  bool takes_words() const override { return true; }

  const HeadOptions head_;
  const TextSequences sequences_;
};

}  // namespace

ComputationPtr computation_of(const Model& model, std::monostate, const TextRules& rules) {
  return std::make_unique<TokenIds>(model, rules);
}

ComputationPtr computation_of(const Tokenizer& tokenizer, const TextRules& rules) {
  return std::make_unique<TokenIds>(tokenizer, rules);
}

ComputationPtr computation_of(const Model& model, const EncodeOptions& outputs, const TextRules& rules) {
  return std::make_unique<TokenStates>(model, outputs, rules);
}

ComputationPtr computation_of(const Model& model, const HeadOptions& head, const TextRules& rules) {
  return std::make_unique<HeadLogits>(model, head, rules);
}

}  // namespace bert
