#include "models/model/logit_score.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/model/model_impl.h"

namespace bert {

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
