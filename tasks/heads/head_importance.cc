// Computes what an answer loses without each attention head, with one forward pass per head.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "bert/explain.h"
#include "bert/tasks.h"
#include "engine/base/quote.h"
#include "tasks/heads/check_logits.h"

namespace bert {
namespace {

// A number that a model, changed or not, gives for a text, and its description.
struct ModelAnswer {
  std::string name;
  std::function<double(const Model&)> value;
};

size_t place_of_largest(const std::vector<double>& values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

bool has_head(const Model& model, Head head) {
  const std::vector<Head>& heads = model.heads();
  return std::find(heads.begin(), heads.end(), head) != heads.end();
}

ModelAnswer answer_of(const Model& model, const TokenSequence& sequence) {
  const std::span<const TokenSequence> one(&sequence, 1);
  if (has_head(model, Head::kSequenceClassification)) {
    const auto scores = [one](const Model& of) {
      return output_scores(of.config(), of.logits(Head::kSequenceClassification, one).front());
    };
    const size_t best = place_of_largest(scores(model));
    return {"the score of " + quote(label_of(model.config(), best), 40),
            [=](const Model& of) { return scores(of)[best]; }};
  }
  const std::optional<int32_t> mask = model.has_tokenizer() ? model.tokenizer().mask_id() : std::nullopt;
  const bool has_mask = mask && std::find(sequence.ids.begin(), sequence.ids.end(), *mask) != sequence.ids.end();
  if (has_mask && has_head(model, Head::kMaskedLm)) {
    const auto scores = [one, mask](const Model& of) {
      const Logits logits = of.logits(Head::kMaskedLm, one, {.only_id = mask}).front();
      return softmax(std::span(logits.values).first(logits.outputs));
    };
    const size_t best = place_of_largest(scores(model));
    const std::string word(model.tokenizer().token(static_cast<int32_t>(best)));
    return {"the probability of " + quote(word, 40), [=](const Model& of) { return scores(of)[best]; }};
  }
  std::vector<float> whole = model.embed(one);
  return {"the cosine with the vector of all heads",
          [one, whole = std::move(whole)](const Model& of) { return cosine_similarity(whole, of.embed(one)); }};
}

}  // namespace

HeadImportance head_importance(const Model& model, const Encoding& encoding, Ablation ablation) {
  const TokenSequence sequence = model.sequence(encoding);
  const ModelAnswer answer = answer_of(model, sequence);
  HeadImportance result;
  result.answer = answer.name;
  result.whole = answer.value(model);
  result.heads = model.config().num_attention_heads;
  for (size_t layer = 0; layer < model.config().attention_layers(); ++layer) {
    for (size_t head = 0; head < result.heads; ++head) {
      const Model without = intervene(model, {.heads = {{layer, head}}, .ablation = ablation});
      result.loss.push_back(result.whole - answer.value(without));
    }
  }
  if (result.loss.empty()) throw Error(ErrorCode::kNotFound, "the model has no attention: it has no layers");
  return result;
}

}  // namespace bert
