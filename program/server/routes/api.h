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
  size_t max_texts = 2048;             // limit of a request
  size_t max_label_texts = 16384;      // limit of a request's labels times its texts
  size_t max_label_bytes = 64 * 1024;  // limit of all labels of a request
  bool auto_truncate = false;          // truncate long texts by default, which TEI's and OpenAI's routes otherwise
                                       // reject
  bool any_model_name = false;         // an unknown name selects the first model of the kind, even if there are several
  bool strict_model_names = false;     // an unknown name is an error, even if there is only one model
  std::vector<RedactExpression> redact_expressions = {};  // for /v1/redact, in addition to a model's entities
  std::string redact_key = {};                            // for /v1/redact: the key of {hash}
  bool accept_token_ids = false;                          // OpenAI's input may be ids of the model's vocabulary
};

// The limits of a server, for TEI's /info.
struct ServerFacts {
  ApiOptions api;
  SchedulerOptions queue;
  size_t body_bytes = 0;
  std::shared_ptr<MemoryBudget> answers = {};
};

// A request and its route.
struct Call {
  const HttpRequest& http;
  const ModelSet& models;
  const ServerFacts& facts;
  std::string path_model;      // of /models/NAME/…; empty: none
  std::string path_parameter;  // the path's part for the final "*" of the route
  const Json& body;            // null for GET; must outlive the call
  const BodyForm& form;        // the form of the route's bodies

  const ApiOptions& options() const { return facts.api; }
  // Returns what to do with a text that is too long if the API's original has an error for it.
  LongText cut_or_error() const { return options().auto_truncate ? LongText::kCut : LongText::kError; }
  // Returns the model that the path or the body's field "model" names, else the first model of this kind. Throws
  // ApiError if there is none, or if the named model is of another kind.
  ServedModelPtr model(ModelKind kind) const;
  ServedModelPtr reranker() const;   // a model that scores documents: a reranker, else an embedding model
  ServedModelPtr any_model() const;  // of any kind
  ServedModelPtr named() const;      // the model that the path or the body names, else null
  // Finds a model by its name, which may have Ollama's tag. Throws ApiError for an unknown name.
  ServedModelPtr find(const std::string& name) const;
  // words: the words that the route's form allows for a field, or for the items of its list.
  Words words(std::string_view field) const;
  std::optional<std::string> word(const std::string& field) const { return optional_word(body, field, words(field)); }
  // Returns a share of the answers' memory for an answer that needs no computing, kept until it is sent. Throws
  // ApiError.
  std::shared_ptr<const void> share_for(size_t bytes) const;
  // Returns this request with another body, such as a part of this body.
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

// The result of a handler that computes: texts to compute, and `body`, which then makes the answer from their outputs
// in another thread. A text's error becomes the request's error, unless `body` accepts it.
struct Computing {
  std::shared_ptr<Job> job;
  std::function<std::string(const Job&)> body;
  bool shows_failures = false;  // `body` writes null for a failed text, as TextRequest::is_partial requests
};
// An answer without computing, or a Computing.
using HandlerResult = std::variant<HttpResponse, Computing>;

// Returns the texts without an output.
std::vector<size_t> failed_texts(const Job& job);
ApiError error_of(const Job& job, size_t index);
// Appends a list with an entry for each text; null for a failed one.
void append_outputs(std::string& out, const Job& job,
                    const std::function<void(std::string&, const TextOutput&)>& append);
// Appends a list for the inputs of a task that has one item per input and no query.
void append_results(std::string& out, const Job& job, const std::function<void(std::string&, size_t input)>& append);

// Increases the job's share of the answers' memory by this many bytes, for what `body` makes besides the outputs.
// Throws ApiError.
void reserve_more(const Job& job, size_t bytes);
// Throws the ApiError for a share that cannot have this many bytes.
[[noreturn]] void refuse_share(const Job& job, size_t bytes);

// Adds the tokens, times and model of an answer as the member "compute", for bodies that are objects; for a partial
// answer also the member "errors".
void add_compute(JsonWriter& object, const Job& job);
// Adds these as header fields, and the times, under text-embeddings-inference's names, in whole milliseconds. total:
// since the request arrived.
void add_compute_fields(const Job& job, Job::Clock::duration total, HttpFields& fields);

// Throws ApiError for no texts, or more than the limit. Call it before the texts are copied.
void check_count(const Call& call, size_t texts, const std::string& field);
// As check_count, for texts that are each paired with the query; also checks the bytes of all pairs together. texts: a
// list of strings, or of objects with a "text".
void check_pairs(const Call& call, const Json& query, const Json& texts, const std::string& field);

// Throws ApiError (503) if a weight file of the model was written to since loading, because its vectors may be wrong.
void check_files(const ServedModel& model);

// Makes a job with the texts, whose number it checks as check_count does.
std::shared_ptr<Job> new_job(const Call& call, ServedModelPtr model, std::optional<TextTask> task,
                             std::vector<TextItem> texts, const std::string& field);
// For a task's job: the sequences of an input that has not failed, the query's first if there is one; the input's
// result; and the result as JSON (bert/task_json.h).
std::vector<TaskSequence> sequences_of(const Job& job, size_t input);
TaskOutput output_of(const Job& job, size_t input);
std::string json_of(const Job& job, size_t input, std::optional<OffsetUnit> unit = {});

}  // namespace bert::server
