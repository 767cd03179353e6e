// Fetches models from the Hugging Face hub into its local cache, from which a name loads them. The only part of the
// program that opens connections to other machines; it is used by the command fetch and by serve --fetch. Used by one
// thread.
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
  uint64_t model_bytes = 0, model_size = 0;  // of all files of the model: what is there, and all
};

// How it tells what it does. Lines are for people.
struct FetchReports {
  std::function<void(const std::string& line)> note = [](const std::string&) {};
  std::function<void(const std::string& file, uint64_t bytes)> fetched = [](const std::string&, uint64_t) {};
  std::function<void(const FetchProgress&)> progress = [](const FetchProgress&) {};
};

struct FetchOptions {
  std::string revision = "main";  // a branch, a tag or a commit
  size_t tries = 5;               // of a request
  bool verify = false;            // the digests of the files that are there are checked too
};

struct FetchedModel {
  std::string name;                 // as the hub has it
  std::filesystem::path directory;  // the snapshot
  std::string commit;
  size_t files = 0;
  uint64_t bytes = 0;
  size_t fetched_files = 0;   // of these, the others were there
  size_t verified_files = 0;  // of those that were there, by FetchOptions::verify
  uint64_t fetched_bytes = 0;
};

// Fetches the files that the model is loaded from. A name without an organisation is also looked for among the models
// of sentence-transformers. What an earlier run began goes on. Throws Error: kInvalidArgument for a name, a revision or
// a variable of the environment that is none; kUnsupported without libcurl, if HF_HUB_OFFLINE is set, or if the model
// has no weights that can be used; kNotFound; kInvalidFile for an answer that is wrong; kIo.
FetchedModel fetch_model(const std::string& name, const FetchOptions& options, const Environment& environment,
                         const FetchReports& reports);

}  // namespace bert::fetch
