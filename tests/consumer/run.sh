#!/usr/bin/env bash
# One consumer test: run.sh SCRATCH BUILD-FOLDER WAY [shared|static]
#
# SCRATCH keeps builds between runs, so that a second run compiles only what changed; what is
# installed there, and the consumers themselves, are made anew each time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$here/../..
scratch=$1
build=$2
way=$3
linkage=${4:-}
prefix=$scratch/prefix-${linkage:-${way#install_}}
consumer=$scratch/$way${linkage:+-$linkage}
mkdir -p "$scratch"

fail() { echo "$way $linkage: $*" >&2; exit 1; }

# configure_and_build FOLDER SOURCE CMAKE-ARGUMENT...
configure_and_build() {
    local to=$1 source=$2
    shift 2
    cmake -G Ninja -S "$source" -B "$to" "-DCMAKE_CXX_COMPILER=${CXX:-c++}" "$@"
    cmake --build "$to"
}

# run_consumer PROGRAM [ARGUMENT...]: in an empty folder of its own.
run_consumer() {
    local at
    at=$(mktemp -d)
    (cd "$at" && "$@" "$at") || { rm -rf "$at"; fail "the consumer failed"; }
    rm -rf "$at"
}

# The one folder under the prefix that holds the given file.
folder_of() {
    local file
    file=$(find "$prefix" -name "$1" -print -quit)
    [[ -n $file ]] || fail "$1 was not installed"
    dirname "$file"
}

case $way in
    install_shared)
        rm -rf "$prefix"
        cmake --install "$build" --prefix "$prefix"
        ;;
    install_static)
        # As a packager builds it; g++ warns of more at -O2 than in a debug build.
        rm -rf "$prefix"
        configure_and_build "$scratch/library-static" "$tree" \
            -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Release \
            "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
            -DHOLDFAST_BUILD_TESTS=OFF -DHOLDFAST_BUILD_BENCH=OFF -DHOLDFAST_BUILD_EXAMPLES=OFF \
            -DHOLDFAST_PRECOMPILE=ON
        cmake --install "$scratch/library-static" --prefix "$prefix"
        ;;
    find_package)
        rm -rf "$consumer"
        configure_and_build "$consumer" "$here/find_package" "-DCMAKE_PREFIX_PATH=$prefix"
        run_consumer "$consumer/consumer"
        ;;
    add_subdirectory)
        configure_and_build "$consumer" "$here/add_subdirectory" -DHOLDFAST_PRECOMPILE=ON
        run_consumer "$consumer/consumer"
        ;;
    without_embedded)
        configure_and_build "$consumer" "$here/add_subdirectory" -DHOLDFAST_PRECOMPILE=ON \
            -DHOLDFAST_WITH_EMBEDDED=OFF -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
        run_consumer "$consumer/consumer" --without-embedded
        ;;
    pkg_config)
        PKG_CONFIG_PATH=$(folder_of holdfast.pc)
        export PKG_CONFIG_PATH
        static=()
        [[ $linkage != static ]] || static=(--static)
        read -ra flags < <(pkg-config --cflags --libs "${static[@]}" holdfast)
        "${CXX:-c++}" -std=c++20 "$here/consumer.cpp" "${flags[@]}" -o "$consumer"
        LD_LIBRARY_PATH=$(folder_of 'libholdfast.*') run_consumer "$consumer"
        ;;
    discarded)
        # The compiler warns of each line that drops an answer, and of no other.
        read -ra flags < <(PKG_CONFIG_PATH=$(folder_of holdfast.pc) pkg-config --cflags holdfast)
        "${CXX:-c++}" -std=c++20 -fsyntax-only -Wunused-result "$here/discarded.cpp" "${flags[@]}" \
            2>"$scratch/warnings"
        grep -oE 'discarded\.cpp:[0-9]+:[0-9]+: warning: ' "$scratch/warnings" | cut -d: -f2 |
            sort -nu >"$scratch/warned"
        grep -n '// dropped$' "$here/discarded.cpp" | cut -d: -f1 >"$scratch/dropped"
        [[ -s $scratch/dropped ]] || fail "no line is marked"
        diff "$scratch/dropped" "$scratch/warned" ||
            fail "lines that drop an answer (<), and lines that the compiler warns of (>)"
        ;;
    exports)
        library=$(find "$scratch/prefix-shared" -name libholdfast.so)
        # Before 1.0 a minor version may change the API, so each has a soname of its own.
        readelf -d "$library" | grep -q 'SONAME.*\[libholdfast\.so\.0\.1\]' ||
            fail "the soname is not libholdfast.so.0.1"
        nm -DC --defined-only "$library" >"$scratch/symbols"
        grep -q ' T holdfast::library_version()' "$scratch/symbols" ||
            fail "the public API is not exported"
        # Weak copies of std templates are everybody's; all else must be ours and public.
        public='((typeinfo|typeinfo name|vtable|VTT) for |guard variable for )?holdfast::'
        # The namespaces of src/holdfast, but for detail, which public headers need.
        internal=$(grep -rhoE '^namespace holdfast::[a-z_]+' "$tree/src/holdfast" | sort -u |
            sed 's/^namespace //' | grep -v '::detail$' | paste -sd'|')
        strange=$(cut -d' ' -f2- "$scratch/symbols" |
            grep -vE "^[A-Za-z] $public|^[WVu] .*\b(std|__gnu_cxx)::" || true)
        [[ -z $strange ]] || fail "exported, but not Holdfast's: $strange"
        strange=$(grep -E "^[^ ]+ [A-Za-z] ([a-zA-Z ]+ for )?($internal)::" \
            "$scratch/symbols" || true)
        [[ -z $strange ]] || fail "exported, but internal: $strange"
        ;;
    *) fail "no such way" ;;
esac
