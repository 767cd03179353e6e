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

// kInt8: the weights of the encoder's linear layers become 8-bit integers with a scale for each output, in the form of
// the package compressed-tensors (docs/NUMERICS.md). Tables, norms, biases and heads stay as they are.
// kInt8Tables: as kInt8, and the rows of the embedding tables become 8-bit too, each with a scale; transformers cannot
// read that.
// kFloat16, kBFloat16: each float32 matrix, also of experts, is rounded to the nearest 16-bit numbers. Other tensors
// stay as they are. With kBFloat16 config.json gets a field, "bert_infer_precision": the model computes in bfloat16
// (Precision::kBFloat16) unless another precision is requested; transformers ignores the field.
enum class SmallWeights { kInt8, kInt8Tables, kFloat16, kBFloat16 };

struct QuantizedModel {
  size_t source_bytes = 0;  // bytes of the source's tensors
  size_t bytes = 0;         // bytes of the result's tensors
  // Files of the source that are not in the result, as relative paths; a folder ends with "/".
  std::vector<std::string> not_copied;
};

// Writes a model with smaller weights into a new directory. The directory is written as `directory`.partial and renamed
// when it is complete; after an error nothing is left. name: as in Model::load, but not a bundle. add_files: called
// with the partial directory when its files are complete; it may add files. options: for loading the source; precision
// and gemm are ignored.
// Throws Error: what Model::load throws; kInvalidArgument if `directory` or `directory`.partial exists; kUnsupported
// for a bundle, for weights that are already 8-bit, for an adapter, and, to 8 bits, for a model with an adapter per
// task; kInvalidFile for a number that the 16-bit type cannot hold; kNonFinite; kIo.
BERT_API QuantizedModel quantize(const std::string& name, const std::filesystem::path& directory, SmallWeights weights,
                                 const LoadOptions& options = {},
                                 const std::function<void(const std::filesystem::path&)>& add_files = {});

// Renames a complete directory from `partial` to `directory`, after all its files are on the disk: after a crash of the
// system the whole directory is there, or none of it. `directory` must not exist, and must be on the same file system.
// Throws Error(kIo); the directory then still has the name `partial`.
BERT_API void publish_directory(const std::filesystem::path& partial, const std::filesystem::path& directory);

// Copies directory/file to to/file, and creates the folders on the way. file: a relative path. Throws Error: kNotFound;
// kInvalidFile if the file is not a regular file, or a link out of the directory (in the hub's local cache: out of the
// model's folder), or changes during the copy; kInvalidArgument if to/file exists; kIo.
BERT_API void copy_side_file(const std::filesystem::path& directory, const std::filesystem::path& file,
                             const std::filesystem::path& to);

// Returns the SHA-256 of a file, as 64 hexadecimal digits. goes_on, if given, is called before each 64 KiB; if it
// returns false, the call throws Error(kCancelled). Throws Error: kNotFound; kIo; kInvalidFile if the file is not a
// regular file.
BERT_API std::string file_sha256(const std::filesystem::path& file, const std::function<bool()>& goes_on = {});
// Returns the SHA-256 of the file's bytes [begin, end). Throws Error(kInvalidFile) also if begin > end or if the file
// is shorter than end.
BERT_API std::string file_sha256(const std::filesystem::path& file, uint64_t begin, uint64_t end);

// Returns the SHA-256 of each file that ends with .json, .safetensors, .txt or .model in a model's directory and its
// folders, by the file's relative path with "/". A bundle has one entry, the digest of its file by the file's name. The
// built-in model (name "") has one entry, the library's version by the key "built-in". name and revision: as in
// find_model. Throws Error as find_model and file_sha256 do.
BERT_API std::map<std::string, std::string> model_digests(const std::string& name,
                                                          const std::string& revision = "main");
// Returns one digest for all of model_digests(), as 64 hexadecimal digits: the SHA-256 of the lines "DIGEST  NAME\n",
// sorted by name.
BERT_API std::string model_digest(const std::string& name, const std::string& revision = "main");

}  // namespace bert
