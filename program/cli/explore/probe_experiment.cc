#include "program/cli/explore/probe_experiment.h"

#include "program/cli/explore/drawings.h"

namespace bert::cli {

void ProbeExperiment::read(Sequences& sequences, RunSummary& summary) {
  for (Sequence sequence; sequences.next(sequence);) {
    ++read_;
    if (!sequence.error) {
      ++valid_;
      probe_.add(sequence.tokens.encoding, std::get<EncodedSequence>(sequence.output));
    }
    summary.count(sequence);
  }
}

void ProbeExperiment::finish(const std::string& source) {
  if (valid_ == 0) throw InputError("no " + std::string(read_ == 0 ? "" : "valid ") + "text in " + source);
  shares_ = probe_.shares(source);
  findings_ = variance_findings(shares_);
}

void ProbeExperiment::add_json(JsonWriter& object) const {
  object.number("texts", shares_.texts);
  object.number("tokens", shares_.tokens);
  object.number("left_out_tokens", shares_.left_out_tokens);
  object.number("words", shares_.words);
  object.number("position_count", shares_.positions);
  object.numbers<double>("position", shares_.position);
  object.numbers<double>("word", shares_.word);
  object.numbers<double>("both", shares_.both);
  object.numbers<double>("neither", shares_.neither);
  const std::optional<size_t> confounded = confounded_layer(shares_);
  object.member("confounded_layer") += confounded ? std::to_string(*confounded) : "null";
}

}  // namespace bert::cli
