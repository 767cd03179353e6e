// The answers of the server's routes, without sockets: a handler turns a request into texts to compute, and their
// outputs into a body. The routes are those of other servers; each keeps its original's fields, defaults, status codes
// and errors (docs/SERVER.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/redact.h"
#include "bert/task_json.h"
#include "engine/base/json/json_writer.h"
#include "program/server/http/message.h"
#include "program/server/queue/model_set.h"
#include "program/server/queue/scheduler.h"
#include "program/server/routes/api_error.h"
#include "program/server/routes/body_form.h"
#include "program/server/routes/json_body.h"

namespace bert::server {

struct ApiOptions {
  size_t max_texts = 2048;             // of a request
  size_t max_label_texts = 16384;      // labels of a request, times its texts
  size_t max_label_bytes = 64 * 1024;  // of a request's labels together
  bool auto_truncate = false;          // in place of the defaults of TEI's and OpenAI's routes, which reject long texts
  bool any_model_name = false;         // an unknown name selects the first model of the kind, also of several
  bool strict_model_names = false;     // an unknown name is an error, also where there is one model alone
  std::vector<RedactExpression> redact_expressions = {};  // of /v1/redact, beside a model's entities
  std::string redact_key = {};                            // the same: of {hash}
  bool accept_token_ids = false;                          // OpenAI's input may be ids of the model's own vocabulary
};

// The limits of a server, for TEI's /info.
struct ServerFacts {
  ApiOptions api;
  SchedulerOptions queue;
  size_t body_bytes = 0;
  std::shared_ptr<MemoryBudget> answers = {};
};

// A request at its route.
struct Call {
  const HttpRequest& http;
  const ModelSet& models;
  const ServerFacts& facts;
  std::string path_model;      // of /models/NAME/…; empty: none
  std::string path_parameter;  // what stands in the place of a route's last "*"
  const Json& body;            // null for GET; outlives the call
  const BodyForm& form;        // of the route's bodies

  const ApiOptions& options() const { return facts.api; }
  // What is done with a text that is too long, where the API's original has an error.
  LongText cut_or_error() const { return options().auto_truncate ? LongText::kCut : LongText::kError; }
  // The model that the path or the body's field "model" names, else the first one of this kind. Throws ApiError if
  // there is none, or it is of another kind.
  ServedModelPtr model(ModelKind kind) const;
  ServedModelPtr reranker() const;   // one that scores documents: a reranker, else an embedding model
  ServedModelPtr any_model() const;  // of any kind
  ServedModelPtr named() const;      // the one that the path or the body names, else null
  // By its name, which may have Ollama's tag. Throws ApiError for an unknown one.
  ServedModelPtr find(const std::string& name) const;
  // The words that the route's form has for a field, or for the items of its list; and the body's one of them.
  Words words(std::string_view field) const;
  std::optional<std::string> word(const std::string& field) const { return optional_word(body, field, words(field)); }
  // A share of the answers' memory for an answer that needs no computing, kept until it is sent. Throws ApiError.
  std::shared_ptr<const void> share_for(size_t bytes) const;
  // The same request with another body, such as a part of this one.
  Call with_body(const Json& other) const { return {http, models, facts, path_model, path_parameter, other, form}; }
};

// The counts that every answer reports.
struct Usage {
  size_t tokens = 0;
  size_t truncated_tokens = 0;
  size_t coarse_rows = 0;
  size_t characters = 0;
};
Usage usage_of(const Job& job);

// What a handler asks for: texts to compute, then `body` makes the answer of their outputs, on another thread.
// A text's error becomes the request's, but where `body` accepts it.
struct Computing {
  std::shared_ptr<Job> job;
  std::function<std::string(const Job&)> body;
  bool shows_failures = false;  // `body` has null for a text that failed, as TextRequest::is_partial asks
};
// An answer that needs no computing.
using HandlerResult = std::variant<HttpResponse, Computing>;

// The texts without an output, and why.
std::vector<size_t> failed_texts(const Job& job);
ApiError error_of(const Job& job, size_t index);
// A list with an entry for each text; null for one that failed.
void append_outputs(std::string& out, const Job& job,
                    const std::function<void(std::string&, const TextOutput&)>& append);
// The same for the inputs of a task that has one item for each, and no query.
void append_results(std::string& out, const Job& job, const std::function<void(std::string&, size_t input)>& append);

// Makes the job's share of the answers' memory larger by so many bytes, for what `body` makes beside the outputs.
// Throws ApiError.
void reserve_more(const Job& job, size_t bytes);
// Throws the ApiError of a share that cannot have so many bytes.
[[noreturn]] void refuse_share(const Job& job, size_t bytes);

// The tokens, times and model of an answer as the member "compute", for bodies that are objects; and of a partial
// answer the member "errors".
void add_compute(JsonWriter& object, const Job& job);
// The same as header fields, with the times of text-embeddings-inference's names in whole milliseconds. total: since
// the request was there.
void add_compute_fields(const Job& job, Job::Clock::duration total, HttpFields& fields);

// Throws ApiError for no texts, or more than the limit. Before they are copied.
void check_count(const Call& call, size_t texts, const std::string& field);
// The same for texts of which each is paired with the query, and for the bytes of all pairs together. texts: a list of
// strings, or of objects with a "text".
void check_pairs(const Call& call, const Json& query, const Json& texts, const std::string& field);

// Throws ApiError (503) if a weight file of the model was written since it was loaded: its vectors may be wrong.
void check_files(const ServedModel& model);

// A new job with the texts, which it counts as check_count does.
std::shared_ptr<Job> new_job(const Call& call, ServedModelPtr model, std::optional<TextTask> task,
                             std::vector<TextItem> texts, const std::string& field);
// Of a task's job: the sequences of an input that has not failed, the query's first where it has one; their result, and
// this as JSON (bert/task_json.h).
std::vector<TaskSequence> sequences_of(const Job& job, size_t input);
TaskOutput output_of(const Job& job, size_t input);
std::string json_of(const Job& job, size_t input, std::optional<OffsetUnit> unit = {});

}  // namespace bert::server
