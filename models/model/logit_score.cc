#include "models/model/logit_score.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/model/model_impl.h"

namespace bert {

void set_logit_score_head(const SentenceSettings& settings, const ModelConfig& config, std::string_view word_table,
                          EncoderPlan& plan, WeightReader& reader) {
  const LogitScore& score = settings.logit_score.value();
  constexpr std::string_view kOutput = "lm_head", kWeight = "lm_head.weight";
  for (const int32_t id : {score.true_id, score.false_id.value_or(0)}) {
    if (static_cast<size_t>(id) < config.vocab_size) continue;
    throw Error(ErrorCode::kInvalidFile,
                "LogitScore: token " + std::to_string(id) + ", expected 0 to " + std::to_string(config.vocab_size - 1));
  }
  const bool is_tied = !reader.has(kWeight);
  const WeightView rows = is_tied ? reader.tied(kOutput, word_table, plan.embeddings.word)
                                  : reader.matrix(kWeight, config.vocab_size, config.hidden_size, WeightRole::kHead);
  const auto row_of = [&](int32_t id) {
    std::vector<float> row(rows.cols);
    kernels_for({}).copy_row(row.data(), rows.row(static_cast<size_t>(id)), row.size());
    return row;
  };
  std::vector<float> weight = row_of(score.true_id);
  if (score.false_id) {
    const std::vector<float> other = row_of(*score.false_id);
    for (size_t i = 0; i < weight.size(); ++i) weight[i] -= other[i];
  }
  HeadSpec head{.head = Head::kSequenceClassification, .input = HeadInput::kLastToken, .layers = {}};
  const std::span<const float> kept = reader.keep(weight);
  head.layers.output.parts = {{{.data = kept.data(), .rows = 1, .cols = kept.size()}, nullptr}};
  plan.heads.assign(1, head);
}

bool has_logit_score(const Model& model) { return ModelAccess::impl(model).text.sentence.logit_score.has_value(); }

Encoding tokenize_messages(const Model& model, std::string_view query, std::string_view document,
                           const std::string& instruction, TokenizeOptions options) {
  const ChatTemplate& chat = ModelAccess::impl(model).text.sentence.logit_score->chat_template;
  const Tokenizer& tokenizer = model.tokenizer();
  const auto given = instruction.empty() ? std::nullopt : std::optional(instruction);
  options.add_special_tokens = false;
  Encoding encoding = tokenizer.tokenize(chat.render(query, document, given), options);
  if (encoding.truncated_tokens == 0) return encoding;
  options.max_length = 0;
  const auto filled = [&](const char* filler) {
    return tokenizer.tokenize(chat.render(filler, filler, given), options).ids;
  };
  const std::vector<int32_t> one = filled("0"), other = filled("1 2 3 4");
  const auto differs = std::mismatch(one.rbegin(), one.rend(), other.rbegin(), other.rend()).first;
  const auto common = std::min(differs - one.rbegin(), static_cast<std::ptrdiff_t>(encoding.ids.size()));
  std::copy(one.end() - common, one.end(), encoding.ids.end() - common);
  return encoding;
}

}  // namespace bert
