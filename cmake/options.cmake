# What a builder may choose. BUILD_SHARED_LIBS (CMake's own) chooses shared or static.
option(HOLDFAST_WITH_EMBEDDED "Build the embedded: engine (needs SQLite)" ON)

# Reserved: the switches by which a packager says "without" keep their meaning in later versions.
# This version has no sources behind them, so they can only be OFF.
foreach(reserved HOLDFAST_WITH_REDIS HOLDFAST_WITH_TLS)
    option(${reserved} "Reserved: this version has nothing to build for it" OFF)
    if(${reserved})
        message(FATAL_ERROR "${reserved}=ON: Holdfast ${PROJECT_VERSION} does not have this yet")
    endif()
endforeach()

option(HOLDFAST_BUILD_CLI "Build the command `holdfast` (needs CLI11)" ${PROJECT_IS_TOP_LEVEL})

# Only Holdfast's own developers want these: a project that includes Holdfast gets the library.
option(HOLDFAST_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_INSTALL "Make the install rules" ${PROJECT_IS_TOP_LEVEL})
# Builds in about two thirds of the time; builds without it show that no file leans on it for an
# include that it lacks.
option(HOLDFAST_PRECOMPILE "Precompile the standard headers that most files read" OFF)

# Folder names of engines that are switched off: their sources and tests are left out.
set(holdfast_engines_off)
if(NOT HOLDFAST_WITH_EMBEDDED)
    list(APPEND holdfast_engines_off embedded)
endif()
