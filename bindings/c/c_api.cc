// The C interface of bert/bert.h over Model and Tokenizer: errors, runtimes, loading, facts. Each call converts
// exceptions to a status and a message kept for the thread. Thread safety is as in bert/bert.h.
#include "bindings/c/c_api.h"

#include "engine/base/utf8.h"

namespace bert::c_api {
namespace {

// The size is fixed, so that keeping a message cannot fail.
constexpr size_t kMaxMessageBytes = 2048;
thread_local char message_of_thread[kMaxMessageBytes] = "";

}  // namespace

LoadOptions load_options(const bert_load_options* given) {
  const bert_load_options known = known_part(given);
  static constexpr GemmProvider kProviders[] = {GemmProvider::kAuto, GemmProvider::kNative, GemmProvider::kPortable,
                                                GemmProvider::kOpenBlas};
  LoadOptions options;
  options.threads = known.threads;
  options.gemm = kProviders[index_of(known.gemm, std::size(kProviders), "gemm")];
  static constexpr Precision kPrecisions[] = {Precision::kStored, Precision::kFloat32, Precision::kInt8,
                                              Precision::kBFloat16};
  options.precision = kPrecisions[index_of(known.precision, std::size(kPrecisions), "precision")];
  options.ignore_unexpected = known.ignore_unexpected != 0;
  options.check_tensors = known.check_tensors != 0;
  options.copy_weights = known.copy_weights != 0;
  static constexpr Packing kPackings[] = {Packing::kAutomatic, Packing::kNever, Packing::kAlways};
  options.packing = kPackings[index_of(known.packing, std::size(kPackings), "packing")];
  options.packed_bytes = known.packed_bytes;
  if (known.encoder != nullptr) options.encoder = known.encoder;
  options.tokenizer.lowercase = choice_of(known.lowercase, "lowercase");
  if (known.revision != nullptr) options.revision = known.revision;
  if (known.task != nullptr) options.task = known.task;
  if (known.adapter != nullptr) options.adapter = known.adapter;
  if (known.max_words != 0) options.max_words = known.max_words;
  if (known.max_width != 0) options.max_width = known.max_width;
  if (known.static_by_modules != 0) options.static_file = StaticFile::kModules;
  if (known.runtime != nullptr) options.runtime = known.runtime->runtime;
  return options;
}

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
    case ErrorCode::kCancelled:
      return BERT_CANCELLED;
    case ErrorCode::kOutOfMemory:
      return BERT_OUT_OF_MEMORY;
  }
  return BERT_INTERNAL;
}

void check_room(size_t found, size_t expected, const std::string& what) {
  if (found >= expected) return;
  throw TooSmall("room for " + std::to_string(found) + " " + what + ", expected " + std::to_string(expected));
}

size_t index_of(int32_t number, size_t count, const char* name) {
  if (number < 0 || static_cast<size_t>(number) >= count) {
    refuse(std::string(name) + " is " + std::to_string(number) + ", expected 0 to " + std::to_string(count - 1));
  }
  return static_cast<size_t>(number);
}

OffsetUnit offset_unit(int32_t number) {
  static constexpr OffsetUnit kUnits[] = {OffsetUnit::kBytes, OffsetUnit::kCodePoints, OffsetUnit::kUtf16};
  return kUnits[index_of(number, std::size(kUnits), "offset_unit")];
}

std::optional<bool> choice_of(int32_t choice, const char* name) {
  const size_t index = index_of(choice, 3, name);
  return index == 0 ? std::nullopt : std::optional<bool>(index == 1);
}

std::string_view text_of(const char* text, size_t bytes, const char* name) {
  if (bytes == 0) return {};
  need(text, name);
  if (bytes == BERT_TO_NUL) return std::string_view(text);
  if (bytes > PTRDIFF_MAX) refuse(std::string(name) + " has " + std::to_string(bytes) + " bytes, expected its size");
  return std::string_view(text, bytes);
}

std::string_view text_of(const bert_text& text, const char* name) { return text_of(text.data, text.bytes, name); }

}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

const char* bert_error_message(void) { return message_of_thread; }

bert_status bert_error_copy(bert_status status, char* message, size_t capacity) {
  if (message == nullptr || capacity == 0) return status;
  const std::string_view text = status == BERT_OK ? "" : message_of_thread;
  const size_t bytes = character_start(text, std::min(text.size(), capacity - 1));
  std::memcpy(message, text.data(), bytes);
  message[bytes] = '\0';
  return status;
}

const char* bert_status_name(bert_status status) {
  static constexpr const char* kNames[] = {
      "BERT_OK",           "BERT_INVALID_ARGUMENT", "BERT_INVALID_FILE", "BERT_NOT_FOUND",        "BERT_UNSUPPORTED",
      "BERT_INVALID_TEXT", "BERT_NON_FINITE",       "BERT_IO",           "BERT_BUFFER_TOO_SMALL", "BERT_OUT_OF_MEMORY",
      "BERT_INTERNAL",     "BERT_CANCELLED"};
  const auto index = static_cast<size_t>(status);
  return index < std::size(kNames) ? kNames[index] : "";
}

const char* bert_version(void) { return version().data(); }

bert_status bert_runtime_create(const bert_runtime_options* options, bert_runtime** runtime) {
  return guard([&] {
    need(runtime, "runtime") = nullptr;
    const bert_runtime_options known = known_part(options);
    *runtime = new bert_runtime{Runtime({.threads = known.threads, .memory_bytes = known.memory_bytes})};
  });
}

void bert_runtime_free(bert_runtime* runtime) { delete runtime; }

size_t bert_runtime_threads(const bert_runtime* runtime) { return runtime ? runtime->runtime.threads() : 0; }

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
const char* bert_model_precision(const bert_model* model) { return model ? model->precision.c_str() : nullptr; }
size_t bert_model_max_length(const bert_model* model) { return model ? model->model.max_length() : 0; }
size_t bert_model_packed_bytes(const bert_model* model) { return model ? model->model.describe().packed_bytes : 0; }
size_t bert_model_max_positions(const bert_model* model) { return model ? model->model.max_positions() : 0; }
int bert_model_has_pooler(const bert_model* model) { return model && model->model.has_pooler() ? 1 : 0; }

const char* bert_model_notice(const bert_model* model, size_t index) {
  if (model == nullptr || index >= model->model.notices().size()) return nullptr;
  return model->model.notices()[index].c_str();
}

const char* bert_model_label(const bert_model* model, size_t output) {
  if (model == nullptr || output >= model->model.config().labels.size()) return nullptr;
  const std::optional<std::string>& label = model->model.config().labels[output];
  return label ? label->c_str() : nullptr;
}

bert_status bert_model_check_files(const bert_model* model) {
  return guard([&] { need(model, "model").model.check_files(); });
}

const bert_tokenizer* bert_model_tokenizer(const bert_model* model) {
  return model && model->model.has_tokenizer() ? &model->tokenizer : nullptr;
}

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
