// Fetches models from the Hugging Face hub into its local cache, from which they are loaded by name. Only this part of
// the program opens connections to other machines; the command fetch and serve --fetch use it. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "models/files/hub_cache.h"

namespace bert::fetch {

struct FetchProgress {
  std::string file;
  uint64_t model_bytes = 0, model_size = 0;  // bytes of the model's files: already there, and in total
};

// Callbacks for progress. Lines are for people.
struct FetchReports {
  std::function<void(const std::string& line)> note = [](const std::string&) {};
  std::function<void(const std::string& file, uint64_t bytes)> fetched = [](const std::string&, uint64_t) {};
  std::function<void(const FetchProgress&)> progress = [](const FetchProgress&) {};
};

struct FetchOptions {
  std::string revision = "main";  // a branch, a tag or a commit
  size_t tries = 5;               // of a request
  bool verify = false;            // also check the digests of files that are already there
};

struct FetchedModel {
  std::string name;                 // the hub's name
  std::filesystem::path directory;  // the snapshot
  std::string commit;
  size_t files = 0;
  uint64_t bytes = 0;
  size_t fetched_files = 0;   // the other files were already there
  size_t verified_files = 0;  // files that were already there and were checked (FetchOptions::verify)
  uint64_t fetched_bytes = 0;
};

// Fetches the files from which the model is loaded. A name without an organisation is also looked up among the models
// of sentence-transformers. Continues what an earlier run began. Throws Error: kInvalidArgument for an invalid name,
// revision or environment variable; kUnsupported without libcurl, if HF_HUB_OFFLINE is set, or if the model has no
// usable weights; kNotFound; kInvalidFile for a wrong answer; kIo.
FetchedModel fetch_model(const std::string& name, const FetchOptions& options, const Environment& environment,
                         const FetchReports& reports);

}  // namespace bert::fetch
