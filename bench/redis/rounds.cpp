#include "redis/rounds.hpp"

namespace holdfast::bench::redis {

std::vector<std::vector<double>> take_turns(const std::vector<contender_round>& all, int rounds,
                                            warm_up first) {
    std::vector<std::vector<double>> out(all.size());
    if (first == warm_up::yes) {
        for (const auto& contender : all) { contender(); }
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto index = (i + static_cast<std::size_t>(round)) % all.size();
            out[index].push_back(all[index]());
        }
    }
    return out;
}

} // namespace holdfast::bench::redis
