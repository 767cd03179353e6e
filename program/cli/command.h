// A command of the program. To add a command, add a file with a class like the others, declare its factory here, and
// add a line to the table in command.cc.
#pragma once

#include <memory>
#include <span>

#include "program/cli/options/options.h"
#include "program/cli/output/console.h"

namespace bert::cli {

class Command {
 public:
  virtual ~Command() = default;

  // Declares the command's options; called once, before run().
  virtual void declare(OptionTable& table) = 0;
  // Does the work and returns the exit status. Throws UsageError, OutputError, InputError or bert::Error.
  virtual int run(Console& console) = 0;

  Options options;
};

// The titles of the help's list.
enum class CommandGroup { kCompute, kRetrieve, kTrain, kServe, kLearn, kRare };

struct CommandEntry {
  CommandGroup group;
  const char* name;
  const char* arguments;  // for the usage line
  const char* summary;    // one line
  const char* examples;   // printed at the end of the help
  std::unique_ptr<Command> (*make)();
};

std::unique_ptr<Command> make_encode();
std::unique_ptr<Command> make_embed();
std::unique_ptr<Command> make_tokenize();
std::unique_ptr<Command> make_similarity();
std::unique_ptr<Command> make_search();
std::unique_ptr<Command> make_dedup();
std::unique_ptr<Command> make_cluster();
std::unique_ptr<Command> make_explain();
std::unique_ptr<Command> make_neighbors();
std::unique_ptr<Command> make_positions();
std::unique_ptr<Command> make_order();
std::unique_ptr<Command> make_probe();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_attention();
std::unique_ptr<Command> make_segments();
std::unique_ptr<Command> make_inspect();
std::unique_ptr<Command> make_fill_mask();
std::unique_ptr<Command> make_classify();
std::unique_ptr<Command> make_zero_shot();
std::unique_ptr<Command> make_tag();
std::unique_ptr<Command> make_answer();
std::unique_ptr<Command> make_redact();
std::unique_ptr<Command> make_rerank();
std::unique_ptr<Command> make_choose();
std::unique_ptr<Command> make_verify();
std::unique_ptr<Command> make_pack();
std::unique_ptr<Command> make_quantize();
std::unique_ptr<Command> make_distill();
std::unique_ptr<Command> make_bundle();
std::unique_ptr<Command> make_fit();
std::unique_ptr<Command> make_fetch();
// Makes the command of a task that needs nothing besides its description (bert/task_settings.h).
std::unique_ptr<Command> make_task_command(const char* task);
std::unique_ptr<Command> make_serve();  // only in builds with the server

// Returns all commands, in the order of the help. The first one is the default.
std::span<const CommandEntry> commands();

}  // namespace bert::cli
