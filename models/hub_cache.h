// The hub's local cache, as huggingface_hub lays it out: models--org--name/refs/<revision> holds the name of a folder
// in models--org--name/snapshots. Reads names and directories only, never the network. Stateless; implements
// bert::find_model.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace bert {

// getenv, or a test's own.
using Environment = std::function<std::optional<std::string>(const char* name)>;

// HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub; empty: none of
// them is set, nor HOME. A variable that is set to nothing counts as not set.
std::filesystem::path hub_cache_directory(const Environment& environment);

// bert::find_model with the cache to look in.
std::filesystem::path find_model_in(const std::filesystem::path& cache, const std::string& name,
                                    const std::string& revision);

}  // namespace bert
