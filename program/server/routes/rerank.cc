// Rerank as in Jina's and Cohere's API. A reranker's scores are sigmoids of the logits, from 0 to 1, as both document;
// with raw_scores, an addition, they are the logits.
#include <algorithm>
#include <utility>

#include "program/server/http/request_id.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/rerank_job.h"
#include "program/server/routes/task_fields.h"

namespace bert::server {
namespace {

struct RerankOptions {
  size_t top_n = 0;
  bool raw = false;  // return logits
  bool with_documents = false;
};

struct RerankRequest {
  std::shared_ptr<Job> job;
  RerankOptions options;
};

// Reads a request. Documents are strings, or objects with a "text".
RerankRequest read_request(const Call& call, bool with_documents_by_default) {
  TaskSettings settings = settings_of(call);
  const Json& given = required_field(call.body, "documents");
  if (!given.is_array()) throw_type("documents", given, "a list of strings");
  check_pairs(call, call.body["query"], given, "documents");
  std::vector<std::string> documents;
  for (const Json& document : given) {
    if (document.is_object()) {
      documents.push_back(required_string(document, "text"));
    } else if (document.is_string()) {
      documents.push_back(document.get<std::string>());
    } else {
      throw_type("documents[" + std::to_string(documents.size()) + "]", document, "a string");
    }
  }
  const size_t count = documents.size();
  const LongTexts long_texts = long_texts_of(call.body, settings, LongText::kCut);
  return {rerank_job(call, std::move(settings), std::move(documents), "documents", long_texts),
          {.top_n = std::min(optional_size(call.body, "top_n").value_or(count), count),
           .raw = optional_bool(call.body, "raw_scores").value_or(false),
           .with_documents = optional_bool(call.body, "return_documents").value_or(with_documents_by_default)}};
}

void add_results(JsonWriter& object, const Job& job, const RerankOptions& options) {
  std::vector<RankedDocument> ranked = ranked_documents(job);
  ranked.resize(options.top_n);
  append_list(object.member("results"), ranked, [&](std::string& out, const RankedDocument& one) {
    JsonWriter result;
    result.number("index", uint64_t{one.index});
    add_score(result, "relevance_score", one, options.raw);
    if (options.with_documents) {
      JsonWriter document;
      document.string("text", one.text);
      result.member("document") += document.take();
    }
    out += result.take();
  });
}

}  // namespace

HandlerResult jina_rerank(const Call& call) {
  RerankRequest request = read_request(call, true);
  return Computing{std::move(request.job), [options = request.options](const Job& done) {
                     JsonWriter object, usage;
                     object.string("model", done.model->source.name);
                     object.string("object", "list");
                     usage.number("total_tokens", uint64_t{usage_of(done).tokens});
                     usage.number("prompt_tokens", uint64_t{usage_of(done).tokens});
                     object.member("usage") += usage.take();
                     add_results(object, done, options);
                     add_compute(object, done);
                     return object.take();
                   }};
}

HandlerResult cohere_rerank(const Call& call) {
  RerankRequest request = read_request(call, false);
  return Computing{std::move(request.job), [options = request.options](const Job& done) {
                     JsonWriter object;
                     object.string("id", random_uuid());
                     add_results(object, done, options);
                     object.member("meta") += R"({"api_version":{"version":"2"},"billed_units":{"search_units":1}})";
                     add_compute(object, done);
                     return object.take();
                   }};
}

}  // namespace bert::server
