// A file that appears when it is complete: it is written under another name in the same directory, and gets its name
// when all of it is on the disk. Never writes through a link. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "bert/export.h"

namespace bert {

class BERT_API NewFile {
 public:
  enum class Existing { kRefuse, kReplace };  // what to do if the name is taken

  static constexpr std::filesystem::perms kReadAndWrite{0666};

  // Creates the file under its temporary name. permissions: reduced by the process's umask. Throws Error:
  // kInvalidArgument for a name that is taken, kIo.
  explicit NewFile(const std::filesystem::path& path, Existing existing = Existing::kRefuse,
                   std::filesystem::perms permissions = kReadAndWrite);
  ~NewFile();  // deletes the file unless it was published
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // These throw Error(kIo) with the system's reason.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void publish();  // gives the file its name; call it last

  uint64_t bytes() const;  // written so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bert
