// The texts of a rerank request, for every kind of model, and the documents sorted by score. Stateless; safe to call
// from many threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/server/routes/windows.h"

namespace bert::server {

// Makes the job: pairs for a reranker; the query and then the documents for an embedding model. A document's score is
// that of its best window. settings: of the task "rerank". Throws ApiError for no documents or too many, and
// bert::Error for a prompt that the model does not have.
std::shared_ptr<Job> rerank_job(const Call& call, TaskSettings settings, std::vector<std::string> documents,
                                const std::string& field, const LongTexts& how);

struct RankedDocument {
  size_t index = 0;
  std::string_view text;
  double score = 0;  // for a reranker the sigmoid of the logit, from 0 to 1, as the APIs document it
  double raw = 0;    // for a reranker the logit, else the score
};

// Returns the documents, best first by raw score; equal ones stay in order.
std::vector<RankedDocument> ranked_documents(const Job& job);

// Adds the member `name`: the score, or the raw score.
void add_score(JsonWriter& object, const std::string& name, const RankedDocument& document, bool raw);

// Returns the name of an embedding model's scores: "cosine", "maxsim", …; nullopt if its vectors cannot be compared.
std::optional<std::string> vector_score_name(const ServedModel& served);

}  // namespace bert::server
