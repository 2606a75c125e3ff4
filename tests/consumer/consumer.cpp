// What a program that uses Holdfast looks like from outside: built and run against an install.
#include <holdfast/version.hpp>

#include <cstdio>

int main() {
    std::printf("holdfast %s\n", holdfast::library_version_string());
    return holdfast::library_version() == HOLDFAST_VERSION ? 0 : 1;
}
