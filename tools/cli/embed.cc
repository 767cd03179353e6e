// The command embed: one vector per text, dense or sparse, or one for each token.
#include <memory>
#include <string>

#include "tools/cli/command.h"
#include "tools/cli/embed_writer.h"
#include "tools/cli/long_run.h"
#include "tools/cli/merge.h"
#include "tools/cli/pooling_options.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/sparse_writer.h"
#include "tools/cli/token_writer.h"

namespace bert::cli {
namespace {

class Embed : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    declare_model(table, options);
    declare_pooling(table, embed_);
    declare_kind(table, kind_);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_stride(table, options);
    declare_output(table, options, {"text", "json", "jsonl", "npy", "npz", "safetensors"});
    table.choice("--output-type", kNumberTypes, format_.type,
                 "what npy and safetensors hold of a vector: its numbers, or its signs, eight in a byte "
                 "(default: float32)");
    declare_batches(table, options);
    declare_long_run(table, long_run_);
  }

  int run(Console& console) override {
    if (long_run_.merge) return merge_shards(options, console);
    format_.name = options.format;
    check_options();
    if (format_.type != NumberType::kFloat32 && !format_.is_matrix()) {
      throw UsageError("--output-type " + std::string(name(format_.type)) +
                       " is for --format npy and safetensors; found " + in_quotes(format_.name));
    }
    LongRun long_run(options, long_run_, format_);
    if (long_run.is_complete()) return finish_earlier_run(long_run, console);
    const std::unique_ptr<Input> input = long_run.open_input();
    Output output = long_run.open_output();
    const Model model = load_model(options, console);
    const SparseOptions sparse = sparse_options(embed_, kind_);
    SparseSettings sparse_settings;
    if (kind_.is_sparse()) sparse_settings = settle_sparse(model, sparse, console);
    if (kind_.kind == VectorKind::kDense) settle_pooling(model, embed_, console);
    format_.dimensions = dimensions(model);

    RunSummary summary(*input, output, console, long_run.start().counts, long_run.bytes_before());
    const TextRole role = kind_.role.value_or(TextRole::kDocument);
    TextTask task = embed_;
    std::unique_ptr<EmbedWriter> writer;
    TokenRules rules;
    if (kind_.is_tokens()) {
      writer = make_token_writer(output, format_.name, model, role);
      task = TokenVectorOptions{role};
      rules = model_token_rules(options, model);
      rules.no_pair = kNeedsNoPair;
    } else {
      rules = embed_token_rules(options, model, embed_);
      if (kind_.is_sparse()) task = sparse;
      writer = kind_.is_sparse() ? make_sparse_writer(output, format_.name, model, sparse_settings)
                                 : make_embed_writer(output, format_, long_run.start().counts.results);
    }
    Sequences sequences(*input, model, task, rules);
    for (Sequence sequence; sequences.next(sequence);) {
      check_range(sequence, format_.type);
      writer->add(sequence);
      summary.count(sequence);
      long_run.written(sequence, output, model, summary.counts());
      if (!sequences.ready()) output.flush();
    }
    writer->finish();
    long_run.complete(output, model, summary.counts());
    const int status = summary.finish(output, model);
    long_run.finish(summary.counts(), format_.dimensions);
    return status;
  }

 private:
  void check_options() {
    check_kind(kind_, embed_);
    if (kind_.is_tokens() && format_.name == "text" && options.given.count("--format") == 0) format_.name = "jsonl";
    if (kind_.is_tokens() && (format_.is_matrix() || format_.name == "text")) {
      throw UsageError("--format " + format_.name + " is for dense vectors; --kind tokens has json, jsonl and npz");
    }
    if (kind_.is_sparse() && format_.is_matrix()) {
      throw UsageError("--format " + format_.name +
                       " is for dense vectors; --kind sparse has text, json, jsonl and npz");
    }
    if (kind_.kind == VectorKind::kDense && format_.name == "npz") {
      throw UsageError("--format npz is for --kind sparse and tokens; dense vectors have npy and safetensors");
    }
    if (kind_.is_tokens() && options.stride) throw UsageError("--stride is for dense vectors, not for --kind tokens");
  }

  size_t dimensions(const Model& model) const {
    return kind_.is_tokens()   ? token_vector_settings(model).size
           : kind_.is_sparse() ? model.config().vocab_size
                               : model.embedding_size(embed_);
  }

  // That was killed after its output had its name.
  int finish_earlier_run(LongRun& long_run, Console& console) {
    const RunCounts& counts = long_run.start().counts;
    long_run.finish(counts, dimensions(load_model(options, console)));
    console.note("the output was complete");
    return counts.failed > 0 ? kFailed : kDone;
  }

  LongRunOptions long_run_;
  EmbedFormat format_;
  EmbedOptions embed_;
  KindOptions kind_;
};

}  // namespace

std::unique_ptr<Command> make_embed() { return std::make_unique<Embed>(); }

}  // namespace bert::cli
