// The handlers of the routes, sorted by the server whose API they follow. Each throws ApiError for a request that it
// rejects, and bert::Error for one that the model rejects. Stateless; safe to call from many threads.
#pragma once

#include "bert/offsets.h"
#include "program/server/routes/api.h"

namespace bert::server {

// OpenAI.
HandlerResult openai_embeddings(const Call& call);
HandlerResult openai_models(const Call& call);
HandlerResult openai_model(const Call& call);  // the model's name is the path's parameter

// text-embeddings-inference.
// Runs a task of the hub's API if the request has its form; else embeds, reranks or predicts, by the model's kind.
HandlerResult tei_by_kind(const Call& call);
HandlerResult tei_embed(const Call& call);
HandlerResult tei_embed_all(const Call& call);
HandlerResult tei_embed_sparse(const Call& call);
HandlerResult tei_predict(const Call& call);
HandlerResult tei_rerank(const Call& call);
HandlerResult tei_similarity(const Call& call);
HandlerResult tei_tokenize(const Call& call);
HandlerResult tei_decode(const Call& call);
HandlerResult tei_info(const Call& call);
HandlerResult tei_vertex(const Call& call);

// Hugging Face's inference API. is_hub_request: whether a body has the fields of this API.
bool is_hub_request(const Json& body);
HandlerResult hub_task(const Call& call);

HandlerResult jina_rerank(const Call& call);
HandlerResult jina_multi_vector(const Call& call);
HandlerResult classify(const Call& call);      // classes, by the request's labels or by a classifier's
HandlerResult ner(const Call& call);           // entities, by the request's labels or by a token classifier's
HandlerResult redact(const Call& call);        // texts with entities replaced
HandlerResult vllm_pooling(const Call& call);  // a token classifier's scores

HandlerResult cohere_rerank(const Call& call);
HandlerResult cohere_embed(const Call& call);

HandlerResult ollama_embed(const Call& call);
HandlerResult ollama_embeddings(const Call& call);
HandlerResult ollama_tags(const Call& call);
HandlerResult ollama_ps(const Call& call);
HandlerResult ollama_show(const Call& call);
HandlerResult ollama_version(const Call& call);

// Returns the texts of a field: a string, a list of strings, token ids, or a list of token ids. Throws ApiError for ids
// that are not accepted.
std::vector<TextItem> texts_of(const Call& call, const std::string& field);
// Returns the name of a classifier's label; "LABEL_2" for one without a name.
std::string label_name(const ModelConfig& config, size_t index);
// Reads "offsets": the unit of places in the answer; nullopt without the field.
std::optional<OffsetUnit> offset_unit(const Call& call);
// Reads TEI's truncation_direction: "right" or "left", in upper or lower case.
std::optional<Direction> truncation_direction(const Json& body);

}  // namespace bert::server
