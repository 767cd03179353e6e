// The models that a server has, by name. Requests keep the model that they began with; replacing one affects later
// requests only. Safe to use from many threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bert/model.h"

namespace bert::server {

enum class ModelKind { kEmbedder, kReranker, kClassifier };
std::string_view name(ModelKind kind);

struct NamedDirectory {
  std::string name;
  std::string directory;  // a directory or a name in the hub's local cache; empty: the built-in model
};

struct ServedModel {
  ServedModel(NamedDirectory given, Model loaded);

  NamedDirectory source;
  Model model;
  ModelKind kind;      // a classifier of one label is a reranker; modules of sentence-transformers make an embedder
  std::string sha256;  // of the weights; of several files: their digests joined by "+"; empty: built in
  std::string precision;
  size_t weight_bytes = 0;
  int64_t loaded_at = 0;  // Unix time
  // Special tokens around a text, for token ids that a request brings.
  std::vector<int32_t> ids_before, ids_after;
};
using ServedModelPtr = std::shared_ptr<const ServedModel>;

class ModelSet {
 public:
  // The models, in the order given; loading comes later. Throws Error for a name that is given twice or cannot be part
  // of a path.
  ModelSet(std::vector<NamedDirectory> sources, LoadOptions options);

  // Loads all. Throws the Error of the first one that fails.
  void load();
  // Loads all again. One that fails stays as it was; `failed` is called with its error.
  void reload(const std::function<void(const NamedDirectory&, const Error&)>& failed);

  bool is_loaded() const;
  std::vector<ServedModelPtr> all() const;
  ServedModelPtr find(std::string_view name) const;  // null: unknown
  ServedModelPtr first(ModelKind kind) const;        // null: none of this kind
  const LoadOptions& load_options() const { return options_; }

 private:
  ServedModelPtr load(const NamedDirectory& source) const;

  const std::vector<NamedDirectory> sources_;
  const LoadOptions options_;
  mutable std::mutex mutex_;
  std::vector<ServedModelPtr> models_;
};

}  // namespace bert::server
