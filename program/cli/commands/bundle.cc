// The command bundle: writes the program with a model at its end, as one file.
#include "bert/bundle.h"

#include <memory>
#include <string>

#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/options/written_files.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class BundleCommand : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_tokenizer(table, options);
    declare_unexpected(table, options);
    table.text("--program", program_, "FILE",
               "the program to put the model behind, for example the one for another CPU (default: this one)");
  }

  int run(Console& console) override {
    take_model_and_directory(options, "bundle", "a model (or --model) and the name of the file to write");
    const std::string& out = options.texts.front();
    check_written_files({{"the file to write", out}}, {{"--program", program_}}, {{"the model", options.model}});
    const WrittenBundle written = write_bundle(options.model, out, options.load_options(), program_);
    for (const std::string& name : written.not_copied) console.note("not copied: " + in_quotes(name));
    console.note(in_quotes(out) + ": a program of " + human_bytes(static_cast<double>(written.program_bytes)) +
                 " and " + std::to_string(written.files) + " files, " +
                 human_bytes(static_cast<double>(written.bytes)) + " in all; its model without --model");
    return kDone;
  }

 private:
  std::string program_;
};

}  // namespace

std::unique_ptr<Command> make_bundle() { return std::make_unique<BundleCommand>(); }

}  // namespace bert::cli
