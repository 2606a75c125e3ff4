# Compile settings of every target of Holdfast. Warnings are errors only if
# CMAKE_COMPILE_WARNING_AS_ERROR is set, as the presets do; so not in a consumer's build.
function(holdfast_compile target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
        -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
        $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
endfunction()

# Lists files under the current folder by pattern, relative to it, without those of engines that are
# switched off: folders with the engine's name, and files whose names begin with it.
function(holdfast_glob result)
    file(GLOB_RECURSE found RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${ARGN})
    foreach(engine IN LISTS holdfast_engines_off)
        list(FILTER found EXCLUDE REGEX "(^|/)${engine}(/|[^/]*$)")
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# holdfast_define_path(NAME PATH SOURCE...): defines it for the sources that use it. A path in a
# compile command keeps clones in other folders from sharing what ccache has, so no other source
# gets it. Configure again when another source starts to use it.
function(holdfast_define_path name path)
    foreach(source IN LISTS ARGN)
        file(STRINGS ${source} uses REGEX ${name} LIMIT_COUNT 1)
        if(uses)
            set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
                "${name}=\"${path}\"")
        endif()
    endforeach()
endfunction()
