#include "support/redis_store.hpp"

namespace holdfast::test {

bool redis_store::hang() {
    server_.pause();
    return true;
}

bool redis_store::lose_data() {
    server_.flush_all();
    return true;
}

} // namespace holdfast::test
