// A function that locks calls another that locks the same name: a recursive_mutex counts, and asks
// the engine only for the first lock and the last unlock.

#include <holdfast/holdfast.hpp>

#include <iostream>
#include <mutex>
#include <string>

namespace {

// [doc: recursive]
class account {
public:
    account(const holdfast::client& fleet, const std::string& name) : lock_{fleet, name} {}

    void pay(int amount) {
        const std::scoped_lock hold{lock_};
        balance_ += amount;
    }
    void pay_with_fee(int amount) {
        const std::scoped_lock hold{lock_}; // nobody comes between the two payments
        pay(amount);                        // locks again: count() is 2 in there
        pay(-1);
    }
    int balance() const { return balance_; }
    unsigned owed_unlocks() const { return lock_.count(); }

private:
    holdfast::recursive_mutex lock_;
    int balance_ = 0;
};
// [end]

} // namespace

int main(int argc, char** argv) {
    const char* const url = argc > 1 ? argv[1] : "embedded:";
    holdfast::client fleet{url};
    account account{fleet, "account:7"};
    account.pay_with_fee(10);
    std::cout << "balance " << account.balance() << ", owed unlocks " << account.owed_unlocks()
              << '\n';

    holdfast::client other{url};
    const bool is_free = holdfast::mutex{other, "account:7"}.try_acquire().has_value();
    std::cout << "another client finds it free: " << (is_free ? "yes" : "NO") << '\n';
}
