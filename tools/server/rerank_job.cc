#include "tools/server/rerank_job.h"

#include <algorithm>
#include <utility>

#include "bert/tasks.h"

namespace bert::server {
namespace {

TextVectors vectors_of(const Reranker& reranker, const TextOutput& output) {
  if (reranker.method() == RerankMethod::kEmbeddings) return {.dense = output.values};
  TextVectors vectors;
  vectors.tokens.size = output.rows == 0 ? 0 : output.values.size() / output.rows;
  vectors.tokens.values = output.values;
  vectors.tokens.tokens.resize(output.rows);
  return vectors;
}

}  // namespace

std::shared_ptr<Job> rerank_job(const Call& call, const std::string& query, std::vector<std::string> documents,
                                const std::string& field, const std::optional<std::string>& prompt) {
  ServedModelPtr served = call.reranker();
  const Reranker reranker(served->model, {.prompt = prompt});
  const RerankMethod method = reranker.method();
  const Output output = method == RerankMethod::kClassifier     ? Output::kLogits
                        : method == RerankMethod::kTokenVectors ? Output::kMultiVector
                                                                : Output::kVector;
  std::vector<InputText> texts;
  for (std::string& document : documents) {
    if (method != RerankMethod::kClassifier) {
      texts.push_back({.text = std::move(document)});
      continue;
    }
    TextItem item = reranker.item(query, document);
    texts.push_back({.text = std::move(item.text), .pair = std::move(item.pair)});
  }
  auto job = new_job(call, std::move(served), output, std::move(texts), field);
  if (method == RerankMethod::kClassifier) return job;
  job->texts.insert(job->texts.begin(), {.text = query, .role = TextRole::kQuery});
  job->computation.embed.prompt = prompt;
  return job;
}

std::vector<RankedDocument> ranked_documents(const Job& job) {
  std::vector<RankedDocument> ranked;
  if (job.computation.output == Output::kLogits) {
    for (size_t i = 0; i < job.texts.size(); ++i) {
      ranked.push_back({i, *job.texts[i].pair, job.outputs[i].values.front()});
    }
  } else {
    const Reranker reranker(job.model->model);
    const TextVectors query = vectors_of(reranker, job.outputs.front());
    for (size_t i = 1; i < job.texts.size(); ++i) {
      ranked.push_back({i - 1, job.texts[i].text, reranker.score(query, vectors_of(reranker, job.outputs[i]))});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedDocument& a, const RankedDocument& b) { return a.score > b.score; });
  return ranked;
}

float served_score(const Job& job, const RankedDocument& document) {
  return static_cast<float>(job.computation.output == Output::kLogits ? sigmoid(document.score) : document.score);
}

std::optional<std::string> vector_score_name(const ServedModel& served) {
  try {
    return Reranker(served.model).score_name();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace bert::server
