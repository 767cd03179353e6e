// The keys that clients may use: lines of a file, or one from the environment. Safe to use from many threads.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bert::server {

class ApiKeys {
 public:
  // file: one key per line; empty lines and lines with # are skipped; "": no file. environment_key: one more key; "":
  // none. Throws Error for a file that cannot be read or has no key.
  ApiKeys(std::string file, std::string environment_key);

  // Reads the file again; after an error the keys are unchanged.
  void reload();
  bool is_required() const { return !file_.empty() || !environment_key_.empty(); }
  // Returns whether the value of an Authorization field, "Bearer KEY", has one of the keys. Takes the same time
  // whichever characters of the given key are right.
  bool accepts(std::string_view authorization) const;

 private:
  const std::string file_, environment_key_;
  mutable std::mutex mutex_;
  std::vector<std::string> keys_;
};

}  // namespace bert::server
