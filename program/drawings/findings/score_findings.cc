// Findings about the terms of a score: pairs of words, entries of the vocabulary, or words left out.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "program/common/terminal_text.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"
#include "program/drawings/token_drawings.h"

namespace bert::drawings {
namespace {

constexpr size_t kListed = 20;        // rows of the table in the text
constexpr size_t kDrawnEntries = 40;  // bars on a page
constexpr int kTermDecimals = 4;

std::string count_of(size_t count, const std::string& one, const std::string& many) {
  return with_commas(count) + " " + (count == 1 ? one : many);
}

// Returns the indices of the values with the largest absolute values, the largest first.
std::vector<size_t> largest(const std::vector<double>& values, size_t count) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
  order.resize(std::min(order.size(), count));
  return order;
}

BarChart::Row term_row(const std::string& label, double term) {
  return {label, {{term, term < 0 ? Ink::kOrange : Ink::kBlue}}, fixed(term, kTermDecimals)};
}

std::vector<double> word_terms(const ExplainedText& text, double score) {
  std::vector<double> terms;
  for (const double without : text.without) terms.push_back(score - without);
  return terms;
}

std::vector<std::string> one_line_each(std::vector<std::string> texts) {
  for (std::string& text : texts) text = one_line(text);
  return texts;
}

class ScoreFindings : public Findings {
 public:
  explicit ScoreFindings(const ScoreExplanation& why) : why_(why), pairs_(why.group_pairs()) {}

  std::string title() const override { return "Why this score"; }
  std::string answer() const override {
    const std::string begin = "The " + why_.function + " is " + fixed(why_.score, 3);
    if (why_.kind == ExplanationKind::kWordsLeftOut) {
      const ExplainedText& text = largest_word(why_.a) >= largest_word(why_.b) ? why_.a : why_.b;
      const std::vector<double> terms = word_terms(text, why_.score);
      if (terms.empty()) return begin + ".";
      const size_t word = largest(terms, 1).front();
      return begin + "; without “" + one_line(text.words[word].text) + "” it is " + fixed(text.without[word], 3) + ".";
    }
    if (why_.kind == ExplanationKind::kEntries) {
      if (why_.entries.empty()) return begin + ": the texts have no entry of the vocabulary in common.";
      return begin + ", of which " + fixed(why_.entries[0].term, 3) + " are of “" + one_line(why_.entries[0].token) +
             "”.";
    }
    if (pairs_.empty()) return begin + ": a text has no vectors.";
    const size_t place = largest(pairs_, 1).front(), columns = why_.b.groups.size();
    return begin + ", of which " + fixed(pairs_[place], 3) + " are of “" + one_line(why_.a.groups[place / columns]) +
           "” and “" + one_line(why_.b.groups[place % columns]) + "”.";
  }

  std::string text(const TextStyle& style) const override {
    std::string text = score_sentence() + "\n\n";
    switch (why_.kind) {
      case ExplanationKind::kWordsLeftOut:
        text += words_table().text(style);
        break;
      case ExplanationKind::kEntries:
        text += entries_table().text(style);
        break;
      default:
        text += pairs_table().text(style);
    }
    if (why_.kind == ExplanationKind::kWordsLeftOut) return text + "\n" + remainder_sentence();
    text.pop_back();  // removes the table's last line end
    return text;
  }

  void add_main(Page& page) const override {
    switch (why_.kind) {
      case ExplanationKind::kWordsLeftOut:
        return add_words(page);
      case ExplanationKind::kEntries:
        return add_entries(page);
      default:
        return add_pairs(page);
    }
  }

 private:
  double largest_word(const ExplainedText& text) const {
    double most = 0;
    for (const double term : word_terms(text, why_.score)) most = std::max(most, std::abs(term));
    return most;
  }

  std::string score_sentence() const {
    const std::string score = "The " + why_.function + " is " + fixed(why_.score, 6);
    switch (why_.kind) {
      case ExplanationKind::kTokenPairs:
        return score + ", the sum of " + count_of(why_.pairs.size(), "term", "terms") +
               ": one for each token of the first text with each of the second.";
      case ExplanationKind::kMatches:
        return score + ", the sum of " + count_of(why_.a.rows.size(), "term", "terms") +
               ": one for each token of the query, with the token of the document that is the most similar to it.";
      case ExplanationKind::kEntries:
        return score + ", the sum of " + count_of(why_.entries.size(), "term", "terms") +
               ": one for each entry of the vocabulary that both texts have.";
      case ExplanationKind::kWordsLeftOut:
        break;
    }
    return score + ". It is no sum over pairs of tokens, because " + why_.not_additive +
           ". A word's term is the score minus that without the word.";
  }

  std::string remainder_sentence() const {
    if (why_.kind != ExplanationKind::kWordsLeftOut) return "";
    return "The score minus the sum of all terms is " + fixed(why_.remainder, kTermDecimals) +
           ": what words do together, and the special tokens.";
  }

  // Returns the pairs of words to list, among those with a term.
  std::vector<size_t> listed_pairs() const {
    std::vector<size_t> places = largest(pairs_, kListed);
    std::erase_if(places, [&](size_t place) { return pairs_[place] == 0; });
    return places;
  }

  Table pairs_table() const {
    Table table({{"first"}, {"second"}, {"term", Align::kRight}});
    const size_t columns = why_.b.groups.size();
    const std::vector<size_t> places = listed_pairs();
    double rest = why_.score;
    for (const size_t place : places) {
      table.add({one_line(why_.a.groups[place / columns]), one_line(why_.b.groups[place % columns]),
                 fixed(pairs_[place], kTermDecimals)});
      rest -= pairs_[place];
    }
    const auto all =
        static_cast<size_t>(std::count_if(pairs_.begin(), pairs_.end(), [](double term) { return term != 0; }));
    if (all > places.size()) {
      table.add({count_of(all - places.size(), "other pair", "other pairs"), "", fixed(rest, kTermDecimals)});
    }
    return table;
  }

  Table entries_table() const {
    Table table({{"entry"}, {"first", Align::kRight}, {"second", Align::kRight}, {"term", Align::kRight}});
    double rest = why_.score;
    const size_t shown = std::min(why_.entries.size(), kListed);
    for (size_t i = 0; i < shown; ++i) {
      const EntryTerm& entry = why_.entries[i];
      table.add({one_line(entry.token), fixed(entry.weight_a, kTermDecimals), fixed(entry.weight_b, kTermDecimals),
                 fixed(entry.term, kTermDecimals)});
      rest -= entry.term;
    }
    if (shown < why_.entries.size()) {
      table.add(
          {count_of(why_.entries.size() - shown, "other entry", "other entries"), "", "", fixed(rest, kTermDecimals)});
    }
    return table;
  }

  Table words_table() const {
    Table table({{"text"}, {"word"}, {"without it", Align::kRight}, {"term", Align::kRight}});
    for (const ExplainedText* text : {&why_.a, &why_.b}) {
      const std::vector<double> terms = word_terms(*text, why_.score);
      for (size_t w = 0; w < terms.size(); ++w) {
        table.add({text == &why_.a ? "first" : "second", one_line(text->words[w].text),
                   fixed(text->without[w], kTermDecimals), fixed(terms[w], kTermDecimals)});
      }
    }
    return table;
  }

  void add_pairs(Page& page) const {
    page.section("Which words",
                 score_sentence() +
                     " A line joins two words: its width is the term's share of the largest one; shares below " +
                     percent(kLeastDrawnShare) +
                     " have no line. The terms of a word are the sums of those of its tokens, and the number beside it "
                     "is the sum of all its terms.");
    if (pairs_.empty()) return;
    page.legend({{Ink::kBlue, "adds to the score"}, {Ink::kOrange, "takes from it"}});
    const std::vector<std::string> first = one_line_each(why_.a.groups), second = one_line_each(why_.b.groups);
    page.drawing(
        draw_pairs({.title = "Pairs of words, by their terms", .left = first, .right = second, .values = pairs_}));
    page.section("The largest terms", "Of pairs of words.");
    page.table(pairs_table());
    page.section("By word", "The terms of every pair of words; special tokens are words of their own.");
    page.drawing(draw_heatmap({.title = "Terms of pairs of words",
                               .rows_are = "first",
                               .columns_are = "second",
                               .rows = first,
                               .columns = second,
                               .values = pairs_,
                               .decimals = 3}));
    if (why_.a.rows.size() == first.size() && why_.b.rows.size() == second.size()) return;
    page.section("By token", "The terms of every pair of tokens.");
    page.drawing(draw_heatmap({.title = "Terms of pairs of tokens",
                               .rows_are = "first",
                               .columns_are = "second",
                               .rows = one_line_each(why_.a.rows),
                               .columns = one_line_each(why_.b.rows),
                               .values = why_.pairs,
                               .decimals = 3}));
  }

  void add_entries(Page& page) const {
    const size_t drawn = std::min(why_.entries.size(), kDrawnEntries);
    page.section("Which entries of the vocabulary",
                 score_sentence() +
                     (drawn < why_.entries.size() ? " These are the " + std::to_string(drawn) + " largest." : ""));
    if (drawn > 0) {
      BarChart bars{.title = "Entries of the vocabulary, by their terms", .rows = {}};
      for (size_t i = 0; i < drawn; ++i) {
        bars.rows.push_back(term_row(one_line(why_.entries[i].token), why_.entries[i].term));
      }
      page.drawing(draw_bar_chart(bars));
    }
    page.table(entries_table());
  }

  void add_words(Page& page) const {
    page.section("Which words", score_sentence() + " " + remainder_sentence());
    page.legend({{Ink::kBlue, "the score is lower without it"}, {Ink::kOrange, "the score is higher without it"}});
    std::vector<Page::Figure> figures;
    for (const ExplainedText* text : {&why_.a, &why_.b}) {
      const std::string which = text == &why_.a ? "the first text" : "the second text";
      BarChart bars{.title = "Words of " + which + ", by their terms", .rows = {}};
      const std::vector<double> terms = word_terms(*text, why_.score);
      for (size_t w = 0; w < terms.size(); ++w) {
        bars.rows.push_back(term_row(one_line(text->words[w].text), terms[w]));
      }
      if (!bars.rows.empty()) figures.push_back({"Words of " + which, draw_bar_chart(bars)});
    }
    page.drawings(figures);
  }

  const ScoreExplanation& why_;
  const std::vector<double> pairs_;  // pairs of words
};

class LabelFindings : public Findings {
 public:
  LabelFindings(const LabelExplanation& why, size_t count) : why_(why), best_(why.labels.size()) {
    std::iota(best_.begin(), best_.end(), size_t{0});
    std::stable_sort(best_.begin(), best_.end(), [&](size_t a, size_t b) { return why.scores[a] > why.scores[b]; });
    best_.resize(std::min(count, best_.size()));
  }

  std::string title() const override { return "Which words a label depends on"; }
  std::string answer() const override {
    const size_t label = best_.front();
    const std::string begin = name_of(label) + " has the score " + fixed(why_.scores[label], 3);
    std::vector<double> terms;
    for (size_t w = 0; w < why_.text.words.size(); ++w) terms.push_back(why_.term(w, label));
    if (terms.empty()) return begin + ".";
    const size_t word = largest(terms, 1).front();
    return begin + "; without “" + word_of(word) + "” it is " + fixed(why_.scores[label] - terms[word], 3) + ".";
  }

  std::string text(const TextStyle& style) const override {
    std::vector<Column> columns = {{"word"}};
    for (const size_t label : best_) columns.push_back({name_of(label), Align::kRight});
    Table table(columns);
    for (size_t w = 0; w < why_.text.words.size(); ++w) {
      std::vector<std::string> cells = {word_of(w)};
      for (const size_t label : best_) cells.push_back(fixed(why_.term(w, label), kTermDecimals));
      table.add(cells);
    }
    std::vector<std::string> remainders = {"remainder"}, scores = {"score"};
    for (const size_t label : best_) {
      remainders.push_back(fixed(why_.remainders[label], kTermDecimals));
      scores.push_back(fixed(why_.scores[label], kTermDecimals));
    }
    table.add(remainders);
    table.add(scores);
    return table.text(style) + "\n" + sentence();
  }

  void add_main(Page& page) const override {
    for (const size_t label : best_) {
      page.section(name_of(label) + ": " + fixed(why_.scores[label], kTermDecimals),
                   sentence() + " The remainder is " + fixed(why_.remainders[label], kTermDecimals) + ".");
      page.legend({{Ink::kBlue, "the score is lower without it"}, {Ink::kOrange, "the score is higher without it"}});
      BarChart bars{.title = "Words, by their terms of " + name_of(label), .rows = {}};
      for (size_t w = 0; w < why_.text.words.size(); ++w)
        bars.rows.push_back(term_row(word_of(w), why_.term(w, label)));
      if (!bars.rows.empty()) page.drawing(draw_bar_chart(bars));
    }
  }

 private:
  std::string name_of(size_t label) const { return one_line(why_.labels[label]); }
  // Words of a pair are marked with A or B.
  std::string word_of(size_t word) const {
    const TextWord& of = why_.text.words[word];
    return one_line(of.text) + (why_.text.pair.empty() ? "" : of.sequence == 0 ? " A" : " B");
  }
  static std::string sentence() {
    return "A word's term is the score minus that of the text without the word. The terms need not sum to the score; "
           "the remainder is what is missing: what words do together, and the special tokens.";
  }

  const LabelExplanation& why_;
  std::vector<size_t> best_;
};

}  // namespace

std::unique_ptr<Findings> score_findings(const ScoreExplanation& explanation) {
  return std::make_unique<ScoreFindings>(explanation);
}

std::unique_ptr<Findings> label_findings(const LabelExplanation& explanation, size_t labels) {
  return std::make_unique<LabelFindings>(explanation, labels);
}

}  // namespace bert::drawings
