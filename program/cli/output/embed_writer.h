// The formats of the command embed. A writer receives the results one by one and appends each to the output. Used by
// one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "bert/model.h"
#include "program/cli/common.h"
#include "program/cli/input/sequences.h"
#include "program/cli/options/options.h"
#include "program/cli/output/output.h"
#include "program/cli/output/output_format.h"
#include "program/cli/output/vector_file.h"

namespace bert::cli {

struct EmbedFormat {
  OutputFormat file_format = OutputFormat::kText;
  NumberType type = NumberType::kFloat32;
  size_t dimensions = 0;  // numbers of a vector
  VectorRanges ranges;    // for types that need them

  // Returns whether the format is a header followed by rows of equal size.
  bool is_matrix() const { return file_format == OutputFormat::kNpy || file_format == OutputFormat::kSafetensors; }
  bool must_seek() const { return is_matrix() || file_format == OutputFormat::kNpz; }
  VectorLayout layout() const;  // for a matrix
};

class EmbedWriter {
 public:
  virtual ~EmbedWriter() = default;
  virtual void add(const Sequence& sequence) = 0;
  virtual void finish() {}
};

// Adds the members of one kind of vectors to a result's object.
using AddVectors = std::function<void(JsonWriter& object, const Sequence& sequence)>;

// format: kJson or kJsonl. kinds: functions that each write a kind of vectors, in this order.
std::unique_ptr<EmbedWriter> make_json_writer(Output& output, OutputFormat format, std::vector<AddVectors> kinds);

void add_dense(JsonWriter& object, const Sequence& sequence);
void add_chunks(JsonWriter& object, const Sequence& sequence);

// Makes a writer of dense vectors. results: number of results that an earlier run has written to the output; not for
// json and csv.
std::unique_ptr<EmbedWriter> make_embed_writer(Output& output, const EmbedFormat& format, const Options& options,
                                               size_t results);

// Replaces a result with a number beyond the type's range by an error.
void check_range(Sequence& sequence, NumberType type);

// format: kText, kJson, kJsonl or kNpz. settings: from Model::sparse. The writer for npz keeps all weights in memory
// until finish(); a failed text has a row without weights.
std::unique_ptr<EmbedWriter> make_sparse_writer(Output& output, OutputFormat format, const Model& model,
                                                const SparseSettings& settings);

AddVectors add_sparse(const Model& model);  // the model must outlive the function

// Returns how sparse vectors are made; reports it if the model's files do not say it. Throws Error for a model that
// makes none.
SparseSettings settle_sparse(const Model& model, const SparseOptions& chosen, Console& console);

AddVectors add_tokens(const Model& model);  // the model must outlive the function

// format: kJson, kJsonl or kNpz.
std::unique_ptr<EmbedWriter> make_token_writer(Output& output, OutputFormat format, const Model& model, TextRole role);

}  // namespace bert::cli
