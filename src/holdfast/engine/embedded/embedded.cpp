#include "holdfast/engine/embedded/embedded.hpp"

#include "holdfast/engine/embedded/embedded_engine.hpp"
#include "holdfast/engine/embedded/location.hpp"

namespace holdfast::engine::embedded {

std::unique_ptr<engine> make(const url& where, const client_identity& identity) {
    return std::make_unique<embedded_engine>(locate(where), identity);
}

} // namespace holdfast::engine::embedded
