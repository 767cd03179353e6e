// The cases that every binding runs (tests/cases/cases.jsonl): what is asked, of which models, and what the C++ library
// gives.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tests/support/temporary_directory.h"

namespace bert::test {

// The models of the cases, by the names that write_tiny_models gives them; "": the built-in one.
class CaseModels {
 public:
  CaseModels();
  std::string path(const std::string& name) const;  // "" for ""

 private:
  std::map<std::string, std::unique_ptr<TemporaryDirectory>> folders_;
};

// SHA-256 of floats in memory, as 64 hexadecimal digits.
std::string digest(std::span<const float> values);

// Writes the cases, a line of JSON each: model, call, what it is given, and result or error.
void write_cases(const CaseModels& models, const std::string& file);

}  // namespace bert::test
