// Chooses which files of a model's repository are fetched: those from which a model is loaded, by
// models/files/model_files.txt and by what modules.json, router_config.json and the indexes of shards name. Stateless.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/fetch/hub.h"

namespace bert::fetch {

struct FileChoice {
  std::vector<RemoteFile> files;
  std::vector<std::string> notes;  // what the user must do before the files can be loaded
};

// files: all of the repository. read: returns the text of a file. model: for messages. Of weights in several formats,
// safetensors are chosen; torch's, which must be converted, only if there are no others. Throws Error: kUnsupported if
// there are no weights, or only in formats that nothing converts; kInvalidFile for a file that names a path instead of
// a file, or a file that does not exist.
FileChoice choose_files(const std::string& model, const std::vector<RemoteFile>& files,
                        const std::function<std::string(const RemoteFile&)>& read);

}  // namespace bert::fetch
