#include "tests/lint/rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
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
    std::smatch match;
    if (std::regex_search(line.text, match, pattern)) includes.push_back({line.number, match[1] == "\"", match[2]});
  }
  return includes;
}

bool is_cpp(std::string_view path) { return path.ends_with(".cc") || path.ends_with(".h") || path.ends_with(".inc"); }

bool stands_in(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with("/"));
}

// Where an include written from the top of the tree leads.
std::string resolve(const std::string& name) { return name.starts_with("bert/") ? "include/" + name : name; }

struct FolderRule {
  std::string_view folder;
  std::vector<std::string_view> below;  // folders or files that it may include, besides itself
};

// Subfolders stand before their parent: the first match wins.

const std::vector<FolderRule>& folder_rules() {
  static const std::vector<FolderRule> rules = {
      {"include/bert", {}},
      {"engine/base",
       {"include/bert/memory.h", "include/bert/missing_pages.h", "include/bert/new_file.h", "include/bert/offsets.h"}},
      {"engine/tensor", {"engine/base"}},
      {"engine/kernels", {"engine/tensor", "engine/base"}},
      {"engine/layers", {"engine/kernels", "engine/tensor", "engine/base"}},
      {"engine/checkpoint", {"engine/tensor", "engine/base", "include/bert/new_file.h"}},
      {"engine/search",
       {"engine/kernels", "engine/tensor", "engine/base", "include/bert/clusters.h", "include/bert/vectors.h"}},
      {"tokenizer/files", {"tokenizer", "engine/base", "include/bert/tokenizer.h"}},
      {"tokenizer", {"engine/base", "include/bert/offsets.h", "include/bert/tokenizer.h"}},
      {"models/config", {"tokenizer", "engine", "include/bert"}},
      {"models/families", {"models/config", "tokenizer", "engine", "include/bert"}},
      {"models/encoder", {"models/config", "engine", "include/bert"}},
      {"models/sentence", {"models/encoder", "models/config", "tokenizer", "engine", "include/bert"}},
      {"models/files", {"engine/checkpoint", "engine/tensor", "engine/base", "include/bert"}},
      {"models/text", {"models/sentence", "models/config", "models/files", "tokenizer", "engine/base", "include/bert"}},
      {"models/labels", {"models/encoder", "models/config", "tokenizer", "engine", "include/bert"}},
      {"models/model",
       {"models/text", "models/labels", "models/sentence", "models/encoder", "models/files", "models/config",
        "tokenizer", "engine", "include/bert"}},
      {"models/pipeline", {"models/model", "models/labels", "models/text", "engine/base", "tokenizer", "include/bert"}},
      {"models/tasks",
       {"models/pipeline", "models/model", "models/sentence", "models/encoder", "tokenizer", "engine/search",
        "engine/base", "include/bert"}},
      {"models/writing",
       {"models/pipeline", "models/model", "models/text", "models/sentence", "models/encoder", "models/files",
        "models/config", "tokenizer", "engine", "analysis", "include/bert"}},
      {"models/research",
       {"models/pipeline", "models/model", "models/text", "models/sentence", "models/encoder", "models/files",
        "models/config", "tokenizer", "engine", "analysis", "include/bert"}},
      {"models/c_api",
       {"models/writing", "models/tasks", "models/pipeline", "models/model", "models/text", "models/sentence",
        "models/encoder", "engine/search", "engine/base", "tokenizer", "include/bert"}},
      {"analysis", {"include/bert/experiments.h", "include/bert/fit.h"}},
      {"tools/common", {}},
      {"tools/drawings", {"include/bert", "analysis", "tools/common"}},
      {"tools/fetch", {"include/bert", "engine/base", "models/files", "tools/common"}},
      {"tools/cli",
       {"include/bert", "analysis", "tools/common", "tools/drawings", "tools/fetch/fetch.h",
        "tools/server/http/check.h", "tools/server/log_writer.h", "tools/server/request_log.h",
        "tools/server/serve.h"}},
      {"tools/server", {"include/bert", "tools/common"}},
      {"tools/bench", {"include/bert", "engine"}},
      {"python", {"include/bert", "tools/drawings"}},
      {"bindings", {"include/bert"}},
      {"docs/live", {"include/bert", "tools/common", "tools/drawings"}},
      {"examples", {"include/bert"}},
      {"packaging", {"include/bert"}},
      {"tests", {"include/bert", "engine", "tokenizer", "models", "analysis", "tools"}},
  };
  return rules;
}

// The list of the families, which the build makes of their files.
bool is_listed_family(std::string_view user, std::string_view symbol) {
  return user == "models/config" && symbol.starts_with("bert::") && symbol.ends_with("_family");
}

// What every folder may include: the error type and the mark of what is exported.
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

}  // namespace

Findings check_includes(const SourceFile& file) {
  if (!is_cpp(file.path)) return {};
  const FolderRule* rule = rule_of(file.path);
  if (rule == nullptr) return {finding(file, 1, "stands in a folder that the include rule does not name")};

  Findings findings;
  for (const Include& include : includes_of(file)) {
    if (!include.quoted) {
      if (rule->folder == "include/bert" && !is_standard_header(include.name)) {
        findings.push_back(finding(file, include.line, "public header includes <" + include.name + ">"));
      }
      continue;
    }
    if (include.name.find('/') == std::string::npos && include.name.ends_with(".inc")) continue;  // made by the build
    const std::string target = resolve(include.name);
    if (may_use(*rule, target) || std::find(kForAll.begin(), kForAll.end(), target) != kForAll.end()) continue;
    findings.push_back(
        finding(file, include.line, std::string(rule->folder) + " may not include \"" + include.name + "\""));
  }
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
      if (is_listed_family(folder.folder, symbol)) continue;
      const auto found = definers.find(symbol);  // not found: of the system or the compiler
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
  // Types, macros, and the compiler's own always-inlined intrinsics; nothing whose code the linker could merge.
  static const std::set<std::string> allowed = {"arm_neon.h", "cstddef",  "cstdint",  "immintrin.h",
                                                "stddef.h",   "stdint.h", "string.h", "wasm_simd128.h"};
  std::map<std::string, const SourceFile*> by_path;
  std::vector<std::pair<const SourceFile*, std::string>> queue;  // file, and the ISA file that brought it
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
                         stands_in(file.path, "models") || stands_in(file.path, "include") ||
                         stands_in(file.path, "tools/drawings") || stands_in(file.path, "tools/cli");
  if (!looked_at || stands_in(file.path, "models/families")) return {};
  static const std::regex pattern("roberta|distilbert|albert|electra|mpnet|camembert|deberta|xlm",
                                  std::regex::ECMAScript | std::regex::icase);
  Findings findings;
  for (const Line& line : lines_of(file.text)) {
    std::smatch match;
    if (std::regex_search(line.text, match, pattern)) {
      findings.push_back(finding(file, line.number, "names the family '" + match.str() + "'"));
    }
  }
  return findings;
}

Findings check_mirror(const std::set<std::string>& paths, const std::set<std::string>& exceptions) {
  static constexpr std::string_view kMirrored[] = {"engine",      "tokenizer",    "models",
                                                   "analysis",    "tools/common", "tools/drawings",
                                                   "tools/fetch", "tools/cli",    "tools/server"};
  Findings findings;
  std::set<std::string> used;
  for (const std::string& path : paths) {
    const bool is_source =
        path.ends_with(".cc") && std::any_of(std::begin(kMirrored), std::end(kMirrored),
                                             [&](std::string_view folder) { return stands_in(path, folder); });
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
    // Characters, not bytes.
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
      "abi",          "abignore", "awk",  "c",   "cc",    "cmake", "conf",        "csv",     "dict",
      "dockerignore", "h",        "html", "in",  "ipynb", "js",    "json",        "jsonl",   "map",
      "md",           "mjs",      "py",   "pyi", "rb",    "S",     "safetensors", "service", "sh",
      "socket",       "svg",      "toml", "ts",  "tsv",   "txt",   "typed",       "yaml",    "yml"};
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

Findings check_machine_paths(const SourceFile& file) {
  // In pieces, so that this file passes its own check.
  static const std::regex pattern(std::string("/ho") + "me/[a-z]|/ro" + "ot/|/Us" + "ers/[A-Za-z]|[A-Z]:\\\\Us" +
                                  "ers");
  Findings findings;
  for (const Line& line : lines_of(file.text)) {
    std::smatch match;
    if (std::regex_search(line.text, match, pattern)) {
      findings.push_back(finding(file, line.number, "names a path of one machine: " + match.str()));
    }
  }
  return findings;
}

}  // namespace bert::lint
