#include "tools/server/routes/rerank_job.h"

#include <algorithm>
#include <utility>

#include "bert/tasks.h"
#include "tools/server/routes/windows.h"

namespace bert::server {

namespace {

// The first of the windows with the largest score.
template <class Score>
TextOutput& best_of(std::span<TextOutput> windows, const Score& score) {
  std::vector<double> scores;
  for (const TextOutput& window : windows) scores.push_back(score(window));
  return windows[static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())];
}

bool has_logits(const Job& job) { return std::holds_alternative<HeadOptions>(*job.request.task); }

}  // namespace

std::shared_ptr<Job> rerank_job(const Call& call, const std::string& query, std::vector<std::string> documents,
                                const std::string& field, const std::optional<std::string>& prompt) {
  ServedModelPtr served = call.reranker();
  const Reranker reranker(served->model, {.prompt = prompt}, served->relevant_label);
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

void divide_documents(const Call& call, Job& job) {
  const LongTexts how = long_texts_of(call.body, LongText::kCut);
  if (has_logits(job)) {
    // A document is cut beside the whole query.
    if (how.kind == LongText::kWindows) job.request.truncation = Truncation::kOnlySecond;
    return divide_texts(call, job, how, [](const WindowOutputs& windows, TextOutput& whole) {
      const Reranker reranker(windows.job.model->model, {}, windows.job.model->relevant_label);
      whole.logits = std::move(best_of(windows.outputs, [&](const TextOutput& window) {
                                 return reranker.relevance(window.logits).logit;
                               }).logits);
    });
  }
  divide_texts(
      call, job, how,
      [](const WindowOutputs& windows, TextOutput& whole) {
        const Reranker reranker(windows.job.model->model);
        const auto score = [&](const TextOutput& window) {
          return windows.text == 0 ? 0 : reranker.score(windows.of_texts_before.front().vectors, window.vectors);
        };
        whole.vectors = std::move(best_of(windows.outputs, score).vectors);
      },
      1);
}

std::vector<RankedDocument> ranked_documents(const Job& job) {
  std::vector<RankedDocument> ranked;
  if (has_logits(job)) {
    const Reranker reranker(job.model->model, {}, job.model->relevant_label);
    for (size_t i = 0; i < job.texts.size(); ++i) {
      const double logit = reranker.relevance(job.outputs[i].logits).logit;
      ranked.push_back({i, *job.texts[i].pair, sigmoid(logit), logit});
    }
  } else {
    const Reranker reranker(job.model->model);
    for (size_t i = 1; i < job.texts.size(); ++i) {
      const double score = reranker.score(job.outputs.front().vectors, job.outputs[i].vectors);
      ranked.push_back({i - 1, job.texts[i].text, score, score});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedDocument& a, const RankedDocument& b) { return a.raw > b.raw; });
  return ranked;
}

void add_score(common::JsonWriter& object, const std::string& name, const RankedDocument& document, bool raw) {
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
