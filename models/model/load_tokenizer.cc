// Loads a model's tokenizer and length limits, by the same form as the model.
#include <utility>

#include "models/model/model_form.h"

namespace bert {
namespace {

LoadedTokenizer without_weights(ModelForm form, const LoadOptions& options) {
  form.needs_tokenizer = true;
  const ModelConfig* config = form.config_if_any();
  TextSettings text = read_text_settings(form, read_tokenizer(form), config, options.task);
  std::optional<size_t> most;
  if (config != nullptr) most = most_positions(*config);
  return {std::get<Tokenizer>(std::move(text.tokenizer)), text.limit.tokens, most, std::move(text.notices)};
}

}  // namespace

LoadedTokenizer load_tokenizer(const std::string& name, const LoadOptions& options) {
  return without_weights(read_form(find_model(name, options.revision), options), options);
}

LoadedTokenizer builtin_tokenizer(const LoadOptions& options) {
  return without_weights(builtin_form(options), options);
}

}  // namespace bert
