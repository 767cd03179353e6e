// What is computed for texts, as one class for each kind of output: from an item to its sequences of tokens, and one
// pass over sequences. Immutable; safe to use from many threads. Model and tokenizer must outlive it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bert/text_pipeline.h"

namespace bert {

// How a run's texts become sequences: TextOptions, with the limit that its task has by default.
struct TextRules {
  TokenizeOptions tokenize = {};
  bool windows = false;
  bool fits_stride = false;
  ReserveCallback reserve = {};
};

class Computation {
 public:
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  // The item's sequences, at least one, with their number of unknown tokens. One that the model cannot take has its
  // error. Throws Error where the item has no sequence.
  std::vector<TextResult> cut(TextItem item) const;
  // A sequence as input of the encoder; a view of the result.
  virtual TokenSequence sequence(const TextResult& result) const;
  // Stores the outputs of sequences without an error, by one forward pass; an error where TextRules::reserve refuses.
  virtual void run(std::span<TextResult* const> pass) const = 0;
  // Whether sequences of both, which are of one class and one model, may be in one pass.
  virtual bool shares_passes_with(const Computation& other) const = 0;
  // Tokens of a pass, shared by all threads.
  virtual size_t pass_tokens() const { return 2048; }  // enough rows to share each weight that is read
  // False: texts are only tokenised, and run() does nothing.
  virtual bool computes() const { return true; }
  // Whether run() reads the sequences' texts, and not their tokens alone.
  virtual bool reads_texts() const { return false; }

  const Model* model() const { return model_; }

 protected:
  explicit Computation(const Model& model);
  explicit Computation(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  virtual std::vector<TextResult> sequences(TextItem& item) const = 0;
  // Whether sequences() takes words that the caller divided.
  virtual bool takes_words() const { return false; }
  // The pass counts the sequences' coarse rows.
  std::vector<TokenSequence> batch_of(std::span<TextResult* const> pass) const;

 private:
  const Model* model_ = nullptr;  // null: texts are only tokenised
  const Tokenizer* tokenizer_;    // null if the model has none; a text is then an error, and ids are not
};

// default_tokenize_options for vectors, which need no offsets.
TokenizeOptions ids_alone(const Model& model, const VectorRequest& request);

// Throws Error for a task that fails for every text.
std::unique_ptr<const Computation> make_computation(const Model& model, const TextTask& task,
                                                    const TextOptions& options);
// Only tokenises.
std::unique_ptr<const Computation> make_computation(const Tokenizer& tokenizer, const TextOptions& options);

// The number of unknown tokens in the encoding.
size_t count_unknown(const Tokenizer& tokenizer, const Encoding& encoding);

// Moves each output to its result.
template <class Output>
void give(std::span<TextResult* const> pass, std::vector<Output> outputs) {
  for (size_t i = 0; i < pass.size(); ++i) pass[i]->output = std::move(outputs[i]);
}

}  // namespace bert
