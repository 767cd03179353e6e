#include "engine/base/shared_library.h"

#if !defined(BERT_INFER_STATIC)
#include <dlfcn.h>
#endif

namespace bert {

#if defined(BERT_INFER_STATIC)
SharedLibrary::SharedLibrary(std::string_view name, std::initializer_list<std::string_view>, std::string_view)
    : file_(name), problem_("this program is static and loads no library; expected what is built in") {}

void* SharedLibrary::find(const char*) const { return handle_; }
#else
namespace {

std::string file_name(std::string_view name, std::string_view version) {
  const std::string stem = "lib" + std::string(name), dotted = (version.empty() ? "" : ".") + std::string(version);
#if defined(__APPLE__)
  return stem + dotted + ".dylib";
#else
  return stem + ".so" + dotted;
#endif
}

}  // namespace

SharedLibrary::SharedLibrary(std::string_view name, std::initializer_list<std::string_view> versions,
                             std::string_view package) {
  for (const std::string_view version : versions) {
    std::string file = file_name(name, version);
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr && !problem_.empty()) continue;
    problem_ = handle_ == nullptr ? std::string(dlerror()) + " (Debian: apt install " + std::string(package) + ")" : "";
    file_ = std::move(file);
    if (handle_ != nullptr) return;
  }
}

void* SharedLibrary::find(const char* symbol) const { return dlsym(handle_, symbol); }
#endif

}  // namespace bert
