// Prints the best label of each text, with its score:
//   classify MODEL_DIRECTORY TEXT...
// The model needs a head for sequence classification, such as a model of sentiments has.
#include <cstdio>
#include <string_view>

#include "bert/model.h"
#include "bert/tasks.h"

namespace {

void classify(const bert::Model& model, std::string_view text) {
  const bert::Encoding encoding = model.tokenizer().tokenize(text, {.max_length = model.max_length()});
  const bert::TokenSequence sequence = model.sequence(encoding);
  const bert::Logits logits = model.logits(bert::Head::kSequenceClassification, {&sequence, 1}).front();
  const bert::LabelScore best = bert::label_scores(model.config(), logits).front();
  std::printf("%.3f  %s  %.*s\n", best.score, best.label.c_str(), static_cast<int>(text.size()), text.data());
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: classify MODEL_DIRECTORY TEXT...\n");
    return 2;
  }
  try {
    const bert::Model model = bert::Model::load(arguments[1]);
    for (int i = 2; i < count; ++i) classify(model, arguments[i]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "classify: %s\n", error.what());
    return 1;
  }
}
