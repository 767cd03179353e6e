#include "tools/server/rerank_job.h"

#include <algorithm>
#include <utility>

#include "bert/tasks.h"

namespace bert::server {

namespace {

bool has_logits(const Job& job) { return std::holds_alternative<HeadOptions>(*job.request.task); }

}  // namespace

std::shared_ptr<Job> rerank_job(const Call& call, const std::string& query, std::vector<std::string> documents,
                                const std::string& field, const std::optional<std::string>& prompt) {
  ServedModelPtr served = call.reranker();
  const Reranker reranker(served->model, {.prompt = prompt});
  const bool is_classifier = reranker.method() == RerankMethod::kClassifier;
  std::vector<TextItem> texts;
  for (std::string& document : documents) {
    if (!is_classifier) {
      texts.push_back({.text = std::move(document)});
      continue;
    }
    TextItem item = reranker.item(query, document);
    texts.push_back({.text = std::move(item.text), .pair = std::move(item.pair)});
  }
  auto job = new_job(call, std::move(served), reranker.task(), std::move(texts), field);
  if (!is_classifier) job->texts.insert(job->texts.begin(), {.text = query, .role = TextRole::kQuery});
  return job;
}

std::vector<RankedDocument> ranked_documents(const Job& job) {
  std::vector<RankedDocument> ranked;
  if (has_logits(job)) {
    for (size_t i = 0; i < job.texts.size(); ++i) {
      ranked.push_back({i, *job.texts[i].pair, job.outputs[i].logits.values.front()});
    }
  } else {
    const Reranker reranker(job.model->model);
    for (size_t i = 1; i < job.texts.size(); ++i) {
      ranked.push_back({i - 1, job.texts[i].text, reranker.score(job.outputs.front().vectors, job.outputs[i].vectors)});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedDocument& a, const RankedDocument& b) { return a.score > b.score; });
  return ranked;
}

float served_score(const Job& job, const RankedDocument& document) {
  return static_cast<float>(has_logits(job) ? sigmoid(document.score) : document.score);
}

std::optional<std::string> vector_score_name(const ServedModel& served) {
  try {
    return Reranker(served.model).score_name();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace bert::server
