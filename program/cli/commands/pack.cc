// The command pack: adds a file to a model's directory with its weights in the order that this CPU's products read.
#include "bert/pack.h"

#include <memory>

#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class Pack : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_tokenizer(table, options);
    declare_threads(table, options);
    table.choice<Precision>("--precision", {{"float32", Precision::kFloat32}, {"bfloat16", Precision::kBFloat16}},
                            options.precision, "the precision that the file is for (default: as in the model's files)");
    declare_unexpected(table, options);
    table.begin_group("Output");
    table.text("--output", output_, "DIR",
               "the folder to write into (default: that of the model's weights, where the model finds the file)");
  }

  int run(Console& console) override {
    if ((options.model.empty() || options.model_is_bundled) && options.texts.size() == 1) {
      options.model = options.texts.front();
      options.texts.clear();
    }
    if (options.model.empty() || !options.texts.empty())
      throw UsageError("pack needs a model's directory (or --model)");
    const PackedFile written = pack(options.model, options.load_options(), output_);
    console.note(in_quotes(written.path.string()) + ": packed weights of " +
                 human_bytes(static_cast<double>(written.bytes)));
    return kDone;
  }

 private:
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_pack() { return std::make_unique<Pack>(); }

}  // namespace bert::cli
