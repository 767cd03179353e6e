// The C interface of bert/bert.h over Model and Tokenizer. Each call turns what is thrown below it into a status and a
// line kept for the thread. Thread-safe as the header says.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bert/bert.h"
#include "bert/model.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

struct bert_tokenizer {
  std::unique_ptr<const bert::Tokenizer> own;  // null in a model's
  const bert::Tokenizer* tokenizer = nullptr;
};

struct bert_model {
  explicit bert_model(bert::Model loaded) : model(std::move(loaded)), tokenizer{nullptr, &model.tokenizer()} {}
  const bert::Model model;
  const bert_tokenizer tokenizer;
};

namespace bert {
namespace {

// Fixed, so that keeping a message cannot fail.
constexpr size_t kMaxMessageBytes = 2048;
thread_local char message_of_thread[kMaxMessageBytes] = "";

bert_status keep(bert_status status, std::string_view message) noexcept {
  const size_t bytes = character_start(message, std::min(message.size(), kMaxMessageBytes - 1));
  std::memcpy(message_of_thread, message.data(), bytes);
  message_of_thread[bytes] = '\0';
  return status;
}

bert_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return BERT_INVALID_ARGUMENT;
    case ErrorCode::kInvalidFile:
      return BERT_INVALID_FILE;
    case ErrorCode::kNotFound:
      return BERT_NOT_FOUND;
    case ErrorCode::kUnsupported:
      return BERT_UNSUPPORTED;
    case ErrorCode::kInvalidText:
      return BERT_INVALID_TEXT;
    case ErrorCode::kNonFinite:
      return BERT_NON_FINITE;
    case ErrorCode::kIo:
      return BERT_IO;
  }
  return BERT_INTERNAL;
}

// The one error that the library itself does not know.
class TooSmall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class Call>
bert_status guard(const Call& call) noexcept {
  try {
    call();
    return BERT_OK;
  } catch (const Error& error) {
    return keep(status_of(error.code()), error.what());
  } catch (const TooSmall& error) {
    return keep(BERT_BUFFER_TOO_SMALL, error.what());
  } catch (const std::bad_alloc&) {
    return keep(BERT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return keep(BERT_INTERNAL, error.what());
  } catch (...) {
    return keep(BERT_INTERNAL, "an error that is no std::exception");
  }
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is null, expected a pointer");
  return *pointer;
}

void check_room(size_t found, size_t expected, const std::string& what) {
  if (found >= expected) return;
  throw TooSmall("room for " + std::to_string(found) + " " + what + ", expected " + std::to_string(expected));
}

// The caller's structure as this version knows it; `smallest` is its size in the first version that had it.
template <class T>
T known_part(const T* given, size_t smallest = sizeof(size_t)) {
  T known{};
  if (given == nullptr) return known;
  const size_t bytes = given->struct_bytes;
  if (bytes < smallest || bytes > 4096) {
    refuse("struct_bytes is " + std::to_string(bytes) + ", expected the structure's size, " +
           std::to_string(sizeof(T)));
  }
  const auto* raw = reinterpret_cast<const unsigned char*>(given);
  std::memcpy(&known, raw, std::min(bytes, sizeof(T)));
  for (size_t i = sizeof(T); i < bytes; ++i) {
    if (raw[i] != 0) refuse("an option of a later version is set, byte " + std::to_string(i) + " of its structure");
  }
  return known;
}

size_t index_of(int32_t number, size_t count, const char* name) {
  if (number < 0 || static_cast<size_t>(number) >= count) {
    refuse(std::string(name) + " is " + std::to_string(number) + ", expected 0 to " + std::to_string(count - 1));
  }
  return static_cast<size_t>(number);
}

std::optional<bool> choice_of(int32_t choice, const char* name) {
  const size_t index = index_of(choice, 3, name);
  return index == 0 ? std::nullopt : std::optional<bool>(index == 1);
}

LoadOptions load_options(const bert_load_options* given) {
  const bert_load_options known = known_part(given);
  static constexpr GemmProvider kProviders[] = {GemmProvider::kAuto, GemmProvider::kOwn, GemmProvider::kPortable,
                                                GemmProvider::kOpenBlas};
  LoadOptions options;
  options.threads = known.threads;
  options.gemm = kProviders[index_of(known.gemm, std::size(kProviders), "gemm")];
  options.ignore_unexpected = known.ignore_unexpected != 0;
  options.check_tensors = known.check_tensors != 0;
  options.tokenizer.lowercase = choice_of(known.lowercase, "lowercase");
  if (known.revision != nullptr) options.revision = known.revision;
  return options;
}

TokenizeOptions tokenize_options(const bert_tokenize_options* given) {
  const bert_tokenize_options known = known_part(given);
  static constexpr Truncation kTruncations[] = {Truncation::kLongestFirst, Truncation::kOnlyFirst,
                                                Truncation::kOnlySecond, Truncation::kError};
  TokenizeOptions options;
  options.max_length = known.max_length;
  options.truncation = kTruncations[index_of(known.truncation, std::size(kTruncations), "truncation")];
  options.add_special_tokens = known.without_special_tokens == 0;
  options.plain_special_tokens = known.plain_special_tokens != 0;
  return options;
}

EmbedOptions embed_options(const bert_embed_options* given) {
  const bert_embed_options known = known_part(given);
  static constexpr PoolingMode kModes[] = {
      PoolingMode::kCls,      PoolingMode::kMean,           PoolingMode::kMax,
      PoolingMode::kPooler,   PoolingMode::kMeanSqrtLength, PoolingMode::kWeightedMean,
      PoolingMode::kLastToken};
  EmbedOptions options;
  const size_t pooling = index_of(known.pooling, std::size(kModes) + 1, "pooling");
  if (pooling > 0) options.pooling = kModes[pooling - 1];
  options.normalize = choice_of(known.normalize, "normalize");
  return options;
}

std::string_view text_of(const char* text, size_t bytes, const char* name) {
  if (bytes == 0) return {};
  need(text, name);
  return bytes == BERT_TO_NUL ? std::string_view(text) : std::string_view(text, bytes);
}

TokenSequence sequence_of(const bert_sequence& given) {
  TokenSequence sequence;
  if (given.size == 0) return sequence;
  sequence.ids = {&need(given.ids, "ids"), given.size};
  if (given.type_ids != nullptr) sequence.type_ids = {given.type_ids, given.size};
  if (given.attention_mask != nullptr) sequence.attention_mask = {given.attention_mask, given.size};
  return sequence;
}

// What no memory holds is a mistake of the caller's.
constexpr size_t kMaxSequences = PTRDIFF_MAX / sizeof(bert_sequence);

std::vector<TokenSequence> batch_of(const bert_sequence* sequences, size_t count) {
  if (count > 0) need(sequences, "sequences");
  if (count > kMaxSequences) {
    refuse("count is " + std::to_string(count) + ", expected at most " + std::to_string(kMaxSequences));
  }
  std::vector<TokenSequence> batch;
  batch.reserve(count);
  for (size_t i = 0; i < count; ++i) batch.push_back(sequence_of(sequences[i]));
  return batch;
}

// A text with its zero byte, or the length it needs.
void give_text(std::string_view text, char* buffer, size_t capacity, size_t* bytes) {
  if (bytes != nullptr) *bytes = text.size();
  check_room(buffer == nullptr ? 0 : capacity, text.size() + 1, "bytes of text");
  std::copy(text.begin(), text.end(), buffer);
  buffer[text.size()] = '\0';
}

template <class From, class To>
void copy_if_wanted(const From& from, To* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

float* floats_of(const bert_floats& given, size_t needed, const std::string& where) {
  if (given.data == nullptr || needed == 0) return nullptr;
  check_room(given.capacity, needed, "floats of " + where);
  return given.data;
}

const Tokenizer& tokenizer_of(const bert_tokenizer* tokenizer) { return *need(tokenizer, "tokenizer").tokenizer; }

}  // namespace
}  // namespace bert

using namespace bert;

const char* bert_error_message(void) { return message_of_thread; }

const char* bert_status_name(bert_status status) {
  static constexpr const char* kNames[] = {
      "BERT_OK",           "BERT_INVALID_ARGUMENT", "BERT_INVALID_FILE", "BERT_NOT_FOUND",        "BERT_UNSUPPORTED",
      "BERT_INVALID_TEXT", "BERT_NON_FINITE",       "BERT_IO",           "BERT_BUFFER_TOO_SMALL", "BERT_OUT_OF_MEMORY",
      "BERT_INTERNAL"};
  const auto index = static_cast<size_t>(status);
  return index < std::size(kNames) ? kNames[index] : "";
}

const char* bert_version(void) { return version().data(); }

bert_status bert_model_load(const char* name, const bert_load_options* options, bert_model** model) {
  return guard([&] {
    need(model, "model") = nullptr;
    const LoadOptions chosen = load_options(options);
    *model = new bert_model(name == nullptr ? Model::builtin(chosen) : Model::load(name, chosen));
  });
}

void bert_model_free(bert_model* model) { delete model; }

size_t bert_model_hidden_size(const bert_model* model) { return model ? model->model.config().hidden_size : 0; }
size_t bert_model_layers(const bert_model* model) { return model ? model->model.config().num_hidden_layers : 0; }
size_t bert_model_attention_layers(const bert_model* model) {
  return model ? model->model.config().attention_layers() : 0;
}
size_t bert_model_heads(const bert_model* model) { return model ? model->model.config().num_attention_heads : 0; }
size_t bert_model_max_length(const bert_model* model) { return model ? model->model.max_length() : 0; }
size_t bert_model_max_positions(const bert_model* model) { return model ? model->model.max_positions() : 0; }
int bert_model_has_pooler(const bert_model* model) { return model && model->model.has_pooler() ? 1 : 0; }

const char* bert_model_notice(const bert_model* model, size_t index) {
  if (model == nullptr || index >= model->model.notices().size()) return nullptr;
  return model->model.notices()[index].c_str();
}

const bert_tokenizer* bert_model_tokenizer(const bert_model* model) { return model ? &model->tokenizer : nullptr; }

bert_status bert_tokenizer_load(const char* name, const bert_load_options* options, bert_tokenizer** tokenizer) {
  return guard([&] {
    need(tokenizer, "tokenizer") = nullptr;
    const LoadOptions chosen = load_options(options);
    LoadedTokenizer loaded = name == nullptr ? builtin_tokenizer(chosen) : load_tokenizer(name, chosen);
    auto made = std::make_unique<bert_tokenizer>();
    made->own = std::make_unique<const Tokenizer>(std::move(loaded.tokenizer));
    made->tokenizer = made->own.get();
    *tokenizer = made.release();
  });
}

void bert_tokenizer_free(bert_tokenizer* tokenizer) { delete tokenizer; }

bert_status bert_tokenize(const bert_tokenizer* tokenizer, const char* text, size_t text_bytes, const char* pair,
                          size_t pair_bytes, const bert_tokenize_options* options, bert_tokens* tokens) {
  return guard([&] {
    need(tokens, "tokens");
    constexpr size_t kFirstBytes = offsetof(bert_tokens, truncated_tokens) + sizeof(size_t);
    const bert_tokens to = known_part(tokens, kFirstBytes);
    const TokenizeOptions chosen = tokenize_options(options);
    const std::string_view first = text_of(text, text_bytes, "text");
    const Tokenizer& tool = tokenizer_of(tokenizer);
    const Encoding encoding = pair == nullptr ? tool.tokenize(first, chosen)
                                              : tool.tokenize(first, text_of(pair, pair_bytes, "pair"), chosen);
    tokens->size = encoding.size();
    tokens->truncated_tokens = encoding.truncated_tokens;
    check_room(to.capacity, encoding.size(), "tokens");
    copy_if_wanted(encoding.ids, to.ids);
    copy_if_wanted(encoding.type_ids, to.type_ids);
    copy_if_wanted(encoding.special_tokens_mask, to.special_tokens_mask);
    copy_if_wanted(encoding.word_ids, to.word_ids);
    copy_if_wanted(encoding.sequence_ids, to.sequence_ids);
    for (size_t i = 0; i < encoding.size(); ++i) {
      if (to.offset_begins != nullptr) to.offset_begins[i] = encoding.offsets[i].begin;
      if (to.offset_ends != nullptr) to.offset_ends[i] = encoding.offsets[i].end;
    }
  });
}

bert_status bert_token_text(const bert_tokenizer* tokenizer, int32_t id, char* buffer, size_t capacity, size_t* bytes) {
  return guard([&] {
    const Tokenizer& tool = tokenizer_of(tokenizer);
    const std::string_view text = tool.token(id);
    if (text.empty() && tool.id("") != id) {  // a blank line of vocab.txt is a token
      throw Error(ErrorCode::kNotFound, "no token has the id " + std::to_string(id));
    }
    give_text(text, buffer, capacity, bytes);
  });
}

bert_status bert_token_id(const bert_tokenizer* tokenizer, const char* token, size_t token_bytes, int32_t* id) {
  return guard([&] {
    need(id, "id");
    const std::string_view text = text_of(token, token_bytes, "token");
    const std::optional<int32_t> found = tokenizer_of(tokenizer).id(text);
    if (!found) throw Error(ErrorCode::kNotFound, "the vocabulary has no token " + quote(text));
    *id = *found;
  });
}

bert_status bert_decode(const bert_tokenizer* tokenizer, const int32_t* ids, size_t count, int skip_special_tokens,
                        char* buffer, size_t capacity, size_t* bytes) {
  return guard([&] {
    if (count > 0) need(ids, "ids");
    give_text(tokenizer_of(tokenizer).decode({ids, count}, skip_special_tokens != 0), buffer, capacity, bytes);
  });
}

bert_status bert_model_prompt(const bert_model* model, const char* name, char* buffer, size_t capacity, size_t* bytes) {
  return guard([&] {
    const Model& tool = need(model, "model").model;
    give_text(name == nullptr ? tool.prompt() : tool.prompt(name), buffer, capacity, bytes);
  });
}

bert_status bert_encode_get_sizes(const bert_model* model, const bert_sequence* sequence, bert_encode_sizes* sizes) {
  return guard([&] {
    need(sizes, "sizes");
    constexpr size_t kFirstBytes = offsetof(bert_encode_sizes, attentions) + sizeof(size_t);
    known_part(sizes, kFirstBytes);
    const Model& tool = need(model, "model").model;
    const size_t size = need(sequence, "sequence").size;
    if (size > tool.max_positions()) {
      refuse(std::to_string(size) + " tokens, expected at most " + std::to_string(tool.max_positions()));
    }
    const EncodeSizes found = tool.sizes(sequence_of(*sequence));
    sizes->rows = found.tokens;
    sizes->last_hidden_state = found.last_hidden_state;
    sizes->pooler_output = found.pooler_output;
    sizes->hidden_states = found.hidden_states;
    sizes->attentions = found.attentions;
  });
}

bert_status bert_encode(const bert_model* model, const bert_sequence* sequences, size_t count,
                        const bert_encode_buffers* buffers) {
  return guard([&] {
    const Model& tool = need(model, "model").model;
    const std::vector<TokenSequence> batch = batch_of(sequences, count);
    if (count > 0) need(buffers, "buffers");
    std::vector<EncodeBuffers> to(count);
    for (size_t i = 0; i < count; ++i) {
      const EncodeSizes sizes = tool.sizes(batch[i]);
      const std::string of = " of sequence " + std::to_string(i);
      to[i].last_hidden_state =
          floats_of(buffers[i].last_hidden_state, sizes.last_hidden_state, "last_hidden_state" + of);
      to[i].pooler_output = floats_of(buffers[i].pooler_output, sizes.pooler_output, "pooler_output" + of);
      to[i].hidden_states = floats_of(buffers[i].hidden_states, sizes.hidden_states, "hidden_states" + of);
      to[i].attentions = floats_of(buffers[i].attentions, sizes.attentions, "attentions" + of);
    }
    tool.encode(batch, to);
  });
}

bert_status bert_embed(const bert_model* model, const bert_sequence* sequences, size_t count,
                       const bert_embed_options* options, float* vectors, size_t capacity) {
  return guard([&] {
    const Model& tool = need(model, "model").model;
    const EmbedOptions chosen = embed_options(options);
    const size_t hidden = tool.config().hidden_size;
    if (capacity / hidden < count && count <= kMaxSequences) {
      throw TooSmall("room for " + std::to_string(capacity) + " floats of vectors, expected " + std::to_string(count) +
                     " times " + std::to_string(hidden));
    }
    const std::vector<TokenSequence> batch = batch_of(sequences, count);
    if (count > 0) need(vectors, "vectors");
    tool.embed(batch, {vectors, count * hidden}, chosen);
  });
}

bert_status bert_embed_text(const bert_model* model, const char* text, size_t text_bytes,
                            const bert_embed_options* options, float* vector, size_t capacity) {
  return guard([&] {
    const Model& tool = need(model, "model").model;
    const EmbedOptions chosen = embed_options(options);
    const std::string_view whole = text_of(text, text_bytes, "text");
    const size_t size = tool.config().hidden_size;
    check_room(capacity, size, "floats of the vector");
    copy_if_wanted(tool.embed(whole, chosen), &need(vector, "vector"));
  });
}

bert_status bert_cosine_similarity(const float* a, const float* b, size_t size, double* cosine) {
  return guard([&] {
    if (size > 0) need(a, "a"), need(b, "b");
    need(cosine, "cosine") = cosine_similarity({a, size}, {b, size});
  });
}
