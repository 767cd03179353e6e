// The command serve: serves models over HTTP, with the routes of other servers.
#include "program/server/serve.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "bert/bundle.h"
#include "bert/error.h"
#include "bert/model.h"
#include "program/cli/command.h"
#include "program/cli/commands/fetch_console.h"
#include "program/cli/input/input.h"
#include "program/common/secret_file.h"
#include "program/server/base/log_writer.h"
#include "program/server/http/check.h"
#include "program/server/request_log.h"

namespace bert::cli {
namespace {

constexpr size_t kMebibyte = 1024 * 1024;

// Parses "NAME=DIR"; for a directory alone, the name is its last part.
server::NamedDirectory named_directory(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals != text.npos) return {text.substr(0, equals), text.substr(equals + 1)};
  std::filesystem::path path(text);
  if (!path.has_filename()) path = path.parent_path();
  return {path.filename().string(), text};
}

bool is_found(const std::string& model) {
  try {
    find_model(model);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    return false;
  }
}

// Returns the model in the program's own file, else the built-in model.
server::NamedDirectory default_model() {
  const std::optional<std::string> bundled = bundled_model();
  if (!bundled) return {"built-in", ""};
  return {bundle_info(*bundled)->name, *bundled};
}

std::string address_of(const std::string& host, size_t port) {
  const bool is_version_6 = host.find(':') != host.npos && !host.starts_with('[');
  return (is_version_6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

// While this object lives, the console's lines go through the writer.
class WrittenBy {
 public:
  WrittenBy(Console& console, server::LogWriter& writer) : console_(console) {
    console_.write_by([&writer](std::string_view line) { writer.write(line); });
  }
  ~WrittenBy() { console_.write_by(nullptr); }
  WrittenBy(const WrittenBy&) = delete;
  WrittenBy& operator=(const WrittenBy&) = delete;

 private:
  Console& console_;
};

class Serve : public Command {
 public:
  void declare(OptionTable& table) override {
    table.begin_group("Models");
    table.texts("--model", models_, "DIR|NAME=DIR",
                "a model and the name that requests give it; again for more (default: the built-in model, 'built-in')");
    table.texts("--adapter", adapters_, "NAME=DIR|NAME=MODEL=DIR",
                "an adapter (LoRA) of the model, or of the one of this name, as one more model; again for more");
    table.flag(
        "--fetch", fetches_,
        "fetch models that are not there from the hub into its local cache, as the command fetch, before serving");
    table.number("--threads", options.threads,
                 "the number of threads that compute (default, or 0: the cores that the container allows)", 0,
                 LoadOptions::kMaxThreads);
    table.choice<Precision>("--precision",
                            {{"stored", Precision::kStored},
                             {"float32", Precision::kFloat32},
                             {"bfloat16", Precision::kBFloat16},
                             {"int8", Precision::kInt8}},
                            options.precision, "the precision of the linear layers (default: as stored)");
    table.number(
        "--max-words", options.max_words,
        "if all models are GLiNER models, the largest number of words read of a text (default: the model's max_len)",
        1);
    table.number(
        "--max-width", options.max_width,
        "if all models are GLiNER models, the largest number of words in an entity (default: the model's max_width)",
        1);
    table.choice<Packing>(
        "--packing", {{"automatic", Packing::kAutomatic}, {"never", Packing::kNever}}, options.packing,
        "keep the layers' weights in the order in which products read them, in memory of this process "
        "(default: automatic, by the first passes, where half of the memory is enough)");
    table.text("--relevant-label", serve_.relevant_label, "LABEL",
               "for classifiers with two labels, the label that makes them rerankers (default: 'relevant')");
    table.flag("--any-model-name", api().any_model_name,
               "a name that is not known selects the first model that does what the route needs (default: only where "
               "one model is served)");
    table.flag("--strict-model-names", api().strict_model_names,
               "a name that is not known is an error, also where one model is served");
    table.exclude("--any-model-name", "--strict-model-names");
    table.begin_group("Addresses");
    table.texts("--listen", serve_.listen, "HOST:PORT|unix:PATH",
                "where to listen; again for more (default: systemd's sockets, else 127.0.0.1:8080)");
    table.text("--host", host_, "HOST", "an address without --listen (default: 127.0.0.1)");
    table.number("--port", port_, "a port without --listen (default: 8080)", 0, 65535);
    table.exclude("--listen", "--host");
    table.exclude("--listen", "--port");
    table.flag("--check", checks_,
               "start no server: ask the one at TEXT (HOST:PORT, http://HOST:PORT/PATH or unix:PATH; default: "
               "127.0.0.1:8080) for /ready, and end with status 0 for the answer 200, else with 1");
    table.text("--monitor", serve_.monitor, "HOST:PORT|unix:PATH",
               "an address of its own for /metrics, with /health and /ready");
    table.texts("--cors-origin", serve_.service.cors_origins, "ORIGIN",
                "a web page's origin that may use the server, or *; again for more (default: none)");
    table.texts("--allowed-host", serve_.service.allowed_hosts, "NAME",
                "a host name that requests may be for, or *; again for more (default: at a loopback address localhost "
                "and its like, else any)");
    table.begin_group("Access");
    table.text("--api-key-file", key_file_, "FILE",
               "API keys, one a line (and BERT_INFER_API_KEY; default: no key is needed)");
    table.begin_group("Limits");
    table.number("--memory-limit", memory_mebibytes_, "MiB of memory beside mapped weights (default: none)", 1);
    table.number("--max-texts", max_texts_, "texts of a request (default: 2048)", 1);
    table.number("--max-label-texts", max_label_texts_, "labels of a request, times its texts (default: 16384)", 1);
    table.texts("--redact-expression", redact_expressions_, "LABEL=EXPRESSION",
                "/v1/redact also replaces the matches of this regular expression; may be repeated");
    table.text("--redact-key-file", redact_key_file_, "FILE", "the key of {hash} in /v1/redact, as redact --key-file");
    table.number("--max-label-bytes", max_label_bytes_, "bytes of a request's labels together (default: 65536)", 1);
    table.number("--queue-texts", queue_texts_, "texts that wait, of all requests (default: 8192)", 1);
    table.number("--batch-tokens", options.batch_tokens,
                 "the largest number of tokens in a batch (default: 2048, shared by the threads)", 1);
    table.number("--max-body", body_bytes_, "bytes of a request's body (default: 2000000)", 1);
    table.number("--max-bodies", serve_.all_bodies_bytes,
                 "bytes of all bodies that are being read (default: a sixteenth of the memory limit, or of the "
                 "container's memory up to 256 MiB)",
                 1);
    table.number("--max-connections", connections_, "open connections (default: 16384)", 1);
    table.number("--drain-delay", drain_seconds_,
                 "seconds after SIGTERM or SIGINT in which /ready is 503 and requests are served, so that a balancer "
                 "sends no more of them (default: 0)",
                 0, 3600);
    table.begin_group("Answers");
    table.flag("--auto-truncate", api().auto_truncate,
               "texts that are too long are cut, also by routes that would reject them");
    table.flag("--accept-token-ids", api().accept_token_ids,
               "token ids in place of texts, of the model's own vocabulary and without special tokens");
    table.begin_group("Log");
    table.choice<bool>("--log", {{"none", false}, {"json", true}}, log_,
                       "all lines on standard error are JSON, one for each request, without its texts (default: none)");
    table.text("--client-field", client_field_, "FIELD",
               "the header field in which a proxy gives the client's address, for the log (default: the connection's)");
  }

  int run(Console& console) override {
    if (log_) {
      console.format_by([](std::string_view kind, std::string_view message) {
        return server::message_line(kind == "error" ? kind : "info", message);
      });
    }
    if (checks_) return check();
    if (!options.texts.empty()) throw UsageError("serve takes no TEXT; found " + in_quotes(options.texts.front()));
    for (const std::string& text : models_) serve_.models.push_back(named_directory(text));
    if (models_.empty()) serve_.models.push_back(default_model());
    if (fetches_) fetch_missing_models(console);
    add_adapters();
    if (host_ || port_) serve_.listen = {address_of(host_.value_or("127.0.0.1"), port_.value_or(8080))};
    serve_.load = options.load_options();
    serve_.memory_bytes = memory_mebibytes_.value_or(0) * kMebibyte;
    serve_.key_file = key_file_.value_or("");
    if (const char* key = std::getenv("BERT_INFER_API_KEY")) serve_.key = key;
    serve_.service.client_field = client_field_.value_or("");
    if (max_texts_) api().max_texts = *max_texts_;
    if (max_label_texts_) api().max_label_texts = *max_label_texts_;
    if (max_label_bytes_) api().max_label_bytes = *max_label_bytes_;
    for (const std::string& one : redact_expressions_) api().redact_expressions.push_back(redact_expression(one));
    if (!redact_key_file_.empty()) api().redact_key = read_secret_file(redact_key_file_, "the key of digests");
    const bool has_key = !redact_key_file_.empty();
    // Throws for an expression that cannot be compiled, and for a key that is too short.
    const Redactor compiled(
        {.expressions = api().redact_expressions, .replacement = has_key ? "{hash}" : "", .key = api().redact_key});
    server::SchedulerOptions& queue = serve_.service.queue;
    if (queue_texts_) queue.max_texts = *queue_texts_;
    if (options.batch_tokens) queue.batch_tokens = *options.batch_tokens;
    if (queue.max_texts < api().max_texts) {
      throw UsageError("--queue-texts " + std::to_string(queue.max_texts) + " is less than the " +
                       std::to_string(api().max_texts) + " texts that a request may have (--max-texts)");
    }
    if (body_bytes_) serve_.http.body_bytes = *body_bytes_;
    if (serve_.all_bodies_bytes &&
        *serve_.all_bodies_bytes < server::MemoryBudget::budget_for(serve_.http.body_bytes)) {
      throw UsageError("--max-bodies " + std::to_string(*serve_.all_bodies_bytes) + " is less than a body of " +
                       std::to_string(serve_.http.body_bytes) + " bytes (--max-body) needs, expected at least " +
                       std::to_string(server::MemoryBudget::budget_for(serve_.http.body_bytes)));
    }
    if (connections_) serve_.http.connections = *connections_;
    serve_.drain_delay = std::chrono::seconds(drain_seconds_.value_or(0));
    server::LogWriter writer(STDERR_FILENO);
    if (log_) {
      serve_.service.log = [&](const std::string& line) { writer.write(line); };
      serve_.service.dropped_lines = [&] { return writer.dropped_lines(); };
    }
    const WrittenBy scope(console, writer);
    server::serve(serve_, {[&](const std::string& line) { console.note(line); },
                           [&](const std::string& line) { console.error(line); }});
    return kDone;
  }

 private:
  void fetch_missing_models(Console& console) const {
    for (const server::NamedDirectory& model : serve_.models) {
      if (!model.directory.empty() && !is_found(model.directory)) fetch_to_console(model.directory, {}, console);
    }
  }

  void add_adapters() {
    const std::vector<server::NamedDirectory> bases = serve_.models;
    for (const std::string& text : adapters_) {
      const size_t equals = text.find('=');
      if (equals == text.npos) throw UsageError("--adapter " + in_quotes(text) + ": expected NAME=DIR");
      std::string directory = text.substr(equals + 1);
      const server::NamedDirectory* base = bases.size() == 1 ? &bases.front() : nullptr;
      for (const server::NamedDirectory& model : bases) {
        if (!directory.starts_with(model.name + "=")) continue;
        base = &model;
        directory.erase(0, model.name.size() + 1);
        break;
      }
      if (base == nullptr) {
        throw UsageError("--adapter " + in_quotes(text) + ": " + std::to_string(bases.size()) +
                         " models, expected NAME=MODEL=DIR with the name of one of them");
      }
      serve_.models.push_back({text.substr(0, equals), base->directory, std::move(directory)});
    }
  }

  server::ApiOptions& api() { return serve_.service.api; }

  int check() const {
    if (options.texts.size() > 1) throw UsageError("--check takes one TEXT, the address of a server");
    const std::string address = options.texts.empty() ? "127.0.0.1:8080" : options.texts.front();
    const int status = server::status_of(address);
    if (status == 200) return kDone;
    throw InputError(in_quotes(address) + " answered " + std::to_string(status) + ", expected 200: it is not ready");
  }

  server::ServeOptions serve_;
  std::vector<std::string> models_, adapters_;
  std::optional<std::string> key_file_, client_field_, host_;
  std::optional<size_t> port_;
  std::vector<std::string> redact_expressions_;
  std::string redact_key_file_;
  std::optional<size_t> memory_mebibytes_, max_texts_, max_label_texts_, max_label_bytes_, queue_texts_, body_bytes_,
      connections_, drain_seconds_;
  bool log_ = false, checks_ = false, fetches_ = false;
};

}  // namespace

std::unique_ptr<Command> make_serve() { return std::make_unique<Serve>(); }

}  // namespace bert::cli
