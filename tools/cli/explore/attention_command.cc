// The command attention: the entropy of every head of every layer, and where its weights go.
#include <memory>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/explore/text_experiment.h"
#include "tools/cli/results.h"

namespace bert::cli {
namespace {

class Attention : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_text_report(table);
  }

 private:
  std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console&) override {
    attention_ = summarize_attention(model, sequence.encoding);
    return attention_findings(attention_, token_labels(sequence.encoding, model), model.config().local_layers);
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    object.number("max_entropy", attention_.max_entropy_bits);
    if (attention_.window) {
      object.number("window", *attention_.window);
      object.number("max_local_entropy", *attention_.max_local_entropy_bits);
    }
    const auto add = [&](const char* name, double HeadSummary::*value) {
      std::string& rows = object.member(name);
      for (size_t i = 0; i < attention_.summaries.size(); ++i) {
        rows += i == 0 ? "[[" : i % attention_.heads == 0 ? "],[" : ",";
        append_number(rows, attention_.summaries[i].*value);
      }
      rows += "]]";
    };
    add("entropy", &HeadSummary::entropy_bits);
    add("self", &HeadSummary::self);
    add("previous", &HeadSummary::previous);
    add("next", &HeadSummary::next);
    add("special", &HeadSummary::special);
    return object.take();
  }

  AttentionSummary attention_;
};

}  // namespace

std::unique_ptr<TextExperiment> make_attention_experiment() { return std::make_unique<Attention>(); }
std::unique_ptr<Command> make_attention() { return make_attention_experiment(); }

}  // namespace bert::cli
