#pragma once
// The files of the page, which the build takes from this folder (cmake/embed_web.cmake).

#include <string_view>

namespace holdfast::cli::web_files {

extern const std::string_view web_html;
extern const std::string_view web_js;
extern const std::string_view web_text_js;
extern const std::string_view web_css;

} // namespace holdfast::cli::web_files
