// The rules of the source tree that no compiler checks, as pure functions from file contents to findings, so that each
// can be tested on made-up bad input. A finding is one line: "path:line: what is wrong". Thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace bert::lint {

struct SourceFile {
  std::string path;  // from the top of the tree, with '/'
  std::string text;
};

using Findings = std::vector<std::string>;

// A folder includes only what stands below it (docs/ARCHITECTURE.md). Quoted includes are written from the top of the
// tree; public headers are "bert/name.h" and include only each other and the standard library. A "name.inc" without a
// folder is made by the build. The core (engine/, tokenizer/, models/) includes no package's headers.
Findings check_includes(const SourceFile& file);

// Of the public headers the core's sources, and the core's headers themselves, include only the core's. core_headers:
// their paths.
Findings check_core_headers(const SourceFile& file, const std::set<std::string>& core_headers);

// No circle of includes: a source and its header count as one file. `exceptions` are includes that are left out, each
// as "models/a.cc includes models/b.h"; one that is not there is a finding too.
Findings check_include_circles(const std::vector<SourceFile>& files, const std::set<std::string>& exceptions);

// What nm says of a folder's objects: the names that they define, and those that one of them needs from elsewhere.
struct FolderSymbols {
  std::string folder;
  std::set<std::string> defined;
  std::set<std::string> undefined;
};

// The same rule for the linker: what a folder needs and other folders define is defined in one that it may use.
Findings check_symbols(const std::vector<FolderSymbols>& folders);

// engine/kernels/isa/*.cc are built with ISA flags. They, and the files of the tree they include, directly or not, may
// include no library header that brings inline functions: the linker could keep their AVX-512 copy for every caller.
Findings check_isa_includes(const std::vector<SourceFile>& files);

// The sources of engine/, tokenizer/ and program/cli/ name no model family: families differ in data, in models/.
Findings check_family_names(const SourceFile& file);

// Each source a/b/c.cc has its test tests/a/b/c_test.cc. `exceptions` are sources without one; an exception that is not
// needed, or names no source, is a finding too.
Findings check_mirror(const std::set<std::string>& paths, const std::set<std::string>& exceptions);

// A source of the library or the program has at most 400 lines; `exceptions` are left out, and must be there.
Findings check_file_lengths(const std::vector<SourceFile>& files, const std::set<std::string>& exceptions);

// Relative links of a Markdown file lead to a file or folder of the tree.
Findings check_links(const SourceFile& file, const std::set<std::string>& paths);

// The table of folders in `page`, whose rows are "| `folder/` | what it may include, by commas | what it holds |", has
// a row for each folder of the include rule, and each row names what the rule does.
Findings check_folder_table(const SourceFile& page);

// The classes, structures, enumerations and namespaces that C++ sources define. The caller keeps the files alive.
class SourceNames {
 public:
  explicit SourceNames(const std::vector<SourceFile>& files);

  // Whether a file that defines `scope` has the word `member`.
  bool have(const std::string& scope, const std::string& member) const;

 private:
  const std::vector<SourceFile>& files_;
  std::map<std::string, std::vector<size_t>> files_of_;  // what they define; indices into files_
};

// A Markdown page's paths and names in backquotes are there: `engine/base/cpu.h`, `SelfAttention::window`.
Findings check_names_of_sources(const SourceFile& page, const std::set<std::string>& paths, const SourceNames& names);

// No line of prose or script above 120 columns: Markdown but its tables and code, whose lines are not to be broken, and
// Python and shell whole; of CMake its comments. C++ is the formatter's.
Findings check_line_lengths(const SourceFile& file);

// A using declaration of a C++ source names what the file uses again; an inherited constructor is used by callers.
Findings check_using_declarations(const SourceFile& file);

// A file of the tree is not empty and has a name or an ending that the tree's files have. Two are empty by convention:
// Python's __init__.py and py.typed.
Findings check_kind(const std::string& path, bool is_empty);

// No path of one person's machine, as in a home folder.
Findings check_machine_paths(const SourceFile& file);

}  // namespace bert::lint
