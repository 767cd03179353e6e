// The C interface's calls for several vectors of a text, and for search among vectors.
#include <vector>

#include "bert/bert_vectors.h"
#include "bert/new_file.h"
#include "bert/token_vectors.h"
#include "bert/vectors.h"
#include "bindings/c/c_api.h"

struct bert_vectors {
  std::vector<float> values;
  size_t size = 0;
  size_t count = 0;
  std::vector<size_t> starts, ends;
  std::vector<uint32_t> tokens;
  size_t truncated_tokens = 0;
};

struct bert_index {
  explicit bert_index(bert::VectorIndex made) : index(std::move(made)), label(index.label()) {}
  const bert::VectorIndex index;
  const std::string label;
};

namespace bert::c_api {
namespace {

template <class T>
const T* data_of(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

std::span<const float> rows_of(const bert_vector_rows& rows, const char* name) {
  if (rows.count == 0) return {};
  if (rows.size == 0 || rows.count > PTRDIFF_MAX / sizeof(float) / rows.size) {
    refuse(std::string(name) + ": " + std::to_string(rows.count) + " vectors of " + std::to_string(rows.size) +
           " floats, expected vectors that memory can hold");
  }
  return {&need(rows.data, name), rows.count * rows.size};
}

ScanRows scan_of(int32_t scan) {
  static constexpr ScanRows kScans[] = {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary};
  return kScans[index_of(scan, std::size(kScans), "scan")];
}

}  // namespace
}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

size_t bert_vectors_count(const bert_vectors* vectors) { return vectors == nullptr ? 0 : vectors->count; }
size_t bert_vectors_size(const bert_vectors* vectors) { return vectors == nullptr ? 0 : vectors->size; }
const float* bert_vectors_data(const bert_vectors* vectors) {
  return vectors == nullptr ? nullptr : data_of(vectors->values);
}
const size_t* bert_vectors_starts(const bert_vectors* vectors) {
  return vectors == nullptr ? nullptr : data_of(vectors->starts);
}
const size_t* bert_vectors_ends(const bert_vectors* vectors) {
  return vectors == nullptr ? nullptr : data_of(vectors->ends);
}
const uint32_t* bert_vectors_tokens(const bert_vectors* vectors) {
  return vectors == nullptr ? nullptr : data_of(vectors->tokens);
}
size_t bert_vectors_truncated_tokens(const bert_vectors* vectors) {
  return vectors == nullptr ? 0 : vectors->truncated_tokens;
}
void bert_vectors_free(bert_vectors* vectors) { delete vectors; }

bert_status bert_embed_tokens(const bert_model* handle, bert_text text, int32_t role, bert_vectors** vectors) {
  return new_object(vectors, "vectors", [&] {
    const Model& model = need(handle, "model").model;
    token_vector_settings(model);  // throws for a model that is not late-interaction
    static constexpr TextRole kRoles[] = {TextRole::kDocument, TextRole::kQuery};
    const VectorRequest request{.tokens = true, .role = kRoles[index_of(role, std::size(kRoles), "role")]};
    auto result = std::make_unique<bert_vectors>();
    TextResult read = read_text(model, text_of(text, "text"), request, BERT_LONG_TEXT_DEFAULT);
    auto& made = std::get<TextVectors>(read.output).tokens;
    result->truncated_tokens = read.tokens.encoding.truncated_tokens;
    result->values = std::move(made.values);
    result->size = made.size;
    result->count = made.tokens.size();
    result->tokens = std::move(made.tokens);
    return result;
  });
}

bert_status bert_embed_chunks(const bert_model* handle, bert_text text, const bert_chunk_options* options,
                              bert_vectors** vectors) {
  return new_object(vectors, "vectors", [&] {
    const Model& model = need(handle, "model").model;
    const bert_chunk_options known = known_part(options);
    if (known.tokens == 0 && known.sentences == 0) refuse("no tokens and no sentences, expected one of them");
    const EmbedOptions embed = embed_options(known.embed);
    const std::string_view whole = text_of(text, "text");
    const OffsetUnits units(whole, offset_unit(known.offset_unit));
    const VectorRequest request{.dense = embed,
                                .chunks = ChunkOptions{.tokens = known.tokens, .sentences = known.sentences != 0}};
    auto result = std::make_unique<bert_vectors>();
    const bert_embed_options of_text = known_part(known.embed);
    TextResult read = read_text(model, whole, request, of_text.long_text);
    auto& made = std::get<TextVectors>(read.output);
    result->truncated_tokens = read.tokens.encoding.truncated_tokens;
    result->values = std::move(made.dense);
    result->size = model.embedding_size(embed);
    result->count = made.chunks.size();
    for (const TextChunk& chunk : made.chunks) {
      result->starts.push_back(units.before(chunk.bytes.begin));
      result->ends.push_back(units.before(chunk.bytes.end));
    }
    return result;
  });
}

bert_status bert_max_sim(bert_vector_rows query, bert_vector_rows document, double* score) {
  return guard([&] {
    if (query.count > 0 && document.count > 0 && query.size != document.size) {
      refuse("vectors of " + std::to_string(query.size) + " and of " + std::to_string(document.size) +
             " floats, expected one size");
    }
    const size_t size = query.count > 0 ? query.size : document.size;
    need(score, "score") = MaxSim(1).score(rows_of(query, "query"), rows_of(document, "document"), size);
  });
}

bert_status bert_index_create(bert_vector_rows vectors, const bert_index_options* options, bert_index** index) {
  return new_object(index, "index", [&] {
    const bert_index_options known = known_part(options);
    const IndexOptions chosen{.scan = scan_of(known.scan), .threads = known.threads};
    return std::make_unique<bert_index>(VectorIndex(rows_of(vectors, "vectors"), vectors.size, chosen));
  });
}

bert_status bert_index_write(const char* file, bert_vector_rows vectors, const bert_index_options* options) {
  return guard([&] {
    const bert_index_options known = known_part(options);
    const std::span<const float> rows = rows_of(vectors, "vectors");
    NewFile out(&need(file, "file"), NewFile::Existing::kReplace);
    VectorIndexWriter writer([&](std::string_view bytes) { out.write(bytes); }, vectors.size, scan_of(known.scan),
                             known.label == nullptr ? "" : known.label);
    for (size_t row = 0; row < vectors.count; ++row) writer.add(rows.subspan(row * vectors.size, vectors.size));
    writer.finish();
    out.publish();
  });
}

bert_status bert_index_open(const char* file, const bert_index_options* options, bert_index** index) {
  return new_object(index, "index", [&] {
    return std::make_unique<bert_index>(VectorIndex::open(&need(file, "file"), known_part(options).threads));
  });
}

void bert_index_free(bert_index* index) { delete index; }

size_t bert_index_rows(const bert_index* index) { return index == nullptr ? 0 : index->index.rows(); }
size_t bert_index_size(const bert_index* index) { return index == nullptr ? 0 : index->index.size(); }
const char* bert_index_label(const bert_index* index) { return index == nullptr ? nullptr : index->label.c_str(); }

bert_status bert_index_search(const bert_index* index, const float* query, size_t top, bert_hit* hits, size_t* found) {
  return guard([&] {
    const VectorIndex& searched = need(index, "index").index;
    if (top > 0) need(hits, "hits");
    size_t& count = need(found, "found");
    count = 0;
    if (top == 0) return;
    const std::vector<SearchHit> best = searched.search_one({&need(query, "query"), searched.size()}, {.top = top});
    for (const SearchHit& hit : best) hits[count++] = {hit.row, hit.score};
  });
}
