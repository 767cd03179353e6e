// The hub's local cache in the layout of huggingface_hub: models--org--name/refs/<revision> contains the name of a
// folder in models--org--name/snapshots. Never uses the network. Stateless; implements bert::find_model.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bert {

// getenv, or a replacement for tests.
using Environment = std::function<std::optional<std::string>(const char* name)>;

// One or two plain names: "bert-base-uncased", "org/name".
bool is_hub_model_name(std::string_view name);
// Plain names between slashes: "main", "v1.0", "refs/pr/1".
bool is_hub_revision(std::string_view revision);
// The folder of a model in the cache: "models--org--name" of "org/name".
std::string hub_folder_name(std::string_view name);

// A path of a variable, with "~" at its beginning as the home directory, and $NAME and ${NAME} as the values of other
// variables; names without a value stay. As Python's expanduser and expandvars, which huggingface_hub uses.
std::string expanded_path(const std::string& text, const Environment& environment);

// HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
// ~/.cache/huggingface/hub, each by expanded_path; empty if none of them is set, nor HOME. An empty variable counts as
// not set.
std::filesystem::path hub_cache_directory(const Environment& environment);

// bert::find_model in the given cache. A name without an organisation is also looked for in checkpoints/, of the
// working directory, and of sentence-transformers' models, as that library does.
std::filesystem::path find_model_in(const std::filesystem::path& cache, const std::string& name,
                                    const std::string& revision);

}  // namespace bert
