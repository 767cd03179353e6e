// The lines that the command search ranks: they are embedded once, and read again for the results. Lines of standard
// input, which can be read only once, are kept in memory. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bert/vectors.h"
#include "program/cli/input/input.h"
#include "program/cli/options/options.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

class Corpus {
 public:
  // Opens the lines that options.inputs and the kind of its records name. Throws InputError.
  explicit Corpus(const Options& options);

  // Returns the SHA-256 of each file, and how its lines are read. Throws InputError unless all are regular files.
  std::string digest() const;

  // Returns the lines, for one pass over all of them. Blank lines are marked.
  Input& input() { return *lines_; }

  // Returns the lines with these numbers, from 0. Throws InputError if the file was written to since this object was
  // made.
  std::map<size_t, Item> lines(const std::set<size_t>& numbers) const;

 private:
  class Lines;
  struct FileState {
    bool is_regular = false;
    uintmax_t bytes = 0;
    std::filesystem::file_time_type modified = {};
    bool operator==(const FileState&) const = default;
  };

  static FileState state_of(const std::string& path);
  void check_is_unchanged() const;

  Options options_;
  std::vector<FileState> files_;
  bool are_files_;  // regular files, which can be read again
  std::unique_ptr<Input> input_;
  std::vector<Item> kept_;
  std::unique_ptr<Input> lines_;
};

// What the vectors of a corpus are made by.
struct CorpusVectors {
  EmbedOptions embed;      // for the lines; has the prompt if it is not the model's for documents
  bool normalize = false;  // scale to length 1, so that the dot product is the cosine
  ScanRows scan = ScanRows::kFloat32;
};

struct CorpusIndex {
  VectorIndex index;
  int status = kDone;  // kFailed if a line has no vector
};

// Embeds the lines. path: of the index file, or empty for an index in memory. The file is used as it is, or written
// again if the model, the lines or the options that affect vectors changed; a file that is not an index is never
// replaced. Throws Error, InputError, OutputError.
CorpusIndex open_corpus_index(const std::string& path, const Options& options, const CorpusVectors& vectors,
                              const Model& model, Corpus& corpus, Console& console);

// Reads the corpus's vectors from a .npy file, one for each line. A vector that is not finite, or whose line is blank
// or cannot be read, is not searched. Throws InputError if there are more or fewer vectors than lines, or if their size
// is not the model's.
CorpusIndex read_corpus_vectors(const std::string& path, const CorpusVectors& vectors, const Model& model,
                                Corpus& corpus, Console& console);

// Throws InputError if a file's vectors have another size than the model's. of_what: "of a query".
void check_vector_size(const std::string& path, size_t found, size_t expected, const std::string& of_what);

// Scales the vector to length 1; zeros stay zeros.
void scale_to_unit_length(std::span<float> vector);

}  // namespace bert::cli
