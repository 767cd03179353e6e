#include "models/model/sentence_parts.h"

#include <optional>
#include <string>
#include <variant>

#include "engine/base/quote.h"
#include "models/config/default_labels.h"

namespace bert {
namespace {

// Names a classifier's outputs by the configuration's labels if their number is equal.
void name_labels(ModelSources& sources, size_t outputs) {
  std::vector<std::optional<std::string>>& labels = sources.config.labels;
  if (labels.size() == outputs) return;
  sources.text.notices.push_back("config.json has " + std::to_string(labels.size()) +
                                 " labels and the last module has " + std::to_string(outputs) +
                                 (outputs == 1 ? " output" : " outputs") + ": the labels are LABEL_0, LABEL_1, …");
  labels = default_labels(outputs);
}

}  // namespace

// Stanford's Dense is such a matrix; the tensor gives its width.
std::vector<std::string_view> measure_token_modules(SentenceSettings& settings, const Checkpoint& checkpoint) {
  std::vector<std::string_view> names;
  if (!settings.late) return names;
  for (SentenceModule& module : settings.late->modules) {
    auto* dense = std::get_if<DenseModule>(&module.kind);
    if (dense == nullptr || dense->out != 0) continue;
    constexpr std::string_view kName = "linear.weight";
    const StoredTensor* tensor = checkpoint.find(kName);
    if (tensor == nullptr || tensor->shape.size() != 2) {
      throw Error(
          ErrorCode::kInvalidFile,
          quote_path(checkpoint.source()) + ": no matrix 'linear.weight', expected one beside the encoder of ColBERT");
    }
    dense->out = tensor->shape[0];
    dense->in = tensor->shape[1];
    names.push_back(kName);
  }
  return names;
}

SentenceParts read_sentence_parts(ModelSources& sources, const WeightReaderOptions& reading) {
  SentenceSettings& settings = sources.text.sentence;
  const size_t hidden_size = sources.config.hidden_size;
  const Tokenizer* tokenizer = std::get_if<Tokenizer>(&sources.text.tokenizer);
  SentenceParts parts{.modules = load_modules(settings, hidden_size, sources.folder(), reading)};
  if (sources.family == nullptr) return parts;  // there is no encoder whose tokens have vectors
  if (settings.late) {
    parts.token_modules.emplace(settings.late->modules, hidden_size, sources.folder(), reading);
    parts.late.emplace(*settings.late, tokenizer, sources.text.limit.tokens.value());
  }
  if (settings.sparse && std::holds_alternative<LexicalModule>(*settings.sparse)) {
    parts.lexical.emplace(std::get<LexicalModule>(*settings.sparse), hidden_size, sources.folder(), reading, tokenizer);
  }
  if (!settings.classifier.empty()) {
    parts.classifier.emplace(settings.classifier, hidden_size, sources.folder(), reading);
    name_labels(sources, parts.classifier->width());
  }
  if (settings.logit_score && sources.config.labels.size() != 1) sources.config.labels.assign(1, "LABEL_0");
  return parts;
}

}  // namespace bert
