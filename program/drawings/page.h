// One self-contained HTML file: headings, sentences, tables and drawings, with styles for light and dark, wide and
// narrow screens, and for print. It has no script and loads nothing. Used by one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/common/table.h"
#include "program/drawings/drawing.h"

namespace bert::drawings {

class Page {
 public:
  // lead: the subtitle, with the text and the model.
  Page(const std::string& title, const std::string& lead);

  // A question with its answer; the question links to the chapter `id`.
  struct Answer {
    std::string question;
    std::string answer;
    std::string id;
  };
  void answers(const std::vector<Answer>& answers);
  // Begins a chapter, to which the following sections belong. id: for links; empty: none
  void chapter(const std::string& heading, const std::string& id = {});
  // Everything until end_folded is shown only when the reader opens it, and is not printed.
  void begin_folded(const std::string& summary);
  void end_folded();
  // sentence: describes the section's drawings and tables.
  void section(const std::string& heading, const std::string& sentence);
  void legend(const std::vector<std::pair<Ink, std::string>>& colors);
  void drawing(const Picture& picture);
  // A drawing; figures are side by side if the page is wide enough. Its title may be empty.
  struct Figure {
    std::string title;
    Picture picture;
    std::string id = {};  // for links
  };
  void drawings(const std::vector<Figure>& figures);
  void table(const common::Table& table);
  void note(const std::string& sentence);

  std::string html() const;
  // Returns all drawings in the order of the page, in their wide form.
  const std::vector<std::string>& drawn() const { return drawings_; }

 private:
  // Begins a block: its headings, sentences and first drawing are printed on one sheet.
  void begin_block();
  void end_block();
  void add_figure(const Figure& figure);

  std::string title_;
  std::string body_;
  std::vector<std::string> drawings_;
  bool is_in_block_ = false;
  const char* section_tag_ = "h2";
};

// Returns a drawing as an SVG file, for light and dark screens.
std::string standalone_svg(const std::string& svg);

}  // namespace bert::drawings
