# Installs the library, its headers, and the files for find_package(holdfast) and pkg-config. The
# components are packages of their own (cmake/package.cmake): runtime, development, cli.
if(NOT HOLDFAST_INSTALL)
    return()
endif()
include(CMakePackageConfigHelpers)

get_target_property(holdfast_kind holdfast TYPE)
set(holdfast_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS holdfast EXPORT holdfast-targets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    FILE_SET HEADERS)
install(EXPORT holdfast-targets NAMESPACE holdfast:: DESTINATION ${holdfast_cmake_dir})

configure_package_config_file(cmake/holdfast-config.cmake.in holdfast-config.cmake
    INSTALL_DESTINATION ${holdfast_cmake_dir}
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(holdfast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/holdfast-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/holdfast-config-version.cmake
    DESTINATION ${holdfast_cmake_dir})

# Written at install time, because cmake --install --prefix may change the prefix.
set(holdfast_pc_cflags)
set(holdfast_pc_libs_private)
if(holdfast_kind STREQUAL STATIC_LIBRARY)
    set(holdfast_pc_cflags -DHOLDFAST_STATIC)
endif()
if(HOLDFAST_WITH_EMBEDDED)
    string(APPEND holdfast_pc_libs_private "-lsqlite3 ")
endif()
if(HOLDFAST_WITH_REDIS)
    string(APPEND holdfast_pc_libs_private "-lhiredis ")
endif()
if(HOLDFAST_WITH_TLS)
    string(APPEND holdfast_pc_libs_private "-lssl -lcrypto ")
endif()
string(APPEND holdfast_pc_libs_private "-pthread")
configure_file(cmake/install_pc.cmake.in install_pc.cmake @ONLY)
install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/install_pc.cmake)
