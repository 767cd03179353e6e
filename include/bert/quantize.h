// Writes a model with smaller weights: an ordinary directory in the Hugging Face layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

// kInt8: the linear layers of the encoder as 8-bit integers with a scale for each output, in the form of the package
// compressed-tensors (docs/NUMERICS.md); tables, norms, biases and heads stay as they are. kInt8Tables: the rows of the
// embedding tables too, each with a scale; transformers does not read that. kFloat16 and kBFloat16: every matrix,
// rounded to the nearest number.
enum class SmallWeights { kInt8, kInt8Tables, kFloat16, kBFloat16 };

struct QuantizedModel {
  size_t source_bytes = 0;  // of the weights
  size_t bytes = 0;
  std::vector<std::string> not_copied;  // files of the source that are not in the result
};

// `name` as in Model::load; `directory` must not exist, and appears when it is complete. `add_files` gets the complete
// directory before that, under another name, and may add to it; nothing stays if it throws. Of options, revision,
// threads and ignore_unexpected are used. Throws Error: what Model::load throws; weights that are 8-bit already; a
// number that float16 cannot hold; a directory that cannot be written.
BERT_API QuantizedModel quantize(const std::string& name, const std::filesystem::path& directory, SmallWeights weights,
                                 const LoadOptions& options = {},
                                 const std::function<void(const std::filesystem::path&)>& add_files = {});

// Gives a directory that was written as `partial` its name, when all that is in it is on its disk, so that a crash of
// the system leaves the whole directory or none. Throws Error(kIo), and then the directory is `partial` as before.
BERT_API void publish_directory(const std::filesystem::path& partial, const std::filesystem::path& directory);

// Copies a file of a model's directory, which is named relative to it, under the same name into the directory `to`.
// Throws Error: kInvalidFile for a link that leads out of the directory (in the hub's local cache, out of the model's
// folder) or for what is no regular file; kIo.
BERT_API void copy_side_file(const std::filesystem::path& directory, const std::filesystem::path& file,
                             const std::filesystem::path& to);

// SHA-256 of a file, as 64 hexadecimal digits. goes_on, if given, is asked after every 64 KiB; when it says no,
// the call throws Error(kCancelled).
BERT_API std::string file_sha256(const std::filesystem::path& file, const std::function<bool()>& goes_on = {});
// The same of its bytes [begin, end). Throws Error(kInvalidFile) if the file has fewer.
BERT_API std::string file_sha256(const std::filesystem::path& file, uint64_t begin, uint64_t end);

// The SHA-256 of each file of a model that decides its numbers, by its name in the model's directory: weights,
// configuration, tokenizer. Of a bundle that of its file; of the built-in model (name "") the library's version under
// "built-in". name and revision as in find_model. Throws Error as that does, and kIo.
BERT_API std::map<std::string, std::string> model_digests(const std::string& name,
                                                          const std::string& revision = "main");
// One of all of them, as 64 hexadecimal digits: the SHA-256 of a line "DIGEST  NAME" for each, by name.
BERT_API std::string model_digest(const std::string& name, const std::string& revision = "main");

}  // namespace bert
