# Run with -DFROM=<folder of *.lua> -DTO=<file.cpp> -P. Writes for each script a constant of its name
# with its text and SHA-1. A line `--#include part.lua` stands for that file of the folder's.
file(GLOB files ${FROM}/*.lua)
set(out "#include \"holdfast/engine/redis/scripts.hpp\"\n\nnamespace holdfast::engine::redis::scripts {\n")
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    while(text MATCHES "--#include ([a-z_]+\\.lua)\n")
        file(READ ${FROM}/${CMAKE_MATCH_1} part)
        string(REPLACE "--#include ${CMAKE_MATCH_1}\n" "${part}" text "${text}")
    endwhile()
    if(NOT text MATCHES "^#!lua")
        continue() # only a part of others
    endif()
    string(SHA1 sha "${text}")
    string(APPEND out "\nconst script ${name}{\"${name}\", \"${sha}\", R\"lua(${text})lua\"};\n")
endforeach()
string(APPEND out "\n} // namespace holdfast::engine::redis::scripts\n")
file(WRITE ${TO} "${out}")
