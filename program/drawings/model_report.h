// The findings of several experiments on one model, as questions with short answers. The page begins with these, each
// with the drawing that shows the answer; the rest is folded. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program/drawings/findings/findings.h"
#include "program/drawings/findings/position_findings.h"

namespace bert::drawings {

class ModelReport : public Findings {
 public:
  struct Chapter {
    std::string question;
    std::string answer;
    std::function<void(Page&)> add_main;     // the drawing that shows the answer
    std::function<void(Page&)> add_details;  // the rest
  };

  // Adds the words of the text: their ids, and the nearest words of the table.
  void add_tokens(const Model& model, const Encoding& encoding);

  // Call these in the order of the page. The report keeps the findings.
  void add_embeddings(const std::shared_ptr<const Findings>& found) { add("What goes into a token?", found); }
  void add_positions(const std::shared_ptr<const PositionFindings>& found);
  void add_orders(const std::shared_ptr<const Findings>& found) { add("Does the order of the tokens matter?", found); }
  // Adds the findings on a pair, which measured_on names.
  void add_segments(const std::shared_ptr<const Findings>& found, const std::string& measured_on) {
    add_measured("Does the model use the segments?", found, measured_on);
  }
  void add_attention(const std::shared_ptr<const Findings>& found) { add("What do the heads attend to?", found); }
  // measured_on: describes the texts.
  void add_variance(const std::shared_ptr<const Findings>& found, const std::string& measured_on) {
    add_measured("Do later layers still have the position?", found, measured_on);
  }

  const std::vector<Chapter>& chapters() const { return chapters_; }

  std::string title() const override { return "How a model represents words and their order"; }
  std::string answer() const override;  // that of the first chapter
  std::string text(const common::TextStyle& style) const override;
  void add_to(Page& page) const override;
  void add_main(Page& page) const override { add_to(page); }

  struct Token {
    std::string token;
    int32_t id = 0;
    std::vector<std::string> nearest;  // empty for a special token
  };
  size_t parameters() const { return parameters_; }  // of all tensors
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  common::Table tokens_table() const;
  void add(const std::string& question, const std::shared_ptr<const Findings>& found);
  void add_measured(const std::string& question, const std::shared_ptr<const Findings>& found,
                    const std::string& measured_on);

  size_t parameters_ = 0;
  std::vector<Token> tokens_;
  std::vector<Chapter> chapters_;
};

}  // namespace bert::drawings
