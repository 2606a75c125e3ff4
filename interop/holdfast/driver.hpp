#pragma once
// Which request asks for what.

#include "hold.hpp"
#include "worker.hpp"

#include <holdfast/holdfast.hpp>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::interop {

using words = std::vector<std::string>;

struct driver_options {
    std::string ports{}; ///< of 127.0.0.1, separated by commas; see PROTOCOL.md
    holdfast::layout layout = layout::plain;
    milliseconds watchdog{0};
    std::string parameters{}; ///< further ones of the URL, e.g. "key_prefix=redlock:"
};

/// Thread safety: `handle` is for one thread; answers go to standard output, a line each.
class driver {
public:
    explicit driver(const driver_options& options);

    /// `arguments` are what follows the command.
    void handle(const std::string& number, const std::string& command, const words& arguments);

private:
    struct owner {
        owner(const client& fleet, layout layout, milliseconds watchdog)
            : held{fleet, layout, watchdog} {}
        hold held;
        worker thread{}; // last: it uses what is held
    };

    owner& owner_of(const std::string& name);
    std::string intrude(const std::string& name);
    std::string force(const words& arguments);
    std::string use_latch(const std::string& command, const words& arguments);
    std::string ask(const std::string& name);
    std::string count(const words& arguments);

    client fleet_;
    layout layout_;
    milliseconds watchdog_;
    admin admin_;
    std::map<std::string, std::unique_ptr<owner>> owners_;
    std::list<worker> others_;
};

} // namespace holdfast::interop
