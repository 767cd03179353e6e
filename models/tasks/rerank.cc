// How documents are scored for a query, by the kind of the model.
#include <algorithm>

#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "models/model/resolved_request.h"
#include "models/tasks/relevance.h"

namespace bert {
namespace {

RerankMethod method_of(const Model& model) {
  if (makes_token_vectors(model)) return RerankMethod::kTokenVectors;
  const std::vector<Head>& heads = model.heads();
  const bool classifies = std::find(heads.begin(), heads.end(), Head::kSequenceClassification) != heads.end();
  return classifies ? RerankMethod::kClassifier : RerankMethod::kEmbeddings;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

// The vectors of a language model that was not made for vectors mean nothing.
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
    : model_(model), method_(method_of(model)), embed_(options) {
  if (relevant_label && method_ != RerankMethod::kClassifier) {
    refuse("a relevant label given, expected none: the model compares vectors");
  }
  if (method_ == RerankMethod::kEmbeddings) {
    const PoolingSettings pooling = model.pooling(embed_);
    if (!embed_.pooling) refuse_language_model(model, pooling);
    score_.emplace(model, KindWeights{.sparse = 0, .tokens = 0});
    return;
  }
  if (options.pooling || options.normalize || options.dimensions) {
    refuse("pooling, normalize or dimensions given, expected them for a model that is compared by its embeddings");
  }
  if (method_ == RerankMethod::kTokenVectors) {
    score_.emplace(model, KindWeights{.dense = 0, .sparse = 0});
    if (options.prompt || options.prompt_text) {
      refuse("a prompt given, expected none: a late-interaction model has its own for queries and for documents");
    }
    return;
  }
  model.require(Head::kSequenceClassification);
  output_ = relevant_output(model.config(), relevant_label);
  prompt_ = chosen_prompt(model, options.prompt, options.prompt_text);
  activation_of(model.config());
}

std::string Reranker::score_name() const {
  switch (method_) {
    case RerankMethod::kClassifier:
      return std::string(activation_of(model_.config()));
    case RerankMethod::kTokenVectors:
      return token_vector_settings(model_).mean_score ? "meanmaxsim" : "maxsim";
    case RerankMethod::kEmbeddings:
      break;
  }
  return std::string(name(model_.similarity()));
}

TextTask Reranker::task() const {
  switch (method_) {
    case RerankMethod::kClassifier:
      return HeadOptions{.head = Head::kSequenceClassification, .prompt = prompt_};
    case RerankMethod::kTokenVectors:
      return VectorRequest{.tokens = true, .role = TextRole::kDocument};
    case RerankMethod::kEmbeddings:
      break;
  }
  return VectorRequest{.dense = embed_};
}

TextItem Reranker::item(std::string_view query, std::optional<std::string_view> document) const {
  TextItem item{.text = std::string(query)};
  if (document) item.pair = *document;
  return item;
}

Relevance Reranker::relevance(const Logits& logits) const { return bert::relevance(model_.config(), logits, output_); }

double Reranker::score(const TextVectors& query, const TextVectors& document) const {
  return score_.value().score(query, document);
}

}  // namespace bert
