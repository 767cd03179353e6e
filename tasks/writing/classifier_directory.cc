// Writes a model with a fitted classifier. The model is a …ForSequenceClassification, whose head reads the pooled
// output, or it has the modules of a CrossEncoder (sentence-transformers 6.2), the last of which reads the pooled
// vectors of the tokens. The directory also gets copies of the encoder's tensors, its config.json and the tokenizer's
// files.
#include <algorithm>

#include "bert/error.h"
#include "bert/fit.h"
#include "bert/quantize.h"
#include "engine/base/file.h"
#include "engine/base/file_source.h"
#include "engine/base/json/json.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "models/config/family.h"
#include "models/files/builtin_files.h"
#include "models/files/model_files.h"
#include "models/model/encoder_change.h"
#include "models/model/model_impl.h"
#include "models/text/text_settings.h"
#include "tasks/writing/changed_config.h"
#include "tasks/writing/model_directory.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOrPooling = ", or a pooling of the tokens' vectors, such as mean";

[[noreturn]] void refuse(const Model::Impl& model, const std::string& what) {
  throw Error(ErrorCode::kUnsupported, model.model_named() + what);
}

const Family& family_of(const Model::Impl& model) {
  const Family* family = find_family(model.config.model_type, model.config.position_embedding_type);
  if (family == nullptr) refuse(model, " is a static model, expected one with an encoder");
  return *family;
}

// Returns the names of the head's tensors. Throws Error unless the family's classifier is one layer on the pooled
// output.
const HeadNames& classifier_names(const Model::Impl& model, const Family& family) {
  const auto found = std::find_if(family.heads.begin(), family.heads.end(),
                                  [](const HeadNames& names) { return names.head == Head::kSequenceClassification; });
  if (found == family.heads.end() || found->input != HeadInput::kPooled || !found->dense.empty() ||
      !found->norm.empty()) {
    refuse(model, ": the classifier of the family " + quote(family.model_type) +
                      " is more than one layer on the pooled output; expected a family like bert" + kOrPooling);
  }
  if (!model.has_pooler()) {
    refuse(model, " has no pooler, whose output the classifier of the family " + quote(family.model_type) +
                      " sees; expected a checkpoint with pooler.dense" + kOrPooling);
  }
  return *found;
}

// Returns the prefix of the names of the encoder's tensors in a model with a head.
std::string encoder_prefix(const Model::Impl& model, const Family& family) {
  const std::string prefix = std::string(family.model_type) + ".";
  const auto& known = family.weights.prefixes;
  if (std::find(known.begin(), known.end(), prefix) != known.end()) return prefix;
  refuse(model, ": the family " + quote(family.model_type) +
                    " has no names for an encoder beside a head, expected one like bert" + kOrPooling);
}

void check_model(const Model::Impl& model, const std::optional<PoolingMode>& pooling) {
  const Family& family = family_of(model);
  model.require_no_adapter();
  if (model.config.quantization || model.config.adapters) {
    refuse(model, std::string(" has ") + (model.config.adapters ? "adapters (LoRA)" : "8-bit weights") +
                      ", expected a model of plain floating-point weights");
  }
  if (pooling == PoolingMode::kPooler) {
    throw Error(ErrorCode::kInvalidArgument, "pooling pooler of a classifier, expected one of the tokens' vectors");
  }
  if (pooling) return;
  classifier_names(model, family);
  encoder_prefix(model, family);
}

void check_sizes(const Model::Impl& model, const FittedClassifier& classifier) {
  const LogisticRegression& regression = classifier.regression;
  const size_t labels = classifier.labels.size(), vectors = labels == 2 ? 1 : labels;
  const size_t width = model.config.hidden_size;
  if (labels == regression.labels && regression.intercepts.size() == vectors &&
      regression.weights.size() == vectors * width) {
    return;
  }
  throw Error(ErrorCode::kInvalidArgument, "a regression of " + std::to_string(regression.labels) + " labels on " +
                                               std::to_string(regression.width) + " numbers, expected " +
                                               std::to_string(labels) + " labels on the " + std::to_string(width) +
                                               " numbers of the " +
                                               (classifier.pooling ? "pooled vectors" : "pooled output"));
}

// Returns config.json's members for the class and the labels of its outputs.
ConfigMembers class_members(const std::string& name, const std::vector<std::string>& labels) {
  std::string names, ids;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string separator = i > 0 ? ", " : "", id = std::to_string(i), label = json_string(labels[i]);
    names += separator + '"' + id + "\": " + label;
    ids += separator + label + ": " + id;
  }
  return {{"architectures", "[" + json_string(name) + "]"},
          {"problem_type", "\"single_label_classification\""},
          {"id2label", "{" + names + "}"},
          {"label2id", "{" + ids + "}"},
          {"num_labels", ""}};
}

// Adds config.json's members for the number of layers, and its lists with an entry per layer.
void add_layer_members(const Json& config, const Family& family, size_t layers, ConfigMembers& members) {
  const std::vector<std::string> fields = layer_count_fields(family);
  const auto is_there = [&](const std::string& field) { return config.find(field).has_value(); };
  const bool any = std::any_of(fields.begin(), fields.end(), is_there);
  for (const std::string& field : fields) {
    if (is_there(field) || (!any && field == fields.front())) members.emplace_back(field, std::to_string(layers));
  }
  const auto types = config.find("layer_types");
  if (!types || !types->is_array()) return;
  std::string first;
  size_t layer = 0;
  for (const Json type : types->elements()) {
    if (layer++ < layers) first += (first.empty() ? "" : ", ") + json_text(type);
  }
  members.emplace_back("layer_types", "[" + first + "]");
}

// The head's numbers as floats. The one vector for the second of two labels becomes two vectors, each with half of it.
struct HeadTensors {
  HeadTensors(const LogisticRegression& regression, size_t labels) {
    for (size_t label = 0; label < labels; ++label) {
      const bool is_one = regression.intercepts.size() == 1;
      const size_t v = is_one ? 0 : label;
      const double scale = !is_one ? 1 : label == 0 ? -0.5 : 0.5;
      for (size_t i = 0; i < regression.width; ++i) {
        weights.push_back(static_cast<float>(scale * regression.weights[v * regression.width + i]));
      }
      bias.push_back(static_cast<float>(scale * regression.intercepts[v]));
    }
  }
  std::vector<float> weights, bias;
};

class ClassifierWriter {
 public:
  // encoder: the encoder's folder; empty: the built-in model's files.
  ClassifierWriter(const Model& model, const FittedClassifier& classifier, const fs::path& encoder,
                   const fs::path& target)
      : model_(ModelAccess::impl(model)),
        family_(family_of(model_)),
        classifier_(classifier),
        encoder_(encoder),
        target_(target),
        head_(classifier.regression, classifier.labels.size()) {}

  // Writes a …ForSequenceClassification.
  void write_class(const std::optional<size_t>& layers) const {
    const std::string output(classifier_names(model_, family_).output);
    write_encoder(head_tensors(output), encoder_prefix(model_, family_));
    write_config("ForSequenceClassification", layers);
  }

  // Writes the modules of a CrossEncoder.
  void write_modules(const std::optional<size_t>& layers) const {
    const std::string width = std::to_string(classifier_.regression.width);
    const std::string labels = std::to_string(classifier_.labels.size());
    write_encoder({}, "");
    write_config("Model", layers);
    const size_t length = model_.max_length();
    write_text_file(target_ / "sentence_bert_config.json",
                    "{\n  \"max_seq_length\": " + (length > kMostTokens ? "null" : std::to_string(length)) +
                        ",\n  \"do_lower_case\": false,\n  \"transformer_task\": \"feature-extraction\"\n}\n");
    write_text_file(target_ / "modules.json", R"([
  {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"},
  {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"},
  {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.base.modules.dense.Dense"}
]
)");
    write_text_file(target_ / "config_sentence_transformers.json", R"({
  "model_type": "CrossEncoder",
  "prompts": {},
  "default_prompt_name": null,
  "activation_fn": "torch.nn.modules.linear.Identity"
}
)");
    fs::create_directories(target_ / "1_Pooling");
    write_text_file(target_ / "1_Pooling" / "config.json",
                    "{\n  \"embedding_dimension\": " + width + ",\n  \"pooling_mode\": " +
                        json_string(name(*classifier_.pooling)) + ",\n  \"include_prompt\": true\n}\n");
    fs::create_directories(target_ / "2_Dense");
    write_text_file(target_ / "2_Dense" / "config.json",
                    "{\n  \"in_features\": " + width + ",\n  \"out_features\": " + labels + R"(,
  "bias": true,
  "activation_function": "torch.nn.modules.linear.Identity",
  "module_input_name": "sentence_embedding",
  "module_output_name": "scores"
}
)");
    write_safetensors(target_ / "2_Dense" / "model.safetensors", head_tensors("linear"));
  }

  // Copies the tokenizer's files; returns the other files of the encoder's folder.
  std::vector<std::string> copy_tokenizer() const {
    std::vector<std::string> not_copied;
    if (encoder_.empty()) {
      for (const char* file : {"vocab.txt", "tokenizer_config.json"}) {
        write_text_file(target_ / file, builtin_files().read(file, kMaxModelFile).value());
      }
      return not_copied;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(encoder_)) {
      const std::string file = utf8(entry.path().filename());
      if (is_tokenizer_file(file)) {
        copy_side_file(encoder_, path_of(file), target_);
      } else if (entry.path().extension() != ".safetensors" && !fs::exists(target_ / entry.path().filename()) &&
                 !fs::equivalent(entry.path(), target_)) {
        not_copied.push_back(file + (entry.is_directory() ? "/" : ""));
      }
    }
    std::sort(not_copied.begin(), not_copied.end());
    return not_copied;
  }

 private:
  static constexpr size_t kMostTokens = size_t{1} << 30;  // a higher limit means no limit

  std::vector<TensorToWrite> head_tensors(const std::string& name) const {
    const size_t labels = classifier_.labels.size();
    return {{name + ".weight", "F32", {labels, classifier_.regression.width}, std::as_bytes(std::span(head_.weights))},
            {name + ".bias", "F32", {labels}, std::as_bytes(std::span(head_.bias))}};
  }

  void write_encoder(std::vector<TensorToWrite> tensors, const std::string& prefix) const {
    const WeightStorage& weights = model_.encoder.weights;
    for (size_t i = 0; i < weights.names.size(); ++i) {
      if (weights.roles[i] == WeightRole::kUnused || weights.roles[i] == WeightRole::kHead) continue;
      const StoredTensor& tensor = weights.checkpoint.tensors()[i];
      tensors.push_back({prefix + weights.names[i],
                         std::string(tensor.type->name),
                         {tensor.shape.begin(), tensor.shape.end()},
                         tensor.data});
    }
    write_safetensors(target_ / "model.safetensors", tensors);
  }

  void write_config(const char* class_ending, const std::optional<size_t>& layers) const {
    std::vector<std::string> heard_before;  // the notices of the encoder's loading, which the user has seen
    // Reads files to be rewritten like files to be copied: not from outside the directory.
    const std::string text =
        encoder_.empty() ? builtin_files().read("config.json", kMaxModelFile).value()
                         : read_text_file(resolve_confined(encoder_, "config.json", utf8(encoder_)), kMaxModelFile);
    const JsonDocument document = parse_json(text, "config.json", {.notices = &heard_before});
    ConfigMembers members = class_members(std::string(family_.class_prefix) + class_ending, classifier_.labels);
    if (layers) add_layer_members(document.root(), family_, *layers, members);
    write_text_file(target_ / "config.json", changed_config(document.root(), members));
  }

  const Model::Impl& model_;
  const Family& family_;
  const FittedClassifier& classifier_;
  const fs::path& encoder_;
  const fs::path& target_;
  HeadTensors head_;
};

}  // namespace

void check_classifier(const Model& model, const std::optional<PoolingMode>& pooling) {
  check_model(ModelAccess::impl(model), pooling);
}

std::vector<std::string> write_classifier(const std::string& name, const fs::path& directory,
                                          const FittedClassifier& classifier, const LoadOptions& options) {
  LoadOptions loading = options;
  loading.precision = Precision::kStored;
  loading.positions = {};
  const bool is_builtin = name.empty();
  const Model model = is_builtin ? Model::builtin(loading) : Model::load(name, loading);
  check_model(ModelAccess::impl(model), classifier.pooling);
  check_sizes(ModelAccess::impl(model), classifier);
  const fs::path encoder =
      is_builtin ? fs::path() : encoder_directory(find_model(name, options.revision), options.task);
  std::vector<std::string> not_copied;
  write_directory(directory, [&](const fs::path& partial) {
    const ClassifierWriter writer(model, classifier, encoder, partial);
    classifier.pooling ? writer.write_modules(options.layers) : writer.write_class(options.layers);
    not_copied = writer.copy_tokenizer();
    model.check_files();
  });
  return not_copied;
}

}  // namespace bert
