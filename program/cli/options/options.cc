#include "program/cli/options/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "program/cli/common.h"
#include "program/cli/output/output.h"

namespace bert::cli {
namespace {

// Returns BERT_INFER_MAX_LENGTH for "--max-length".
std::string environment_name(const std::string& option) {
  std::string name = "BERT_INFER_";
  for (const char c : option.substr(option.find_first_not_of('-'))) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

// Accepts the values of a switch in the environment; on the command line it has no value, or one of these after =.
std::function<std::string(const std::string&)> is_switch(const std::string& name) {
  return [name](const std::string& given) {
    const std::string word = CLI::detail::to_lower(given);
    for (const char* known : {"true", "false", "1", "0", "on", "off", "yes", "no"}) {
      if (word == known) return std::string();
    }
    throw ValueError(name, in_quotes(given) + ": expected true or false");
  };
}

}  // namespace

std::vector<std::string> comma_parts(const std::string& given) {
  std::vector<std::string> found(1);
  for (const char c : given) {
    if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

LoadOptions Options::load_options() const {
  LoadOptions load;
  load.threads = threads.value_or(0);
  load.gemm = gemm;
  load.precision = precision;
  load.packing = packing;
  load.ignore_unexpected = ignore_unexpected;
  load.check_tensors = check_tensors;
  if (revision) load.revision = *revision;
  load.task = task;
  load.adapter = adapter;
  load.static_file = static_file;
  load.layers = layers;
  load.positions = positions;
  load.encoder = encoder;
  load.max_words = max_words;
  load.max_width = max_width;
  if (cased || uncased) load.tokenizer.lowercase = uncased;
  return load;
}

void OptionTable::place(CLI::Option* option, const std::string& name) {
  option->envname(environment_name(name))->group(group_);
  if (are_shared_) shared_.insert("--" + option->get_lnames().front());
}

void OptionTable::text(const std::string& name, std::string& target, const char* value_name, const std::string& help) {
  const auto set = [name, value_name, &target](const std::string& given) {
    if (given.empty()) throw ValueError(name, std::string("'': expected ") + value_name);
    target = given;
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name(value_name), name);
}

void OptionTable::text(const std::string& name, std::optional<std::string>& target, const char* value_name,
                       const std::string& help) {
  const auto set = [&target](const std::string& given) { target = given; };
  place(app_.add_option_function<std::string>(name, set, help)->type_name(value_name), name);
}

void OptionTable::output_file(const std::string& name, std::string& target, const std::string& help) {
  text(name, target, "FILE", help);
  output_files_.insert(name);
}

void OptionTable::texts(const std::string& name, std::vector<std::string>& target, const char* value_name,
                        const std::string& help) {
  // Takes one value per occurrence of the option, unchanged: no list in brackets, no following words.
  place(app_.add_option(name, target, help)->type_name(value_name)->allow_extra_args(false), name);
}

void OptionTable::names(const std::string& name, std::vector<std::string>& target, const char* value_name,
                        const std::string& help) {
  const auto set = [name, value_name, &target](const std::string& given) {
    target = comma_parts(given);
    for (const std::string& one : target) {
      if (!one.empty() && std::count(target.begin(), target.end(), one) == 1) continue;
      throw ValueError(name, in_quotes(given) + ": expected " + value_name + ", each name once");
    }
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name(value_name), name);
}

void OptionTable::number(const std::string& name, std::optional<size_t>& target, const std::string& help,
                         size_t minimum, size_t maximum) {
  const auto set = [name, minimum, maximum, &target](const std::string& given) {
    size_t number = 0;
    const auto [rest, status] = std::from_chars(given.data(), given.data() + given.size(), number);
    if (status != std::errc() || rest != given.data() + given.size() || number < minimum || number > maximum) {
      throw ValueError(name, in_quotes(given) + ": expected a whole number of " + std::to_string(minimum) +
                                 (maximum == SIZE_MAX ? " or more" : " to " + std::to_string(maximum)));
    }
    target = number;
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("N"), name);
}

void OptionTable::flag(const std::string& name, bool& target, const std::string& help) {
  place(app_.add_flag(name, target, help)->check(is_switch(name)), name);
}

void OptionTable::flag(const std::string& name, const std::function<void(bool)>& set, const std::string& help) {
  const auto read = [set](int64_t count) { set(count > 0); };
  place(app_.add_flag_function(name, read, help)->check(is_switch(name)), name);
}

void OptionTable::value(const std::string& name, const std::string& value_name,
                        const std::function<void(const std::string&)>& set, const std::string& help) {
  place(app_.add_option_function<std::string>(name, set, help)->type_name(value_name), name);
}

void OptionTable::values(const std::string& name, const std::string& value_name,
                         const std::function<void(const std::vector<std::string>&)>& set, const std::string& help) {
  CLI::Option* const option = app_.add_option_function<std::vector<std::string>>(name, set, help);
  place(option->type_name(value_name)->allow_extra_args(false), name);
}

void OptionTable::on_or_off(const std::string& name, std::optional<bool>& target, const std::string& help) {
  const std::string both = name + ",!--no-" + name.substr(2);
  const auto set = [&target](int64_t count) { target = count > 0; };
  place(app_.add_flag_function(both, set, help)->check(is_switch(name)), name);
}

void OptionTable::exclude(const std::string& one, const std::string& other) {
  app_.get_option(one)->excludes(app_.get_option(other));
}

void OptionTable::one_of(const std::string& name, const std::vector<std::string>& words,
                         const std::function<void(size_t)>& set, const std::string& help) {
  const auto find = [name, words, set](const std::string& given) {
    const auto found = std::find(words.begin(), words.end(), given);
    if (found == words.end()) {
      throw ValueError(name, in_quotes(given) + ": expected one of " + joined(words, ", "));
    }
    set(static_cast<size_t>(found - words.begin()));
  };
  place(app_.add_option_function<std::string>(name, find, help)->type_name(joined(words, "|")), name);
}

void OptionTable::some_of(const std::string& name, const std::vector<std::string>& words,
                          const std::function<void(const std::vector<size_t>&)>& set, const std::string& help) {
  const auto find = [name, words, set](const std::string& given) {
    std::vector<size_t> indices;
    for (const std::string& word : comma_parts(given)) {
      const auto found = std::find(words.begin(), words.end(), word);
      const auto index = static_cast<size_t>(found - words.begin());
      if (found == words.end() || std::find(indices.begin(), indices.end(), index) != indices.end()) {
        throw ValueError(name, in_quotes(given) + ": expected one or more of " + joined(words, ", ") +
                                   ", each once, with commas between");
      }
      indices.push_back(index);
    }
    set(indices);
  };
  place(app_.add_option_function<std::string>(name, find, help)->type_name(joined(words, "|") + ",…"), name);
}

void OptionTable::positive(const std::string& name, double& target, const std::string& help) {
  between(name, HUGE_VAL, target, "a number above 0", help);
}

void OptionTable::fraction(const std::string& name, double& target, const std::string& help) {
  between(name, 1, target, "a number above 0 and below 1", help);
}

void OptionTable::cosine(const std::string& name, double& target, const std::string& help) {
  between(name, std::nextafter(1.0, 2.0), target, "a number above 0 and at most 1", help);
}

void OptionTable::between(const std::string& name, double limit, double& target, const char* expected,
                          const std::string& help) {
  const auto set = [name, limit, expected, &target](const std::string& given) {
    double number = 0;
    const auto [rest, status] = std::from_chars(given.data(), given.data() + given.size(), number);
    if (status != std::errc() || rest != given.data() + given.size() || !(number > 0 && number < limit)) {
      throw ValueError(name, in_quotes(given) + ": expected " + expected);
    }
    target = number;
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("X"), name);
}

void OptionTable::ranges(const std::string& name, size_t most, std::vector<size_t>& target, const std::string& help) {
  const auto set = [name, most, &target](const std::string& given) {
    const auto refuse = [&](const std::string& problem) { throw ValueError(name, in_quotes(given) + ": " + problem); };
    std::set<size_t> numbers;
    for (const std::string& word : comma_parts(given)) {
      const char* const end = word.data() + word.size();
      size_t first = 0, last = 0;
      auto read = std::from_chars(word.data(), end, first);
      last = first;
      if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') {
        read = std::from_chars(read.ptr + 1, end, last);
      }
      if (read.ec != std::errc() || read.ptr != end || last < first) {
        refuse("found " + in_quotes(word) + ", expected " +
               (read.ec == std::errc() && read.ptr == end ? "FIRST-LAST with FIRST at most LAST"
                                                          : "N or FIRST-LAST, whole numbers, with commas between"));
      }
      if (last - first >= most || numbers.size() + last - first >= most) {
        refuse("more than " + std::to_string(most) + " numbers, expected at most " + std::to_string(most));
      }
      for (size_t number = first; number <= last; ++number) {
        if (!numbers.insert(number).second) refuse("found " + std::to_string(number) + " twice, expected each once");
      }
    }
    target.assign(numbers.begin(), numbers.end());
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("FIRST-LAST,…"), name);
}

void OptionTable::numbers(const std::string& name, std::vector<double>& target, const std::string& help) {
  const auto set = [name, &target](const std::string& given) {
    target.clear();
    for (const std::string& word : comma_parts(given)) {
      double number = 0;
      const auto [rest, status] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (status != std::errc() || rest != word.data() + word.size() || !(number >= 0 && number < HUGE_VAL)) {
        throw ValueError(name, in_quotes(given) + ": expected numbers from 0, with commas between");
      }
      target.push_back(number);
    }
  };
  place(app_.add_option_function<std::string>(name, set, help)->type_name("X,…"), name);
}

}  // namespace bert::cli
