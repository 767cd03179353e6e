// The vectors that dedup and cluster compare: of the input's texts, which a model embeds, or of a .npy file, with or
// without its texts. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bert/clusters.h"
#include "bert/model.h"
#include "program/cli/common.h"
#include "program/cli/input/input.h"
#include "program/cli/options/options.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output.h"

namespace bert::cli {

// A text of the input, or of a row of the file.
struct RowText {
  std::string text;
  ItemSource source;
  std::optional<std::string> label;  // for a labelled text
  std::optional<std::string> error;  // why it has no vector
};

struct VectorRows {
  std::vector<float> vectors;  // [rows, size], finite
  size_t size = 0;
  std::vector<size_t> indices;  // index of each row's item, from 0
  std::vector<RowText> items;   // of the input, or for the file's rows
  bool has_texts = false;
  int status = kDone;  // kFailed: an item has no vector

  size_t rows() const { return indices.size(); }
  const RowText& item(size_t row) const { return items[indices[row]]; }
  // Begins an object with an item's "id", kept members and "index".
  JsonWriter begin_object(size_t index) const;
  // A table of rows; each has its cosine, its text's number from 1 and the text, or without texts its index from 0.
  Table table() const {
    return Table({{"cosine", Align::kRight}, {has_texts ? "text" : "vector", Align::kRight}, {""}});
  }
  std::vector<std::string> cells(size_t row, std::string cosine) const;
};

// Reads the vectors of a .npy file, with the texts of options.inputs, one for each vector, or without texts. A vector
// that is not finite, or whose text cannot be read, is left out. Throws UsageError, InputError.
VectorRows read_vector_file(const std::string& path, const Options& options, Console& console);

class VectorSource {
 public:
  // Declares the options of the input, of the model and its vectors, and --vectors and --memory.
  void declare(OptionTable& table, Options& options);

  // Embeds the input's texts, or reads --vectors. Throws UsageError, InputError, Error.
  VectorRows read(const Options& options, const Output& output, Console& console) const;

  // Returns how the rows are compared: with the model's threads, within --memory, with progress on the terminal.
  ClusterRun run(const Options& options, Console& console) const;

 private:
  VectorRows embed(const Options& options, const Output& output, Console& console) const;

  std::string file_;
  EmbedOptions embed_;
  std::optional<size_t> memory_;  // MiB
};

}  // namespace bert::cli
