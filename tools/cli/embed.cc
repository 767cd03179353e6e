// The command embed: one vector per text.
#include <limits>
#include <memory>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/npy.h"
#include "tools/cli/pooling_options.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

class EmbedWriter {
 public:
  virtual ~EmbedWriter() = default;
  virtual void add(const Sequence& sequence) = 0;
  virtual void finish() {}
};

// A line of numbers per text; empty for a failed text.
class TextVectors : public EmbedWriter {
 public:
  explicit TextVectors(Output& output) : output_(output) {}

  void add(const Sequence& sequence) override {
    std::string line;
    for (const float value : sequence.embedding) {
      if (!line.empty()) line += ' ';
      append_number(line, value);
    }
    output_.write(line += '\n');
  }

 private:
  Output& output_;
};

class JsonVectors : public EmbedWriter {
 public:
  JsonVectors(Output& output, JsonResults::Layout layout) : results_(output, layout) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_object(sequence));
    JsonObject object = begin_result(sequence);
    object.numbers<float>("embedding", sequence.embedding);
    if (sequence.from_text) add_token_counts(object, sequence);
    results_.add(object.take());
  }

  void finish() override { results_.finish(); }

 private:
  JsonResults results_;
};

// A row per text; NaN for a failed text.
class NpyVectors : public EmbedWriter {
 public:
  NpyVectors(Output& output, size_t columns)
      : rows_(output, columns), failed_(columns, std::numeric_limits<float>::quiet_NaN()) {}

  void add(const Sequence& sequence) override { rows_.add(sequence.error ? failed_ : sequence.embedding); }

  void finish() override { rows_.finish(); }

 private:
  NpyRows rows_;
  std::vector<float> failed_;
};

class Embed : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    declare_model(table, options);
    declare_pooling(table, embed_);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_stride(table, options);
    declare_output(table, options, {"text", "json", "jsonl", "npy"});
    declare_batches(table, options);
  }

  int run(Console& console) override {
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output, options.format == "npy" ? Output::Access::kSeekable : Output::Access::kStream);
    const Model model = load_model(options, console);
    settle_pooling(model, embed_, console);

    RunSummary summary(*input, output, console);
    const std::unique_ptr<EmbedWriter> writer = make_writer(output, model);
    Sequences sequences(*input, model, embed_, embed_token_rules(options, model, embed_));
    for (Sequence sequence; sequences.next(sequence);) {
      writer->add(sequence);
      summary.count(sequence);
      if (!sequences.ready()) output.flush();
    }
    writer->finish();
    return summary.finish(output, model);
  }

 private:
  std::unique_ptr<EmbedWriter> make_writer(Output& output, const Model& model) const {
    if (options.format == "npy") return std::make_unique<NpyVectors>(output, model.embedding_size(embed_));
    if (options.format == "json") return std::make_unique<JsonVectors>(output, JsonResults::Layout::kDocument);
    if (options.format == "jsonl") return std::make_unique<JsonVectors>(output, JsonResults::Layout::kLines);
    return std::make_unique<TextVectors>(output);
  }

  EmbedOptions embed_;
};

}  // namespace

std::unique_ptr<Command> make_embed() { return std::make_unique<Embed>(); }

}  // namespace bert::cli
