// The command fetch: fetches models of the Hugging Face hub into its local cache.
#include "program/fetch/fetch.h"

#include <memory>
#include <optional>
#include <string>

#include "program/cli/command.h"
#include "program/cli/commands/fetch_console.h"
#include "program/cli/common.h"
#include "program/cli/output/output.h"

namespace bert::cli {
namespace {

class FetchCommand : public Command {
 public:
  void declare(OptionTable& table) override {
    table.begin_group("Models");
    table.text("--revision", options.revision, "NAME", "a branch, a tag or a commit (default: main)");
    table.number("--tries", tries_, "how often a request is made before it is an error (default: 5)", 1, 100);
    table.flag("--verify", verifies_,
               "also check the digests of the files that are there, and fetch those that differ");
    table.begin_group("Messages");
    table.flag("--quiet", options.quiet, "print neither notes nor the progress, but errors");
  }

  int run(Console& console) override {
    if (options.texts.empty()) throw UsageError("fetch needs the NAME of a model on the hub, none given");
    Output output("", Output::Access::kStream);
    fetch::FetchOptions chosen;
    if (options.revision) chosen.revision = *options.revision;
    if (tries_) chosen.tries = *tries_;
    chosen.verify = verifies_;
    for (const std::string& name : options.texts) {
      const fetch::FetchedModel model = fetch_to_console(name, chosen, console);
      output.write(model.directory.string() + "\n");
      output.flush();
    }
    output.commit();
    return kDone;
  }

 private:
  std::optional<size_t> tries_;
  bool verifies_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fetch() { return std::make_unique<FetchCommand>(); }

}  // namespace bert::cli
