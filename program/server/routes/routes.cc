#include "program/server/routes/routes.h"

#include <algorithm>
#include <map>

#include "bert/model.h"
#include "program/server/routes/handlers.h"

namespace bert::server {
namespace {

constexpr FieldType list_of(const FieldType& items) { return {.name = "array", .items = &items}; }
constexpr FieldType word_of(Words words) { return {.name = "string", .words = words}; }
constexpr FieldType object_of(const BodyForm& form) { return {.name = "object", .form = &form}; }

constexpr FieldType kText{.name = "string"}, kFlag{.name = "boolean"}, kInteger{.name = "integer"},
    kNumber{.name = "number"}, kObject{.name = "object"}, kCount{.name = "integer", .least = 1};
constexpr FieldType kTextList = list_of(kText), kTextLists = list_of(kTextList), kObjects = list_of(kObject),
                    kObjectLists = list_of(kObjects), kVector = list_of(kNumber), kVectors = list_of(kVector),
                    kVectorLists = list_of(kVectors);
constexpr FieldType kTexts{.either = {&kText, &kTextList}}, kSequences{.either = {&kText, &kTextList, &kTextLists}},
    kWordLists{.either = {&kTextList, &kTextLists}}, kTextOrVector{.either = {&kVector, &kText}};

constexpr std::string_view kOffsetWords[] = {"bytes", "code_points", "utf16"};
constexpr std::string_view kDirectionWords[] = {"left", "right"};
constexpr std::string_view kFloatWords[] = {"float"};
constexpr std::string_view kFloatOrBase64Words[] = {"float", "base64"};
constexpr std::string_view kRoleWords[] = {"document", "query"};
constexpr std::string_view kPoolingWords[] = {"token_classify"};
constexpr std::string_view kInputTypeWords[] = {"search_document", "search_query", "classification", "clustering"};
constexpr std::string_view kEmbeddingTypeWords[] = {"float", "int8", "uint8", "binary", "ubinary", "base64"};
constexpr std::string_view kCohereTruncateWords[] = {"NONE", "START", "END"};
constexpr FieldType kEmbeddingType = word_of(kEmbeddingTypeWords);

using Need::kRequired, Need::kOneOf;

constexpr Field kModel{"model", kText}, kInput{"input", kTexts, kRequired}, kInputs{"inputs", kTexts, kRequired},
    kQuery{"query", kText, kRequired}, kDimensions{"dimensions", kCount}, kRawScores{"raw_scores", kFlag},
    kTruncate{"truncate", kFlag}, kPartial{"partial", kFlag}, kOffsets{"offsets", word_of(kOffsetWords)},
    kWords{"words", kWordLists, kOneOf}, kPromptName{"prompt_name", kText},
    kDirection{"truncation_direction", word_of(kDirectionWords)}, kUser{"user", kText},
    kFormat{"encoding_format", word_of(kFloatOrBase64Words)}, kFloatFormat{"encoding_format", word_of(kFloatWords)},
    kFloatType{"embedding_type", word_of(kFloatWords)}, kLateChunking{"late_chunking", kFlag},
    kRole{"input_type", word_of(kRoleWords)}, kReturnDocuments{"return_documents", kFlag}, kTopN{"top_n", kCount},
    kDocuments{"documents", kTextList, kRequired}, kTextsField{"texts", kTextList, kRequired},
    kInputType{"input_type", word_of(kInputTypeWords)}, kNumberTypes{"embedding_types", list_of(kEmbeddingType)},
    kCohereTruncate{"truncate", word_of(kCohereTruncateWords)}, kOutputDimension{"output_dimension", kCount},
    kPoolingTask{"task", word_of(kPoolingWords)}, kUseActivation{"use_activation", kFlag};

constexpr Field kOpenAiEmbed[] = {kModel, kInput, kFormat, kDimensions, kUser, kTruncate, kLateChunking, kPartial};
constexpr Field kOpenAiVector[] = {{"object", kText}, {"index", kInteger}, {"embedding", kTextOrVector}};
constexpr BodyForm kOpenAiVectorForm{kOpenAiVector};
constexpr FieldType kOpenAiVectorObject = object_of(kOpenAiVectorForm);
constexpr Field kOpenAiAnswer[] = {{"object", kText},
                                   {"data", list_of(kOpenAiVectorObject)},
                                   {"model", kText},
                                   {"usage", kObject},
                                   {"compute", kObject}};
constexpr BodyForm kOpenAiAnswerForm{kOpenAiAnswer};
constexpr FieldType kOpenAiEmbedded = object_of(kOpenAiAnswerForm);
constexpr Field kTeiEmbed[] = {kInputs,   {"normalize", kFlag}, kDimensions, kPartial,
                               kTruncate, kDirection,           kPromptName};
constexpr Field kTeiInputs[] = {kInputs, kPartial, kTruncate, kDirection, kPromptName};
constexpr Field kTeiPredict[] = {
    {"inputs", kSequences, kRequired}, kRawScores, kPartial, kTruncate, kDirection, kPromptName};
constexpr Field kTeiRerank[] = {kQuery,    kTextsField, kRawScores, {"return_text", kFlag},
                                kTruncate, kDirection,  kPromptName};
constexpr Field kTeiSentences[] = {{"source_sentence", kText, kRequired}, {"sentences", kTextList, kRequired}};
constexpr Field kTeiParameters[] = {kTruncate, kDirection, kPromptName};
constexpr BodyForm kTeiSentencesForm{kTeiSentences}, kTeiParametersForm{kTeiParameters};
constexpr Field kTeiSimilarity[] = {{"inputs", object_of(kTeiSentencesForm), kRequired},
                                    {"parameters", object_of(kTeiParametersForm)}};
constexpr Field kTeiTokenize[] = {
    {"inputs", kTexts, kOneOf}, kWords, {"add_special_tokens", kFlag}, kPromptName, kOffsets};
constexpr Field kTeiDecode[] = {{"ids", {.name = "array"}, kRequired}, {"skip_special_tokens", kFlag}};
constexpr Field kVertex[] = {{"instances", kObjects, kRequired}};
constexpr Field kRerank[] = {kModel, kDocuments, kTopN, kReturnDocuments, kRawScores, kTruncate};
constexpr std::string_view kRerankLeftOut[] = {"prompt", "prompt_text", "relevant_label", "top_k"};
constexpr BodyForm kRerankForm{kRerank, "rerank", kRerankLeftOut};
constexpr Field kMultiVector[] = {kModel, kInput, kRole, kFloatType, kDimensions, kTruncate, kPartial};
constexpr Field kEntities[] = {kModel, {"input", kTexts, kOneOf}, kWords, kTruncate, kOffsets, kPartial};
constexpr std::string_view kNamesLeftOut[] = {"names"};  // a request's budgets do not count them
constexpr BodyForm kEntitiesForm{kEntities, "tag", kNamesLeftOut};
constexpr Field kRedact[] = {kModel, kInput, kTruncate, kPartial};
constexpr std::string_view kRedactLeftOut[] = {"expressions", "key"};  // set by the operator
constexpr BodyForm kRedactForm{kRedact, "redact", kRedactLeftOut};
constexpr Field kClasses[] = {kModel, kInput, kTruncate, kPartial};
constexpr BodyForm kClassesForm{kClasses, "classify", kNamesLeftOut};
constexpr Field kPooling[] = {kModel, kInput, kPoolingTask, kFloatFormat, kUseActivation};
constexpr Field kCohereEmbed[] = {kModel,          kTextsField,      kInputType, kNumberTypes,
                                  kCohereTruncate, kOutputDimension, kPartial};
constexpr Field kOllamaEmbed[] = {kModel, kInput, kTruncate, kDimensions, kPartial};
constexpr Field kOllamaPrompt[] = {kModel, {"prompt", kText, kRequired}, kTruncate};
constexpr Field kOllamaName[] = {kModel, {"name", kText}};

constexpr BodyForm kAnyForm;

constexpr const char* kOpenAi = "OpenAI";
constexpr const char* kTei = "text-embeddings-inference";
constexpr const char* kHub = "Hugging Face";
constexpr const char* kCohere = "Cohere";
constexpr const char* kOllama = "Ollama";
constexpr const char* kServer = "Server";

using enum RouteKind;

constexpr Route kRoutes[] = {
    {"POST", "/v1/embeddings", kCompute, ApiStyle::kOpenAi, openai_embeddings, kOpenAi, "Embed texts", kOpenAiEmbed,
     &kOpenAiEmbedded, R"({"input": ["A text", "Another one"]})"},
    {"POST", "/embeddings", kCompute, ApiStyle::kOpenAi, openai_embeddings, kOpenAi, "Embed texts", kOpenAiEmbed,
     &kOpenAiEmbedded, R"({"input": "A text"})"},
    {"GET", "/v1/models", kLookup, ApiStyle::kOpenAi, openai_models, kOpenAi, "The models", kAnyForm, &kObject, ""},
    {"GET", "/v1/models/*", kLookup, ApiStyle::kOpenAi, openai_model, kOpenAi, "A model", kAnyForm, &kObject, ""},
    {"POST", "/", kCompute, ApiStyle::kTei, tei_by_kind, kTei,
     "Embed, rerank or predict, by the model's kind; with parameters a task of Hugging Face's inference API", kAnyForm,
     &kObjects, R"({"inputs": "A text"})"},
    {"POST", "/pipeline/feature-extraction", kCompute, ApiStyle::kTei, hub_task, kHub, "Embed texts", kAnyForm,
     &kVectors, R"({"inputs": "A text", "parameters": {"normalize": true}})"},
    {"POST", "/pipeline/sentence-similarity", kCompute, ApiStyle::kTei, hub_task, kHub,
     "Cosines of a sentence with others", kTeiSimilarity, &kVector,
     R"({"inputs": {"source_sentence": "A dog barks.", "sentences": ["A puppy yelps.", "A violin."]}})"},
    {"POST", "/embed", kCompute, ApiStyle::kTei, tei_embed, kTei, "Embed texts", kTeiEmbed, &kVectors,
     R"({"inputs": ["A text", "Another one"]})"},
    {"POST", "/embed_all", kCompute, ApiStyle::kTei, tei_embed_all, kTei, "A vector for each token", kTeiInputs,
     &kVectorLists, R"({"inputs": "A text"})"},
    {"POST", "/embed_sparse", kCompute, ApiStyle::kTei, tei_embed_sparse, kTei, "A sparse vector for each text",
     kTeiInputs, &kObjectLists, R"({"inputs": "A text"})"},
    {"POST", "/predict", kCompute, ApiStyle::kTei, tei_predict, kTei, "Labels of texts or pairs", kTeiPredict,
     &kObjects, R"({"inputs": "A lovely film"})"},
    {"POST", "/rerank", kCompute, ApiStyle::kTei, tei_rerank, kTei, "Texts by relevance to a query", kTeiRerank,
     &kObjects, R"({"query": "What barks?", "texts": ["A dog.", "A violin."]})"},
    {"POST", "/similarity", kCompute, ApiStyle::kTei, tei_similarity, kTei, "Cosines of a sentence with others",
     kTeiSimilarity, &kVector,
     R"({"inputs": {"source_sentence": "A dog barks.", "sentences": ["A puppy yelps.", "A violin."]}})"},
    {"POST", "/tokenize", kCompute, ApiStyle::kTei, tei_tokenize, kTei, "Tokens of texts", kTeiTokenize, &kObjectLists,
     R"({"inputs": "A text"})"},
    {"POST", "/decode", kCompute, ApiStyle::kTei, tei_decode, kTei, "Texts of token ids", kTeiDecode, &kTextList,
     R"({"ids": [5, 6, 7]})"},
    {"GET", "/info", kLookup, ApiStyle::kTei, tei_info, kTei, "The model and the server's limits", kAnyForm, &kObject,
     ""},
    {"POST", "/invocations", kCompute, ApiStyle::kTei, tei_by_kind, kTei, "SageMaker's route: as POST /", kAnyForm,
     &kObjects, R"({"inputs": "A text"})"},
    {"POST", "/vertex", kCompute, ApiStyle::kTei, tei_vertex, kTei, "Vertex AI's route: instances of POST /", kVertex,
     &kObject, R"({"instances": [{"inputs": "A text"}]})"},
    {"POST", "/v1/rerank", kCompute, ApiStyle::kJina, jina_rerank, "Jina", "Documents by relevance to a query",
     kRerankForm, &kObject, R"({"query": "What barks?", "documents": ["A dog.", "A violin."]})"},
    {"POST", "/v1/multi-vector", kCompute, ApiStyle::kJina, jina_multi_vector, "Jina",
     "Vectors of the texts' tokens, for late interaction", kMultiVector, &kObject,
     R"({"input": "A text", "input_type": "query"})"},
    {"POST", "/v1/ner", kCompute, ApiStyle::kOpenAi, ner, "Labels", "Names in texts, by labels or a token classifier's",
     kEntitiesForm, &kObject, R"({"input": "Ada Lovelace lived in London.", "labels": ["person", "city"]})"},
    {"POST", "/v1/classify", kCompute, ApiStyle::kOpenAi, classify, "Labels",
     "Labels of texts, yours or a classifier's", kClassesForm, &kObject,
     R"({"input": "They won the cup.", "labels": ["sport", "music"]})"},
    {"POST", "/v1/redact", kCompute, ApiStyle::kOpenAi, redact, "Labels", "Texts without the names in them",
     kRedactForm, &kObject, R"({"input": "Ada Lovelace lived in London.", "labels": ["person", "city"]})"},
    {"POST", "/pooling", kCompute, ApiStyle::kOpenAi, vllm_pooling, "vLLM", "A token classifier's scores of each token",
     kPooling, &kObject, R"({"input": "Ada Lovelace lived in London.", "task": "token_classify"})"},
    {"POST", "/v2/rerank", kCompute, ApiStyle::kCohere, cohere_rerank, kCohere, "Documents by relevance to a query",
     kRerankForm, &kObject, R"({"query": "What barks?", "documents": ["A dog.", "A violin."], "top_n": 1})"},
    {"POST", "/v2/embed", kCompute, ApiStyle::kCohere, cohere_embed, kCohere, "Embed texts", kCohereEmbed, &kObject,
     R"({"texts": ["A text"], "input_type": "search_query", "embedding_types": ["float"]})"},
    {"POST", "/api/embed", kCompute, ApiStyle::kOllama, ollama_embed, kOllama, "Embed texts", kOllamaEmbed, &kObject,
     R"({"input": "A text"})"},
    {"POST", "/api/embeddings", kCompute, ApiStyle::kOllama, ollama_embeddings, kOllama, "Embed one text",
     kOllamaPrompt, &kObject, R"({"prompt": "A text"})"},
    {"GET", "/api/tags", kLookup, ApiStyle::kOllama, ollama_tags, kOllama, "The models", kAnyForm, &kObject, ""},
    {"GET", "/api/ps", kLookup, ApiStyle::kOllama, ollama_ps, kOllama, "The loaded models", kAnyForm, &kObject, ""},
    {"POST", "/api/show", kLookup, ApiStyle::kOllama, ollama_show, kOllama, "A model", kOllamaName, &kObject,
     R"({"model": "built-in"})"},
    {"GET", "/api/version", kLookup, ApiStyle::kOllama, ollama_version, kOllama, "The server's version", kAnyForm,
     &kObject, ""},
    {"GET", "/", kStart, ApiStyle::kTei, nullptr, kServer,
     "Whether the server works; for a browser, its models and links", kAnyForm, nullptr, ""},
    {"GET", "/health", kHealth, ApiStyle::kTei, nullptr, kServer, "Whether the server works", kAnyForm, nullptr, ""},
    {"GET", "/healthz", kHealth, ApiStyle::kTei, nullptr, kServer, "Whether the server works", kAnyForm, nullptr, ""},
    {"GET", "/ping", kHealth, ApiStyle::kTei, nullptr, kServer, "Whether the server works", kAnyForm, nullptr, ""},
    {"GET", "/ready", kReady, ApiStyle::kTei, nullptr, kServer,
     "Whether requests are welcome: 503 while loading and draining", kAnyForm, nullptr, ""},
    {"GET", "/readyz", kReady, ApiStyle::kTei, nullptr, kServer,
     "Whether requests are welcome: 503 while loading and draining", kAnyForm, nullptr, ""},
    {"GET", "/metrics", kMetrics, ApiStyle::kTei, nullptr, kServer, "Prometheus metrics", kAnyForm, nullptr, ""},
    {"GET", "/openapi.json", kOpenApi, ApiStyle::kTei, nullptr, kServer, "This document", kAnyForm, &kObject, ""},
    {"GET", "/api-doc/openapi.json", kOpenApi, ApiStyle::kTei, nullptr, kServer, "This document", kAnyForm, &kObject,
     ""},
    {"GET", "/docs", kDocs, ApiStyle::kTei, nullptr, kServer, "The routes, with an example of each", kAnyForm, nullptr,
     ""},
};

bool is_at(const Route& route, std::string_view path, std::string& parameter) {
  const std::string_view pattern = route.path;
  if (!pattern.ends_with('*')) return pattern == path;
  const std::string_view stem = pattern.substr(0, pattern.size() - 1);
  if (!path.starts_with(stem) || path.size() == stem.size()) return false;
  parameter = std::string(path.substr(stem.size()));
  return true;
}

// Finds the routes at this path, without a model's name before it.
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

std::string content_of(const FieldType& type, std::string_view example = {}) {
  std::string content = R"({"application/json":{"schema":)" + schema_of(type);
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
  // A name may contain "/": uses the first split whose rest is a route.
  for (size_t slash = path.find('/', kModels.size()); slash != path.npos; slash = path.find('/', slash + 1)) {
    match = match_path(method, path.substr(slash));
    if (match.allowed.empty()) continue;
    match.model = std::string(path.substr(kModels.size(), slash - kModels.size()));
    return match;
  }
  // Hugging Face's clients send requests to the model's path itself.
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
    if (*route.example != '\0') {
      operation.member("requestBody") +=
          R"({"required":true,"content":)" + content_of(object_of(route.request), route.example) + "}";
    }
    JsonWriter answer;
    answer.string("description", "The answer");
    if (route.response != nullptr) answer.member("content") += content_of(*route.response);
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
