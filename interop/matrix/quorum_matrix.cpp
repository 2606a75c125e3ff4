#include "quorum_matrix.hpp"

#include <map>
#include <ostream>
#include <tuple>

namespace holdfast::interop {

namespace {

quorum_group& shared_group(const quorum_case& wanted) {
    static std::map<std::tuple<std::string, std::size_t, std::size_t>,
                    std::unique_ptr<quorum_group>>
        all;
    const auto& [client, shape] = wanted;
    auto& found = all[{client.name, shape.servers, shape.dead}];
    if (!found) {
        found = std::make_unique<quorum_group>(client, shape.servers);
        found->kill(shape.dead);
    }
    return *found;
}

} // namespace

quorum_matrix::quorum_matrix(group_use use)
    : own_{use == group_use::own
               ? std::make_unique<quorum_group>(GetParam().client, GetParam().shape.servers)
               : nullptr},
      group_{own_ ? own_.get() : &shared_group(GetParam())} {}

void quorum_matrix::TearDown() {
    // Some are deleted without waiting for the answer.
    EXPECT_TRUE(eventually([this] { return group_->undocumented_keys().empty(); }, 3s))
        << group_->undocumented_keys();
}

std::vector<quorum_case> all_quorums(quorum_shape shape) {
    std::vector<quorum_case> out;
    for (const auto& client : quorum_clients()) { out.push_back({client, shape}); }
    return out;
}

std::string name_of_quorum(const testing::TestParamInfo<quorum_case>& one) {
    return one.param.client.test_name();
}

void PrintTo(const quorum_case& one, std::ostream* out) {
    *out << one.client.name << ", " << one.shape.dead << " of " << one.shape.servers << " dead";
}

} // namespace holdfast::interop
