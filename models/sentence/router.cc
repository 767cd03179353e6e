#include "models/sentence/router.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/joined.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

bool is_router(const NamedModule& named) {
  const std::string kind = module_class(named.type);
  return kind == "Router" || kind == "Asym";
}

std::string inside(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

// Reads "('query', None)", Python's text of a tuple, with any spaces and either kind of quotes.
std::string normal_mapping(std::string_view key) {
  std::string normal;
  for (const char c : key) {
    if (c != ' ') normal += c == '"' ? '\'' : c;
  }
  return normal;
}

class Router {
 public:
  Router(const NamedModule& named, const FileSource& files) : named_(named) {
    for (const char* name : {"router_config.json", "config.json"}) {
      const std::string path = inside(named.directory, name);
      const std::optional<std::string> text = files.read(path, kMaxModelFile);
      file_ = files.display_name(path);
      if (!text) continue;
      json_ = parse_json(*text, file_, {.max_bytes = kMaxModelFile});
      return;
    }
    throw Error(ErrorCode::kNotFound, quote_path(files.display_name(inside(named.directory, "router_config.json"))) +
                                          ": no such file, expected it because modules.json names a Router");
  }

  // Returns the route by the reference's order: the mappings, then the route named like the task, like the kind of
  // input, then the default.
  std::string route(const std::optional<std::string>& task) const {
    const JsonObject parameters = fields().required_object("parameters");
    const std::string name = task ? "'" + *task + "'" : "None";
    if (const auto mappings = parameters.nullable_object("route_mappings")) {
      for (const std::string& key :
           {"(" + name + ",'text')", "(" + name + ",None)", std::string("(None,'text')"), std::string("(None,None)")}) {
        for (const auto& [written, value] : mappings->json().members()) {
          if (normal_mapping(written) == key) return need_route(*mappings, std::string(written));
        }
      }
    }
    const JsonObject routes = fields().required_object("structure");
    if (task && routes.has(*task)) return *task;
    if (routes.has("text")) return "text";
    if (task) {
      throw Error(ErrorCode::kInvalidArgument,
                  "no route for task " + quote(*task, 60) + " in " + quote_path(file_) + ", expected " + names());
    }
    if (!parameters.is_null("default_route") && parameters.has("default_route")) {
      return need_route(parameters, "default_route");
    }
    if (parameters.boolean("allow_empty_key").value_or(true) && !routes.json().empty()) {
      return std::string((*routes.json().members().begin()).key);
    }
    throw Error(ErrorCode::kInvalidArgument, quote_path(file_) + " has no default route, expected a task: " + names());
  }

  std::vector<NamedModule> modules(const std::string& route) const {
    const JsonObject types = fields().required_object("types");
    const JsonObject routes = fields().required_object("structure");
    std::vector<NamedModule> all;
    const std::vector<std::string> ids = routes.strings(route).value_or(std::vector<std::string>());
    for (const std::string& id : ids) {
      if (!is_plain_file_name(id)) routes.refuse(route, "plain names of directories");
      all.push_back({.index = named_.index,
                     .type = types.required_string(id),
                     .directory = inside(named_.directory, id),
                     .route = route});
    }
    return all;
  }

  std::string names() const {
    const JsonObject structure = fields().required_object("structure");
    return joined(structure.json().members(), ", ", [](const auto& member) { return quote(member.key, 40); });
  }

  const std::string& file() const { return file_; }

 private:
  JsonObject fields() const { return {json_.root(), file_}; }

  std::string need_route(const JsonObject& object, const std::string& key) const {
    std::string route = object.required_string(key);
    if (!fields().required_object("structure").has(route)) object.refuse(key, "one of " + names());
    return route;
  }

  const NamedModule& named_;
  std::string file_;
  JsonDocument json_;
};

}  // namespace

bool has_router(const std::vector<NamedModule>& modules) {
  return std::any_of(modules.begin(), modules.end(), is_router);
}

std::vector<NamedModule> follow_routes(const std::vector<NamedModule>& modules, const FileSource& files,
                                       const std::optional<std::string>& task, std::vector<std::string>* notices) {
  std::vector<NamedModule> all;
  for (const NamedModule& named : modules) {
    if (!is_router(named)) {
      all.push_back(named);
      continue;
    }
    const Router router(named, files);
    const std::string route = router.route(task);
    for (NamedModule& module : router.modules(route)) all.push_back(std::move(module));
    if (task || notices == nullptr) continue;
    notices->push_back(quote_path(router.file()) + ": the route " + quote(route, 40) + " is used, of " +
                       router.names() + "; a task chooses another");
  }
  return all;
}

}  // namespace bert
