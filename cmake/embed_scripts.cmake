# Run with -DFROM=<folder of *.lua> -DSCRIPTS=<file.cpp> -DFIELDS=<file.hpp> -P.
#
# SCRIPTS gets for each script a constant of its name with its text and SHA-1. A line
# `--#include part.lua` stands for that file of the folder's, without the first line that makes it a
# script. A line that ends in ` --\` goes on in the next one. The names that fields.lua defines by
# lines `--#define NAME VALUE` are replaced by their values.
#
# A script with a line `--#variant grace` becomes two: the other one is called grace_<name>. Lines
# that begin with `--#grace ` are only in that one, without these words; and there the names that
# fields.lua defines by lines `--#grace_define NAME VALUE` have that value.
#
# FIELDS gets the same names as C++ constants, in lower case: `1, 4` becomes a field, a number
# std::int64_t, 'x' a char, and a longer text std::string_view.
file(GLOB files ${FROM}/*.lua)
file(STRINGS ${FROM}/fields.lua defines REGEX "^--#define ")
file(STRINGS ${FROM}/fields.lua grace_defines REGEX "^--#grace_define ")

# The text of a file of the folder's, for a variant.
function(read_part name variant out)
    file(READ ${FROM}/${name} text)
    if(variant STREQUAL "grace")
        string(REGEX REPLACE "\n *--#grace ([^\n]*)" "\n\\1" text "${text}")
    else()
        string(REGEX REPLACE "\n *--#grace [^\n]*" "" text "${text}")
    endif()
    string(REGEX REPLACE "\n--#variant [^\n]*" "" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(out "#include \"holdfast/engine/redis/scripts.hpp\"\n\n")
# The longest script is a literal of more than the 65,536 bytes that the standard asks for; both
# compilers take it.
string(APPEND out "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n")
string(APPEND out "namespace holdfast::engine::redis::scripts {\n")
set(scripts)
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    list(APPEND scripts "usual ${name}")
    file(STRINGS ${file} variant REGEX "^--#variant grace$")
    if(variant)
        list(APPEND scripts "grace ${name}")
    endif()
endforeach()
foreach(script IN LISTS scripts)
    string(REGEX MATCH "^([a-z]+) (([a-z_]+)\\.lua)$" script "${script}")
    set(variant ${CMAKE_MATCH_1})
    set(file ${CMAKE_MATCH_2})
    set(name ${CMAKE_MATCH_3})
    set(defines_here ${defines})
    if(variant STREQUAL "grace")
        set(name grace_${name})
        set(defines_here ${grace_defines} ${defines})
    endif()
    read_part(${file} ${variant} text)
    while(text MATCHES "--#include ([a-z_]+\\.lua)\n")
        set(name_of_part ${CMAKE_MATCH_1})
        read_part(${name_of_part} ${variant} part)
        string(REGEX REPLACE "^#!lua[^\n]*\n" "" part "${part}")
        string(REPLACE "--#include ${name_of_part}\n" "${part}" text "${text}")
    endwhile()
    if(NOT text MATCHES "^#!lua")
        continue() # only a part of others
    endif()
    string(REGEX REPLACE " --\\\\\n *" " " text "${text}")
    foreach(define IN LISTS defines_here)
        string(REGEX MATCH "^--#[a-z_]*define ([A-Z_]+) (.*)$" define "${define}")
        set(field ${CMAKE_MATCH_1})
        set(value "${CMAKE_MATCH_2}")
        string(REGEX REPLACE "([^A-Z_])${field}([^A-Z_])" "\\1${value}\\2" text "${text}")
    endforeach()
    string(SHA1 sha "${text}")
    string(APPEND out "\nconst script ${name}{\"${name}\", \"${sha}\", R\"lua(${text})lua\"};\n")
endforeach()
string(APPEND out "\n} // namespace holdfast::engine::redis::scripts\n")
file(WRITE ${SCRIPTS} "${out}")

set(out "#pragma once\n// Made by the build from scripts/fields.lua, which explains the names.\n\n")
string(APPEND out "#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\n")
string(APPEND out "namespace holdfast::engine::redis::fields {\n\n")
string(APPEND out "/// Columns of a text.\nstruct field {\n    std::size_t offset;\n")
string(APPEND out "    std::size_t length;\n")
string(APPEND out "    constexpr std::size_t end() const { return offset + length; }\n")
string(APPEND out "    constexpr std::string_view of(std::string_view text) const {\n")
string(APPEND out "        return text.substr(offset, length);\n    }\n};\n\n")
foreach(define IN LISTS defines)
    string(REGEX MATCH "^--#define ([A-Z_]+) (.*)$" define "${define}")
    string(TOLOWER ${CMAKE_MATCH_1} name)
    set(value "${CMAKE_MATCH_2}")
    if(value MATCHES "^([0-9]+), ([0-9]+)$")
        math(EXPR offset "${CMAKE_MATCH_1} - 1")
        math(EXPR length "${CMAKE_MATCH_2} - ${offset}")
        string(APPEND out "inline constexpr field ${name}{${offset}, ${length}};\n")
    elseif(value MATCHES "^[0-9]+$")
        string(APPEND out "inline constexpr std::int64_t ${name} = ${value};\n")
    elseif(value MATCHES "^'.'$")
        string(APPEND out "inline constexpr char ${name} = ${value};\n")
    elseif(value MATCHES "^'(.*)'$")
        string(APPEND out "inline constexpr std::string_view ${name} = \"${CMAKE_MATCH_1}\";\n")
    else()
        message(FATAL_ERROR "fields.lua: ${name}: no value is written as ${value}")
    endif()
endforeach()
string(APPEND out "\n} // namespace holdfast::engine::redis::fields\n")
file(WRITE ${FIELDS} "${out}")
