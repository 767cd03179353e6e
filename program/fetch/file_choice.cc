#include "program/fetch/file_choice.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "models/files/model_files.h"

namespace bert::fetch {
namespace {

// Files of torch for BGE-M3's heads.
constexpr std::string_view kTorchHeads[] = {"colbert_linear.pt", "sparse_linear.pt"};
// Folders of a model with an encoder of labels, and of a model whose encoder's configuration is in a folder.
constexpr std::string_view kLabelFolders[] = {"labels_tokenizer", "encoder_config"};
constexpr std::string_view kOtherWeights[] = {".onnx", ".gguf", ".h5", ".msgpack", ".index", ".tflite", ".bin"};

constexpr size_t kMostFolders = 1000;  // limit for a model's modules and routes

class Choice {
 public:
  Choice(const std::string& model, const std::vector<RemoteFile>& files,
         const std::function<std::string(const RemoteFile&)>& read)
      : model_(model), files_(files), read_(read) {}

  FileChoice take() {
    add_folder("");
    if (const RemoteFile* modules = find("modules.json")) {
      for (const std::string& folder : folders_of_modules(*modules)) add_module(folder);
    }
    add_router("");
    for (const std::string_view folder : kLabelFolders) add_folder(std::string(folder) + "/");
    add_weights("");
    for (const char* graph : {"model.onnx", "onnx/model.onnx"}) {
      if (!has_weights_ && add(graph)) take_to_convert(graph);
    }
    if (!has_weights_) add_adapter();
    if (!has_weights_) refuse_without_weights();
    for (const std::string_view head : kTorchHeads) {
      if (add(std::string(head))) note_conversion(std::string(head));
    }
    if (find("gliner_config.json") != nullptr && find("tokenizer_config.json") == nullptr &&
        find("tokenizer.json") == nullptr) {
      choice_.notes.push_back(quote(model_) + " has no tokenizer and only names its encoder: fetch that too");
    }
    return std::move(choice_);
  }

 private:
  const RemoteFile* find(const std::string& path) const {
    const auto found = std::ranges::lower_bound(files_, path, {}, &RemoteFile::path);
    return found == files_.end() || found->path != path ? nullptr : &*found;
  }

  bool add(const std::string& path) {
    const RemoteFile* file = find(path);
    if (file != nullptr && chosen_.insert(path).second) choice_.files.push_back(*file);
    return file != nullptr;
  }

  // folder: "" or with a slash at its end.
  void add_folder(const std::string& folder) {
    if (!folders_.insert(folder).second) return;
    if (folders_.size() > kMostFolders) {
      throw Error(ErrorCode::kInvalidFile,
                  "model " + quote(model_) + ": its files name more than " + std::to_string(kMostFolders) + " folders");
    }
    for (auto at = std::ranges::lower_bound(files_, folder, {}, &RemoteFile::path); at != files_.end(); ++at) {
      const RemoteFile& file = *at;
      if (!file.path.starts_with(folder)) return;
      const std::string_view name = std::string_view(file.path).substr(folder.size());
      if (name.find('/') == name.npos && is_fetched_file(name)) add(file.path);
    }
  }

  void add_module(const std::string& folder) {
    if (folder.empty() || folders_.contains(folder + "/")) return;
    add_folder(folder + "/");
    add_weights(folder + "/");
    add_router(folder + "/");
  }

  void add_router(const std::string& folder) {
    for (const char* name : {"router_config.json", "config.json"}) {
      const RemoteFile* file = find(folder + name);
      if (file == nullptr || (folder.empty() && name == std::string_view("config.json"))) continue;
      const JsonDocument document = parse(*file);
      if (!document.root().is_object()) return;
      const std::optional<Json> types = document.root().find("types");
      if (!types || !types->is_object()) return;
      for (const JsonMember member : types->members()) {
        const std::string route(member.key);
        if (!is_plain_file_name(route)) {
          refuse_file(shown(file->path), "types: found " + quote(route) + ", expected the plain name of a directory");
        }
        add_folder(folder + route + "/");
        add_weights(folder + route + "/");
      }
      return;
    }
  }

  std::vector<std::string> folders_of_modules(const RemoteFile& file) const {
    const JsonDocument document = parse(file);
    if (!document.root().is_array()) refuse_file(shown(file.path), "expected an array of modules");
    std::vector<std::string> folders;
    for (const Json value : document.root().elements()) {
      const JsonObject module(value, shown(file.path));
      const std::string path = module.string("path").value_or("");
      if (!path.empty() && !is_plain_file_name(path)) module.refuse("path", "\"\" or the plain name of a directory");
      folders.push_back(path);
    }
    return folders;
  }

  void add_weights(const std::string& folder) {
    if (add(folder + "model.safetensors")) {
      has_weights_ = true;
      return;
    }
    if (add_shards(folder + "model.safetensors.index.json", folder)) return;
    if (add(folder + "pytorch_model.bin") || add_shards(folder + "pytorch_model.bin.index.json", folder)) {
      take_to_convert(folder + "pytorch_model.bin");
    }
  }

  bool add_shards(const std::string& index, const std::string& folder) {
    if (!add(index)) return false;
    const JsonDocument document = parse(*find(index));
    const JsonObject map = JsonObject(document.root(), shown(index)).required_object("weight_map");
    for (const JsonMember member : map.json().members()) {
      const std::string shard(member.value.is_string() ? member.value.string() : "");
      if (!is_plain_file_name(shard)) map.refuse(member.key, "the name of a file");
      if (!add(folder + shard)) {
        refuse_file(shown(index), "names " + quote(shard) + ", which the repository does not have");
      }
    }
    has_weights_ = true;
    return true;
  }

  void add_adapter() {
    const RemoteFile* settings = find("adapter_config.json");
    if (settings == nullptr || !add("adapter_model.safetensors")) return;
    has_weights_ = true;
    const JsonDocument document = parse(*settings);
    const std::string base =
        JsonObject(document.root(), shown(settings->path)).nullable_string("base_model_name_or_path").value_or("");
    choice_.notes.push_back(
        quote(model_) + " is an adapter (LoRA) " +
        (base.empty() ? "that does not name its base model" : "of " + quote(base, 200) + ": fetch that too"));
  }

  void take_to_convert(const std::string& file) {
    has_weights_ = true;
    note_conversion(file);
  }

  void note_conversion(const std::string& file) {
    choice_.notes.push_back(quote(file) + " of " + quote(model_) +
                            " is not read as it is; convert it by: python3 tools/convert_weights.py DIRECTORY");
  }

  [[noreturn]] void refuse_without_weights() const {
    std::string found;
    for (const RemoteFile& file : files_) {
      const bool is_other = std::ranges::any_of(kOtherWeights, [&](auto end) { return file.path.ends_with(end); });
      if (is_other && found.empty()) found = quote(file.path);
    }
    throw Error(ErrorCode::kUnsupported,
                "model " + quote(model_) + ": found " + (found.empty() ? "no weights" : found) +
                    ", expected model.safetensors, its shards, or pytorch_model.bin to convert" +
                    (find("adapter_config.json") == nullptr ? "" : "; of an adapter adapter_model.safetensors"));
  }

  JsonDocument parse(const RemoteFile& file) const {
    return parse_json(read_(file), shown(file.path), {.max_bytes = Hub::kMostAnswerBytes});
  }

  std::string shown(const std::string& path) const { return model_ + "/" + path; }

  const std::string& model_;
  const std::vector<RemoteFile>& files_;  // sorted by path
  const std::function<std::string(const RemoteFile&)>& read_;
  FileChoice choice_;
  std::set<std::string> chosen_, folders_;
  bool has_weights_ = false;
};

}  // namespace

FileChoice choose_files(const std::string& model, const std::vector<RemoteFile>& files,
                        const std::function<std::string(const RemoteFile&)>& read) {
  return Choice(model, files, read).take();
}

}  // namespace bert::fetch
