// The command distill: writes a static model, whose table has, for each token of the vocabulary, the encoder's output
// for that token alone.
#include "bert/distill.h"

#include <filesystem>
#include <memory>
#include <string>

#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/output/progress.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class Distill : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_tokenizer(table, options);
    declare_threads(table, options);
    table.number("--dimensions", distill_.dimensions, "numbers of a vector, the principal components (default: 256)",
                 1);
    table.fraction("--sif-coefficient", distill_.sif_coefficient,
                   "a token's vector is multiplied by X / (X + its probability): a smaller X lowers frequent tokens "
                   "more (default: 1e-4)");
    declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson});
  }

  int run(Console& console) override {
    take_model_and_directory(options, "distill", "a model (or --model) and the name of the directory to write");
    const std::filesystem::path directory = options.texts.front();
    if (std::filesystem::exists(directory)) {
      throw InputError(in_quotes(directory.string()) + " exists, expected the name of a new directory");
    }
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    Progress progress(console, true, {});
    distill_.progress = [&](size_t done, size_t all) {
      progress.show({done, done, done}, all);
      return true;
    };
    const DistilledModel result = distill(model, directory, distill_);
    if (!result.has_tokenizer_json) {
      console.note("model2vec does not read the result: " + in_quotes(options.model) + " has no tokenizer.json");
    }
    output.write((options.format == OutputFormat::kJson ? json(result) : text(result)) + "\n");
    output.commit();
    return kDone;
  }

 private:
  static std::string text(const DistilledModel& result) {
    return with_commas(result.tokens) + " of " + with_commas(result.vocabulary) + " tokens, " +
           std::to_string(result.dimensions) + " principal components of " + std::to_string(result.hidden_size) +
           " dimensions with " + fixed(100 * result.explained_variance, 1) + " % of the variance";
  }

  static std::string json(const DistilledModel& result) {
    JsonWriter object;
    object.number("tokens", result.tokens);
    object.number("vocabulary", result.vocabulary);
    object.number("dimensions", result.dimensions);
    object.number("explained_variance", result.explained_variance);
    return object.take();
  }

  DistillOptions distill_;
};

}  // namespace

std::unique_ptr<Command> make_distill() { return std::make_unique<Distill>(); }

}  // namespace bert::cli
