#include "models/sentence/module_chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "models/encoder/finite.h"
#include "models/sentence/pooling.h"

namespace bert {
namespace {

constexpr double kLayerNormEpsilon = 1e-5;  // torch.nn.LayerNorm's

// Into memory: the file of the encoder's weights is not kept open twice.
void copy_weight(WeightView& weight, WeightStorage& storage) {
  const size_t bytes = weight.rows * weight.cols * element_bytes(weight.format);
  AlignedBuffer<std::byte>& memory = storage.conversions.emplace_back(bytes);
  std::memcpy(memory.data(), weight.data, bytes);
  weight.data = memory.data();
}

}  // namespace

ModuleChain::ModuleChain(std::vector<SentenceModule> modules, size_t hidden_size,
                         const std::filesystem::path& directory, const WeightReaderOptions& options)
    : modules_(std::move(modules)),
      width_(text_width(modules_, hidden_size)),
      token_width_(bert::token_width(modules_, hidden_size)),
      hidden_size_(hidden_size) {
  for (const SentenceModule& module : modules_) {
    Weights& weights = weights_.emplace_back();
    const auto* dense = std::get_if<DenseModule>(&module.kind);
    const auto* norm = std::get_if<LayerNormModule>(&module.kind);
    if (dense == nullptr && norm == nullptr) continue;
    WeightNames names;
    names.anchor = dense != nullptr ? "linear.weight" : "norm.weight";
    constexpr std::string_view kNoPrefix[] = {""};
    names.prefixes = kNoPrefix;
    // Beside the encoder's weights the others are none of this module's.
    const bool is_beside_encoder = module.directory.empty();
    constexpr std::string_view kAll[] = {"*"};
    if (is_beside_encoder) names.ignorable = kAll;
    WeightReader reader(Checkpoint::open(directory / module.directory, !is_beside_encoder), names, options);
    const auto vector = [&](const char* name, size_t size, WeightRole role) {
      return reader.vector(name, size, role).data();
    };
    if (dense != nullptr) {
      constexpr WeightRole kRole = WeightRole::kProjection;
      weights.product = {reader.matrix("linear.weight", dense->out, dense->in, kRole),
                         dense->bias ? vector("linear.bias", dense->out, kRole) : nullptr};
      if (dense->residual && dense->in != dense->out) {
        weights.residual = {reader.matrix("residual.weight", dense->out, dense->in, kRole), nullptr};
      }
      widest_product_ = std::max(widest_product_, dense->in);
    } else {
      weights.norm = {vector("norm.weight", norm->width, WeightRole::kNorm),
                      vector("norm.bias", norm->width, WeightRole::kNorm), kLayerNormEpsilon};
    }
    storages_.push_back(reader.finish());
    if (is_beside_encoder && weights.product) copy_weight(weights.product->weight, storages_.back());
  }
}

size_t ModuleChain::width(const std::optional<PoolingMode>& pooling) const {
  return pooling ? text_width(modules_, hidden_size_, pooling) : width_;
}

bool ModuleChain::reads_tokens() const {
  return modules_.empty() || !std::holds_alternative<StaticModule>(modules_.front().kind);
}

std::vector<std::string> ModuleChain::notices() const {
  std::vector<std::string> all;
  for (const WeightStorage& storage : storages_) all.insert(all.end(), storage.notices.begin(), storage.notices.end());
  return all;
}

// The vectors between the modules.
class ModuleChain::Run {
 public:
  // pooled: empty: each sequence's rows.
  Run(ForwardPass& pass, const std::optional<PoolingMode>& pooling, size_t widest_product,
      std::span<const RowRange> pooled = {})
      : pass_(pass),
        batch_(pass.batch()),
        pooling_(pooling),
        pooled_(pooled.begin(), pooled.end()),
        tokens_(pass.hidden()) {
    for (size_t i = 0; pooled.empty() && i < batch_.sequences(); ++i) {
      pooled_.push_back({batch_.row_starts[i], batch_.length(i)});
    }
    // The workspace's scratch fits the encoder's products, which can be narrower.
    const ExecutionContext& context = pass.context();
    const size_t floats = widest_product == 0 ? 0 : round_up(context.gemm.scratch_floats(widest_product), kAlignment);
    scratch_memory_ = AlignedBuffer<float>(floats * context.pool.size());
    for (size_t i = 0; i < context.pool.size(); ++i) scratch_.push_back({scratch_memory_.data() + i * floats, floats});
  }

  void apply(const SentenceModule& module, const Weights& weights) {
    std::visit([&](const auto& kind) { apply(weights, kind); }, module.kind);
  }

  Matrix take() && { return std::move(text_); }
  Matrix take_tokens() && {
    if (own_tokens_.rows() == 0) copy_tokens();
    return std::move(own_tokens_);
  }

 private:
  void apply(const Weights&, const PoolingModule& module) {
    if (pooling_ == PoolingMode::kPooler) {
      text_ = Matrix(batch_.sequences(), pass_.hidden().cols);
      return pass_.pool(text_.view());
    }
    const std::vector<PoolingMode> modes = pooling_ ? std::vector<PoolingMode>{*pooling_} : module.modes;
    text_ = Matrix(pooled_.size(), modes.size() * tokens_.cols);
    pass_.context().pool.run(pooled_.size(), [&](size_t i, size_t) {
      float* vector = text_.view().row(i);
      const ConstMatrixView rows = tokens_.row_range(pooled_[i].first, pooled_[i].count);
      const std::span<const int32_t> places = batch_.places.subspan(pooled_[i].first, pooled_[i].count);
      for (const PoolingMode mode : modes) {
        pool_tokens(mode, rows, places, {vector, tokens_.cols});
        vector += tokens_.cols;
      }
    });
  }

  void apply(const Weights&, const StaticModule& module) {
    const WeightView& table = pass_.plan().embeddings.word;
    const KernelTable& kernels = pass_.context().kernels;
    text_ = Matrix(batch_.sequences(), table.cols);
    pass_.context().pool.run(batch_.sequences(), [&](size_t i, size_t) {
      mean_of_rows(table, batch_.ids.subspan(batch_.row_starts[i], batch_.length(i)), module.unknown_id, kernels,
                   {text_.view().row(i), table.cols});
    });
  }

  void apply(const Weights& weights, const DenseModule& module) {
    const ConstMatrixView x = module.of == VectorOf::kToken ? tokens_ : text_.view();
    Matrix y(x.rows, module.out);
    Matrix projected;
    ConstMatrixView residual;
    if (weights.residual) {
      projected = Matrix(x.rows, module.out);
      multiply({.x = x, .parts = {&*weights.residual, 1}, .y = projected.view()});
      residual = projected.view();
    } else if (module.residual) {
      residual = x;
    }
    multiply({.x = x,
              .parts = {&*weights.product, 1},
              .activation = module.activation,
              .residual = residual,
              .y = y.view()});
    replace(module.of, std::move(y));
  }

  void apply(const Weights& weights, const LayerNormModule&) {
    weights.norm->forward(text_.view(), text_.view(), pass_.context());
  }

  void apply(const Weights&, const NormalizeModule& module) {
    if (module.of == VectorOf::kToken && own_tokens_.rows() == 0) copy_tokens();
    const MatrixView rows = module.of == VectorOf::kToken ? own_tokens_.view() : text_.view();
    for (size_t row = 0; row < rows.rows; ++row) normalize({rows.row(row), rows.cols});
  }

  void apply(const Weights&, const TanhQuantizerModule&) {
    const MatrixView rows = text_.view();
    for (size_t row = 0; row < rows.rows; ++row) {
      pass_.context().kernels.activate(rows.row(row), rows.cols, Activation::kTanh);
      for (size_t i = 0; i < rows.cols; ++i) rows.row(row)[i] = std::nearbyint(127 * rows.row(row)[i]);
    }
  }

  void copy_tokens() {
    Matrix copy(tokens_.rows, tokens_.cols);
    for (size_t row = 0; row < tokens_.rows; ++row) std::copy_n(tokens_.row(row), tokens_.cols, copy.view().row(row));
    replace(VectorOf::kToken, std::move(copy));
  }

  void multiply(const Product& product) {
    const ExecutionContext& context = pass_.context();
    context.gemm.multiply(product, context.pool, {.threads = scratch_});
  }

  void replace(VectorOf of, Matrix vectors) {
    if (of == VectorOf::kText) {
      text_ = std::move(vectors);
    } else {
      own_tokens_ = std::move(vectors);
      tokens_ = own_tokens_.view();
    }
  }

  ForwardPass& pass_;
  const RaggedBatch& batch_;
  const std::optional<PoolingMode>& pooling_;
  std::vector<RowRange> pooled_;
  std::vector<ScratchView> scratch_;  // one per thread
  AlignedBuffer<float> scratch_memory_;
  ConstMatrixView tokens_;
  Matrix own_tokens_;  // the memory of tokens_ once a module has replaced the encoder's
  Matrix text_;
};

Matrix ModuleChain::forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const {
  Run run(pass, pooling, widest_product_);
  for (size_t i = 0; i < modules_.size(); ++i) run.apply(modules_[i], weights_[i]);
  Matrix vectors = std::move(run).take();
  check_pooled_finite(pass.batch(), vectors.view());
  return vectors;
}

Matrix ModuleChain::forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling,
                            std::span<const RowRange> rows) const {
  Run run(pass, pooling, widest_product_, rows);
  for (size_t i = 0; i < modules_.size(); ++i) run.apply(modules_[i], weights_[i]);
  Matrix vectors = std::move(run).take();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (all_finite({vectors.view().row(i), vectors.cols()})) continue;
    const auto after = std::upper_bound(pass.batch().row_starts.begin(), pass.batch().row_starts.end(), rows[i].first);
    refuse_not_finite(pass.batch(), static_cast<size_t>(after - pass.batch().row_starts.begin()) - 1,
                      "the pooled output of a chunk");
  }
  return vectors;
}

Matrix ModuleChain::forward_tokens(ForwardPass& pass) const {
  Run run(pass, std::nullopt, widest_product_);
  for (size_t i = 0; i < modules_.size(); ++i) run.apply(modules_[i], weights_[i]);
  return std::move(run).take_tokens();
}

std::vector<std::string> ModuleChain::descriptions() const {
  std::vector<std::string> words;
  for (const SentenceModule& module : modules_) words.push_back(describe_module(module));
  return words;
}

ModuleChain load_modules(SentenceSettings& settings, size_t hidden_size, const std::filesystem::path& directory,
                         const WeightReaderOptions& options) {
  try {
    return {settings.modules, hidden_size, directory, options};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInvalidFile || error.code() == ErrorCode::kNonFinite) throw;
    refuse_pooling(settings, error);
    return {settings.modules, hidden_size, directory, options};
  }
}

}  // namespace bert
