// The cases that every binding runs (tests/cases/cases.jsonl): calls, their models, and the results of the C++ library.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tests/support/temporary_directory.h"

namespace bert::test {

// The models of the cases, by the names that write_tiny_models gives them. "" is the built-in model.
class CaseModels {
 public:
  CaseModels();
  std::string path(const std::string& name) const;  // "" for ""

 private:
  std::map<std::string, std::unique_ptr<TemporaryDirectory>> folders_;
};

// Returns the SHA-256 of floats in memory, as 64 hexadecimal digits.
std::string digest(std::span<const float> values);

// Writes the cases, one line of JSON each: model, call, arguments, and result or error.
void write_cases(const CaseModels& models, const std::string& file);

}  // namespace bert::test
