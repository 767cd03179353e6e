// The handlers of the routes, by the server whose API they follow. Each throws ApiError for a request that it rejects,
// and bert::Error for one that the model rejects. Stateless; safe to call from many threads.
#pragma once

#include "bert/offsets.h"
#include "bert/tasks.h"
#include "program/server/routes/api.h"

namespace bert::server {

// OpenAI.
HandlerResult openai_embeddings(const Call& call);
HandlerResult openai_models(const Call& call);
HandlerResult openai_model(const Call& call);  // its name is the path's parameter

// text-embeddings-inference.
// A task of the hub's API, where the request is one; else embed, rerank or predict, by the model's kind.
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

// Hugging Face's inference API. Whether a body has its fields, and the task that they ask for.
bool is_hub_request(const Json& body);
HandlerResult hub_task(const Call& call);

HandlerResult jina_rerank(const Call& call);
HandlerResult jina_multi_vector(const Call& call);
HandlerResult classify(const Call& call);      // classes, with labels or a classifier's
HandlerResult ner(const Call& call);           // entities, with labels or a token classifier's
HandlerResult redact(const Call& call);        // texts without entities
HandlerResult vllm_pooling(const Call& call);  // a token classifier's scores

HandlerResult cohere_rerank(const Call& call);
HandlerResult cohere_embed(const Call& call);

HandlerResult ollama_embed(const Call& call);
HandlerResult ollama_embeddings(const Call& call);
HandlerResult ollama_tags(const Call& call);
HandlerResult ollama_ps(const Call& call);
HandlerResult ollama_show(const Call& call);
HandlerResult ollama_version(const Call& call);

// The texts of a field: a string, a list of strings, token ids, or a list of token ids. Throws ApiError for ids that
// are not accepted.
std::vector<TextItem> texts_of(const Call& call, const std::string& field);
// The name of a classifier's label; "LABEL_2" for one without.
std::string label_name(const ModelConfig& config, size_t index);
// "offsets": what places in the answer are counted in; nullopt without the field.
std::optional<OffsetUnit> offset_unit(const Call& call);
// As TEI's truncation_direction: "right" or "left", in any case.
std::optional<Direction> truncation_direction(const Json& body);

}  // namespace bert::server
