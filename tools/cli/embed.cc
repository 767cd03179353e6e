// The command embed: one vector per text.
#include <memory>

#include "tools/cli/command.h"
#include "tools/cli/embed_writer.h"
#include "tools/cli/pooling_options.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

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
    declare_output(table, options, {"text", "json", "jsonl", "npy", "safetensors"});
    table.choice<NumberType>("--output-type", {{"float32", NumberType::kFloat32}, {"float16", NumberType::kFloat16}},
                             format_.type, "the numbers of npy and safetensors (default: float32)");
    declare_batches(table, options);
  }

  int run(Console& console) override {
    format_.name = options.format;
    if (format_.type != NumberType::kFloat32 && !format_.is_matrix()) {
      throw UsageError("--output-type float16 is for --format npy and safetensors; found " + in_quotes(format_.name));
    }
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output, format_.is_matrix() ? Output::Access::kSeekable : Output::Access::kStream);
    const Model model = load_model(options, console);
    settle_pooling(model, embed_, console);
    format_.dimensions = model.embedding_size(embed_);

    RunSummary summary(*input, output, console);
    const std::unique_ptr<EmbedWriter> writer = make_embed_writer(output, format_);
    Sequences sequences(*input, model, embed_, embed_token_rules(options, model, embed_));
    for (Sequence sequence; sequences.next(sequence);) {
      check_range(sequence, format_.type);
      writer->add(sequence);
      summary.count(sequence);
      if (!sequences.ready()) output.flush();
    }
    writer->finish();
    return summary.finish(output, model);
  }

 private:
  EmbedFormat format_;
  EmbedOptions embed_;
};

}  // namespace

std::unique_ptr<Command> make_embed() { return std::make_unique<Embed>(); }

}  // namespace bert::cli
