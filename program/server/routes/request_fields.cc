#include "program/server/routes/request_fields.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "program/server/routes/json_body.h"

namespace bert::server {
namespace {

struct RefusedField {
  const char* path;
  const char* name;
  const char* as_it_is = "";  // the JSON value that says what the route does anyway, which is accepted
};

// For OpenAI's route also the fields that Jina, Voyage, vLLM and others add.
constexpr RefusedField kRefused[] = {
    {"/v1/embeddings", "task"},
    {"/v1/embeddings", "input_type"},
    {"/v1/embeddings", "prompt_name"},
    {"/v1/embeddings", "instruction"},
    {"/v1/embeddings", "normalized", "true"},
    {"/v1/embeddings", "normalize", "true"},
    {"/v1/embeddings", "embedding_type", "\"float\""},
    {"/v1/embeddings", "embed_dtype", "\"float32\""},
    {"/v1/embeddings", "output_dtype", "\"float\""},
    {"/v1/embeddings", "output_dimension"},
    {"/v1/embeddings", "truncate_prompt_tokens"},
    {"/v1/embeddings", "add_special_tokens", "true"},
    {"/v1/embeddings", "messages"},
    {"/v1/rerank", "return_embeddings", "false"},
    {"/v1/rerank", "max_doc_length"},
    {"/v1/rerank", "max_query_length"},
    {"/v1/rerank", "max_tokens_per_doc"},
    {"/v1/rerank", "max_chunks_per_doc"},
    {"/v1/rerank", "rank_fields"},
    {"/v1/rerank", "truncate_prompt_tokens"},
    {"/rerank", "documents"},  // a field of Jina's and Cohere's routes
    {"/v1/multi-vector", "task"},
    {"/v1/multi-vector", "normalized", "true"},
    {"/v2/embed", "max_tokens"},
    {"/pooling", "truncate_prompt_tokens"},
    {"/pooling", "add_special_tokens", "true"},
    {"/pooling", "dimensions"},
    {"/pooling", "normalize"},
    {"/pooling", "messages"},
};

std::string names_for_header(const std::vector<std::string>& names) {
  constexpr size_t kMostNames = 16, kMostBytes = 64;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += i > 0 ? ", " : "";
    for (const char c : names[i].substr(0, kMostBytes)) text += c > ' ' && c < '\x7f' && c != ',' ? c : '?';
  }
  return text + (names.size() > kMostNames ? ", ..." : "");
}

}  // namespace

std::string ignored_fields(const Route& route, const Json& body) {
  if (!body.is_object() || route.request.fields.empty()) return "";
  std::vector<std::string> ignored;
  const std::vector<Field> known = fields_of(route.request);
  std::string_view path = route.path;
  if (path == "/embeddings") path = "/v1/embeddings";
  if (path == "/v2/rerank") path = "/v1/rerank";
  for (const auto& [field, value] : body.items()) {
    const std::string& name = field;
    if (value.is_null() || std::ranges::find(known, name, &Field::name) != known.end()) continue;
    const auto refused = std::find_if(std::begin(kRefused), std::end(kRefused),
                                      [&](const RefusedField& one) { return one.path == path && one.name == name; });
    if (refused == std::end(kRefused)) {
      ignored.push_back(name);
      continue;
    }
    const std::string as_it_is = refused->as_it_is;
    if (value.dump() == as_it_is) continue;
    throw ApiError(Fault::kInvalid,
                   "'" + name + "' is not supported by this route" +
                       (as_it_is.empty() ? "" : ", expected " + as_it_is + " or none"),
                   name);
  }
  return names_for_header(ignored);
}

}  // namespace bert::server
