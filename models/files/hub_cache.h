// The hub's local cache in the layout of huggingface_hub: models--org--name/refs/<revision> contains the name of a
// folder in models--org--name/snapshots. Never uses the network. Stateless; implements bert::find_model.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bert {

// Reads an environment variable: getenv, or a replacement in tests.
using Environment = std::function<std::optional<std::string>(const char* name)>;

// Returns whether this is one or two plain names: "bert-base-uncased", "org/name".
bool is_hub_model_name(std::string_view name);
// Returns whether this is plain names between slashes: "main", "v1.0", "refs/pr/1".
bool is_hub_revision(std::string_view revision);
// Returns a model's folder in the cache: "models--org--name" for "org/name".
std::string hub_folder_name(std::string_view name);

// Expands a path in a variable: "~" at its beginning becomes the home directory, $NAME and ${NAME} the values of other
// variables; names without a value stay. As Python's expanduser and expandvars, which huggingface_hub uses.
std::string expanded_path(const std::string& text, const Environment& environment);

// Returns HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
// ~/.cache/huggingface/hub, each expanded by expanded_path; empty if none of them and no HOME is set. An empty variable
// counts as not set.
std::filesystem::path hub_cache_directory(const Environment& environment);

// Implements bert::find_model for the given cache. A name without an organisation is also looked up in the working
// directory's checkpoints/ and among sentence-transformers' models, as that library does.
std::filesystem::path find_model_in(const std::filesystem::path& cache, const std::string& name,
                                    const std::string& revision);

}  // namespace bert
