// The command segments: compares a pair with its own segments, with swapped segments, and with one segment for all
// tokens: how far the outputs move.
#include <memory>
#include <string>
#include <utility>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/explore/text_experiment.h"
#include "program/cli/output/results.h"

namespace bert::cli {
namespace {

class Segments : public TextExperiment {
 public:
  void declare(OptionTable& table) override { declare_report(table, options, drawn_); }

  int run(Console& console) override {
    if (options.texts.size() != 2) throw UsageError("expected two TEXTs, " + given(options.texts.size()));
    options = with_second_text_as_pair(options);
    return TextExperiment::run(console);
  }

 private:
  std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console&) override {
    comparison_ = compare_segments(model, model.sequence(sequence.tokens.encoding));
    return segment_findings(comparison_,
                            readable_tokens(sequence.tokens.encoding, sequence.input.text, sequence.input.pair, model),
                            sequence.tokens.encoding.type_ids);
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    JsonWriter vectors;
    vectors.number("norm_a", comparison_.norm_a);
    vectors.number("norm_b", comparison_.norm_b);
    vectors.number("cosine", comparison_.cosine);
    vectors.number("word_norm", comparison_.word_norm);
    object.member("segment_vectors") += vectors.take();
    for (const auto& [name, effect] :
         {std::pair{"swapped", &comparison_.swapped}, {"all_a", &comparison_.all_a}, {"all_b", &comparison_.all_b}}) {
      JsonWriter of_effect;
      of_effect.numbers<double>("moved", effect->moved);
      of_effect.numbers<double>("moved_by_layer", effect->moved_by_layer);
      of_effect.number("embedding_cosine", effect->embedding_cosine);
      object.member(name) += of_effect.take();
    }
    return object.take();
  }

  SegmentComparison comparison_;
};

}  // namespace

std::unique_ptr<TextExperiment> make_segments_experiment() { return std::make_unique<Segments>(); }
std::unique_ptr<Command> make_segments() { return make_segments_experiment(); }

}  // namespace bert::cli
