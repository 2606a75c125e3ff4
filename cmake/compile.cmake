# Compile settings of every target of Holdfast. Warnings are errors only if
# CMAKE_COMPILE_WARNING_AS_ERROR is set, as the presets do; so not in a consumer's build.
function(holdfast_compile target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
        # In a batch a file sees the names of the one before it.
        $<$<NOT:$<BOOL:${HOLDFAST_BATCH}>>:-Wshadow>
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

# holdfast_batch(RESULT TARGET ROOT SOURCE...): with HOLDFAST_BATCH, replaces sources by files that
# include a few of one folder each, which compile in a third of the time. Paths are relative to
# ROOT, an include folder of the target, so that clones share what ccache has. A file's batch comes
# from its name: a new file changes one batch only. Sources that get a path (see above) stay alone,
# and so does a file with the comment `// compiled alone`, whose names clash with those of others:
# configure again after adding it.
function(holdfast_batch result target root)
    set(${result} ${ARGN} PARENT_SCOPE)
    if(NOT HOLDFAST_BATCH)
        return()
    endif()
    set(out)
    set(folders)
    foreach(source IN LISTS ARGN)
        get_filename_component(path ${source} ABSOLUTE)
        set(alone "")
        if(source MATCHES "\\.cpp$")
            set(paths CLI SOURCE_FOLDER CHECK_HISTORY LOCK_TAKER ELECTION_CANDIDATE
                CLOCK_SHIFT_LIBRARY INTEROP_[A-Z]+)
            string(REPLACE ";" "|" paths "${paths}")
            file(STRINGS ${path} alone LIMIT_COUNT 1
                REGEX "// compiled alone|HOLDFAST_(${paths})([^A-Z_]|$)")
        endif()
        if(alone OR NOT source MATCHES "\\.cpp$")
            list(APPEND out ${source})
        else()
            file(RELATIVE_PATH path ${root} ${path})
            get_filename_component(folder ${path} DIRECTORY)
            string(MAKE_C_IDENTIFIER ${folder} folder)
            list(APPEND folders ${folder})
            list(APPEND files_${folder} ${path})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
        list(LENGTH files_${folder} count)
        set(batches 1) # a power of two, so that it seldom changes
        while(count GREATER 8)
            math(EXPR batches "${batches} * 2")
            math(EXPR count "(${count} + 1) / 2")
        endwhile()
        foreach(path IN LISTS files_${folder})
            get_filename_component(name ${path} NAME)
            string(MD5 hash ${name})
            string(SUBSTRING ${hash} 0 6 hash)
            math(EXPR batch "0x${hash} % ${batches}")
            string(APPEND text_${folder}_${batch} "#include \"${path}\"\n")
        endforeach()
        foreach(batch RANGE 1 ${batches})
            math(EXPR batch "${batch} - 1")
            if(DEFINED text_${folder}_${batch})
                set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${target}_${folder}_${batch}.cpp)
                file(CONFIGURE OUTPUT ${file} CONTENT "${text_${folder}_${batch}}" @ONLY)
                list(APPEND out ${file})
            endif()
        endforeach()
    endforeach()
    set(${result} ${out} PARENT_SCOPE)
endfunction()
