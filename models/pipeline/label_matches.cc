// Entities and classes by labels, which the encoder reads with each text.
#include <utility>

#include "models/model/label_request.h"
#include "models/pipeline/computations.h"
#include "models/pipeline/text_sequences.h"

namespace bert {
namespace {

class LabelMatches : public Computation {
 public:
  LabelMatches(const Model& model, PreparedLabels labels, const TextRules& rules)
      : Computation(model), labels_(std::move(labels)), tokenize_(rules.tokenize) {
    if (rules.windows) throw Error(ErrorCode::kInvalidArgument, "windows of texts with labels, expected whole texts");
  }

  void run(std::span<TextResult* const> pass) const override {
    std::vector<const Encoding*> encodings;
    std::vector<std::string_view> texts;
    for (const TextResult* result : pass) {
      encodings.push_back(&result->encoding);
      texts.push_back(result->text);
    }
    std::vector<LabelResult> results = label_results(*model(), batch_of(pass), encodings, texts, labels_);
    for (size_t i = 0; i < pass.size(); ++i) {
      pass[i]->entities = std::move(results[i].entities);
      pass[i]->label_scores = std::move(results[i].scores);
    }
  }
  bool shares_passes_with(const Computation& other) const override {
    const PreparedLabels& labels = static_cast<const LabelMatches&>(other).labels_;
    return labels_.task == labels.task && labels_.request == labels.request;
  }

 private:
  std::vector<TextResult> sequences(TextItem& item) const override {
    if (item.ids) throw Error(ErrorCode::kInvalidArgument, "ids, expected a text: it is read with labels");
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it is read with labels");
    std::vector<TextResult> results(1);
    results[0].encoding = tokenize_with_labels(*model(), item.text, labels_, tokenize_);
    results[0].text = std::move(item.text);
    return results;
  }

  const PreparedLabels labels_;
  const TokenizeOptions tokenize_;
};

}  // namespace

ComputationPtr computation_of(const Model& model, const LabelRequest& request, const TextRules& rules) {
  return std::make_unique<LabelMatches>(model, prepare_labels(model, request), rules);
}

ComputationPtr computation_of(const Model& model, const ClassRequest& request, const TextRules& rules) {
  return std::make_unique<LabelMatches>(model, prepare_labels(model, request), rules);
}

}  // namespace bert
