#include "tools/server/docs_page.h"

#include <string>

#include "tools/server/api.h"

#ifdef BERT_INFER_SWAGGER_UI
// The assembler copies the files: as C++ they would take the compiler minutes.
#define EMBED(name, file)                                                                                        \
  __asm__(".section .rodata\n.global " #name "\n.global " #name "_end\n" #name ":\n.incbin \"" file "\"\n" #name \
          "_end:\n.byte 0\n.previous\n");                                                                        \
  extern "C" const char name[], name##_end[]
EMBED(bert_swagger_ui_css, BERT_INFER_SWAGGER_UI "/swagger-ui.css");
EMBED(bert_swagger_ui_js, BERT_INFER_SWAGGER_UI "/swagger-ui-bundle.js");
EMBED(bert_swagger_ui_license, BERT_INFER_SWAGGER_UI "/LICENSE");
#undef EMBED
#endif

namespace bert::server {

#ifdef BERT_INFER_SWAGGER_UI

namespace {

constexpr const char* kPage = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>bert-infer</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
)";
constexpr const char* kStart =
    "SwaggerUIBundle({url: 'api-doc/openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: null});\n";

HttpResponse file_response(const char* type, std::string body) {
  HttpResponse response{.body = std::move(body), .content_type = type};
  response.fields = {{"Content-Security-Policy",
                      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'"},
                     {"X-Content-Type-Options", "nosniff"}};
  return response;
}

}  // namespace

HttpResponse docs_page(std::string_view file) {
  if (file.empty()) return file_response("text/html; charset=utf-8", kPage);
  if (file == "start.js") return file_response("text/javascript", kStart);
  if (file == "swagger-ui.css") return file_response("text/css", {bert_swagger_ui_css, bert_swagger_ui_css_end});
  if (file == "swagger-ui-bundle.js") {
    return file_response("text/javascript", {bert_swagger_ui_js, bert_swagger_ui_js_end});
  }
  if (file == "LICENSE") return file_response("text/plain", {bert_swagger_ui_license, bert_swagger_ui_license_end});
  throw ApiError(Fault::kNotFound, "no such file of /docs: " + std::string(file.substr(0, 200)));
}

#else

HttpResponse docs_page(std::string_view) {
  throw ApiError(Fault::kUnsupported,
                 "this program was built without swagger-ui-dist (the build option BERT_INFER_SWAGGER_UI), expected a "
                 "build with it; the description of the routes is at /api-doc/openapi.json");
}

#endif

}  // namespace bert::server
