# Run with -DFROM=<folder> -DTO=<file.cpp> -P: makes each of these files a constant of
# src/cli/web/web_files.hpp.
set(out "#include \"cli/web/web_files.hpp\"\n\nnamespace holdfast::cli::web_files {\n")
foreach(file web.html web.js web_text.js web.css)
    file(READ ${FROM}/${file} text)
    string(REPLACE "." "_" name ${file})
    string(APPEND out "\nconst std::string_view ${name} = R\"web(${text})web\";\n")
endforeach()
string(APPEND out "\n} // namespace holdfast::cli::web_files\n")
file(WRITE ${TO} "${out}")
