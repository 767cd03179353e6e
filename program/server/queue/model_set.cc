#include "program/server/queue/model_set.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <functional>
#include <new>
#include <numeric>
#include <set>
#include <utility>

#include "bert/labels.h"
#include "bert/quantize.h"
#include "bert/tasks.h"

namespace bert::server {
namespace {

bool is_reranker(const Model& model, const std::optional<std::string>& relevant_label) {
  try {
    relevant_output(model.config(), relevant_label);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Returns the label if the model is a classifier with two labels of which it is one; else nullopt.
std::optional<std::string> relevant_of_two(const Model& model, const std::optional<std::string>& label) {
  const auto& labels = model.config().labels;
  if (!label || labels.size() != 2 || std::find(labels.begin(), labels.end(), label) == labels.end()) return {};
  return label;
}

ModelKind kind_of(const Model& model, const std::optional<std::string>& relevant_label) {
  if (reads_labels(model, LabelTask::kEntities)) return ModelKind::kTagger;
  if (reads_labels(model, LabelTask::kClasses)) return ModelKind::kClassifier;
  if (model.pooling().declared) return ModelKind::kEmbedder;
  const std::vector<Head>& heads = model.heads();
  const auto has = [&](Head head) { return std::find(heads.begin(), heads.end(), head) != heads.end(); };
  if (has(Head::kTokenClassification)) return ModelKind::kTagger;
  if (!has(Head::kSequenceClassification)) return ModelKind::kEmbedder;
  return is_reranker(model, relevant_label) ? ModelKind::kReranker : ModelKind::kClassifier;
}

std::vector<std::string> weight_files(const Model& model) {
  const ModelDescription description = model.describe();
  std::vector<std::string> files;
  if (description.is_builtin) return files;
  for (const auto& file : description.files) files.emplace_back(file);
  return files;
}

std::string identity_of(const std::vector<std::string>& files) {
  std::string identity;
  for (const std::string& file : files) {
    struct stat facts = {};
    if (::stat(file.c_str(), &facts) != 0) throw Error(ErrorCode::kIo, "'" + file + "' cannot be read");
    for (const auto number :
         {static_cast<int64_t>(facts.st_dev), static_cast<int64_t>(facts.st_ino), static_cast<int64_t>(facts.st_size),
          static_cast<int64_t>(facts.st_mtim.tv_sec), static_cast<int64_t>(facts.st_mtim.tv_nsec)}) {
      identity += std::to_string(number) + " ";
    }
  }
  return identity;
}

// Returns whether the text may be a name in a path and in a log: letters, digits and a few signs; "/" as in the hub's
// names.
bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/' || c == ':';
  });
}

}  // namespace

std::string_view name(ModelKind kind) {
  switch (kind) {
    case ModelKind::kEmbedder:
      return "embedding";
    case ModelKind::kReranker:
      return "reranker";
    case ModelKind::kTagger:
      return "tagger";
    case ModelKind::kClassifier:
      break;
  }
  return "classifier";
}

void WeightsDigest::find(const Model& model, const WeightsDigest* former, const std::function<bool()>& goes_on) {
  const std::vector<std::string> files = weight_files(model);
  if (is_known_ || files.empty()) return;
  try {
    identity_ = identity_of(files);
    if (former != nullptr && former->is_known_ && former->identity_ == identity_) {
      text_ = former->text_;
    } else {
      text_.clear();
      for (const std::string& file : files) text_ += (text_.empty() ? "" : "+") + file_sha256(file, goes_on);
    }
    model.check_files();
  } catch (const Error&) {
    return;
  }
  is_known_ = true;
}

std::string FilesState::change(const Model& model) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!change_.empty()) return change_;
  try {
    model.check_files();
  } catch (const Error& error) {
    change_ = error.what();
  }
  return change_;
}

ServedModel::ServedModel(NamedDirectory given, Model loaded, const std::optional<std::string>& relevant)
    : source(std::move(given)),
      model(std::move(loaded)),
      relevant_label(relevant_of_two(model, relevant)),
      kind(kind_of(model, relevant_label)) {
  const ModelDescription description = model.describe();
  precision = description.precision;
  loaded_from = description.source;
  packed_bytes = description.packed_bytes;
  adapter_bytes = description.adapter_bytes;
  for (const TensorInfo& tensor : description.tensors) {
    weight_bytes += tensor.bytes;
    parameters += std::accumulate(tensor.shape.begin(), tensor.shape.end(), size_t{1}, std::multiplies<>());
  }
  for (const std::optional<std::string>& label : model.config().labels) {
    const size_t bytes = label ? label->size() : kNumberedLabelBytes;
    if (bytes > kMaxLabelBytes) {
      throw Error(ErrorCode::kInvalidFile, "config.json: a label of " + std::to_string(bytes) +
                                               " bytes in 'id2label', expected at most " +
                                               std::to_string(kMaxLabelBytes));
    }
    label_bytes = kind == ModelKind::kTagger ? std::max(label_bytes, bytes) : label_bytes + bytes;
  }
  loaded_at =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

ModelSet::ModelSet(std::vector<NamedDirectory> sources, LoadOptions options, std::optional<std::string> relevant_label)
    : sources_(std::move(sources)), options_(std::move(options)), relevant_label_(std::move(relevant_label)) {
  std::set<std::string> names;
  for (const NamedDirectory& source : sources_) {
    if (!is_name(source.name)) {
      throw Error(ErrorCode::kInvalidArgument,
                  "model name '" + source.name + "': expected letters, digits and any of - _ . / :");
    }
    if (!names.insert(source.name).second) {
      throw Error(ErrorCode::kInvalidArgument, "model name '" + source.name + "' is given twice, expected once");
    }
  }
}

ServedModelPtr ModelSet::load(const NamedDirectory& source, const std::vector<ServedModelPtr>& others) const {
  LoadOptions options = options_;
  for (const ServedModelPtr& other : others)
    options.packed_bytes -= std::min(options.packed_bytes, other->packed_bytes);
  options.adapter = source.adapter;
  // Weights that an adapter does not change stay in the base model's file, which all models share.
  if (options.packed_bytes == 0 || !source.adapter.empty()) options.packing = Packing::kNever;
  try {
    Model model = source.directory.empty() ? Model::builtin(options) : Model::load(source.directory, options);
    return std::make_shared<const ServedModel>(source, std::move(model), relevant_label_);
  } catch (const Error& error) {
    throw Error(error.code(), "cannot load '" + source.name + "': " + error.what());
  }
}

void ModelSet::load() {
  std::vector<ServedModelPtr> models;
  bool is_label_used = false;
  for (const NamedDirectory& source : sources_) {
    models.push_back(load(source, models));
    is_label_used |= models.back()->relevant_label.has_value();
  }
  if (relevant_label_ && !is_label_used) {
    throw Error(ErrorCode::kInvalidArgument,
                "relevant label '" + *relevant_label_ + "': no model is a classifier of two labels of which it is one");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  models_ = std::move(models);
}

void ModelSet::reload(const std::function<void(const NamedDirectory&, const Error&)>& failed) {
  if (!is_loaded()) return;
  for (size_t i = 0; i < sources_.size(); ++i) {
    try {
      std::vector<ServedModelPtr> others = all();
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      ServedModelPtr loaded = load(sources_[i], others);
      const std::lock_guard<std::mutex> lock(mutex_);
      former_.push_back(loaded);  // done first, because it may find no memory
      former_.back().swap(models_[i]);
    } catch (const Error& error) {
      failed(sources_[i], error);
    } catch (const std::bad_alloc&) {
      failed(sources_[i],
             Error(ErrorCode::kOutOfMemory, "model '" + sources_[i].name + "': not enough memory to load it"));
    }
  }
}

void ModelSet::find_digests(const std::function<bool()>& goes_on) {
  std::vector<ServedModelPtr> models, former;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    models = models_;
    former.swap(former_);
  }
  for (const ServedModelPtr& model : models) {
    const auto same = std::find_if(former.begin(), former.end(), [&](const ServedModelPtr& other) {
      return other->source.name == model->source.name && other->digest.is_known();
    });
    model->digest.find(model->model, same == former.end() ? nullptr : &(*same)->digest, goes_on);
  }
}

bool ModelSet::is_loaded() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !models_.empty();
}

std::vector<ServedModelPtr> ModelSet::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return models_;
}

ServedModelPtr ModelSet::find(std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(models_.begin(), models_.end(),
                                  [&](const ServedModelPtr& model) { return model->source.name == name; });
  return found == models_.end() ? nullptr : *found;
}

ServedModelPtr ModelSet::first(ModelKind kind) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::find_if(models_.begin(), models_.end(), [&](const ServedModelPtr& model) { return model->kind == kind; });
  return found == models_.end() ? nullptr : *found;
}

std::string ModelSet::without_directories(std::string message) const {
  for (const ServedModelPtr& model : all()) {
    for (const std::string& directory : {model->source.adapter, model->loaded_from, model->source.directory}) {
      if (directory.empty()) continue;
      const std::string& name = model->source.name;
      for (size_t at = 0; (at = message.find(directory, at)) != message.npos; at += name.size()) {
        message.replace(at, directory.size(), name);
      }
    }
  }
  return message;
}

}  // namespace bert::server
