// Writing a model with a fitted classifier as its head: the encoder's tensors under the names of its family's
// …ForSequenceClassification, the head's, config.json and the tokenizer's files.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "bert/error.h"
#include "bert/fit.h"
#include "engine/base/file_source.h"
#include "engine/base/json.h"
#include "engine/base/quote.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "models/config/family.h"
#include "models/model/model_impl.h"
#include "models/quantize/model_directory.h"
#include "models/text/text_settings.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTokenizerFiles[] = {"tokenizer.json",    "tokenizer_config.json",
                                                "vocab.txt",         "special_tokens_map.json",
                                                "added_tokens.json", "vocab.json",
                                                "merges.txt",        "spiece.model"};
constexpr std::string_view kReplacedMembers[] = {"architectures", "id2label", "label2id", "num_labels", "problem_type"};

// The names of the head's tensors. Throws Error unless the family's classifier is one layer on the pooled output.
const HeadNames& classifier_names(const Model::Impl& model, const Family& family) {
  const auto found = std::find_if(family.heads.begin(), family.heads.end(),
                                  [](const HeadNames& names) { return names.head == Head::kSequenceClassification; });
  if (found == family.heads.end() || found->input != HeadInput::kPooled || !found->dense.empty() ||
      !found->norm.empty()) {
    throw Error(ErrorCode::kUnsupported,
                model.model_named() + ": the classifier of the family " + quote(family.model_type) +
                    " is more than one layer on the pooled output, which alone is fitted; expected a family like bert");
  }
  if (!model.has_pooler()) {
    throw Error(ErrorCode::kUnsupported,
                model.model_named() + " has no pooler, whose output the classifier of the family " +
                    quote(family.model_type) + " sees; expected a checkpoint with pooler.dense");
  }
  return *found;
}

// Before the names of the encoder's tensors in a model with a head.
std::string encoder_prefix(const Model::Impl& model, const Family& family) {
  const std::string prefix = std::string(family.model_type) + ".";
  const auto& known = family.weights.prefixes;
  if (std::find(known.begin(), known.end(), prefix) != known.end()) return prefix;
  throw Error(ErrorCode::kUnsupported, model.model_named() + ": the family " + quote(family.model_type) +
                                           " has no names for an encoder beside a head, expected one like bert");
}

void append_json(const Json& value, std::string& text) {
  const char* separator = "";
  switch (value.kind()) {
    case JsonKind::kNull:
      text += "null";
      break;
    case JsonKind::kFalse:
    case JsonKind::kTrue:
      text += value.boolean() ? "true" : "false";
      break;
    case JsonKind::kNumber:
      text += value.string();
      break;
    case JsonKind::kString:
      text += json_string(value.string());
      break;
    case JsonKind::kArray:
      text += '[';
      for (const Json element : value.elements()) {
        text += separator;
        append_json(element, text);
        separator = ", ";
      }
      text += ']';
      break;
    case JsonKind::kObject:
      text += '{';
      for (const auto& [key, member] : value.members()) {
        text += separator + json_string(key) + ": ";
        append_json(member, text);
        separator = ", ";
      }
      text += '}';
      break;
  }
}

// config.json with the class and its labels in place of its own.
std::string classifier_config(const Json& config, const Family& family, const std::vector<std::string>& labels) {
  std::string text = "{\n  \"architectures\": [" +
                     json_string(std::string(family.class_prefix) + "ForSequenceClassification") +
                     "],\n  \"problem_type\": \"single_label_classification\"";
  std::string names, ids;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string separator = i > 0 ? ", " : "", id = std::to_string(i), label = json_string(labels[i]);
    names += separator + '"' + id + "\": " + label;
    ids += separator + label + ": " + id;
  }
  text += ",\n  \"id2label\": {" + names + "},\n  \"label2id\": {" + ids + "}";
  for (const auto& [key, value] : config.members()) {
    if (std::find(std::begin(kReplacedMembers), std::end(kReplacedMembers), key) != std::end(kReplacedMembers)) {
      continue;
    }
    text += ",\n  " + json_string(key) + ": ";
    append_json(value, text);
  }
  return text + "\n}\n";
}

// The head's numbers as floats. One vector, for the second of two labels, becomes two, half of it for each.
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

void check(const Model::Impl& model, const LogisticRegression& regression, const std::vector<std::string>& labels) {
  if (model.config.quantization || model.config.adapters) {
    throw Error(ErrorCode::kUnsupported, model.model_named() + " has " +
                                             (model.config.adapters ? "adapters (LoRA)" : "8-bit weights") +
                                             ", expected a model of plain floating-point weights");
  }
  const size_t vectors = labels.size() == 2 ? 1 : labels.size(), width = model.config.hidden_size;
  if (labels.size() != regression.labels || regression.intercepts.size() != vectors ||
      regression.weights.size() != vectors * width) {
    throw Error(ErrorCode::kInvalidArgument, "a regression of " + std::to_string(regression.labels) + " labels on " +
                                                 std::to_string(regression.width) + " numbers, expected " +
                                                 std::to_string(labels.size()) + " labels on the " +
                                                 std::to_string(width) + " numbers of the pooled output");
  }
}

}  // namespace

std::vector<std::string> write_classifier(const std::string& name, const fs::path& directory,
                                          const LogisticRegression& regression, const std::vector<std::string>& labels,
                                          const LoadOptions& options) {
  LoadOptions loading = options;
  loading.precision = Precision::kStored;
  const Model model = Model::load(name, loading);
  const Model::Impl& impl = ModelAccess::impl(model);
  const Family* family = find_family(impl.config.model_type, impl.config.position_embedding_type);
  if (family == nullptr) {
    throw Error(ErrorCode::kUnsupported, impl.model_named() + " is a static model, expected one with an encoder");
  }
  const HeadNames& names = classifier_names(impl, *family);
  const std::string prefix = encoder_prefix(impl, *family);
  check(impl, regression, labels);

  const fs::path encoder = encoder_directory(find_model(name, options.revision));
  std::vector<std::string> not_copied;
  write_directory(directory, [&](const fs::path& partial) {
    const HeadTensors head(regression, labels.size());
    std::vector<TensorToWrite> tensors = {
        {std::string(names.output) + ".weight",
         "F32",
         {labels.size(), regression.width},
         std::as_bytes(std::span(head.weights))},
        {std::string(names.output) + ".bias", "F32", {labels.size()}, std::as_bytes(std::span(head.bias))}};
    const WeightStorage& weights = impl.encoder.weights;
    for (size_t i = 0; i < weights.names.size(); ++i) {
      if (weights.roles[i] == WeightRole::kUnused || weights.roles[i] == WeightRole::kHead) continue;
      const StoredTensor& tensor = weights.checkpoint.tensors()[i];
      tensors.push_back({prefix + weights.names[i],
                         std::string(tensor.type->name),
                         {tensor.shape.begin(), tensor.shape.end()},
                         tensor.data});
    }
    write_safetensors(partial / "model.safetensors", tensors);
    const std::string config = read_text_file(encoder / "config.json", kMaxModelFile);
    write_text_file(partial / "config.json",
                    classifier_config(parse_json(config, "config.json").root(), *family, labels));
    for (const fs::directory_entry& entry : fs::directory_iterator(encoder)) {
      const std::string file = entry.path().filename().string();
      if (std::find(std::begin(kTokenizerFiles), std::end(kTokenizerFiles), file) != std::end(kTokenizerFiles)) {
        fs::copy_file(entry.path(), partial / file);
      } else if (entry.path().extension() != ".safetensors" && file != "config.json") {
        not_copied.push_back(file + (entry.is_directory() ? "/" : ""));
      }
    }
    model.check_files();
  });
  std::sort(not_copied.begin(), not_copied.end());
  return not_copied;
}

}  // namespace bert
