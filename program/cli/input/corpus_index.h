// The vectors of a corpus for the command search: an index in memory, or in a file that is made again when the model,
// the lines or the options that affect vectors changed. Used by one thread.
#pragma once

#include <span>
#include <string>

#include "bert/vectors.h"
#include "program/cli/input/corpus.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

struct CorpusVectors {
  EmbedOptions embed;      // of the lines, with the prompt if it is not the model's for documents
  bool normalize = false;  // to length 1: the dot product is the cosine
  ScanRows scan = ScanRows::kFloat32;
};

// What the vectors are made of, as JSON: the label of an index file. Throws Error, InputError.
std::string describe_vectors(const Options& options, const CorpusVectors& vectors, const Corpus& corpus);

struct CorpusIndex {
  VectorIndex index;
  int status = kDone;  // kFailed if a line has no vector
};

// Embeds the lines. path: of the index file, or empty. A file that is up to date is used as it is; a file that is not
// an index is not replaced. Throws Error, InputError, OutputError.
CorpusIndex open_corpus_index(const std::string& path, const Options& options, const CorpusVectors& vectors,
                              const Model& model, Corpus& corpus, Console& console);

// The corpus's vectors from a .npy file, with one for each line; one that is not finite, or of a line that is blank or
// cannot be read, is not searched. Throws InputError if there are more or fewer, or of another size than the model's.
CorpusIndex read_corpus_vectors(const std::string& path, const CorpusVectors& vectors, const Model& model,
                                Corpus& corpus, Console& console);

// Throws InputError if the vectors of a file are not of the size that the model makes. of_what: "of a query".
void check_vector_size(const std::string& path, size_t found, size_t expected, const std::string& of_what);

// Scales the vector to length 1; zeros stay.
void scale_to_unit_length(std::span<float> vector);

}  // namespace bert::cli
