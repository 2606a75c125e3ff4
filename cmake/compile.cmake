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
