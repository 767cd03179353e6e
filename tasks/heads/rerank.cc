// Scores documents for a query, depending on the kind of the model.
#include <algorithm>

#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "models/model/resolved_request.h"
#include "tasks/heads/relevance.h"

namespace bert {
namespace {

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
