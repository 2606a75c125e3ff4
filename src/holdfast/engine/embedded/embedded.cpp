#include "holdfast/engine/embedded/embedded.hpp"

#include "holdfast/engine/embedded/embedded_engine.hpp"
#include "holdfast/engine/embedded/location.hpp"

namespace holdfast::engine::embedded {

std::unique_ptr<engine> make(const url& where, const setting& who) {
    return std::make_unique<embedded_engine>(locate(where), who);
}

} // namespace holdfast::engine::embedded
