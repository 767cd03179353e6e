// The models of a server, by name. Requests keep the model with which they began; replacing a model affects only later
// requests. Safe to use from many threads.
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
  std::string adapter = {};  // of an adapter (LoRA) for the model; empty: none
};

// The SHA-256 digest of a model's weights. Computing it takes a second per gigabyte or more, so it is done after
// loading; it is "" until then, and for the built-in model. For several files: their digests joined by "+".
class WeightsDigest {
 public:
  std::string text() const { return is_known_ ? text_ : std::string(); }
  bool is_known() const { return is_known_; }
  // Uses the digest of `former` (may be null) if its files have not changed since, else reads the model's files. The
  // digest stays unknown if the files cannot be read, if they are not those that the model has mapped, or if goes_on,
  // which is called after every 64 KiB, returns false. Called by one thread at a time.
  void find(const Model& model, const WeightsDigest* former, const std::function<bool()>& goes_on = {});

 private:
  std::string identity_;  // of the files: changes when a file is replaced or written to
  std::string text_;
  std::atomic<bool> is_known_{false};
};

// Whether a model's mapped weight files are unchanged since loading. Safe to use from many threads.
class FilesState {
 public:
  // Returns what has changed; "": nothing. A change is permanent: an answer that was computed before it was noticed may
  // be wrong, and only files that are loaded later are known.
  std::string change(const Model& model);

 private:
  std::mutex mutex_;
  std::string change_;
};

// The most bytes of a label, in a request or in a model's configuration, because every entity and class of an answer
// has one.
inline constexpr size_t kMaxLabelBytes = 4096;
inline constexpr size_t kNumberedLabelBytes = 16;  // of a label without a name: "LABEL_12"

struct ServedModel {
  // relevant: as in relevant_output, for a classifier of two labels that has this label; other models ignore it. Throws
  // Error for a model with a label of more than kMaxLabelBytes.
  ServedModel(NamedDirectory given, Model loaded, const std::optional<std::string>& relevant = {});

  NamedDirectory source;
  Model model;
  std::optional<std::string> relevant_label;  // the relevant label of a two-label classifier; nullopt otherwise
  // A classifier with one label, or with two of which one is relevant, is a reranker; a model that finds entities is a
  // tagger; modules of sentence-transformers make an embedder.
  ModelKind kind;
  mutable WeightsDigest digest;
  mutable FilesState files;
  std::string precision;
  std::string loaded_from;  // from ModelDescription::source
  size_t weight_bytes = 0;
  size_t parameters = 0;  // number of all tensors' elements
  // Bytes of the labels that a row of logits gets in an answer: all labels of a classifier, the longest label of a
  // tagger.
  size_t label_bytes = 0;
  size_t packed_bytes = 0;   // from ModelDescription::packed_bytes
  size_t adapter_bytes = 0;  // from ModelDescription::adapter_bytes
  int64_t loaded_at = 0;     // Unix time
};
using ServedModelPtr = std::shared_ptr<const ServedModel>;

class ModelSet {
 public:
  // Keeps the sources in the order given; load() loads them. relevant_label: classifiers of two labels that have this
  // label become rerankers. Throws Error for a name that is duplicated or cannot be part of a path.
  ModelSet(std::vector<NamedDirectory> sources, LoadOptions options, std::optional<std::string> relevant_label = {});

  // Loads all models. Throws the Error of the first model that fails, and Error(kInvalidArgument) if no model has the
  // relevant label. The options' packed_bytes is the total of all models.
  void load();
  // Loads all models again. A model that fails is not replaced; `failed` is called with its error.
  void reload(const std::function<void(const NamedDirectory&, const Error&)>& failed);

  bool is_loaded() const;
  std::vector<ServedModelPtr> all() const;
  ServedModelPtr find(std::string_view name) const;  // null: unknown name
  ServedModelPtr first(ModelKind kind) const;        // null: there is none of this kind
  // Returns a message with the models' names instead of their directories, which clients need not know.
  std::string without_directories(std::string message) const;
  // Computes the digests that are not known, which reads the files. Called by one thread at a time, separately from
  // load(), so that requests are answered meanwhile. goes_on: as in WeightsDigest::find.
  void find_digests(const std::function<bool()>& goes_on = {});
  const LoadOptions& load_options() const { return options_; }

 private:
  // others: models whose packed weights reduce the memory for this model's.
  ServedModelPtr load(const NamedDirectory& source, const std::vector<ServedModelPtr>& others) const;

  const std::vector<NamedDirectory> sources_;
  const LoadOptions options_;
  const std::optional<std::string> relevant_label_;
  mutable std::mutex mutex_;
  std::vector<ServedModelPtr> models_;
  std::vector<ServedModelPtr> former_;  // replaced models, whose digests may still apply
};

}  // namespace bert::server
