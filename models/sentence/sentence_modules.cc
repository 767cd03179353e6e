#include "models/sentence/sentence_modules.h"

#include <array>
#include <limits>

#include "engine/base/joined.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr int64_t kMaxWidth = 1 << 20;

struct NamedMode {
  const char* key;        // a boolean in config.json
  std::string_view name;  // the value of pooling_mode
  PoolingMode mode;
};
// In the order in which the reference concatenates the modes that booleans select.
constexpr std::array kModes = {
    NamedMode{"pooling_mode_cls_token", "cls", PoolingMode::kCls},
    NamedMode{"pooling_mode_max_tokens", "max", PoolingMode::kMax},
    NamedMode{"pooling_mode_mean_tokens", "mean", PoolingMode::kMean},
    NamedMode{"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", PoolingMode::kMeanSqrtLength},
    NamedMode{"pooling_mode_weightedmean_tokens", "weightedmean", PoolingMode::kWeightedMean},
    NamedMode{"pooling_mode_lasttoken", "lasttoken", PoolingMode::kLastToken},
};

struct TorchActivation {
  std::string_view name;
  Activation activation;
};
// All classes of torch.nn that apply to each number separately and have no weights, constructed without arguments.
constexpr std::array kTorchActivations = {
    TorchActivation{"CELU", Activation::kElu},
    TorchActivation{"ELU", Activation::kElu},
    TorchActivation{"GELU", Activation::kGelu},
    TorchActivation{"Hardshrink", Activation::kHardShrink},
    TorchActivation{"Hardsigmoid", Activation::kHardSigmoid},
    TorchActivation{"Hardswish", Activation::kHardSwish},
    TorchActivation{"Hardtanh", Activation::kHardTanh},
    TorchActivation{"Identity", Activation::kIdentity},
    TorchActivation{"LeakyReLU", Activation::kLeakyRelu},
    TorchActivation{"LogSigmoid", Activation::kLogSigmoid},
    TorchActivation{"Mish", Activation::kMish},
    TorchActivation{"RReLU", Activation::kRrelu},
    TorchActivation{"ReLU", Activation::kRelu},
    TorchActivation{"ReLU6", Activation::kRelu6},
    TorchActivation{"SELU", Activation::kSelu},
    TorchActivation{"SiLU", Activation::kSilu},
    TorchActivation{"Sigmoid", Activation::kSigmoid},
    TorchActivation{"Softplus", Activation::kSoftplus},
    TorchActivation{"Softshrink", Activation::kSoftShrink},
    TorchActivation{"Softsign", Activation::kSoftsign},
    TorchActivation{"Tanh", Activation::kTanh},
    TorchActivation{"Tanhshrink", Activation::kTanhShrink},
};

template <class Named, size_t size>
std::string names_of(const std::array<Named, size>& known) {
  return joined(known, ", ", [](const Named& one) { return one.name; });
}

class ModuleReader {
 public:
  ModuleReader(const std::string& directory, const FileSource& files, std::vector<std::string>& notices)
      : name_(directory.empty() ? "config.json" : directory + "/config.json"),
        file_(files.display_name(name_)),
        notices_(notices) {
    if (const std::optional<std::string> text = files.read(name_, kMaxModelFile)) {
      json_ = parse_json(*text, file_, {.max_bytes = kMaxModelFile, .notices = &notices});
    }
  }

  PoolingModule pooling() const {
    const JsonObject fields = need_fields();
    PoolingModule module;
    for (const char* key : {"word_embedding_dimension", "embedding_dimension"}) {
      const auto width = fields.integer(key, {.min = 1, .max = kMaxWidth});
      if (width) module.width = static_cast<size_t>(*width);
    }
    module.include_prompt = fields.boolean("include_prompt").value_or(true);
    refuse_other_keys();
    module.modes = fields.has("pooling_mode") ? named_modes(fields) : boolean_modes(fields);
    return module;
  }

  DenseModule dense(VectorOf reads) const {
    const JsonObject fields = need_fields();
    DenseModule module;
    module.in = need_width(fields, "in_features");
    module.out = need_width(fields, "out_features");
    module.bias = fields.boolean("bias").value_or(true);
    module.residual = fields.boolean("use_residual").value_or(false);
    module.makes_scores = fields.nullable_string("module_output_name").value_or("") == "scores";
    module.of = module.makes_scores ? input_of_scores(fields) : vector_of(fields, reads);
    read_activation(fields, module);
    return module;
  }

  SpladeModule splade_pooling() const {
    SpladeModule module;
    const JsonObject fields = need_fields();
    const std::string strategy = fields.string("pooling_strategy").value_or("max");
    if (strategy != "max" && strategy != "sum") {
      unsupported("pooling_strategy " + quote(strategy, 60) + " is not supported, expected max or sum");
    }
    const std::string activation = fields.string("activation_function").value_or("relu");
    if (activation != "relu" && activation != "log1p_relu") {
      unsupported("activation_function " + quote(activation, 60) + " is not supported, expected relu or log1p_relu");
    }
    module.pooling = {.sum = strategy == "sum", .logarithms = activation == "relu" ? size_t{1} : size_t{2}};
    for (const char* key : {"word_embedding_dimension", "embedding_dimension"}) {
      const auto width = fields.nullable_integer(key, {.min = 1, .max = std::numeric_limits<int32_t>::max()});
      if (width) module.width = static_cast<size_t>(*width);
    }
    return module;
  }

  LayerNormModule layer_norm() const { return {need_width(need_fields(), "dimension")}; }

  // The module's directory need not exist.
  NormalizeModule normalize() const {
    if (!json_) return {};
    return {vector_of(JsonObject(json_->root(), file_), VectorOf::kText)};
  }

 private:
  [[noreturn]] void unsupported(const std::string& what) const {
    throw Error(ErrorCode::kUnsupported, quote_path(file_) + ": " + what);
  }

  JsonObject need_fields() const {
    if (json_) return {json_->root(), file_};
    throw Error(ErrorCode::kNotFound, quote_path(file_) + ": no such file, expected it because modules.json names it");
  }

  static size_t need_width(const JsonObject& fields, const char* key) {
    const std::optional<int64_t> width = fields.integer(key, {.min = 1, .max = kMaxWidth});
    if (!width) fields.refuse(key, "an integer of 1 to " + std::to_string(kMaxWidth));
    return static_cast<size_t>(*width);
  }

  VectorOf vector_of(const JsonObject& fields, VectorOf unsaid) const {
    const char* usual = unsaid == VectorOf::kText ? "sentence_embedding" : "token_embeddings";
    const std::string input = fields.nullable_string("module_input_name").value_or(usual);
    const std::string output = fields.nullable_string("module_output_name").value_or(input);
    if (input == output && input == "sentence_embedding") return VectorOf::kText;
    if (input == output && input == "token_embeddings") return VectorOf::kToken;
    unsupported("module_input_name " + quote(input, 60) + " and module_output_name " + quote(output, 60) +
                " are not supported, expected sentence_embedding or token_embeddings for both");
  }

  VectorOf input_of_scores(const JsonObject& fields) const {
    const std::string input = fields.nullable_string("module_input_name").value_or("sentence_embedding");
    if (input == "sentence_embedding") return VectorOf::kText;
    unsupported("module_input_name " + quote(input, 60) +
                " with module_output_name 'scores' is not supported, "
                "expected sentence_embedding");
  }

  std::vector<PoolingMode> named_modes(const JsonObject& fields) const {
    std::vector<std::string> names;
    if (fields.find("pooling_mode")->is_array()) {
      names = *fields.strings("pooling_mode");
    } else {
      names.push_back(*fields.string("pooling_mode"));
    }
    if (names.empty()) fields.refuse("pooling_mode", "a mode's name, or an array of them");
    std::vector<PoolingMode> modes;
    for (const std::string& name : names) {
      const NamedMode* found = nullptr;
      for (const NamedMode& known : kModes) {
        if (known.name == name) found = &known;
      }
      if (found == nullptr) {
        unsupported("pooling_mode " + quote(name, 60) + " is not supported, expected one of " + names_of(kModes));
      }
      modes.push_back(found->mode);
    }
    return modes;
  }

  // Throws for other keys, which the reference's class rejects.
  void refuse_other_keys() const {
    for (const auto& [key, value] : json_->root().members()) {
      bool known = key == "word_embedding_dimension" || key == "embedding_dimension" || key == "include_prompt" ||
                   key == "pooling_mode";
      for (const NamedMode& mode : kModes) known = known || key == mode.key;
      if (!known) unsupported(quote(key, 60) + " is not supported: sentence-transformers' Pooling has no such setting");
    }
  }

  // Returns the selected modes; the mean if no boolean is true.
  static std::vector<PoolingMode> boolean_modes(const JsonObject& fields) {
    std::vector<PoolingMode> modes;
    for (const NamedMode& known : kModes) {
      if (fields.boolean(known.key).value_or(false)) modes.push_back(known.mode);
    }
    if (modes.empty()) modes.push_back(PoolingMode::kMean);
    return modes;
  }

  void read_activation(const JsonObject& fields, DenseModule& module) const {
    const std::string path = fields.string("activation_function").value_or("torch.nn.modules.activation.Tanh");
    module.activation_name = path.substr(path.rfind('.') + 1);
    if (!path.starts_with("torch.")) {
      module.activation_name = "Tanh";
      notices_.push_back(quote_path(file_) + ": activation_function " + quote(path, 80) +
                         " is not of torch: Tanh is used, as the reference library does");
    }
    for (const TorchActivation& known : kTorchActivations) {
      if (known.name != module.activation_name) continue;
      module.activation = known.activation;
      return;
    }
    unsupported("activation_function " + quote(path, 80) + " is not supported, expected one of " +
                names_of(kTorchActivations) + " of torch.nn");
  }

  std::string name_;
  std::string file_;
  std::optional<JsonDocument> json_;
  std::vector<std::string>& notices_;
};

// Computes the widths from module to module.
class Widths {
 public:
  Widths(size_t hidden_size, const std::optional<PoolingMode>& pooling)
      : token_(hidden_size), hidden_size_(hidden_size), pooling_(pooling) {}

  void pass(const SentenceModule& module) {
    module_ = &module;
    std::visit([this](const auto& kind) { pass(kind); }, module.kind);
  }
  size_t text() const { return text_; }
  size_t token() const { return token_; }

 private:
  void pass(const PoolingModule& module) {
    if (module.width != 0 && module.width != token_) {
      refuse("word_embedding_dimension: found " + std::to_string(module.width) + ", expected " +
             (token_ == hidden_size_ ? "the encoder's hidden_size " : "the tokens' width ") + std::to_string(token_));
    }
    text_ = pooling_ == PoolingMode::kPooler ? hidden_size_ : token_ * (pooling_ ? 1 : module.modes.size());
  }

  void pass(const StaticModule&) { text_ = token_; }

  void pass(const DenseModule& module) {
    expect(module.of, module.in, "in_features");
    (module.of == VectorOf::kToken ? token_ : text_) = module.out;
  }

  void pass(const LayerNormModule& module) { expect(VectorOf::kText, module.width, "dimension"); }

  void pass(const NormalizeModule& module) {
    if (module.of == VectorOf::kText && text_ == 0) refuse_without_pooling();
  }

  void pass(const TanhQuantizerModule&) {
    if (text_ == 0) refuse_without_pooling();
  }

  void expect(VectorOf of, size_t width, const char* key) const {
    const size_t found = of == VectorOf::kToken ? token_ : text_;
    if (found == width) return;
    if (found == 0) refuse_without_pooling();
    refuse(std::string(key) + ": found " + std::to_string(width) + ", expected " + std::to_string(found) +
           ", the width of what comes before it");
  }

  [[noreturn]] void refuse_without_pooling() const {
    refuse("it reads the text's vector, expected a Pooling module before it");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    if (pooling_) {
      throw Error(ErrorCode::kInvalidArgument, "pooling " + std::string(name(*pooling_)) +
                                                   " does not fit the modules after it: " + describe_module(*module_) +
                                                   ": " + what);
    }
    throw Error(ErrorCode::kInvalidFile,
                quote_path((module_->directory.empty() ? "" : module_->directory + "/") + "config.json") + ": " + what);
  }

  size_t token_;
  size_t text_ = 0;
  size_t hidden_size_;
  std::optional<PoolingMode> pooling_;
  const SentenceModule* module_ = nullptr;
};

struct Describe {
  std::string operator()(const PoolingModule& module) const {
    return "Pooling " + joined(module.modes, " and ", [](const PoolingMode mode) { return name(mode); });
  }
  std::string operator()(const DenseModule& module) const {
    return "Dense " + std::to_string(module.in) + " to " + std::to_string(module.out) + ", " + module.activation_name +
           (module.bias ? "" : ", no bias") + (module.residual ? ", residual" : "") +
           (module.makes_scores ? ", scores" : "") + of_each(module.of);
  }
  std::string operator()(const LayerNormModule& module) const { return "LayerNorm " + std::to_string(module.width); }
  std::string operator()(const NormalizeModule& module) const { return "Normalize" + of_each(module.of); }

  std::string operator()(const TanhQuantizerModule&) const { return "Quantizer, round(127 tanh(x))"; }

  std::string operator()(const StaticModule& module) const {
    return std::string("Mean of the tokens' rows") + (module.leaves_unknown_out ? ", without unknown tokens" : "");
  }

  static std::string of_each(VectorOf of) { return of == VectorOf::kToken ? ", of each token" : ""; }
};

}  // namespace

std::string module_class(const std::string& type) {
  if (type == "pylate.models.Dense.Dense") return "Dense";  // has the same files as sentence-transformers' class
  return type.starts_with("sentence_transformers.") ? type.substr(type.rfind('.') + 1) : type;
}

std::optional<SentenceModule> read_sentence_module(const NamedModule& named, const FileSource& files,
                                                   std::vector<std::string>& notices, VectorOf dense_reads) {
  const std::string kind = module_class(named.type);
  if (kind == "Dropout") return std::nullopt;
  const ModuleReader reader(named.directory, files, notices);
  if (kind == "Pooling") return SentenceModule{named.directory, reader.pooling()};
  if (kind == "Dense") return SentenceModule{named.directory, reader.dense(dense_reads)};
  if (kind == "LayerNorm") return SentenceModule{named.directory, reader.layer_norm()};
  if (kind == "Normalize") return SentenceModule{named.directory, reader.normalize()};
  if (kind == "st_quantize.FlexibleQuantizer") return SentenceModule{named.directory, TanhQuantizerModule{}};
  throw unsupported_module(named, files, "Pooling, Dense, LayerNorm, Normalize or Dropout after Transformer");
}

SpladeModule read_splade_pooling(const NamedModule& named, const FileSource& files) {
  std::vector<std::string> notices;
  return ModuleReader(named.directory, files, notices).splade_pooling();
}

std::optional<SentenceModule> read_head_module(const std::string& directory, const FileSource& files,
                                               std::vector<std::string>& notices) {
  if (!files.read(directory + "/config.json", kMaxModelFile)) return std::nullopt;
  return SentenceModule{directory, ModuleReader(directory, files, notices).dense(VectorOf::kToken)};
}

Error unsupported_module(const NamedModule& named, const FileSource& files, const std::string& expected) {
  return {ErrorCode::kUnsupported, quote_path(files.display_name("modules.json")) + ": module " +
                                       std::to_string(named.index) +
                                       (named.route.empty() ? "" : ", route " + quote(named.route, 40) + ",") +
                                       " of type " + quote(named.type) + " is not supported, expected " + expected};
}

size_t text_width(std::span<const SentenceModule> modules, size_t hidden_size,
                  const std::optional<PoolingMode>& pooling) {
  Widths widths(hidden_size, pooling);
  for (const SentenceModule& module : modules) widths.pass(module);
  return widths.text();
}

size_t token_width(std::span<const SentenceModule> modules, size_t hidden_size) {
  Widths widths(hidden_size, {});
  for (const SentenceModule& module : modules) widths.pass(module);
  return widths.token();
}

std::string describe_module(const SentenceModule& module) { return std::visit(Describe{}, module.kind); }

std::string describe_module(const SparseModule& module) {
  if (const auto* lexical = std::get_if<LexicalModule>(&module)) {
    return describe_module(lexical->dense) + ", max of relu";
  }
  const auto* splade = std::get_if<SpladeModule>(&module);
  if (splade == nullptr) return "Weights of the tokens";
  return std::string("Masked LM's outputs, ") + (splade->pooling.sum ? "sum" : "max") + " of log(1 + " +
         (splade->pooling.logarithms == 2 ? "log(1 + relu))" : "relu)");
}

}  // namespace bert
