# Build options. BUILD_SHARED_LIBS (CMake's own) selects a shared or static library.
option(HOLDFAST_WITH_EMBEDDED "Build the embedded: engine (needs SQLite)" ON)

option(HOLDFAST_WITH_REDIS "Build the redis: engine (needs hiredis)" ON)
option(HOLDFAST_WITH_TLS "Build rediss:, Redis over TLS (needs OpenSSL)" ${HOLDFAST_WITH_REDIS})
if(HOLDFAST_WITH_TLS AND NOT HOLDFAST_WITH_REDIS)
    message(FATAL_ERROR "HOLDFAST_WITH_TLS=ON: only the redis: engine uses TLS, and it is OFF")
endif()

option(HOLDFAST_BUILD_CLI "Build the command `holdfast` (needs CLI11)" ${PROJECT_IS_TOP_LEVEL})
# The command starts several times faster, because the loader has nothing to relocate; but then a
# security update of OpenSSL or SQLite takes a new build.
option(HOLDFAST_CLI_STATIC "Link the command with static archives of its libraries" OFF)
# A middle way, which the Debian package takes: a fifth of the start was loading the C++ runtime.
option(HOLDFAST_CLI_STATIC_RUNTIME "Link the command with the archive of the C++ runtime only" OFF)

# Off by default in a project that includes Holdfast: it gets only the library.
option(HOLDFAST_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_BUILD_FUZZ "Build the fuzz targets (needs clang++)" OFF)
option(HOLDFAST_INSTALL "Create the install rules" ${PROJECT_IS_TOP_LEVEL})
# Builds in about two thirds of the time; builds without it show that no file leans on it for an
# include that it lacks.
option(HOLDFAST_PRECOMPILE "Precompile the standard headers that most files read" OFF)

# See holdfast_batch. Builds without it show that no file leans on another one of its folder.
option(HOLDFAST_BATCH "Compile several sources of a folder as one" OFF)

# Parts that are switched off: holdfast_glob skips folders with these names, and files whose names
# begin with them.
set(holdfast_engines_off)
if(NOT HOLDFAST_WITH_EMBEDDED)
    list(APPEND holdfast_engines_off embedded)
endif()
if(NOT HOLDFAST_WITH_REDIS)
    list(APPEND holdfast_engines_off redis net proxy sim)
endif()
if(NOT HOLDFAST_WITH_TLS)
    list(APPEND holdfast_engines_off tls)
endif()
