// Experiments on a model: their arrays of numbers, and their texts and drawings for a notebook. Immutable, except a
// probe.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "program/drawings/findings/findings.h"

namespace bert::python {

class Experiment {
 public:
  // numbers: the numbers that `findings` refers to; they are kept alive. tokens: the number of tokens on the page; 0 if
  // the experiment is not about one text.
  Experiment(std::shared_ptr<const void> numbers, std::unique_ptr<drawings::Findings> findings, std::string lead,
             size_t tokens)
      : numbers_(std::move(numbers)), findings_(std::move(findings)), lead_(std::move(lead)), tokens_(tokens) {}

  // Returns the findings, and keeps the numbers alive with them.
  std::shared_ptr<const drawings::Findings> findings() const {
    return {std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const drawings::Findings>>>(
                numbers_, findings_),
            findings_.get()};
  }
  const std::string& lead() const { return lead_; }
  size_t tokens() const { return tokens_; }

  std::string answer() const { return findings_->answer(); }
  std::string text() const { return findings_->text({}); }
  bool is_drawable() const { return tokens_ <= drawings::kMaxDrawnTokens; }
  // html() and svg() throw Error(kInvalidArgument) if there are too many tokens.
  std::string html() const { return page().html(); }
  std::string svg() const { return drawings::standalone_svg(page().drawn().front()); }  // the first drawing

 private:
  drawings::Page page() const;

  std::shared_ptr<const void> numbers_;
  std::shared_ptr<const drawings::Findings> findings_;
  std::string lead_;
  size_t tokens_;
};

// Adds the experiments' classes and functions to the extension module.
void bind_experiments(nanobind::module_& module);

}  // namespace bert::python
