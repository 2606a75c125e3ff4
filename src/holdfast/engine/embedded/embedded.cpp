#include "holdfast/engine/embedded/embedded.hpp"

#include "holdfast/engine/embedded/embedded_engine.hpp"
#include "holdfast/engine/embedded/location.hpp"

namespace holdfast::engine::embedded {

std::unique_ptr<engine> make(const url& url, const client_identity& identity) {
    return std::make_unique<embedded_engine>(parse_location(url), identity);
}

} // namespace holdfast::engine::embedded
