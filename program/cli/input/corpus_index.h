// The vectors of a corpus for the command search: an index in memory, or in a file that is written again when the
// model, the lines or the options that affect vectors changed. Used by one thread.
#pragma once

#include <span>
#include <string>

#include "bert/vectors.h"
#include "program/cli/input/corpus.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

struct CorpusVectors {
  EmbedOptions embed;      // for the lines; has the prompt if it is not the model's for documents
  bool normalize = false;  // scale to length 1, so that the dot product is the cosine
  ScanRows scan = ScanRows::kFloat32;
};

// Returns JSON that describes what the vectors are made of: the label of an index file. Throws Error, InputError.
std::string describe_vectors(const Options& options, const CorpusVectors& vectors, const Corpus& corpus);

struct CorpusIndex {
  VectorIndex index;
  int status = kDone;  // kFailed if a line has no vector
};

// Embeds the lines. path: of the index file, or empty. An up-to-date index file is used as it is; a file that is not an
// index is never replaced. Throws Error, InputError, OutputError.
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
