// The models that a server has, by name. Requests keep the model that they began with; replacing one affects later
// requests only. Safe to use from many threads.
#pragma once

#include <atomic>
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

enum class ModelKind { kEmbedder, kReranker, kClassifier, kTagger };
std::string_view name(ModelKind kind);

struct NamedDirectory {
  std::string name;
  std::string directory;     // a directory or a name in the hub's local cache; empty: the built-in model
  std::string adapter = {};  // of an adapter (LoRA) of it; empty: none
};

// The SHA-256 digest of a model's weights, which takes a second for each gigabyte or more: computed after the model is
// loaded, and "" until then and for the built-in model. Of several files: their digests joined by "+".
class WeightsDigest {
 public:
  std::string text() const { return is_known_ ? text_ : std::string(); }
  bool is_known() const { return is_known_; }
  // Takes the digest of `former` (may be null) if its files have not changed since, else reads the model's files. It
  // stays unknown if they cannot be read, if they are no longer those that the model has mapped, or if goes_on says
  // no, which it is asked after every 64 KiB. By one thread at a time.
  void find(const Model& model, const WeightsDigest* former, const std::function<bool()>& goes_on = {});

 private:
  std::string identity_;  // of the files: changes when one is replaced or written
  std::string text_;
  std::atomic<bool> is_known_{false};
};

// Whether a model's mapped weight files are as they were when it was loaded. Safe to use from many threads.
class FilesState {
 public:
  // What has changed, "" for nothing. A change is for good: an answer that was computed before it was seen may be
  // wrong, and only the files that are loaded next are known.
  std::string change(const Model& model);

 private:
  std::mutex mutex_;
  std::string change_;
};

// Bytes of one label, in a request or in a model's configuration: every entity and class of an answer has one.
inline constexpr size_t kMaxLabelBytes = 4096;
inline constexpr size_t kNumberedLabelBytes = 16;  // of one without a name: "LABEL_12"

struct ServedModel {
  // relevant: as in relevant_output, for a classifier of two labels that has it; others ignore it. Throws Error for a
  // model with a label of more than kMaxLabelBytes.
  ServedModel(NamedDirectory given, Model loaded, const std::optional<std::string>& relevant = {});

  NamedDirectory source;
  Model model;
  std::optional<std::string> relevant_label;  // of a reranker of two labels: as in relevant_output
  // A classifier of one label, or with a relevant one of two, is a reranker; a model that finds entities is a tagger;
  // modules of sentence-transformers make an embedder.
  ModelKind kind;
  mutable WeightsDigest digest;
  mutable FilesState files;
  std::string precision;
  std::string loaded_from;  // ModelDescription::source
  size_t weight_bytes = 0;
  size_t parameters = 0;  // numbers of all tensors
  // Bytes of the labels that a row of logits gets in an answer: all of a classifier, the longest of a tagger.
  size_t label_bytes = 0;
  size_t packed_bytes = 0;   // ModelDescription::packed_bytes
  size_t adapter_bytes = 0;  // ModelDescription::adapter_bytes
  int64_t loaded_at = 0;     // Unix time
};
using ServedModelPtr = std::shared_ptr<const ServedModel>;

class ModelSet {
 public:
  // The models, in the order given; loading comes later. Throws Error for a name that is given twice or cannot be part
  // of a path.
  // relevant_label: of classifiers of two labels that have it, which makes them rerankers.
  ModelSet(std::vector<NamedDirectory> sources, LoadOptions options, std::optional<std::string> relevant_label = {});

  // Loads all. Throws the Error of the first one that fails, and Error(kInvalidArgument) if none has the relevant
  // label. The options' packed_bytes are of all models together.
  void load();
  // Loads all again. One that fails stays as it was; `failed` is called with its error.
  void reload(const std::function<void(const NamedDirectory&, const Error&)>& failed);

  bool is_loaded() const;
  std::vector<ServedModelPtr> all() const;
  ServedModelPtr find(std::string_view name) const;  // null: unknown
  ServedModelPtr first(ModelKind kind) const;        // null: none of this kind
  // A message with the models' names in the place of their directories, which clients do not need to know.
  std::string without_directories(std::string message) const;
  // Computes the digests that are not known, for which it reads the files. By one thread at a time; not load()'s, so
  // that requests are answered meanwhile. goes_on: as in WeightsDigest::find.
  void find_digests(const std::function<bool()>& goes_on = {});
  const LoadOptions& load_options() const { return options_; }

 private:
  // others: whose packed weights leave so much less memory to this one's.
  ServedModelPtr load(const NamedDirectory& source, const std::vector<ServedModelPtr>& others) const;

  const std::vector<NamedDirectory> sources_;
  const LoadOptions options_;
  const std::optional<std::string> relevant_label_;
  mutable std::mutex mutex_;
  std::vector<ServedModelPtr> models_;
  std::vector<ServedModelPtr> former_;  // whose digests may be those of the present models
};

}  // namespace bert::server
