#include "program/server/routes/routes.h"

#include <algorithm>
#include <map>

#include "bert/model.h"
#include "program/server/routes/handlers.h"

namespace bert::server {
namespace {

// JSON schemas of bodies, with the names of components of kComponents.
#define STRING R"({"type":"string"})"
#define STRINGS R"({"type":"array","items":{"type":"string"}})"
#define TEXTS R"({"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]})"
#define BOOLEAN R"({"type":"boolean"})"
#define COUNT R"({"type":"integer","minimum":1})"
#define VECTOR R"({"type":"array","items":{"type":"number"}})"
#define VECTORS R"({"type":"array","items":{"type":"array","items":{"type":"number"}}})"
#define OBJECT R"({"type":"object"})"
#define LIST R"({"type":"array","items":{"type":"object"}})"
#define PARTIAL R"("partial":)" BOOLEAN
// A text's words, or a list of such lists.
#define WORDS R"("words":{"oneOf":[)" STRINGS R"(,{"type":"array","items":)" STRINGS R"(}]})"
#define LONG_TEXT \
  R"("long_text":{"type":"string","enum":["windows","cut","error"]},"stride":{"type":"integer","minimum":0})"
#define WINDOW_SCORES R"("window_scores":{"type":"string","enum":["mean","largest"]})"
#define OFFSETS R"("offsets":{"type":"string","enum":["bytes","code_points","utf16"]})"
#define TEI_OPTIONS \
  R"("truncate":)" BOOLEAN R"(,"truncation_direction":{"type":"string","enum":["left","right"]},"prompt_name":)" STRING

constexpr const char* kOpenAiEmbed =
    R"({"type":"object","required":["input"],"properties":{"model":)" STRING R"(,"input":)" TEXTS
    R"(,"encoding_format":{"type":"string","enum":["float","base64"]},"dimensions":)" COUNT R"(,"user":)" STRING
    R"(,"truncate":)" BOOLEAN R"(,"late_chunking":)" BOOLEAN "," PARTIAL "}}";
constexpr const char* kOpenAiEmbedded =
    R"({"type":"object","properties":{"object":)" STRING
    R"(,"data":{"type":"array","items":{"type":"object","properties":{"object":)" STRING
    R"(,"index":{"type":"integer"},"embedding":{"oneOf":[)" VECTOR "," STRING R"(]}}}},"model":)" STRING
    R"(,"usage":)" OBJECT R"(,"compute":)" OBJECT "}}";
constexpr const char* kTeiEmbed = R"({"type":"object","required":["inputs"],"properties":{"inputs":)" TEXTS
                                  R"(,"normalize":)" BOOLEAN R"(,"dimensions":)" COUNT "," PARTIAL "," TEI_OPTIONS "}}";
constexpr const char* kTeiInputs =
    R"({"type":"object","required":["inputs"],"properties":{"inputs":)" TEXTS "," PARTIAL "," TEI_OPTIONS "}}";
constexpr const char* kTeiPredict =
    R"({"type":"object","required":["inputs"],"properties":{"inputs":{"oneOf":[)" STRING "," STRINGS
    R"(,{"type":"array","items":)" STRINGS R"(}]},"raw_scores":)" BOOLEAN "," PARTIAL "," TEI_OPTIONS "}}";
constexpr const char* kTeiRerank =
    R"({"type":"object","required":["query","texts"],"properties":{"query":)" STRING R"(,"texts":)" STRINGS
    R"(,"raw_scores":)" BOOLEAN R"(,"return_text":)" BOOLEAN "," TEI_OPTIONS "}}";
constexpr const char* kTeiSimilarity =
    R"({"type":"object","required":["inputs"],"properties":{"inputs":{"type":"object",)"
    R"("required":["source_sentence","sentences"],"properties":{"source_sentence":)" STRING R"(,"sentences":)" STRINGS
    R"(}},"parameters":{"type":"object","properties":{)" TEI_OPTIONS "}}}}";
constexpr const char* kTeiTokenize =
    R"({"type":"object","anyOf":[{"required":["inputs"]},{"required":["words"]}],"properties":{"inputs":)" TEXTS
    R"(,"add_special_tokens":)" BOOLEAN R"(,"prompt_name":)" STRING "," OFFSETS "," WORDS "}}";
constexpr const char* kTeiDecode =
    R"({"type":"object","required":["ids"],"properties":{"ids":{"type":"array"},"skip_special_tokens":)" BOOLEAN "}}";
constexpr const char* kVertex = R"({"type":"object","required":["instances"],"properties":{"instances":)" LIST "}}";
constexpr const char* kRerank =
    R"({"type":"object","required":["query","documents"],"properties":{"model":)" STRING R"(,"query":)" STRING
    R"(,"documents":)" STRINGS R"(,"top_n":)" COUNT R"(,"return_documents":)" BOOLEAN R"(,"raw_scores":)" BOOLEAN
    R"(,"truncate":)" BOOLEAN "," LONG_TEXT "}}";
constexpr const char* kMultiVector =
    R"({"type":"object","required":["input"],"properties":{"model":)" STRING R"(,"input":)" TEXTS
    R"(,"input_type":{"type":"string","enum":["document","query"]},"embedding_type":{"type":"string",)"
    R"("enum":["float"]},"dimensions":)" COUNT R"(,"truncate":)" BOOLEAN "," PARTIAL "}}";
constexpr const char* kEntities =
    R"({"type":"object","anyOf":[{"required":["input"]},{"required":["words"]}],"properties":{"model":)" STRING
    R"(,"input":)" TEXTS R"(,"labels":)" STRINGS
    R"(,"threshold":{"type":"number","minimum":0,"maximum":1},"nested":)" BOOLEAN R"(,"multi_label":)" BOOLEAN
    R"(,"aggregation":{"type":"string","enum":["none","simple","first","average","max"]},"truncate":)" BOOLEAN
    R"(,"scheme":{"type":"string","enum":["auto","iob","bioes","bilou"]},)" LONG_TEXT "," OFFSETS "," WORDS "," PARTIAL
    "}}";
constexpr const char* kRedact =
    R"({"type":"object","required":["input"],"properties":{"model":)" STRING R"(,"input":)" TEXTS
    R"(,"labels":)" STRINGS R"(,"only":)" STRINGS
    R"(,"threshold":{"type":"number","minimum":0,"maximum":1},"aggregation":{"type":"string",)"
    R"("enum":["none","simple","first","average","max"]},"scheme":{"type":"string",)"
    R"("enum":["auto","iob","bioes","bilou"]},"replace":)" STRING R"(,"mask":)" STRING "," LONG_TEXT "," PARTIAL "}}";
constexpr const char* kClasses =
    R"({"type":"object","required":["input"],"properties":{"model":)" STRING R"(,"input":)" TEXTS
    R"(,"labels":)" STRINGS R"(,"multi_label":)" BOOLEAN R"(,"top_k":)" COUNT R"(,"truncate":)" BOOLEAN "," LONG_TEXT
    "," WINDOW_SCORES "," PARTIAL "}}";
constexpr const char* kPooling =
    R"({"type":"object","required":["input"],"properties":{"model":)" STRING R"(,"input":)" TEXTS
    R"(,"task":{"type":"string","enum":["token_classify"]},"encoding_format":{"type":"string","enum":["float"]})"
    R"(,"use_activation":)" BOOLEAN "}}";
constexpr const char* kCohereEmbed =
    R"({"type":"object","required":["texts"],"properties":{"model":)" STRING R"(,"texts":)" STRINGS
    R"(,"input_type":{"type":"string","enum":["search_document","search_query","classification","clustering"]},)"
    R"("embedding_types":{"type":"array","items":{"type":"string",)"
    R"("enum":["float","int8","uint8","binary","ubinary","base64"]}},)"
    R"("truncate":{"type":"string","enum":["NONE","START","END"]},"output_dimension":)" COUNT "," PARTIAL "}}";
constexpr const char* kOllamaEmbed =
    R"({"type":"object","required":["input"],"properties":{"model":)" STRING R"(,"input":)" TEXTS
    R"(,"truncate":)" BOOLEAN R"(,"dimensions":)" COUNT "," PARTIAL "}}";
constexpr const char* kOllamaPrompt = R"({"type":"object","required":["prompt"],"properties":{"model":)" STRING
                                      R"(,"prompt":)" STRING R"(,"truncate":)" BOOLEAN "}}";
constexpr const char* kOllamaName = R"({"type":"object","properties":{"model":)" STRING R"(,"name":)" STRING "}}";

constexpr const char* kOpenAi = "OpenAI";
constexpr const char* kTei = "text-embeddings-inference";
constexpr const char* kHub = "Hugging Face";
constexpr const char* kCohere = "Cohere";
constexpr const char* kOllama = "Ollama";
constexpr const char* kServer = "Server";

using enum RouteKind;

constexpr Route kRoutes[] = {
    {"POST", "/v1/embeddings", kCompute, ApiStyle::kOpenAi, openai_embeddings, kOpenAi, "Embed texts", kOpenAiEmbed,
     kOpenAiEmbedded, R"({"input": ["A text", "Another one"]})"},
    {"POST", "/embeddings", kCompute, ApiStyle::kOpenAi, openai_embeddings, kOpenAi, "Embed texts", kOpenAiEmbed,
     kOpenAiEmbedded, R"({"input": "A text"})"},
    {"GET", "/v1/models", kLookup, ApiStyle::kOpenAi, openai_models, kOpenAi, "The models", "", OBJECT, ""},
    {"GET", "/v1/models/*", kLookup, ApiStyle::kOpenAi, openai_model, kOpenAi, "A model", "", OBJECT, ""},
    {"POST", "/", kCompute, ApiStyle::kTei, tei_by_kind, kTei,
     "Embed, rerank or predict, by the model's kind; with parameters a task of Hugging Face's inference API", OBJECT,
     LIST, R"({"inputs": "A text"})"},
    {"POST", "/pipeline/feature-extraction", kCompute, ApiStyle::kTei, hub_task, kHub, "Embed texts", OBJECT, VECTORS,
     R"({"inputs": "A text", "parameters": {"normalize": true}})"},
    {"POST", "/pipeline/sentence-similarity", kCompute, ApiStyle::kTei, hub_task, kHub,
     "Cosines of a sentence with others", kTeiSimilarity, VECTOR,
     R"({"inputs": {"source_sentence": "A dog barks.", "sentences": ["A puppy yelps.", "A violin."]}})"},
    {"POST", "/embed", kCompute, ApiStyle::kTei, tei_embed, kTei, "Embed texts", kTeiEmbed, VECTORS,
     R"({"inputs": ["A text", "Another one"]})"},
    {"POST", "/embed_all", kCompute, ApiStyle::kTei, tei_embed_all, kTei, "A vector for each token", kTeiInputs,
     R"({"type":"array","items":)" VECTORS "}", R"({"inputs": "A text"})"},
    {"POST", "/embed_sparse", kCompute, ApiStyle::kTei, tei_embed_sparse, kTei, "A sparse vector for each text",
     kTeiInputs, R"({"type":"array","items":)" LIST "}", R"({"inputs": "A text"})"},
    {"POST", "/predict", kCompute, ApiStyle::kTei, tei_predict, kTei, "Labels of texts or pairs", kTeiPredict, LIST,
     R"({"inputs": "A lovely film"})"},
    {"POST", "/rerank", kCompute, ApiStyle::kTei, tei_rerank, kTei, "Texts by relevance to a query", kTeiRerank, LIST,
     R"({"query": "What barks?", "texts": ["A dog.", "A violin."]})"},
    {"POST", "/similarity", kCompute, ApiStyle::kTei, tei_similarity, kTei, "Cosines of a sentence with others",
     kTeiSimilarity, VECTOR,
     R"({"inputs": {"source_sentence": "A dog barks.", "sentences": ["A puppy yelps.", "A violin."]}})"},
    {"POST", "/tokenize", kCompute, ApiStyle::kTei, tei_tokenize, kTei, "Tokens of texts", kTeiTokenize,
     R"({"type":"array","items":)" LIST "}", R"({"inputs": "A text"})"},
    {"POST", "/decode", kCompute, ApiStyle::kTei, tei_decode, kTei, "Texts of token ids", kTeiDecode, STRINGS,
     R"({"ids": [5, 6, 7]})"},
    {"GET", "/info", kLookup, ApiStyle::kTei, tei_info, kTei, "The model and the server's limits", "", OBJECT, ""},
    {"POST", "/invocations", kCompute, ApiStyle::kTei, tei_by_kind, kTei, "SageMaker's route: as POST /", OBJECT, LIST,
     R"({"inputs": "A text"})"},
    {"POST", "/vertex", kCompute, ApiStyle::kTei, tei_vertex, kTei, "Vertex AI's route: instances of POST /", kVertex,
     OBJECT, R"({"instances": [{"inputs": "A text"}]})"},
    {"POST", "/v1/rerank", kCompute, ApiStyle::kJina, jina_rerank, "Jina", "Documents by relevance to a query", kRerank,
     OBJECT, R"({"query": "What barks?", "documents": ["A dog.", "A violin."]})"},
    {"POST", "/v1/multi-vector", kCompute, ApiStyle::kJina, jina_multi_vector, "Jina",
     "Vectors of the texts' tokens, for late interaction", kMultiVector, OBJECT,
     R"({"input": "A text", "input_type": "query"})"},
    {"POST", "/v1/ner", kCompute, ApiStyle::kOpenAi, ner, "Labels", "Names in texts, by labels or a token classifier's",
     kEntities, OBJECT, R"({"input": "Ada Lovelace lived in London.", "labels": ["person", "city"]})"},
    {"POST", "/v1/classify", kCompute, ApiStyle::kOpenAi, classify, "Labels",
     "Labels of texts, yours or a classifier's", kClasses, OBJECT,
     R"({"input": "They won the cup.", "labels": ["sport", "music"]})"},
    {"POST", "/v1/redact", kCompute, ApiStyle::kOpenAi, redact, "Labels", "Texts without the names in them", kRedact,
     OBJECT, R"({"input": "Ada Lovelace lived in London.", "labels": ["person", "city"]})"},
    {"POST", "/pooling", kCompute, ApiStyle::kOpenAi, vllm_pooling, "vLLM", "A token classifier's scores of each token",
     kPooling, OBJECT, R"({"input": "Ada Lovelace lived in London.", "task": "token_classify"})"},
    {"POST", "/v2/rerank", kCompute, ApiStyle::kCohere, cohere_rerank, kCohere, "Documents by relevance to a query",
     kRerank, OBJECT, R"({"query": "What barks?", "documents": ["A dog.", "A violin."], "top_n": 1})"},
    {"POST", "/v2/embed", kCompute, ApiStyle::kCohere, cohere_embed, kCohere, "Embed texts", kCohereEmbed, OBJECT,
     R"({"texts": ["A text"], "input_type": "search_query", "embedding_types": ["float"]})"},
    {"POST", "/api/embed", kCompute, ApiStyle::kOllama, ollama_embed, kOllama, "Embed texts", kOllamaEmbed, OBJECT,
     R"({"input": "A text"})"},
    {"POST", "/api/embeddings", kCompute, ApiStyle::kOllama, ollama_embeddings, kOllama, "Embed one text",
     kOllamaPrompt, OBJECT, R"({"prompt": "A text"})"},
    {"GET", "/api/tags", kLookup, ApiStyle::kOllama, ollama_tags, kOllama, "The models", "", OBJECT, ""},
    {"GET", "/api/ps", kLookup, ApiStyle::kOllama, ollama_ps, kOllama, "The loaded models", "", OBJECT, ""},
    {"POST", "/api/show", kLookup, ApiStyle::kOllama, ollama_show, kOllama, "A model", kOllamaName, OBJECT,
     R"({"model": "built-in"})"},
    {"GET", "/api/version", kLookup, ApiStyle::kOllama, ollama_version, kOllama, "The server's version", "", OBJECT,
     ""},
    {"GET", "/", kStart, ApiStyle::kTei, nullptr, kServer,
     "Whether the server works; for a browser, its models and links", "", "", ""},
    {"GET", "/health", kHealth, ApiStyle::kTei, nullptr, kServer, "Whether the server works", "", "", ""},
    {"GET", "/healthz", kHealth, ApiStyle::kTei, nullptr, kServer, "Whether the server works", "", "", ""},
    {"GET", "/ping", kHealth, ApiStyle::kTei, nullptr, kServer, "Whether the server works", "", "", ""},
    {"GET", "/ready", kReady, ApiStyle::kTei, nullptr, kServer,
     "Whether requests are welcome: 503 while loading and draining", "", "", ""},
    {"GET", "/readyz", kReady, ApiStyle::kTei, nullptr, kServer,
     "Whether requests are welcome: 503 while loading and draining", "", "", ""},
    {"GET", "/metrics", kMetrics, ApiStyle::kTei, nullptr, kServer, "Prometheus metrics", "", "", ""},
    {"GET", "/openapi.json", kOpenApi, ApiStyle::kTei, nullptr, kServer, "This document", "", OBJECT, ""},
    {"GET", "/api-doc/openapi.json", kOpenApi, ApiStyle::kTei, nullptr, kServer, "This document", "", OBJECT, ""},
    {"GET", "/docs", kDocs, ApiStyle::kTei, nullptr, kServer, "The routes, with an example of each", "", "", ""},
};

bool is_at(const Route& route, std::string_view path, std::string& parameter) {
  const std::string_view pattern = route.path;
  if (!pattern.ends_with('*')) return pattern == path;
  const std::string_view stem = pattern.substr(0, pattern.size() - 1);
  if (!path.starts_with(stem) || path.size() == stem.size()) return false;
  parameter = std::string(path.substr(stem.size()));
  return true;
}

// The routes at this path, without a model's name before it.
RouteMatch match_path(std::string_view method, std::string_view path) {
  RouteMatch match;
  for (const Route& route : kRoutes) {
    std::string parameter;
    if (!is_at(route, path, parameter)) continue;
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(route.method);
    if (route.method == std::string_view("GET")) match.allowed += ", HEAD";
    match.style = route.style;
    if (method == route.method || (method == "HEAD" && route.method == std::string_view("GET"))) {
      match.route = &route;
      match.parameter = std::move(parameter);
      return match;
    }
  }
  return match;
}

std::string content_of(std::string_view schema, std::string_view example = {}) {
  std::string content = R"({"application/json":{"schema":)" + std::string(schema);
  if (!example.empty()) content.append(R"(,"example":)").append(example);
  return content + "}}";
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

RouteMatch match_route(std::string_view method, std::string_view path) {
  RouteMatch match = match_path(method, path);
  constexpr std::string_view kModels = "/models/", kOllamas = "/api/";
  if (match.allowed.empty() && path.starts_with(kOllamas)) match.style = ApiStyle::kOllama;
  if (!match.allowed.empty() || !path.starts_with(kModels)) return match;
  // A name may have "/" in it: the first split whose rest is a route.
  for (size_t slash = path.find('/', kModels.size()); slash != path.npos; slash = path.find('/', slash + 1)) {
    match = match_path(method, path.substr(slash));
    if (match.allowed.empty()) continue;
    match.model = std::string(path.substr(kModels.size(), slash - kModels.size()));
    return match;
  }
  // Hugging Face's clients ask the model itself.
  if (method == "POST" && path.size() > kModels.size()) {
    match = match_path(method, "/");
    match.model = std::string(path.substr(kModels.size()));
  }
  return match;
}

std::string openapi_document() {
  std::map<std::string, JsonWriter> paths;
  for (const Route& route : kRoutes) {
    std::string path = route.path;
    JsonWriter operation;
    operation.string("summary", route.summary);
    operation.strings("tags", {route.group});
    if (path.ends_with('*')) {
      path.replace(path.size() - 1, 1, "{name}");
      operation.member("parameters") += R"([{"name":"name","in":"path","required":true,"schema":{"type":"string"}}])";
    }
    if (*route.request != '\0') {
      operation.member("requestBody") +=
          R"({"required":true,"content":)" + content_of(route.request, route.example) + "}";
    }
    JsonWriter answer;
    answer.string("description", "The answer");
    if (*route.response != '\0') answer.member("content") += content_of(route.response);
    operation.member("responses") +=
        R"({"200":)" + answer.take() + R"(,"default":{"description":"An error, in the API's own form"}})";
    if (route.needs_key()) operation.member("security") += R"([{"key":[]},{}])";
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c | 0x20);
    paths[path].member(method) += operation.take();
  }
  JsonWriter info, all_paths, document;
  info.string("title", "bert-infer");
  info.string("version", version());
  info.member("license") += R"({"name":"Apache-2.0"})";
  for (auto& [path, methods] : paths) all_paths.member(path) += methods.take();
  document.string("openapi", "3.1.0");
  document.member("info") += info.take();
  document.member("paths") += all_paths.take();
  document.member("components") += R"({"securitySchemes":{"key":{"type":"http","scheme":"bearer"}}})";
  return document.take();
}

}  // namespace bert::server
