// How documents are scored for a query, by the kind of the model.
#include <algorithm>

#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "models/model/resolved_request.h"
#include "models/tasks/check_logits.h"

namespace bert {
namespace {

RerankMethod method_of(const Model& model) {
  if (makes_token_vectors(model)) return RerankMethod::kTokenVectors;
  const std::vector<Head>& heads = model.heads();
  const bool classifies = std::find(heads.begin(), heads.end(), Head::kSequenceClassification) != heads.end();
  return classifies ? RerankMethod::kClassifier : RerankMethod::kEmbeddings;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

}  // namespace

Reranker::Reranker(const Model& model, const EmbedOptions& options)
    : model_(model), method_(method_of(model)), embed_(options) {
  if (method_ == RerankMethod::kEmbeddings) {
    model.pooling(embed_);
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
  if (const size_t labels = model.config().labels.size(); labels != 1) {
    refuse("rerank needs a classifier of one label; this model has " + std::to_string(labels));
  }
  prompt_ = chosen_prompt(model, options.prompt, options.prompt_text);
  relevance(model.config(), 0);
}

std::string Reranker::score_name() const {
  switch (method_) {
    case RerankMethod::kClassifier:
      return std::string(relevance(model_.config(), 0).activation);
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

double Reranker::score(const Logits& logits) const {
  check_logits(logits, 1, 1, "sequence");
  return relevance(model_.config(), logits.values[0]).score;
}

double Reranker::score(const TextVectors& query, const TextVectors& document) const {
  return score_.value().score(query, document);
}

}  // namespace bert
