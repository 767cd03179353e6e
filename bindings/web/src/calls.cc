// Loading, tokens, vectors and search.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bert/bert_vectors.h"
#include "bindings/web/src/calls.h"

namespace bert_web {

namespace {

bert_load_options load_options(Arguments& given) {
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  options.revision = given.name();
  options.task = given.name();
  options.encoder = given.name();
  options.adapter = given.name();
  options.threads = given.number();
  options.precision = given.integer();
  options.packing = given.integer();
  options.ignore_unexpected = given.integer();
  options.check_tensors = given.integer();
  options.runtime = given.pointer<const bert_runtime>();
  return options;
}

bert_embed_options embed_options(Arguments& given) {
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  options.prompt = given.name();
  options.pooling = given.integer();
  options.normalize = given.integer();
  options.dimensions = given.number();
  options.long_text = given.integer();
  return options;
}

// The addresses and sizes of texts, as the C interface takes them.
struct TextViews {
  TextViews(const bert_text* texts, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      data.push_back(texts[i].data);
      bytes.push_back(texts[i].bytes);
    }
  }
  std::vector<const char*> data;
  std::vector<size_t> bytes;
};

// Writes the number of truncated tokens of each text, as 32-bit numbers.
void write_truncated(const std::vector<bert_text_report>& reports, void* to) {
  auto* at = static_cast<uint32_t*>(to);
  for (const bert_text_report& report : reports) *at++ = static_cast<uint32_t>(report.truncated_tokens);
}

}  // namespace

// Results: the address of a bert_runtime.
BERT_CALL(make_runtime) {
  Arguments given(words);
  bert_runtime_options options = BERT_RUNTIME_OPTIONS_INIT;
  options.threads = given.number();
  bert_runtime* runtime = nullptr;
  const bert_status status = bert_runtime_create(&options, &runtime);
  words[kResults] = address(runtime);
  return status;
}

BERT_CALL(load_model) {
  Arguments given(words);
  const char* const name = given.name();
  const bert_load_options options = load_options(given);
  bert_model* model = nullptr;
  const bert_status status = bert_model_load(name, &options, &model);
  words[kResults] = address(model);
  return status;
}

BERT_CALL(load_tokenizer) {
  Arguments given(words);
  const char* const name = given.name();
  const bert_load_options options = load_options(given);
  bert_tokenizer* tokenizer = nullptr;
  const bert_status status = bert_tokenizer_load(name, &options, &tokenizer);
  words[kResults] = address(tokenizer);
  return status;
}

// Results: memory that the page frees, the number of tokens, the number of truncated tokens. The memory has seven
// arrays, with one entry per token; the last array is of bytes, the others of 32-bit numbers.
BERT_CALL(tokenize) {
  Arguments given(words);
  const auto* const tokenizer = given.pointer<const bert_tokenizer>();
  const bert_text text = given.text(), pair = given.text();
  bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;
  options.max_length = given.number();
  options.without_special_tokens = given.integer();
  options.offset_unit = BERT_UTF16;
  const auto call = [&](bert_tokens& tokens) {
    return bert_tokenize(tokenizer, text.data, text.bytes, pair.data, pair.bytes, &options, &tokens);
  };
  bert_tokens tokens = BERT_TOKENS_INIT;
  bert_status status = call(tokens);
  if (status != BERT_OK && status != BERT_BUFFER_TOO_SMALL) return status;
  const size_t size = tokens.size;
  auto* const memory = static_cast<uint32_t*>(std::malloc(7 * size * sizeof(uint32_t) + 1));
  if (memory == nullptr) return BERT_OUT_OF_MEMORY;
  tokens = BERT_TOKENS_INIT;
  tokens.capacity = size;
  tokens.ids = reinterpret_cast<int32_t*>(memory);
  tokens.type_ids = reinterpret_cast<int32_t*>(memory + size);
  tokens.offset_begins = reinterpret_cast<size_t*>(memory + 2 * size);
  tokens.offset_ends = reinterpret_cast<size_t*>(memory + 3 * size);
  tokens.word_ids = reinterpret_cast<int32_t*>(memory + 4 * size);
  tokens.sequence_ids = reinterpret_cast<int32_t*>(memory + 5 * size);
  tokens.special_tokens_mask = reinterpret_cast<uint8_t*>(memory + 6 * size);
  status = call(tokens);
  words[kResults] = address(memory);
  words[kResults + 1] = tokens.size;
  words[kResults + 2] = tokens.truncated_tokens;
  return status;
}

// Results: memory that the page frees, the vectors' size. The memory has the vectors, [count, size], then each text's
// truncated tokens, [count]. texts: bert_text, [count].
BERT_CALL(embed) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const auto* const texts = given.pointer<const bert_text>();
  const size_t count = given.number();
  const bert_embed_options options = embed_options(given);
  size_t size = 0;
  const bert_status status = bert_embed_get_size(model, &options, &size);
  if (status != BERT_OK) return status;
  const TextViews views(texts, count);
  std::vector<bert_text_report> reports(count);
  auto* const vectors = static_cast<float*>(std::malloc(count * (size + 1) * sizeof(float) + 1));
  if (vectors == nullptr) return BERT_OUT_OF_MEMORY;
  words[kResults] = address(vectors);
  words[kResults + 1] = size;
  const bert_status embedded = bert_embed_texts(model, views.data.data(), views.bytes.data(), count, &options, vectors,
                                                count * size, reports.data());
  write_truncated(reports, vectors + count * size);
  return embedded;
}

// Results: memory that the page frees, the number of entries. The memory has the starts, [count + 1], the ids, the
// weights, then each text's truncated tokens, [count].
BERT_CALL(embed_sparse) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const auto* const texts = given.pointer<const bert_text>();
  const size_t count = given.number();
  bert_sparse_options options = BERT_SPARSE_OPTIONS_INIT;
  options.max_active = given.number();
  options.long_text = given.integer();
  std::vector<bert_text_report> reports(count);
  const TextViews views(texts, count);
  std::vector<size_t> starts(count + 1);
  std::vector<int32_t> ids;
  std::vector<float> weights;
  bert_status status = BERT_BUFFER_TOO_SMALL;
  while (status == BERT_BUFFER_TOO_SMALL) {  // runs twice; the first call asks for the room
    ids.resize(starts[count]);
    weights.resize(starts[count]);
    status = bert_embed_sparse_texts(model, views.data.data(), views.bytes.data(), count, &options, starts.data(),
                                     ids.data(), weights.data(), ids.size(), reports.data());
  }
  if (status != BERT_OK) return status;
  const size_t entries = starts[count];
  auto* const memory = static_cast<uint32_t*>(std::malloc((2 * count + 1 + 2 * entries) * sizeof(uint32_t)));
  if (memory == nullptr) return BERT_OUT_OF_MEMORY;
  std::copy(starts.begin(), starts.end(), memory);
  std::memcpy(memory + count + 1, ids.data(), entries * sizeof(int32_t));
  std::memcpy(memory + count + 1 + entries, weights.data(), entries * sizeof(float));
  write_truncated(reports, memory + count + 1 + 2 * entries);
  words[kResults] = address(memory);
  words[kResults + 1] = entries;
  return status;
}

// Embeds sequences of ids. sequences: bert_sequence, [count]. Results: memory that the page frees, the vectors' size.
// The memory has the vectors, [count, size].
BERT_CALL(embed_ids) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const auto* const sequences = given.pointer<const bert_sequence>();
  const size_t count = given.number();
  const bert_embed_options options = embed_options(given);
  size_t size = 0;
  const bert_status status = bert_embed_get_size(model, &options, &size);
  if (status != BERT_OK) return status;
  auto* const vectors = static_cast<float*>(std::malloc(count * size * sizeof(float) + 1));
  if (vectors == nullptr) return BERT_OUT_OF_MEMORY;
  words[kResults] = address(vectors);
  words[kResults + 1] = size;
  return bert_embed(model, sequences, count, &options, vectors, count * size);
}

// Encodes a sequence. Results: memory that the page frees, the numbers of floats of the last hidden state, the pooler's
// output, all hidden states and the attentions, which lie in the memory in this order, then the number of rows. If the
// third argument is not 0, only the last hidden state is computed.
BERT_CALL(encode) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const auto* const sequence = given.pointer<const bert_sequence>();
  const bool is_only_last = given.integer() != 0;
  bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT;
  const bert_status status = bert_encode_get_sizes(model, sequence, &sizes);
  if (status != BERT_OK) return status;
  if (is_only_last) sizes.pooler_output = sizes.hidden_states = sizes.attentions = 0;
  const size_t all = sizes.last_hidden_state + sizes.pooler_output + sizes.hidden_states + sizes.attentions;
  auto* const memory = static_cast<float*>(std::malloc(all * sizeof(float) + 1));
  if (memory == nullptr) return BERT_OUT_OF_MEMORY;
  bert_encode_buffers buffers = {};
  buffers.last_hidden_state = {memory, sizes.last_hidden_state};
  if (!is_only_last) {
    buffers.pooler_output = {buffers.last_hidden_state.data + sizes.last_hidden_state, sizes.pooler_output};
    buffers.hidden_states = {buffers.pooler_output.data + sizes.pooler_output, sizes.hidden_states};
    buffers.attentions = {buffers.hidden_states.data + sizes.hidden_states, sizes.attentions};
  }
  words[kResults] = address(memory);
  words[kResults + 1] = sizes.last_hidden_state;
  words[kResults + 2] = sizes.pooler_output;
  words[kResults + 3] = sizes.hidden_states;
  words[kResults + 4] = sizes.attentions;
  words[kResults + 5] = sizes.rows;
  return bert_encode(model, sequence, 1, &buffers);
}

// Computes a head's outputs for a sequence. Results: memory that the page frees, rows, outputs.
BERT_CALL(logits) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const int32_t head = given.integer();
  const auto* const sequence = given.pointer<const bert_sequence>();
  size_t rows = 0, outputs = 0;
  const bert_status status = bert_logits_get_sizes(model, head, sequence, &rows, &outputs);
  if (status != BERT_OK) return status;
  auto* const memory = static_cast<float*>(std::malloc(rows * outputs * sizeof(float) + 1));
  if (memory == nullptr) return BERT_OUT_OF_MEMORY;
  const bert_floats values = {memory, rows * outputs};
  words[kResults] = address(memory);
  words[kResults + 1] = rows;
  words[kResults + 2] = outputs;
  return bert_logits(model, head, sequence, 1, &values);
}

// Results: the address of a bert_vectors.
BERT_CALL(embed_chunks) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  bert_chunk_options options = BERT_CHUNK_OPTIONS_INIT;
  options.tokens = given.number();
  options.sentences = given.integer();
  options.offset_unit = BERT_UTF16;
  bert_embed_options whole = BERT_EMBED_OPTIONS_INIT;
  whole.long_text = given.integer();
  options.embed = &whole;
  bert_vectors* vectors = nullptr;
  const bert_status status = bert_embed_chunks(model, text, &options, &vectors);
  words[kResults] = address(vectors);
  return status;
}

BERT_CALL(embed_tokens) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  bert_vectors* vectors = nullptr;
  const bert_status status = bert_embed_tokens(model, text, given.integer(), &vectors);
  words[kResults] = address(vectors);
  return status;
}

// Results: a double, which is aligned because kResults is even.
BERT_CALL(cosine) {
  Arguments given(words);
  const auto* const a = given.pointer<const float>();
  const auto* const b = given.pointer<const float>();
  return bert_cosine_similarity(a, b, given.number(), reinterpret_cast<double*>(words + kResults));
}

BERT_CALL(max_sim) {
  Arguments given(words);
  const auto* const query = given.pointer<const float>();
  const size_t queries = given.number();
  const auto* const document = given.pointer<const float>();
  const size_t documents = given.number(), size = given.number();
  auto* const score = reinterpret_cast<double*>(words + kResults);
  return bert_max_sim({query, queries, size}, {document, documents, size}, score);
}

BERT_CALL(make_index) {
  Arguments given(words);
  const auto* const vectors = given.pointer<const float>();
  const size_t count = given.number(), size = given.number();
  bert_index_options options = BERT_INDEX_OPTIONS_INIT;
  options.scan = given.integer();
  bert_index* index = nullptr;
  const bert_status status = bert_index_create({vectors, count, size}, &options, &index);
  words[kResults] = address(index);
  return status;
}

// Results: memory that the page frees, of bert_hit; the number of hits.
BERT_CALL(search_index) {
  Arguments given(words);
  const auto* const index = given.pointer<const bert_index>();
  const auto* const query = given.pointer<const float>();
  const size_t top = given.number();
  auto* const hits = static_cast<bert_hit*>(std::malloc(top * sizeof(bert_hit) + 1));
  if (hits == nullptr) return BERT_OUT_OF_MEMORY;
  size_t found = 0;
  const bert_status status = bert_index_search(index, query, top, hits, &found);
  words[kResults] = address(hits);
  words[kResults + 1] = found;
  return status;
}

// Sets an environment variable. BERT_INFER_ISA chooses the kernels.
BERT_CALL(set_variable) {
  Arguments given(words);
  const char* const name = given.name();
  return setenv(name, given.name(), 1) == 0 ? BERT_OK : BERT_OUT_OF_MEMORY;
}

}  // namespace bert_web
