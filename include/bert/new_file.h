// A file that appears when it is complete: it is written beside its place, in the same directory, and gets its name
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
  enum class Existing { kRefuse, kReplace };  // a file that has the name already

  static constexpr std::filesystem::perms kReadAndWrite{0666};

  // permissions: less the process's mask (umask). Throws Error: kInvalidArgument for a name that is taken, kIo.
  explicit NewFile(const std::filesystem::path& path, Existing existing = Existing::kRefuse,
                   std::filesystem::perms permissions = kReadAndWrite);
  ~NewFile();  // removes what is not published
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Throw Error(kIo) with the system's reason.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void publish();  // gives the file its name; nothing is written after it

  uint64_t bytes() const;  // written so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bert
