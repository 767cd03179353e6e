// Rerank as Jina and Cohere have it. Scores are sigmoids of the logits, between 0 and 1, as both document.
#include <algorithm>
#include <utility>

#include "bert/tasks.h"
#include "tools/server/handlers.h"
#include "tools/server/json_body.h"
#include "tools/server/request_id.h"

namespace bert::server {
namespace {

using cli::JsonObject;

struct RerankRequest {
  std::shared_ptr<Job> job;
  size_t top_n;
};

// Documents are strings, or objects with a "text".
RerankRequest read_request(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kReranker);
  const std::string query = required_string(call.body, "query");
  const Json& documents = required_field(call.body, "documents");
  if (!documents.is_array()) throw_type("documents", documents, "a list of strings");
  check_pairs(call, call.body["query"], documents, "documents");
  std::vector<InputText> pairs;
  for (const Json& document : documents) {
    const std::string name = "documents[" + std::to_string(pairs.size()) + "]";
    if (document.is_object()) {
      pairs.push_back({.text = query, .pair = required_string(document, "text")});
    } else if (document.is_string()) {
      pairs.push_back({.text = query, .pair = document.get<std::string>()});
    } else {
      throw_type(name, document, "a string");
    }
  }
  auto job = new_job(call, std::move(model), Output::kLogits, std::move(pairs), "documents");
  job->computation.may_truncate = optional_bool(call.body, "truncate").value_or(true);
  const size_t count = job->texts.size();
  return {std::move(job), std::min(optional_size(call.body, "top_n").value_or(count), count)};
}

void add_results(JsonObject& object, const Job& job, size_t top_n, bool with_documents) {
  std::vector<size_t> order = ranking_of(job);
  order.resize(top_n);
  cli::append_list(object.member("results"), order, [&](std::string& out, size_t index) {
    JsonObject result;
    result.number("index", uint64_t{index});
    const double logit = job.outputs[index].values.front();
    result.number("relevance_score", static_cast<float>(sigmoid(logit)));
    if (with_documents) {
      JsonObject document;
      document.string("text", *job.texts[index].pair);
      result.member("document") += document.take();
    }
    out += result.take();
  });
}

}  // namespace

HandlerResult jina_rerank(const Call& call) {
  RerankRequest request = read_request(call);
  const bool with_documents = optional_bool(call.body, "return_documents").value_or(true);
  return Computing{std::move(request.job), [top_n = request.top_n, with_documents](const Job& done) {
                     JsonObject object, usage;
                     object.string("model", done.model->source.name);
                     object.string("object", "list");
                     usage.number("total_tokens", uint64_t{usage_of(done).tokens});
                     usage.number("prompt_tokens", uint64_t{usage_of(done).tokens});
                     object.member("usage") += usage.take();
                     add_results(object, done, top_n, with_documents);
                     add_compute(object, done);
                     return object.take();
                   }};
}

HandlerResult cohere_rerank(const Call& call) {
  RerankRequest request = read_request(call);
  const bool with_documents = optional_bool(call.body, "return_documents").value_or(false);
  return Computing{std::move(request.job), [top_n = request.top_n, with_documents](const Job& done) {
                     JsonObject object;
                     object.string("id", random_uuid());
                     add_results(object, done, top_n, with_documents);
                     object.member("meta") += R"({"api_version":{"version":"2"},"billed_units":{"search_units":1}})";
                     add_compute(object, done);
                     return object.take();
                   }};
}

}  // namespace bert::server
