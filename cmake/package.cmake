# Debian packages, made by cpack -G DEB in the build folder; ./dev package does that. One package
# per component: the library, what builds against it, and the command, which carries the library in
# itself and needs neither.
get_target_property(holdfast_soversion holdfast SOVERSION)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME holdfast)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR Holdfast)
set(CPACK_PACKAGE_CONTACT "The Holdfast maintainers <holdfast@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENTS_ALL runtime development cli)
if(NOT HOLDFAST_BUILD_CLI)
    list(REMOVE_ITEM CPACK_COMPONENTS_ALL cli)
endif()
if(NOT BUILD_SHARED_LIBS)
    list(REMOVE_ITEM CPACK_COMPONENTS_ALL runtime)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libholdfast${holdfast_soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The library that programs use for distributed locks.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libholdfast-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
if(BUILD_SHARED_LIBS)
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
        "libholdfast${holdfast_soversion} (= ${PROJECT_VERSION})")
endif()
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, CMake and pkg-config files for programs that use Holdfast.")
set(CPACK_DEBIAN_CLI_PACKAGE_NAME holdfast)
set(CPACK_DEBIAN_CLI_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_CLI_DESCRIPTION
    "The command holdfast: runs a job once across processes and hosts.")
include(CPack)
