// Computes the outputs for texts, with one class for each kind of output: it cuts an item into sequences of tokens, and
// computes one pass over sequences. Immutable; safe to use from many threads. Model and tokenizer must outlive it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bert/text_pipeline.h"

namespace bert {

// How a run's texts become sequences: TextOptions, with the default limits of its task.
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

  // Returns the item's sequences, at least one, with their numbers of unknown tokens. A sequence that the model cannot
  // take has its error. Throws Error if the item has no sequence.
  std::vector<TextResult> cut(TextItem item) const;
  // Returns a sequence as the encoder's input; a view of the result.
  virtual TokenSequence sequence(const TextResult& result) const;
  // Computes the outputs of sequences without an error, in one forward pass; stores an error if TextRules::reserve
  // refuses.
  virtual void run(std::span<TextResult* const> pass) const = 0;
  // Returns whether sequences of both may share a pass; both have one class and one model.
  virtual bool shares_passes_with(const Computation& other) const = 0;
  // Returns the tokens of a pass, shared by all threads.
  virtual size_t pass_tokens() const { return 2048; }  // enough rows to share each weight that is read
  // Returns false if texts are only tokenised; run() then does nothing.
  virtual bool computes() const { return true; }
  // Returns whether run() reads the sequences' texts, not only their tokens.
  virtual bool reads_texts() const { return false; }

  const Model* model() const { return model_; }

 protected:
  explicit Computation(const Model& model);
  explicit Computation(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  virtual std::vector<TextResult> sequences(TextItem& item) const = 0;
  // Returns whether sequences() accepts words that the caller divided.
  virtual bool takes_words() const { return false; }
  // Makes a batch whose pass counts the sequences' coarse rows.
  std::vector<TokenSequence> batch_of(std::span<TextResult* const> pass) const;

 private:
  const Model* model_ = nullptr;  // null: texts are only tokenised
  const Tokenizer* tokenizer_;    // null: the model has none; a text is then an error, ids are not
};

// Returns default_tokenize_options for vectors, which need no offsets.
TokenizeOptions ids_alone(const Model& model, const VectorRequest& request);

// Throws Error if every text would fail.
std::unique_ptr<const Computation> make_computation(const Model& model, const TextTask& task,
                                                    const TextOptions& options);
// Makes a computation that only tokenises.
std::unique_ptr<const Computation> make_computation(const Tokenizer& tokenizer, const TextOptions& options);

// Returns the number of unknown tokens in the encoding.
size_t count_unknown(const Tokenizer& tokenizer, const Encoding& encoding);

// Moves each output to its result.
template <class Output>
void set_outputs(std::span<TextResult* const> pass, std::vector<Output> outputs) {
  for (size_t i = 0; i < pass.size(); ++i) pass[i]->output = std::move(outputs[i]);
}

}  // namespace bert
