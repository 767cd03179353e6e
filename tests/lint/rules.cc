#include "tests/lint/rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

namespace bert::lint {
namespace {

struct Line {
  size_t number;
  std::string text;
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) lines.push_back({lines.size() + 1, line});
  return lines;
}

std::string finding(const SourceFile& file, size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

struct Include {
  size_t line;
  bool quoted;
  std::string name;
};

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  for (const Line& line : lines_of(file.text)) {
    if (line.text.find("include") == line.text.npos) continue;  // faster than the regular expression by a factor of 100
    std::smatch match;
    if (std::regex_search(line.text, match, pattern)) includes.push_back({line.number, match[1] == "\"", match[2]});
  }
  return includes;
}

bool is_cpp(std::string_view path) { return path.ends_with(".cc") || path.ends_with(".h") || path.ends_with(".inc"); }

bool stands_in(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with("/"));
}

// Returns the path, from the top of the tree, to which an include leads.
std::string resolve(const std::string& name) { return name.starts_with("bert/") ? "include/" + name : name; }

struct FolderRule {
  std::string_view folder;
  std::vector<std::string_view> below;  // folders or files that it may include, besides itself
};

// Subfolders come before their parent, because the first match wins.

const std::vector<FolderRule>& folder_rules() {
  static const std::vector<FolderRule> rules = {
      {"include/bert", {}},
      {"engine/base",
       {"include/bert/memory.h", "include/bert/missing_pages.h", "include/bert/new_file.h", "include/bert/offsets.h"}},
      {"engine/tensor", {"engine/base"}},
      {"engine/kernels", {"engine/tensor", "engine/base"}},
      {"engine/layers", {"engine/kernels", "engine/tensor", "engine/base"}},
      {"engine/checkpoint", {"engine/tensor", "engine/base", "include/bert/new_file.h"}},
      {"tokenizer/files", {"tokenizer", "engine/base", "include/bert/tokenizer.h"}},
      {"tokenizer", {"engine/base", "include/bert/offsets.h", "include/bert/tokenizer.h"}},
      {"models/config", {"tokenizer", "engine", "include/bert"}},
      {"models/families", {"models/config", "tokenizer", "engine", "include/bert"}},
      {"models/encoder", {"models/config", "engine", "include/bert"}},
      {"models/sentence", {"models/encoder", "models/config", "tokenizer", "engine", "include/bert"}},
      {"models/files", {"engine/checkpoint", "engine/tensor", "engine/base", "include/bert"}},
      {"models/text", {"models/sentence", "models/config", "models/files", "tokenizer", "engine/base", "include/bert"}},
      {"models/model",
       {"models/text", "models/sentence", "models/encoder", "models/files", "models/config", "tokenizer", "engine",
        "include/bert"}},
      {"models/pipeline", {"models/model", "models/text", "engine/base", "tokenizer", "include/bert"}},
      {"tasks/search",
       {"engine/kernels", "engine/tensor", "engine/base", "include/bert/clusters.h", "include/bert/vectors.h"}},
      {"tasks/analysis", {"engine/base/elementary.h", "include/bert/experiments.h", "include/bert/fit.h"}},
      {"tasks/labels", {"models", "tokenizer", "engine", "include/bert"}},
      {"tasks/heads", {"tasks/labels", "tasks/search", "models", "tokenizer", "engine", "include/bert"}},
      {"tasks/writing",
       {"tasks/heads", "tasks/labels", "tasks/analysis", "models", "tokenizer", "engine", "include/bert"}},
      {"tasks/research",
       {"tasks/heads", "tasks/labels", "tasks/analysis", "tasks/search", "models", "tokenizer", "engine",
        "include/bert"}},
      {"bindings/c", {"tasks", "models", "tokenizer", "engine/base", "include/bert"}},
      {"program/common", {"engine/base/posix/system.h", "engine/base/utf8.h", "engine/base/windows/system.h"}},
      {"program/drawings", {"include/bert", "tasks/analysis", "engine/base/joined.h", "program/common"}},
      {"program/fetch", {"include/bert", "engine/base", "models/files", "program/common"}},
      {"program/cli",
       {"include/bert", "tasks/analysis", "engine/base/joined.h", "engine/base/json/json_writer.h",
        "engine/base/utf8.h", "engine/base/utf8_path.h", "engine/base/windows/system.h", "program/common",
        "program/drawings", "program/fetch/fetch.h", "program/server/base/log_writer.h", "program/server/http/check.h",
        "program/server/request_log.h", "program/server/serve.h"}},
      {"program/server/base", {"program/common"}},
      {"program/server/http", {"program/server/base", "program/common"}},
      {"program/server/queue", {"program/server/base", "include/bert"}},
      {"program/server/routes",
       {"program/server/queue", "program/server/http", "program/server/base", "include/bert", "engine/base/joined.h",
        "engine/base/json/json_writer.h", "program/common"}},
      {"program/server",
       {"program/server/routes", "program/server/queue", "program/server/http", "program/server/base", "include/bert",
        "program/common"}},
      {"tools/bench", {"include/bert", "engine", "tasks/search"}},
      {"tools/tasks", {"include/bert"}},
      {"bindings/python", {"include/bert", "program/drawings"}},
      {"bindings", {"include/bert"}},
      {"docs/live", {"include/bert", "program/common", "program/drawings"}},
      {"examples", {"include/bert"}},
      {"packaging", {"include/bert"}},
      {"tests", {"include/bert", "engine", "tokenizer", "models", "tasks", "bindings", "program", "tools"}},
  };
  return rules;
}

// Returns whether this is a use by the list of families: the build generates this list, which names a function of each
// family.
bool is_listed_family(std::string_view user, std::string_view symbol) {
  return user == "models/config" && symbol.starts_with("bert::") && symbol.ends_with("_family");
}

// Returns whether this is the use of listed_forms(): the build defines this function for each library, with the forms
// of models that have an extension.
bool is_listed_form(std::string_view user, std::string_view symbol) {
  return user == "models/model" && (symbol == "bert::listed_forms()" || symbol == "bert::listed_forms[abi:cxx11]()");
}

// Files that every folder may include: the error type, and the macro that marks exported names.
constexpr std::array<std::string_view, 2> kForAll = {"include/bert/error.h", "include/bert/export.h"};

const FolderRule* rule_of(std::string_view path) {
  const auto rule = std::find_if(folder_rules().begin(), folder_rules().end(),
                                 [&](const FolderRule& r) { return stands_in(path, r.folder); });
  return rule == folder_rules().end() ? nullptr : &*rule;
}

bool may_use(const FolderRule& rule, std::string_view target) {
  const auto reaches = [&](std::string_view folder) { return stands_in(target, folder); };
  return rule_of(target) == &rule || std::any_of(rule.below.begin(), rule.below.end(), reaches);
}

bool is_standard_header(const std::string& name) {
  static const std::regex pattern("[a-z_0-9]+|(stddef|stdint)\\.h");
  return std::regex_match(name, pattern);
}

// Calls use(word) for each word of the text. A word consists of letters, digits and underscores.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    while (begin < text.size() && !is_of_word(text[begin])) ++begin;
    for (end = begin; end < text.size() && is_of_word(text[end]);) ++end;
    if (end > begin) use(text.substr(begin, end - begin));
  }
}

bool is_of_core(std::string_view path) {
  return stands_in(path, "engine") || stands_in(path, "tokenizer") || stands_in(path, "models");
}

}  // namespace

Findings check_includes(const SourceFile& file) {
  if (!is_cpp(file.path)) return {};
  const bool is_core = is_of_core(file.path);
  const FolderRule* rule = rule_of(file.path);
  if (rule == nullptr) return {finding(file, 1, "stands in a folder that the include rule does not name")};

  Findings findings;
  for (const Include& include : includes_of(file)) {
    if (is_core && (include.name.starts_with("Eigen/") || include.name.starts_with("nlohmann/"))) {
      findings.push_back(finding(file, include.line, "the core includes <" + include.name + ">, it needs no package"));
      continue;
    }
    if (!include.quoted) {
      if (rule->folder == "include/bert" && !is_standard_header(include.name)) {
        findings.push_back(finding(file, include.line, "public header includes <" + include.name + ">"));
      }
      continue;
    }
    if (include.name.find('/') == std::string::npos && include.name.ends_with(".inc")) continue;  // built
    const std::string target = resolve(include.name);
    if (may_use(*rule, target) || std::find(kForAll.begin(), kForAll.end(), target) != kForAll.end()) continue;
    findings.push_back(
        finding(file, include.line, std::string(rule->folder) + " may not include \"" + include.name + "\""));
  }
  return findings;
}

Findings check_core_headers(const SourceFile& file, const std::set<std::string>& core_headers) {
  if (!is_cpp(file.path) || !(is_of_core(file.path) || core_headers.contains(file.path))) return {};
  Findings findings;
  for (const Include& include : includes_of(file)) {
    const std::string target = resolve(include.name);
    if (!stands_in(target, "include/bert") || core_headers.contains(target)) continue;
    findings.push_back(
        finding(file, include.line, "the core includes " + include.name + ", which is none of its headers"));
  }
  return findings;
}

Findings check_include_circles(const std::vector<SourceFile>& files, const std::set<std::string>& exceptions) {
  struct Edge {
    const SourceFile* file;
    size_t line;
    std::string target;
  };
  const auto stem = [](const std::string& path) { return path.substr(0, path.find('.', path.rfind('/') + 1)); };
  std::set<std::string> paths, unused = exceptions;
  for (const SourceFile& file : files) paths.insert(file.path);
  std::map<std::string, std::vector<Edge>> edges;
  for (const SourceFile& file : files) {
    if (!is_cpp(file.path)) continue;
    for (const Include& include : includes_of(file)) {
      const std::string target = resolve(include.name);
      if (!include.quoted || !paths.contains(target) || stem(target) == stem(file.path)) continue;
      const std::string edge = file.path + " includes " + target;
      unused.erase(edge);
      if (!exceptions.contains(edge)) edges[stem(file.path)].push_back({&file, include.line, stem(target)});
    }
  }

  Findings findings;
  std::map<std::string, bool> is_on_way;  // for each visited file, whether it is on the present path
  std::vector<std::string> way;
  const std::function<void(const std::string&)> visit = [&](const std::string& one) {
    is_on_way[one] = true;
    way.push_back(one);
    for (const Edge& edge : edges[one]) {
      const auto seen = is_on_way.find(edge.target);
      if (seen == is_on_way.end()) {
        visit(edge.target);
      } else if (seen->second) {
        std::string circle;
        for (auto step = std::find(way.begin(), way.end(), edge.target); step != way.end(); ++step) {
          circle += *step + " -> ";
        }
        findings.push_back(finding(*edge.file, edge.line, "closes a circle of includes: " + circle + edge.target));
      }
    }
    way.pop_back();
    is_on_way[one] = false;
  };
  for (const SourceFile& file : files) {
    if (is_cpp(file.path) && !is_on_way.contains(stem(file.path))) visit(stem(file.path));
  }
  for (const std::string& exception : unused) findings.push_back(exception + ": is an exception that is not there");
  return findings;
}

Findings check_symbols(const std::vector<FolderSymbols>& folders) {
  std::map<std::string, std::vector<std::string_view>> definers;
  for (const FolderSymbols& folder : folders) {
    for (const std::string& symbol : folder.defined) definers[symbol].push_back(folder.folder);
  }
  Findings findings;
  for (const FolderSymbols& folder : folders) {
    const FolderRule* rule = rule_of(folder.folder);
    if (rule == nullptr) {
      findings.push_back(folder.folder + ": is not named by the folder rule");
      continue;
    }
    for (const std::string& symbol : folder.undefined) {
      if (is_listed_family(folder.folder, symbol) || is_listed_form(folder.folder, symbol)) continue;
      const auto found = definers.find(symbol);  // a symbol that no folder defines belongs to the system or the
                                                 // compiler
      if (found == definers.end() || std::any_of(found->second.begin(), found->second.end(),
                                                 [&](auto target) { return may_use(*rule, target); })) {
        continue;
      }
      findings.push_back(folder.folder + ": may not use " + symbol + " of " + std::string(found->second.front()));
    }
  }
  return findings;
}

Findings check_isa_includes(const std::vector<SourceFile>& files) {
  // These headers have only types, macros and the compiler's own intrinsics, which are always inlined. None has a
  // function whose code the linker could merge with that of another file.
  static const std::set<std::string> allowed = {"arm_neon.h", "cstddef",  "cstdint",  "immintrin.h",
                                                "stddef.h",   "stdint.h", "string.h", "wasm_simd128.h"};
  std::map<std::string, const SourceFile*> by_path;
  std::vector<std::pair<const SourceFile*, std::string>> queue;  // a file, and the ISA file that includes it
  for (const SourceFile& file : files) {
    by_path[file.path] = &file;
    if (stands_in(file.path, "engine/kernels/isa") && file.path.ends_with(".cc")) queue.emplace_back(&file, file.path);
  }
  Findings findings;
  std::set<std::string> seen;
  for (size_t next = 0; next < queue.size(); ++next) {
    const auto [file, origin] = queue[next];
    if (!seen.insert(file->path).second) continue;
    for (const Include& include : includes_of(*file)) {
      if (!include.quoted && !allowed.contains(include.name)) {
        findings.push_back(
            finding(*file, include.line, "<" + include.name + "> reaches " + origin + ", built with ISA flags"));
      }
      const auto target = by_path.find(resolve(include.name));
      if (include.quoted && target != by_path.end()) queue.emplace_back(target->second, origin);
    }
  }
  return findings;
}

Findings check_family_names(const SourceFile& file) {
  const bool looked_at = stands_in(file.path, "engine") || stands_in(file.path, "tokenizer") ||
                         stands_in(file.path, "models") || stands_in(file.path, "tasks") ||
                         stands_in(file.path, "include") || stands_in(file.path, "program/drawings") ||
                         stands_in(file.path, "program/cli");
  if (!looked_at || stands_in(file.path, "models/families") || file.path.ends_with(".md")) return {};
  Findings findings;
  for (const Line& line : lines_of(file.text)) {
    std::string lower = line.text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* name : {"distilbert", "roberta", "albert", "electra", "mpnet", "camembert", "deberta", "xlm"}) {
      const size_t at = lower.find(name);
      if (at == lower.npos) continue;
      findings.push_back(
          finding(file, line.number, "names the family '" + line.text.substr(at, std::string_view(name).size()) + "'"));
      break;
    }
  }
  return findings;
}

Findings check_mirror(const std::set<std::string>& paths, const std::set<std::string>& exceptions) {
  static constexpr std::string_view kMirrored[] = {"engine", "tokenizer", "models", "tasks", "bindings/c", "program"};
  Findings findings;
  std::set<std::string> used;
  const auto is_mirrored = [](std::string_view path) {
    return std::ranges::any_of(kMirrored, [&](std::string_view folder) { return stands_in(path, folder); });
  };
  for (const std::string& path : paths) {
    constexpr std::string_view kTests = "tests/", kTest = "_test.cc";
    if (path.starts_with(kTests) && path.ends_with(kTest)) {
      const std::string source = path.substr(kTests.size(), path.size() - kTests.size() - kTest.size());
      if (!is_mirrored(source) || paths.contains(source + ".cc") || paths.contains(source + ".h") ||
          paths.contains(source + ".inl.h")) {
        continue;
      }
      if (exceptions.contains(path)) {
        used.insert(path);
      } else {
        findings.push_back(path + ":1: there is no " + source + ".cc");
      }
    }
    const bool is_source = path.ends_with(".cc") && is_mirrored(path);
    const std::string test = "tests/" + path.substr(0, path.size() - std::min<size_t>(3, path.size())) + "_test.cc";
    if (!is_source || paths.contains(test)) continue;
    if (exceptions.contains(path)) {
      used.insert(path);
    } else {
      findings.push_back(path + ":1: has no " + test);
    }
  }
  for (const std::string& exception : exceptions) {
    if (!used.contains(exception)) findings.push_back(exception + ":1: is an exception without need");
  }
  return findings;
}

Findings check_file_lengths(const std::vector<SourceFile>& files, const std::set<std::string>& exceptions) {
  constexpr size_t kLines = 400;
  Findings findings;
  std::set<std::string> seen;
  for (const SourceFile& file : files) {
    const FolderRule* rule = is_cpp(file.path) ? rule_of(file.path) : nullptr;
    if (rule == nullptr || rule->folder == "tests") continue;
    const size_t lines = lines_of(file.text).size();
    if (exceptions.contains(file.path)) {
      seen.insert(file.path);
    } else if (lines > kLines) {
      findings.push_back(finding(file, kLines + 1, "has " + std::to_string(lines) + " lines, at most 400"));
    }
  }
  for (const std::string& path : exceptions) {
    if (!seen.contains(path)) findings.push_back(path + ":1: is an exception that is not there");
  }
  return findings;
}

Findings check_links(const SourceFile& file, const std::set<std::string>& paths) {
  static const std::regex pattern(R"(\]\(([^)\s]+)\))");
  namespace fs = std::filesystem;
  Findings findings;
  bool code = false;
  for (const Line& line : lines_of(file.text)) {
    if (line.text.starts_with("```")) code = !code;
    if (code) continue;
    for (std::sregex_iterator it(line.text.begin(), line.text.end(), pattern), end; it != end; ++it) {
      std::string link = (*it)[1];
      if (link.find("://") != std::string::npos || link.starts_with("#") || link.starts_with("mailto:")) continue;
      link = link.substr(0, link.find('#'));
      const std::string target = (fs::path(file.path).parent_path() / link).lexically_normal().generic_string();
      const bool there = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return path == target || stands_in(path, target.ends_with("/") ? target.substr(0, target.size() - 1) : target);
      });
      if (!there) findings.push_back(finding(file, line.number, "links to " + link + ", which is not there"));
    }
  }
  return findings;
}

Findings check_folder_table(const SourceFile& page) {
  static const std::regex row(R"(^\| `([a-z_/]+)/` \| *([^|]*?) *\| .*\|$)");
  static const std::regex name("[A-Za-z0-9_./]+");
  std::map<std::string_view, std::set<std::string>> rules;
  for (const FolderRule& rule : folder_rules()) rules[rule.folder] = {rule.below.begin(), rule.below.end()};
  Findings findings;
  std::set<std::string> seen;
  for (const Line& line : lines_of(page.text)) {
    std::smatch match;
    if (!std::regex_match(line.text, match, row)) continue;
    const std::string folder = match[1], below = match[2];
    seen.insert(folder);
    const auto rule = rules.find(folder);
    if (rule == rules.end()) {
      findings.push_back(finding(page, line.number, "has a row for " + folder + ", which no rule names"));
      continue;
    }
    std::set<std::string> named;
    for (std::sregex_iterator it(below.begin(), below.end(), name), end; it != end; ++it) named.insert(it->str());
    if (named != rule->second) {
      findings.push_back(finding(page, line.number, "says of " + folder + " what the rule does not"));
    }
  }
  for (const auto& [folder, below] : rules) {
    if (!seen.contains(std::string(folder)))
      findings.push_back(page.path + ":1: has no row for " + std::string(folder));
  }
  return findings;
}

SourceNames::SourceNames(const std::vector<SourceFile>& files) : files_(files) {
  static const std::set<std::string_view> keywords = {"class", "struct", "enum", "namespace"};
  for (size_t file = 0; file < files.size(); ++file) {
    if (!is_cpp(files[file].path)) continue;
    bool defines = false;  // whether the word before is a keyword
    for_each_word(files[file].text, [&](std::string_view word) {
      if (word == "BERT_API") return;
      const bool is_keyword = keywords.contains(word);
      if (defines && !is_keyword) files_of_[std::string(word)].push_back(file);
      defines = is_keyword;
    });
  }
}

bool SourceNames::have(const std::string& scope, const std::string& member) const {
  const auto found = files_of_.find(scope);
  return found != files_of_.end() && std::any_of(found->second.begin(), found->second.end(), [&](size_t file) {
           bool has = false;
           for_each_word(files_[file].text, [&](std::string_view word) { has |= word == member; });
           return has;
         });
}

Findings check_names_of_sources(const SourceFile& page, const std::set<std::string>& paths, const SourceNames& names) {
  static const std::set<std::string> others = {"std", "BertInfer"};  // scopes of the language and of CMake
  static const std::regex quoted("`([^`]+)`");
  static const std::regex path_pattern(R"(([A-Za-z_.]+)/[\w./-]*)");
  static const std::regex name_pattern(R"((?:bert::)?(\w+)::~?(\w+)(?:\(.*\))?)");
  Findings findings;
  bool code = false;
  for (const Line& line : lines_of(page.text)) {
    if (line.text.starts_with("```")) code = !code;
    if (code) continue;
    for (std::sregex_iterator it(line.text.begin(), line.text.end(), quoted), end; it != end; ++it) {
      const std::string text = (*it)[1];
      std::smatch match;
      const auto below = [&](std::string_view folder) {
        return std::any_of(paths.begin(), paths.end(),
                           [&](const std::string& path) { return stands_in(path, folder); });
      };
      if (std::regex_match(text, match, path_pattern)) {
        const bool is_ours = below(match[1].str()) && !match[1].str().starts_with("build");
        if (is_ours && !below(text.ends_with("/") ? text.substr(0, text.size() - 1) : text)) {
          findings.push_back(finding(page, line.number, "names " + text + ", which is not there"));
        }
      } else if (std::regex_match(text, match, name_pattern)) {
        if (!others.contains(match[1]) && !names.have(match[1], match[2])) {
          findings.push_back(finding(page, line.number, "names " + text + ", which no source has"));
        }
      }
    }
  }
  return findings;
}

Findings check_line_lengths(const SourceFile& file) {
  constexpr size_t kColumns = 120;
  const bool markdown = file.path.ends_with(".md");
  const bool script = file.path.ends_with(".py") || file.path.ends_with(".sh") || file.path == ".ci/run" ||
                      file.path.ends_with(".js") || file.path.ends_with(".mjs") || file.path.ends_with(".ts");
  const bool cmake = file.path.ends_with("CMakeLists.txt") || file.path.ends_with(".cmake");
  if (!markdown && !script && !cmake) return {};
  Findings findings;
  bool code = false;
  for (const Line& line : lines_of(file.text)) {
    if (markdown && line.text.starts_with("```")) code = !code;
    const size_t begin = line.text.find_first_not_of(' ');
    if (markdown ? code || line.text.starts_with("|") : cmake && (begin == line.text.npos || line.text[begin] != '#')) {
      continue;
    }
    // Columns are characters, not bytes.
    const auto columns = static_cast<size_t>(std::count_if(
        line.text.begin(), line.text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    if (columns > kColumns) findings.push_back(finding(file, line.number, std::to_string(columns) + " columns"));
  }
  return findings;
}

Findings check_using_declarations(const SourceFile& file) {
  static const std::regex pattern("^ *using ([A-Za-z_0-9]+::)+([A-Za-z_0-9]+);");
  Findings findings;
  if (!file.path.ends_with(".cc") && !file.path.ends_with(".h")) return findings;
  for (const Line& line : lines_of(file.text)) {
    std::smatch match;
    if (line.text.find("using ") == std::string::npos || !std::regex_search(line.text, match, pattern)) continue;
    const std::string name = match[2];
    const bool is_constructor = match[1] == name + "::";
    const std::regex word("\\b" + name + "\\b");
    const auto begin = std::sregex_iterator(file.text.begin(), file.text.end(), word);
    if (is_constructor || std::distance(begin, std::sregex_iterator()) > 1) continue;
    findings.push_back(finding(file, line.number, "nothing uses " + name + ", which it declares"));
  }
  return findings;
}

Findings check_kind(const std::string& path, bool is_empty) {
  static const std::set<std::string> endings = {
      "abi", "abignore", "awk",  "c",     "cc",   "cmake", "conf",  "csv",         "dict",    "dockerignore", "go",
      "h",   "html",     "in",   "ipynb", "java", "js",    "json",  "jsonl",       "lock",    "map",          "md",
      "mjs", "mod",      "py",   "pyi",   "rb",   "rs",    "S",     "safetensors", "service", "sh",           "socket",
      "sum", "svg",      "toml", "ts",    "tsv",  "txt",   "typed", "xml",         "yaml",    "yml"};
  static const std::set<std::string> names = {".clang-format", ".clang-tidy", ".dockerignore", ".gitignore",
                                              "Dockerfile",    "Doxyfile",    "LICENSE",       "NOTICE",
                                              "copyright",     "run",         "usage"};
  const std::string name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  const bool has_ending = dot != std::string::npos && endings.contains(name.substr(dot + 1));
  Findings findings;
  if (!has_ending && !names.contains(name)) findings.push_back(path + ":1: is of no kind that the tree has");
  if (is_empty && name != "__init__.py" && name != "py.typed") findings.push_back(path + ":1: is empty");
  return findings;
}

Findings check_path_strings(const SourceFile& file) {
  static const std::regex pattern(
      R"(\b(path_?|from|to|folder|directory|file|(path|parent_path|filename|stem|extension)\(\))\.string\(\))");
  static const std::set<std::string> folders = {"engine", "tokenizer",  "models",
                                                "tasks",  "bindings/c", "bindings/node"};
  const auto has_file = [&](const std::string& folder) { return stands_in(file.path, folder); };
  const bool is_compiled_for_windows = file.path.find("/posix/") == file.path.npos;
  const bool is_library = std::any_of(folders.begin(), folders.end(), has_file);
  if (!is_library || !is_compiled_for_windows || file.path == "engine/base/utf8_path.h") return {};
  Findings findings;
  for (const Line& line : lines_of(file.text)) {
    if (line.text.find(".string()") == line.text.npos || !std::regex_search(line.text, pattern)) continue;
    findings.push_back(finding(file, line.number, "calls string() of a path, expected utf8()"));
  }
  return findings;
}

Findings check_machine_paths(const SourceFile& file) {
  // The pattern is written in pieces, so that this file passes its own check.
  static const std::regex pattern(std::string("/ho") + "me/[a-z]|/ro" + "ot/|/Us" + "ers/[A-Za-z]|[A-Z]:\\\\Us" +
                                  "ers");
  Findings findings;
  for (const Line& line : lines_of(file.text)) {
    const auto has = [&](const char* part) { return line.text.find(part) != line.text.npos; };
    if (!has("/ho") && !has("/ro") && !has("Us")) continue;
    std::smatch match;
    if (std::regex_search(line.text, match, pattern)) {
      findings.push_back(finding(file, line.number, "names a path of one machine: " + match.str()));
    }
  }
  return findings;
}

}  // namespace bert::lint
