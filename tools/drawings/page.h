// One self-contained HTML file: headings, sentences, tables and drawings, with styles for light and dark screens and
// for print. It has no script and loads nothing. Used by one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/common/table.h"
#include "tools/drawings/drawing.h"

namespace bert::drawings {

class Page {
 public:
  // `lead`: the subtitle, with the text and the model.
  Page(const std::string& title, const std::string& lead);

  // The sections that follow belong to it.
  void chapter(const std::string& heading, const std::string& sentence);
  // `sentence`: describes the section's drawings and tables.
  void section(const std::string& heading, const std::string& sentence);
  void legend(const std::vector<std::pair<Ink, std::string>>& colors);
  void drawing(const std::string& svg);
  // Side by side if the page is wide enough, each with its title, if that is not empty.
  struct Figure {
    std::string title;
    std::string svg;
    std::string id = {};  // for links to it
  };
  void drawings(const std::vector<Figure>& figures);
  void table(const common::Table& table);
  void note(const std::string& sentence);

  std::string html() const;
  const std::string& first_drawing() const { return first_drawing_; }  // empty: none

 private:
  // A block of headings, sentences and their first drawing is printed on one sheet.
  void begin_block();
  void end_block();
  void add_figure(const Figure& figure);

  std::string title_;
  std::string body_;
  std::string first_drawing_;
  bool is_in_block_ = false;
  const char* section_tag_ = "h2";
};

// A drawing as an SVG file of its own, for light and dark screens.
std::string standalone_svg(const std::string& svg);

}  // namespace bert::drawings
