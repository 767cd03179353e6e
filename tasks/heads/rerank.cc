// Scores documents for a query, depending on the kind of the model; interprets a classifier's outputs for such a pair.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "engine/base/quote.h"
#include "models/model/resolved_request.h"
#include "tasks/heads/check_logits.h"

namespace bert {
namespace {

bool is_relevant(std::string label) {
  std::transform(label.begin(), label.end(), label.begin(), [](unsigned char c) { return std::tolower(c); });
  return label == "relevant";
}

// Returns "identity", "sigmoid", or "softmax" for two labels. Throws Error(kUnsupported) if the model's files name
// another activation.
std::string_view activation_of(const ModelConfig& config) {
  if (config.labels.size() == 2) return "softmax";
  const std::string& path = config.activation_fn;
  const std::string_view name = std::string_view(path).substr(path.rfind('.') + 1);
  const bool is_torch = path.starts_with("torch.");
  if (is_torch && name == "Identity") return "identity";
  if (path.empty() || (is_torch && name == "Sigmoid")) return "sigmoid";
  throw Error(ErrorCode::kUnsupported, "activation_fn " + quote(path, 80) +
                                           " of the model's files is not supported, expected Identity or Sigmoid of "
                                           "torch.nn");
}

RerankMethod method_of(const Model& model) {
  if (makes_token_vectors(model)) return RerankMethod::kTokenVectors;
  const std::vector<Head>& heads = model.heads();
  const bool classifies = std::find(heads.begin(), heads.end(), Head::kSequenceClassification) != heads.end();
  return classifies ? RerankMethod::kClassifier : RerankMethod::kEmbeddings;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

// Throws for a language model that was not trained to make vectors, because its vectors mean nothing.
void refuse_language_model(const Model& model, const PoolingSettings& pooling) {
  const std::vector<std::string>& classes = model.config().architectures;
  if (pooling.declared || classes.empty() || !classes[0].ends_with("ForCausalLM")) return;
  throw Error(
      ErrorCode::kUnsupported,
      "the model is a " + classes[0] +
          " without modules.json, expected one that says how it scores a pair (the module LogitScore and a chat "
          "template, as sentence-transformers 5.4 saves a CrossEncoder) or how its vectors are pooled, or a "
          "pooling");
}

}  // namespace

size_t relevant_output(const ModelConfig& config, const std::optional<std::string>& label) {
  const size_t count = config.labels.size();
  if (count == 1 && !label) return 0;
  if (count != 1 && count != 2) {
    throw Error(ErrorCode::kInvalidArgument, "a classifier of " + std::to_string(count) +
                                                 " labels, expected one or two: the relevance of a document (the "
                                                 "command classify with --pair gives the scores of all)");
  }
  std::string names;
  for (size_t output = 0; output < count; ++output) {
    const std::string name = label_of(config, output);
    if (label ? name == *label : is_relevant(name)) return output;
    names += (output > 0 ? " and " : "") + quote(name, 80);
  }
  if (label) {
    throw Error(ErrorCode::kInvalidArgument,
                "relevant label " + quote(*label, 80) + ", expected one of the model's: " + names);
  }
  throw Error(ErrorCode::kInvalidArgument,
              "a classifier of the labels " + names +
                  ", expected one that is called 'relevant': name it (relevant_label, --relevant-label), or see the "
                  "scores of both (classify --pair)");
}

Relevance relevance(const ModelConfig& config, const Logits& logits, size_t output) {
  const size_t outputs = config.labels.size();
  check_logits(logits, 1, outputs, "sequence");
  double logit = static_cast<double>(logits.values[output]);
  if (outputs == 2)
    logit -= static_cast<double>(logits.values[1 - output]);  // the softmax is the sigmoid of this
                                                              // difference
  const std::string_view activation = activation_of(config);
  return {activation == "identity" ? logit : sigmoid(logit), logit, activation};
}

Reranker::Reranker(const Model& model, const EmbedOptions& options, const std::optional<std::string>& relevant_label)
    : model_(&model), method_(method_of(model)) {
  if (relevant_label && method_ != RerankMethod::kClassifier) {
    refuse("a relevant label given, expected none: the model compares vectors");
  }
  if (method_ == RerankMethod::kEmbeddings) {
    const PoolingSettings pooling = model.pooling(options);
    if (!options.pooling) refuse_language_model(model, pooling);
    score_ = std::make_shared<const HybridScore>(model, KindWeights{.sparse = 0, .tokens = 0});
    task_ = VectorRequest{.dense = options};
    return;
  }
  if (options.pooling || options.normalize || options.dimensions) {
    refuse("pooling, normalize or dimensions given, expected them for a model that is compared by its embeddings");
  }
  if (method_ == RerankMethod::kTokenVectors) {
    score_ = std::make_shared<const HybridScore>(model, KindWeights{.dense = 0, .sparse = 0});
    if (options.prompt || options.prompt_text) {
      refuse("a prompt given, expected none: a late-interaction model has its own for queries and for documents");
    }
    task_ = VectorRequest{.tokens = true, .role = TextRole::kDocument};
    return;
  }
  model.require(Head::kSequenceClassification);
  output_ = relevant_output(model.config(), relevant_label);
  task_ = HeadOptions{.head = Head::kSequenceClassification,
                      .prompt = chosen_prompt(model, options.prompt, options.prompt_text)};
  activation_of(model.config());
}

Reranker::Reranker(const Model& model, const VectorRequest& request, const KindWeights& weights)
    : model_(&model),
      method_(request.tokenizes_by_role() ? RerankMethod::kTokenVectors : RerankMethod::kEmbeddings),
      task_(request),
      score_(std::make_shared<const HybridScore>(model, weights)) {}

std::string Reranker::score_name() const {
  if (method_ == RerankMethod::kClassifier) return std::string(activation_of(model_->config()));
  const auto& request = std::get<VectorRequest>(task_);
  if (request.dense.has_value() + request.sparse.has_value() + request.tokens > 1) return "hybrid";
  if (request.tokens) return token_vector_settings(*model_).mean_score ? "meanmaxsim" : "maxsim";
  return std::string(name(request.dense ? model_->similarity() : model_->sparse().similarity));
}

Relevance Reranker::relevance(const Logits& logits) const { return bert::relevance(model_->config(), logits, output_); }

Relevance Reranker::similarity(const TextVectors& query, const TextVectors& document) const {
  const double score = score_->score(query, document);
  return {.score = score, .logit = score, .activation = {}};
}

}  // namespace bert
