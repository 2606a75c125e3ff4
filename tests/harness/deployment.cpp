#include "harness/deployment.hpp"

#include <algorithm>
#include <stdexcept>

namespace holdfast::test {

namespace {

struct named_deployment {
    const char* name;
    std::unique_ptr<deployment> (*make)();
};

constexpr named_deployment all[] = {{"embedded", make_embedded_deployment},
                                    {"redis", make_redis_deployment},
                                    {"sentinel", make_sentinel_deployment},
                                    {"cluster", make_cluster_deployment},
                                    {"redlock", make_redlock_deployment}};

} // namespace

const std::vector<std::string>& deployment_names() {
    static const auto names = [] {
        std::vector<std::string> out;
        for (const auto& each : all) { out.emplace_back(each.name); }
        return out;
    }();
    return names;
}

std::unique_ptr<deployment> make_deployment(const std::string& name) {
    const auto* const found = std::ranges::find(all, name, &named_deployment::name);
    if (found != std::end(all)) { return found->make(); }
    std::string known;
    for (const auto& each : deployment_names()) { known += (known.empty() ? "" : ", ") + each; }
    throw std::invalid_argument{"--engine: no '" + name + "'; use one of " + known};
}

} // namespace holdfast::test
