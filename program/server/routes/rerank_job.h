// The texts of a rerank request, whatever the model's kind, and the documents by their scores. Stateless; safe to call
// from many threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/server/routes/windows.h"

namespace bert::server {

// A reranker's pairs; of an embedding model the query and then the documents. A document's score is that of its best
// window. settings: of the task "rerank".
// Throws ApiError for no documents or too many, and bert::Error for a prompt that the model does not have.
std::shared_ptr<Job> rerank_job(const Call& call, TaskSettings settings, std::vector<std::string> documents,
                                const std::string& field, const LongTexts& how);

struct RankedDocument {
  size_t index = 0;
  std::string_view text;
  double score = 0;  // of a reranker between 0 and 1, as the APIs document it: the sigmoid of the logit
  double raw = 0;    // of a reranker the logit, else the score
};

// Best first, by the raw scores; equal ones stay in order.
std::vector<RankedDocument> ranked_documents(const Job& job);

// The member `name`: the score, or the raw one.
void add_score(JsonWriter& object, const std::string& name, const RankedDocument& document, bool raw);

// What the scores of an embedding model are: "cosine", "maxsim", …; nullopt if its vectors cannot be compared so.
std::optional<std::string> vector_score_name(const ServedModel& served);

}  // namespace bert::server
