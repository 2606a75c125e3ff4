# Run with -DFROM=<folder of *.lua> -DTO=<file.cpp> -P. Writes for each script a constant of its
# name with its text and SHA-1. A line `--#include part.lua` stands for that file of the folder's,
# without the first line that makes it a script.
file(GLOB files ${FROM}/*.lua)
set(out "#include \"holdfast/engine/redis/scripts.hpp\"\n\n")
string(APPEND out "namespace holdfast::engine::redis::scripts {\n")
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    while(text MATCHES "--#include ([a-z_]+\\.lua)\n")
        set(name_of_part ${CMAKE_MATCH_1})
        file(READ ${FROM}/${name_of_part} part)
        string(REGEX REPLACE "^#!lua[^\n]*\n" "" part "${part}")
        string(REPLACE "--#include ${name_of_part}\n" "${part}" text "${text}")
    endwhile()
    if(NOT text MATCHES "^#!lua")
        continue() # only a part of others
    endif()
    string(SHA1 sha "${text}")
    string(APPEND out "\nconst script ${name}{\"${name}\", \"${sha}\", R\"lua(${text})lua\"};\n")
endforeach()
string(APPEND out "\n} // namespace holdfast::engine::redis::scripts\n")
file(WRITE ${TO} "${out}")
