// The facade: finds a model's files, puts tokenizer, encoder and backend together, and runs batches through them.
#include "bert/model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/floating_point.h"
#include "engine/base/quote.h"
#include "models/backend.h"
#include "models/batch.h"
#include "models/builtin_files.h"
#include "models/config.h"
#include "models/encoder.h"
#include "models/finite.h"
#include "models/pooling.h"
#include "models/positions.h"
#include "models/recorder.h"
#include "models/text_settings.h"

namespace bert {
namespace {

bool lowercases(const Tokenizer& tokenizer) {
  return tokenizer.tokenize("ABC Abc").ids == tokenizer.tokenize("abc abc").ids;
}

}  // namespace

struct Model::Impl {
  std::optional<std::string> directory;  // none: the model in the library
  ModelConfig config;
  TextSettings words;
  WeightStorage weights;
  Encoder encoder;
  std::vector<std::string> notices;
  mutable Backend backend;  // threads and scratch memory; the model itself never changes

  static std::unique_ptr<const Impl> make(std::optional<std::string> directory, ModelConfig config,
                                          std::string experiment, TextSettings words, Checkpoint checkpoint,
                                          const LoadOptions& options) {
    const Family& family = *find_family(config.model_type);
    WeightReader reader(std::move(checkpoint), family.weights,
                        {.ignore_unexpected = options.ignore_unexpected, .check_finite = options.check_tensors});
    Encoder encoder(config, family, reader);
    WeightStorage weights = reader.finish();
    std::vector<std::string> notices = words.notices;
    notices.insert(notices.end(), weights.notices.begin(), weights.notices.end());
    if (!experiment.empty()) notices.push_back(std::move(experiment));
    return std::unique_ptr<const Impl>(new Impl{std::move(directory), std::move(config), std::move(words),
                                                std::move(weights), std::move(encoder), std::move(notices),
                                                Backend(options)});
  }

  // Gives the notice of the experiment; "" where the model keeps its own positions.
  static std::string swap_positions(ModelConfig& config, Positions positions) {
    const std::string own = config.position_embedding_type;
    switch (positions) {
      case Positions::kOwn:
        break;
      case Positions::kLearned:
        config.position_embedding_type = "absolute";
        break;
      case Positions::kSinusoidal:
        config.position_embedding_type = "sinusoidal";
        break;
      case Positions::kNone:
        config.position_embedding_type = "none";
        break;
    }
    if (config.position_embedding_type == own) return "";
    return "an experiment: positions " + config.position_embedding_type + " in place of the model's own, " + own;
  }

  WorkspaceShape workspace_shape(size_t tokens, size_t longest, size_t span) const {
    const PositionScheme& scheme = position_scheme(config);
    return {.tokens = tokens,
            .longest = longest,
            .span = scheme.distances || scheme.bias ? span : 0,
            .hidden = config.hidden_size,
            .intermediate = config.intermediate_size,
            .embedding = config.embedding_width(),
            .head_dim = config.head_dim(),
            .threads = backend.threads()};
  }

  // With an encoder the positions are a limit where no file says another.
  size_t max_length() const { return words.limit.tokens.value(); }

  Encoding tokenize(std::string_view text, std::optional<std::string_view> pair) const {
    TokenizeOptions options;
    options.max_length = max_length();
    return pair.has_value() ? words.tokenizer.tokenize(text, *pair, options) : words.tokenizer.tokenize(text, options);
  }

  // For messages.
  std::string model_named() const {
    return directory ? "the model in " + quote_path(*directory) : "the built-in model";
  }

  std::string prompt(const std::optional<std::string>& name) const {
    const std::map<std::string, std::string>& prompts = words.sentence.prompts;
    if (!name && words.sentence.default_prompt.empty()) return "";
    const auto found = prompts.find(name.value_or(words.sentence.default_prompt));
    if (found != prompts.end()) return found->second;
    std::string names;
    for (const auto& [known, text] : prompts) names.append(names.empty() ? "" : ", ").append(known);
    throw Error(ErrorCode::kNotFound, "prompt " + quote(*name, 60) + " is not in " + model_named() + ", expected " +
                                          (names.empty() ? "none: it has no prompts" : names));
  }

  size_t embedding_size(const EmbedOptions& options) const {
    const size_t size = options.dimensions.value_or(config.hidden_size);
    if (size >= 1 && size <= config.hidden_size) return size;
    throw Error(ErrorCode::kInvalidArgument, std::to_string(size) + " dimensions asked for, expected 1 to " +
                                                 std::to_string(config.hidden_size) + ", the model's");
  }

  // What the caller asked for, else what the model's files say; throws what keeps it from being done.
  PoolingSettings resolve(const EmbedOptions& options) const {
    PoolingSettings settings = words.sentence.pooling;
    if (words.sentence.lowercase_refusal && !lowercases(words.tokenizer)) throw *words.sentence.lowercase_refusal;
    if (options.pooling) {
      settings.mode = *options.pooling;
    } else if (words.sentence.pooling_refusal) {
      throw *words.sentence.pooling_refusal;
    }
    if (options.normalize) settings.normalize = *options.normalize;
    if (!prompt(options.prompt).empty() && words.sentence.prompt_refusal) throw *words.sentence.prompt_refusal;
    embedding_size(options);
    if (settings.mode == PoolingMode::kPooler && !encoder.has_pooler()) {
      throw Error(ErrorCode::kNotFound, "pooling 'pooler' asked for, but " + model_named() +
                                            " has no pooler (pooler.dense.weight), expected cls, mean or max");
    }
    return settings;
  }

  EncodeSizes sizes(const TokenSequence& sequence) const {
    const std::span<const uint8_t> mask = sequence.attention_mask;
    const auto masked = static_cast<size_t>(std::count(mask.begin(), mask.end(), uint8_t{0}));
    const size_t tokens = sequence.ids.size() - std::min(masked, sequence.ids.size());
    EncodeSizes sizes;
    sizes.tokens = tokens;
    sizes.last_hidden_state = tokens * config.hidden_size;
    sizes.pooler_output = encoder.has_pooler() ? config.hidden_size : 0;
    sizes.hidden_states = (config.num_hidden_layers + 1) * tokens * config.hidden_size;
    sizes.attentions = config.attention_layers() * config.num_attention_heads;
    for (int side = 0; side < 2; ++side) {
      if (__builtin_mul_overflow(sizes.attentions, tokens, &sizes.attentions)) sizes.attentions = SIZE_MAX;
    }
    return sizes;
  }

  std::vector<EncodedSequence> encode(std::span<const TokenSequence> sequences, const EncodeOptions& options) const {
    const Batch batch(sequences, config);
    std::vector<EncodedSequence> results(sequences.size());
    std::vector<EncodeBuffers> buffers(sequences.size());
    for (size_t i = 0; i < sequences.size(); ++i) {
      const EncodeSizes needed = sizes(sequences[i]);
      EncodedSequence& result = results[i];
      const auto room = [](std::vector<float>& values, size_t size) {
        values.resize(size);
        return size == 0 ? nullptr : values.data();
      };
      result.tokens = needed.tokens;
      result.hidden = config.hidden_size;
      buffers[i].last_hidden_state = room(result.last_hidden_state, needed.last_hidden_state);
      buffers[i].pooler_output = room(result.pooler_output, needed.pooler_output);
      buffers[i].hidden_states = room(result.hidden_states, options.hidden_states ? needed.hidden_states : 0);
      buffers[i].attentions = room(result.attentions, options.attentions ? needed.attentions : 0);
    }
    run(batch, buffers);
    return results;
  }

  void encode(std::span<const TokenSequence> sequences, std::span<const EncodeBuffers> buffers) const {
    if (buffers.size() != sequences.size()) {
      throw Error(ErrorCode::kInvalidArgument, std::to_string(buffers.size()) + " buffers for " +
                                                   std::to_string(sequences.size()) +
                                                   " sequences, expected one for each");
    }
    run(Batch(sequences, config), buffers);
  }

  void run(const Batch& batch, std::span<const EncodeBuffers> buffers) const {
    const RaggedBatch view = batch.view();
    Backend::Lease lease(backend, workspace_shape(view.tokens(), batch.longest(), batch.span()));
    Execution& execution = lease.execution();
    Recorder recorder(view, config, buffers);
    encoder.forward(view, execution, recorder.is_needed() ? &recorder : nullptr);
    const ConstMatrixView hidden = execution.workspace.hidden();
    check_finite(view, hidden);
    Matrix pooled;
    if (encoder.has_pooler()) {
      pooled = Matrix(view.sequences(), config.hidden_size);
      encoder.pool(view, pooled.view(), execution);
      check_pooled_finite(view, pooled.view());
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      const ConstMatrixView rows = hidden.row_range(view.starts[i], view.length(i));
      if (buffers[i].last_hidden_state != nullptr) Recorder::copy_rows(rows, buffers[i].last_hidden_state);
      if (encoder.has_pooler() && buffers[i].pooler_output != nullptr) {
        std::copy_n(pooled.view().row(i), config.hidden_size, buffers[i].pooler_output);
      }
    }
  }

  void require(Head head) const {
    const std::vector<Head>& there = encoder.heads();
    const auto refuse = [&](const std::string& what) {
      throw Error(ErrorCode::kNotFound, model_named() + " has " + what);
    };
    if (std::find(there.begin(), there.end(), head) == there.end()) {
      std::string names;
      for (const Head other : there) names.append(names.empty() ? "" : ", ").append(name(other));
      refuse("no head for " + std::string(name(head)) + "; it has " + (names.empty() ? "none" : "those for " + names));
    }
    if (encoder.head_input(head) == HeadInput::kPooled && !encoder.has_pooler()) {
      refuse("a head for " + std::string(name(head)) + " and no pooler, which that reads");
    }
  }

  std::vector<Logits> logits(Head head, std::span<const TokenSequence> sequences, const LogitsOptions& options) const {
    require(head);
    const Batch batch(sequences, config);
    const RaggedBatch view = batch.view();
    Backend::Lease lease(backend, workspace_shape(view.tokens(), batch.longest(), batch.span()));
    Execution& execution = lease.execution();
    encoder.forward(view, execution);
    const ConstMatrixView hidden = execution.workspace.hidden();
    check_finite(view, hidden);

    // The head's rows: counts of each sequence's, and where they are in `hidden`.
    const HeadInput input = encoder.head_input(head);
    std::vector<size_t> counts(view.sequences(), 1);
    Matrix pooled;
    ConstMatrixView rows;
    if (input == HeadInput::kPooled) {
      pooled = Matrix(view.sequences(), config.hidden_size);
      encoder.pool(view, pooled.view(), execution);
      rows = pooled.view();
    } else {
      const MatrixView chosen = execution.workspace.context();
      size_t next = 0;
      for (size_t i = 0; i < view.sequences(); ++i) {
        const size_t before = next;
        const size_t end = input == HeadInput::kFirstToken ? view.starts[i] + 1 : view.starts[i + 1];
        for (size_t token = view.starts[i]; token < end; ++token) {
          const bool wanted =
              input == HeadInput::kFirstToken || !options.only_id || *options.only_id == view.ids[token];
          if (wanted) std::copy_n(hidden.row(token), hidden.cols, chosen.row(next++));
        }
        counts[i] = next - before;
      }
      rows = chosen.row_range(0, next);
    }
    const PredictionHead& part = encoder.head(head);
    const size_t outputs = part.outputs();
    Matrix values(rows.rows, outputs);
    if (rows.rows > 0) part.forward(rows, values.view(), execution);
    std::vector<Logits> results(view.sequences());
    size_t first = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const float* from = values.view().row(first);
      results[i] = {.rows = counts[i], .outputs = outputs, .values = {from, from + counts[i] * outputs}};
      if (!all_finite(results[i].values)) {
        refuse_not_finite(view, i, "the outputs of the head for " + std::string(name(head)));
      }
      first += counts[i];
    }
    return results;
  }

  std::vector<float> embed(std::span<const TokenSequence> sequences, const EmbedOptions& options) const {
    std::vector<float> vectors(sequences.size() * embedding_size(options));
    embed(sequences, vectors, options);
    return vectors;
  }

  void embed(std::span<const TokenSequence> sequences, std::span<float> vectors, const EmbedOptions& options) const {
    const size_t size = embedding_size(options);
    if (vectors.size() != sequences.size() * size) {
      throw Error(ErrorCode::kInvalidArgument, "room for " + std::to_string(vectors.size()) + " numbers, expected " +
                                                   std::to_string(sequences.size()) + " sequences times " +
                                                   std::to_string(size));
    }
    const PoolingSettings settings = resolve(options);
    const Batch batch(sequences, config);
    const RaggedBatch view = batch.view();
    Backend::Lease lease(backend, workspace_shape(view.tokens(), batch.longest(), batch.span()));
    Execution& execution = lease.execution();
    encoder.forward(view, execution);
    const ConstMatrixView hidden = execution.workspace.hidden();
    check_finite(view, hidden);
    // Whole rows first; where they are to be cut, in memory of their own.
    Matrix whole(size < config.hidden_size ? view.sequences() : 0, config.hidden_size);
    const MatrixView rows =
        size < config.hidden_size ? whole.view() : MatrixView{vectors.data(), view.sequences(), size, size};
    if (settings.mode == PoolingMode::kPooler) {
      encoder.pool(view, rows, execution);
      check_pooled_finite(view, rows);
    }
    for (size_t i = 0; i < view.sequences(); ++i) {
      const std::span<float> vector(rows.row(i), config.hidden_size);
      if (settings.mode != PoolingMode::kPooler) {
        pool_tokens(settings.mode, hidden.row_range(view.starts[i], view.length(i)), vector);
      }
      const std::span<float> kept = vectors.subspan(i * size, size);
      if (kept.data() != vector.data()) std::copy_n(vector.begin(), size, kept.begin());
      if (settings.normalize) normalize(kept);
    }
  }
};

Model::Model(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::string& name, const LoadOptions& options) {
  const DefaultFloatingPoint mode;
  const std::filesystem::path directory = find_model(name, options.revision);
  const std::filesystem::path encoder = encoder_directory(directory);
  ModelConfig config = read_config(DirectorySource(encoder));
  std::string experiment = Impl::swap_positions(config, options.positions);
  TextSettings words = read_text_settings(Tokenizer::load(encoder, options.tokenizer), DirectorySource(directory),
                                          table_length(config), config.hidden_size);
  return Model(Impl::make(directory.string(), std::move(config), std::move(experiment), std::move(words),
                          Checkpoint::open(encoder), options));
}

Model Model::builtin(const LoadOptions& options) {
  const DefaultFloatingPoint mode;
  const MemorySource files = builtin_files();
  ModelConfig config = read_config(files);
  std::string experiment = Impl::swap_positions(config, options.positions);
  TextSettings words = read_text_settings(read_builtin_tokenizer(files, options.tokenizer), files, table_length(config),
                                          config.hidden_size);
  return Model(Impl::make(std::nullopt, std::move(config), std::move(experiment), std::move(words),
                          Checkpoint::from_memory(builtin_safetensors(), "built-in model"), options));
}

const ModelConfig& Model::config() const { return impl_->config; }
const Tokenizer& Model::tokenizer() const { return impl_->words.tokenizer; }
bool Model::has_pooler() const { return impl_->encoder.has_pooler(); }
const std::vector<Head>& Model::heads() const { return impl_->encoder.heads(); }
void Model::require(Head head) const { impl_->require(head); }
PoolingSettings Model::pooling() const { return impl_->words.sentence.pooling; }
PoolingSettings Model::pooling(const EmbedOptions& options) const { return impl_->resolve(options); }
size_t Model::threads() const { return impl_->backend.threads(); }
size_t Model::max_length() const { return impl_->max_length(); }
size_t Model::max_positions() const { return most_positions(impl_->config); }
const std::vector<std::string>& Model::notices() const { return impl_->notices; }

ModelDescription Model::describe() const {
  ModelDescription description;
  description.source = impl_->directory.value_or("built-in");
  description.is_builtin = !impl_->directory;
  const Checkpoint& checkpoint = impl_->weights.checkpoint;
  description.files = checkpoint.files();
  for (size_t i = 0; i < checkpoint.tensors().size(); ++i) {
    const StoredTensor& tensor = checkpoint.tensors()[i];
    description.tensors.push_back({.name = std::string(tensor.name),
                                   .dtype = std::string(tensor.type->name),
                                   .shape = {tensor.shape.begin(), tensor.shape.end()},
                                   .bytes = tensor.data.size(),
                                   .used = impl_->encoder.tensors()[i]});
  }
  impl_->backend.describe(description);
  return description;
}

ForwardCost Model::cost(std::span<const size_t> lengths) const {
  const ModelConfig& config = impl_->config;
  size_t tokens = 0;
  size_t longest = 0;
  double pairs = 0;  // of query and key
  for (const size_t length : lengths) {
    tokens += length;
    longest = std::max(longest, length);
    pairs += static_cast<double>(length) * static_cast<double>(length);
  }
  const auto hidden = static_cast<double>(config.hidden_size);
  const double dense_weights = 4 * hidden * hidden + 2 * hidden * static_cast<double>(config.intermediate_size);
  ForwardCost cost;
  cost.flops = static_cast<double>(config.attention_layers()) *
               (2 * static_cast<double>(tokens) * dense_weights + 4 * pairs * hidden);
  if (config.embedding_width() != config.hidden_size) {
    cost.flops += 2 * static_cast<double>(tokens) * hidden * static_cast<double>(config.embedding_width());
  }
  if (has_pooler()) cost.flops += 2 * static_cast<double>(lengths.size()) * hidden * hidden;
  const Checkpoint& checkpoint = impl_->weights.checkpoint;
  for (size_t i = 0; i < checkpoint.tensors().size(); ++i) {
    const StoredTensor& tensor = checkpoint.tensors()[i];
    // Of the embedding tables only the tokens' rows are read.
    const bool table = tensor.name.find("_embeddings.") != std::string_view::npos;
    if (impl_->encoder.tensors()[i] && !table) cost.weight_bytes += tensor.data.size();
  }
  cost.workspace_bytes = Workspace::bytes(impl_->workspace_shape(tokens, longest, longest), impl_->backend.gemm());
  return cost;
}

void Model::check(const TokenSequence& sequence) const { check_sequence(sequence, impl_->config, ""); }

TokenSequence Model::sequence(const Encoding& encoding) const {
  TokenSequence sequence{encoding.ids, encoding.type_ids, encoding.attention_mask};
  if (impl_->config.type_vocab_size == 1) sequence.type_ids = {};
  return sequence;
}

EncodedText Model::encode(std::string_view text, const EncodeOptions& options) const {
  Encoding encoding = impl_->tokenize(text, std::nullopt);
  const TokenSequence one = sequence(encoding);
  return {std::move(impl_->encode({&one, 1}, options).front()), std::move(encoding)};
}

EncodedText Model::encode(std::string_view text, std::string_view pair, const EncodeOptions& options) const {
  Encoding encoding = impl_->tokenize(text, pair);
  const TokenSequence one = sequence(encoding);
  return {std::move(impl_->encode({&one, 1}, options).front()), std::move(encoding)};
}

size_t Model::embedding_size(const EmbedOptions& options) const { return impl_->embedding_size(options); }
std::string Model::prompt(const std::optional<std::string>& name) const { return impl_->prompt(name); }

std::vector<float> Model::embed(std::string_view text, const EmbedOptions& options) const {
  const Encoding encoding = impl_->tokenize(impl_->prompt(options.prompt).append(text), std::nullopt);
  const TokenSequence one = sequence(encoding);
  return impl_->embed({&one, 1}, options);
}

std::vector<EncodedSequence> Model::encode(std::span<const TokenSequence> batch, const EncodeOptions& options) const {
  return impl_->encode(batch, options);
}

std::vector<float> Model::embed(std::span<const TokenSequence> batch, const EmbedOptions& options) const {
  return impl_->embed(batch, options);
}

EncodeSizes Model::sizes(const TokenSequence& sequence) const { return impl_->sizes(sequence); }

void Model::encode(std::span<const TokenSequence> batch, std::span<const EncodeBuffers> buffers) const {
  impl_->encode(batch, buffers);
}

void Model::embed(std::span<const TokenSequence> batch, std::span<float> vectors, const EmbedOptions& options) const {
  impl_->embed(batch, vectors, options);
}

EmbeddingParts Model::embedding_parts(const TokenSequence& sequence) const {
  const Batch batch({&sequence, 1}, impl_->config);
  const RaggedBatch view = batch.view();
  Backend::Lease lease(impl_->backend, impl_->workspace_shape(view.tokens(), batch.longest(), batch.span()));
  Execution& execution = lease.execution();
  const Embeddings& embeddings = impl_->encoder.embeddings();
  EmbeddingParts parts;
  parts.tokens = view.tokens();
  parts.hidden = embeddings.width();
  const auto rows = [&](std::vector<float>& values) {
    values.resize(parts.tokens * parts.hidden);
    return MatrixView{values.data(), parts.tokens, parts.hidden, parts.hidden};
  };
  embeddings.words(view, rows(parts.word), execution);
  if (embeddings.has_positions()) embeddings.positions(view, rows(parts.position), execution);
  if (embeddings.has_token_types()) embeddings.token_types(view, rows(parts.segment), execution);
  embeddings.sum(view, rows(parts.sum), execution);
  embeddings.normalized(view, rows(parts.normalized), execution);
  for (const auto& [values, name] : {std::pair{&parts.word, "word vectors"},
                                     {&parts.position, "position vectors"},
                                     {&parts.segment, "segment vectors"},
                                     {&parts.sum, "sums of them"},
                                     {&parts.normalized, "normalized sums"}}) {
    if (!all_finite(*values)) refuse_not_finite(view, 0, std::string("the embeddings' ") + name);
  }
  return parts;
}

PositionTable Model::position_table() const {
  Backend::Lease lease(impl_->backend, impl_->workspace_shape(1, 1, 1));
  const Embeddings& embeddings = impl_->encoder.embeddings();
  if (embeddings.position_count() == 0) {
    throw Error(ErrorCode::kNotFound, impl_->model_named() + " has no learned position vectors, its positions are " +
                                          impl_->config.position_embedding_type);
  }
  PositionTable table{embeddings.position_count(), embeddings.width(), {}};
  table.values.resize(table.positions * table.hidden);
  embeddings.position_table({table.values.data(), table.positions, table.hidden, table.hidden}, lease.execution());
  if (!all_finite(table.values)) {
    throw Error(ErrorCode::kNonFinite,
                "a NaN or an infinity in " + impl_->model_named() + "'s position vectors, expected finite numbers");
  }
  return table;
}

std::vector<Logits> Model::logits(Head head, std::span<const TokenSequence> batch, const LogitsOptions& options) const {
  return impl_->logits(head, batch, options);
}

std::string_view version() { return BERT_INFER_VERSION; }

}  // namespace bert
