# An overlay port: it builds the tree that it is in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features
    FEATURES
        embedded HOLDFAST_WITH_EMBEDDED
        redis HOLDFAST_WITH_REDIS
        redis HOLDFAST_WITH_TLS
        cli HOLDFAST_BUILD_CLI)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${features}
        -DHOLDFAST_BUILD_TESTS=OFF
        -DHOLDFAST_BUILD_BENCH=OFF
        -DHOLDFAST_BUILD_EXAMPLES=OFF
        -DHOLDFAST_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/holdfast)
vcpkg_fixup_pkgconfig()
if("cli" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES holdfast AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
