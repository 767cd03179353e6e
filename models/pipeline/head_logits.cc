// A head's logits for each sequence.
#include "models/model/logit_score.h"
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

class HeadLogits : public Computation {
 public:
  HeadLogits(const Model& model, const HeadOptions& head, const TextRules& rules)
      : Computation(model), head_(head), sequences_(model, rules, head.prompt) {
    model.require(head.head);
  }

  void run(std::span<TextResult* const> pass) const override {
    give(pass, model()->logits(head_.head, batch_of(pass), head_.logits));
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

ComputationPtr computation_of(const Model& model, const HeadOptions& head, const TextRules& rules) {
  return std::make_unique<HeadLogits>(model, head, rules);
}

}  // namespace bert
