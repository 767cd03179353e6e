#include "program/drawings/page.h"

namespace bert::drawings {
namespace {

// Colours and letters of drawings. The palette is Okabe and Ito's, which colour-blind readers can distinguish; it is
// lighter on a dark background.
constexpr char kDrawingStyle[] = R"(
:root { --paper: #ffffff; --ink: #1b1f24; --grey: #6b7480; --grid: #d5dae0;
  --blue: #0072b2; --orange: #d55e00; --green: #009e73; color-scheme: light; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --ink: #e8eaed; --grey: #9aa3ad; --grid: #353c45;
    --blue: #56b4e9; --orange: #e69f00; --green: #2fc79b; color-scheme: dark; } }
svg text { font: 14px "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; }
.blue { fill: var(--blue); } .orange { fill: var(--orange); } .green { fill: var(--green); }
.grey { fill: var(--grey); } .ink { fill: var(--ink); } .grid { fill: var(--grid); }
.pen { fill: none; }
.cells { fill: none; pointer-events: all; }
.pen.blue { stroke: var(--blue); } .pen.orange { stroke: var(--orange); } .pen.green { stroke: var(--green); }
.pen.grey { stroke: var(--grey); } .pen.ink { stroke: var(--ink); } .pen.grid { stroke: var(--grid); }
)";

constexpr char kPageStyle[] = R"(* { box-sizing: border-box; }
html { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0 auto; max-width: 63rem; padding: 2rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "DejaVu Sans", "Liberation Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .3rem; }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; }
h1, h2, h3, h2 + p, h3 + p, .legend, figcaption { break-after: avoid; }
a { color: var(--blue); }
dl { max-width: 48rem; }
dt { margin-top: .5rem; }
dd { margin: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--blue); margin: .6rem 0; }
p { max-width: 48rem; margin: 0 0 .9rem; overflow-wrap: anywhere; }
.lead { color: var(--grey); }
svg { display: block; height: auto; max-width: 100%; }
figure { margin: .6rem 0 1.2rem; break-inside: avoid; width: min(100%, var(--width)); }
figcaption { font-size: .9rem; margin-bottom: .3rem; }
.narrow { display: none; }
@media screen and (max-width: 700px) { .narrow { display: block; } .narrow + div { display: none; } }
.hint { color: var(--grey); font-size: .85rem; overflow: hidden; }
.wide { overflow-x: auto;
  background: linear-gradient(to left, var(--paper) 30%, transparent) right / 4rem 100% no-repeat local,
    linear-gradient(to left, var(--grid), transparent) right / 1rem 100% no-repeat scroll; }
.wide { container-type: inline-size; }
.wide > div { width: max-content; }
.wide .hint { width: 0; min-width: 100%; white-space: nowrap; height: 0;
  padding-bottom: clamp(0px, (100% - 100cqw - 1px) * 100, 1.5em); }
.side { display: flex; flex-wrap: wrap; gap: .6rem 2rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin: 0 0 .6rem; padding: 0; list-style: none;
  font-size: .9rem; }
.legend svg { display: inline-block; vertical-align: -.1em; margin-right: .4em; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; margin: .4rem 0 1rem; }
th, td { text-align: left; padding: .12rem .9rem .12rem 0; white-space: nowrap; }
th { color: var(--grey); font-weight: 600; border-bottom: 1px solid var(--grid); }
tr { break-inside: avoid; }
.right { text-align: right; }
@page { margin: 12mm; }
@media print { body { max-width: none; padding: 0; } .wide { overflow: visible; background: none; }
  .wide > div { width: auto; } .hint, details { display: none; } .block, p { break-inside: avoid; }
  .side { display: block; } .side figure { display: inline-block; margin-right: 1.5rem; }
  table { font-size: .65rem; } th, td { white-space: normal; padding-right: .4rem; } td.right { white-space: nowrap; } }
)";

std::string element(const char* tag, const std::string& text) {
  return "<" + std::string(tag) + ">" + escaped(text) + "</" + tag + ">\n";
}

// Shown above a table that is wider than the window; its frame is as wide as the window.
constexpr char kHint[] = "<div class=\"hint\">Wider than the screen: scroll it to the right →</div>\n";

// Returns the width that the drawing states.
std::string width_of(const std::string& svg) {
  const std::string before = " width=\"";
  const size_t begin = svg.find(before) + before.size();
  return svg.substr(begin, svg.find('"', begin) - begin);
}

}  // namespace

Page::Page(const std::string& title, const std::string& lead)
    : title_(title), body_(element("h1", title) + "<p class=\"lead\">" + escaped(lead) + "</p>\n") {}

void Page::begin_block() {
  if (!is_in_block_) body_ += "<div class=\"block\">\n";
  is_in_block_ = true;
}

void Page::end_block() {
  if (is_in_block_) body_ += "</div>\n";
  is_in_block_ = false;
}

void Page::answers(const std::vector<Answer>& answers) {
  end_block();
  body_ += "<dl>\n";
  for (const Answer& each : answers) {
    body_ += "<dt><a href=\"#" + each.id + "\">" + escaped(each.question) + "</a></dt>\n" + element("dd", each.answer);
  }
  body_ += "</dl>\n";
}

void Page::chapter(const std::string& heading, const std::string& id) {
  end_block();
  begin_block();
  body_ += "<h2" + (id.empty() ? "" : " id=\"" + id + "\"") + ">" + escaped(heading) + "</h2>\n";
  section_tag_ = "h3";
}

void Page::begin_folded(const std::string& summary) {
  end_block();
  body_ += "<details>\n" + element("summary", summary);
}

void Page::end_folded() {
  end_block();
  body_ += "</details>\n";
}

void Page::section(const std::string& heading, const std::string& sentence) {
  begin_block();
  body_ += element(section_tag_, heading) + element("p", sentence);
}

void Page::note(const std::string& sentence) {
  end_block();
  body_ += element("p", sentence);
}

void Page::legend(const std::vector<std::pair<Ink, std::string>>& colors) {
  body_ += "<ul class=\"legend\">\n";
  for (const auto& [ink, meaning] : colors) {
    Drawing swatch(12, 12, "");
    swatch.rect(0, 0, 12, 12, ink);
    body_ += "<li>" + swatch.svg() + escaped(meaning) + "</li>\n";
  }
  body_ += "</ul>\n";
}

void Page::add_figure(const Figure& figure) {
  const Picture& picture = figure.picture;
  drawings_.push_back(picture.wide);
  body_ += "<figure" + (figure.id.empty() ? "" : " id=\"" + figure.id + "\"") +
           " style=\"--width: " + width_of(picture.wide) + "px\">" +
           (figure.title.empty() ? "\n" : element("figcaption", figure.title)) +
           (picture.narrow.empty() ? "" : "<div class=\"narrow\">" + picture.narrow + "</div>") + "<div>" +
           picture.wide + "</div></figure>\n";
}

void Page::drawing(const Picture& picture) {
  add_figure({"", picture});
  end_block();
}

void Page::drawings(const std::vector<Figure>& figures) {
  end_block();
  body_ += "<div class=\"side\">\n";
  for (const Figure& figure : figures) add_figure(figure);
  body_ += "</div>\n";
}

void Page::table(const common::Table& table) {
  const auto cell = [&](const char* tag, size_t column, const std::string& text) {
    const char* align = table.columns()[column].align == common::Align::kRight ? " class=\"right\"" : "";
    return "<" + std::string(tag) + align + ">" + escaped(text) + "</" + tag + ">";
  };
  end_block();
  body_ += std::string("<div class=\"wide\"><div>") + kHint + "<table>\n<thead><tr>";
  for (size_t c = 0; c < table.columns().size(); ++c) body_ += cell("th", c, table.columns()[c].title);
  body_ += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows()) {
    body_ += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) body_ += cell("td", c, row[c]);
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div></div>\n";
}

std::string Page::html() const {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         element("title", title_) + "<style>" + kDrawingStyle + kPageStyle + "</style>\n</head>\n<body>\n" + body_ +
         (is_in_block_ ? "</div>\n" : "") + "</body>\n</html>\n";
}

std::string standalone_svg(const std::string& svg) {
  const size_t attributes = svg.find(' '), content = svg.find('>') + 1;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + svg.substr(attributes, content - attributes) + "\n<style>" +
         kDrawingStyle + ":root { background: var(--paper); }\n</style>" + svg.substr(content);
}

}  // namespace bert::drawings
