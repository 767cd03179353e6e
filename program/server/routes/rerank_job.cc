#include "program/server/routes/rerank_job.h"

#include <utility>

namespace bert::server {

std::shared_ptr<Job> rerank_job(const Call& call, TaskSettings settings, std::vector<std::string> documents,
                                const std::string& field, const LongTexts& how) {
  ServedModelPtr served = call.reranker();
  if (served->relevant_label) settings.set("relevant_label", *served->relevant_label);
  TaskCallPtr task = make_call(served->model, settings);
  std::vector<TextItem> inputs;
  for (std::string& document : documents) inputs.push_back({.text = std::move(document)});
  return task_job(call, std::move(served), std::move(task), std::move(inputs), field, how);
}

std::vector<RankedDocument> ranked_documents(const Job& job) {
  const size_t queries = job.task->query() != nullptr ? 1 : 0;
  std::vector<Relevance> found;
  for (size_t i = 0; i + queries < job.texts.size(); ++i) found.push_back(std::get<Relevance>(output_of(job, i)));
  std::vector<RankedDocument> ranked;
  for (const size_t i : best_first(found)) {
    const TextItem& item = job.texts[queries + i];
    const double logit = found[i].logit;
    ranked.push_back(queries == 0 ? RankedDocument{i, *item.pair, sigmoid(logit), logit}
                                  : RankedDocument{i, item.text, logit, logit});
  }
  return ranked;
}

void add_score(JsonWriter& object, const std::string& name, const RankedDocument& document, bool raw) {
  const double score = raw ? document.raw : document.score;
  const auto logit = static_cast<float>(score);
  static_cast<double>(logit) == score ? object.number(name, logit) : object.number(name, score);
}

std::optional<std::string> vector_score_name(const ServedModel& served) {
  try {
    return Reranker(served.model).score_name();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace bert::server
