#pragma once
// The reactions of the waiter machine to each event in each state, before and after its time-out.
// waiter_machine_table_test.cpp has the states and the events that lead to them.

namespace holdfast::machine::waiter_table {

// clang-format off
inline constexpr const char* idle = R"(
    start           | asking, ask until 5000, @8000    | asking, ask until 8100, @8100
    tick            | idle
    cancel          | idle
    granted         | idle
    queued          | idle
    busy            | idle
    unknown         | idle
    unavailable     | idle
    refused         | idle
    push_granted    | idle
    push_maybe_free | idle
    push_reset      | idle
    beat_queued     | idle
    beat_granted    | idle
    beat_lost       | idle
    beat_unknown    | idle
    withdrawn       | idle
    withdraw_failed | idle
    hurry           | idle
)";
inline constexpr const char* one_try = R"(
    start           | asking
    tick            | asking
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | done, tell granted 3000 since 0  | asking, ask until 4000, @4000
    queued          | withdrawing, withdraw, tell busy
    busy            | done, tell busy                  | done, tell unavailable
    unknown         | withdrawing, withdraw, tell unavailable
    unavailable     | done, tell unavailable
    refused         | done, tell refused
    push_granted    | done, tell handed 2000 since 0   | asking
    push_maybe_free | asking
    push_reset      | asking
    beat_queued     | asking
    beat_granted    | asking
    beat_lost       | asking
    beat_unknown    | asking
    withdrawn       | asking
    withdraw_failed | asking
    hurry           | asking
)";
inline constexpr const char* asking = R"(
    start           | asking, @8000
    tick            | asking, @8000                    | withdrawing, withdraw, tell unavailable
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | done, tell granted 3000 since 0  | withdrawing, withdraw, tell unavailable
    queued          | queued, @600                     | queued, @8000
    busy            | pausing, @150                    | done, tell unavailable
    unknown         | pausing, @200                    | withdrawing, withdraw, tell unavailable
    unavailable     | pausing, @200                    | done, tell unavailable
    refused         | done, tell refused
    push_granted    | done, tell handed 2000 since 0   | asking, @8000
    push_maybe_free | asking, @8000
    push_reset      | asking, @8000
    beat_queued     | asking, @8000
    beat_granted    | asking, @8000
    beat_lost       | asking, @8000
    beat_unknown    | asking, @8000
    withdrawn       | asking, @8000
    withdraw_failed | asking, @8000
    hurry           | asking, @8000
)";
inline constexpr const char* no_answer = R"(
    start           | pausing, @200
    tick            | pausing, @200                    | withdrawing, withdraw, tell unavailable
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | pausing, @200
    queued          | pausing, @200
    busy            | pausing, @200
    unknown         | pausing, @200
    unavailable     | pausing, @200
    refused         | pausing, @200
    push_granted    | done, tell handed 2000 since 0   | withdrawing, withdraw, tell unavailable
    push_maybe_free | asking, ask until 5000, @5000    | withdrawing, withdraw, tell unavailable
    push_reset      | pausing, @200
    beat_queued     | pausing, @200
    beat_granted    | pausing, @200
    beat_lost       | pausing, @200
    beat_unknown    | pausing, @200
    withdrawn       | pausing, @200
    withdraw_failed | pausing, @200
    hurry           | pausing, @200
)";
inline constexpr const char* asking_after_no_answer = R"(
    start           | asking, @5000
    tick            | asking, @5000                    | withdrawing, withdraw, tell unavailable
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | done, tell granted 3000 since 0  | withdrawing, withdraw, tell unavailable
    queued          | queued, @800                     | queued, @8000
    busy            | pausing, @350                    | withdrawing, withdraw, tell unavailable
    unknown         | pausing, @400                    | withdrawing, withdraw, tell unavailable
    unavailable     | pausing, @400                    | withdrawing, withdraw, tell unavailable
    refused         | withdrawing, withdraw, tell refused
    push_granted    | asking, @5000
    push_maybe_free | asking, @5000
    push_reset      | asking, @5000
    beat_queued     | asking, @5000
    beat_granted    | asking, @5000
    beat_lost       | asking, @5000
    beat_unknown    | asking, @5000
    withdrawn       | asking, @5000
    withdraw_failed | asking, @5000
    hurry           | asking, @5000
)";
inline constexpr const char* was_busy = R"(
    start           | pausing, @60
    tick            | pausing, @60                     | done, tell timed_out
    cancel          | done, tell cancelled
    granted         | pausing, @60
    queued          | pausing, @60
    busy            | pausing, @60
    unknown         | pausing, @60
    unavailable     | pausing, @60
    refused         | pausing, @60
    push_granted    | done, tell handed 2000 since 0   | done, tell timed_out
    push_maybe_free | asking, ask until 5030, @8000    | done, tell timed_out
    push_reset      | pausing, @60
    beat_queued     | pausing, @60
    beat_granted    | pausing, @60
    beat_lost       | pausing, @60
    beat_unknown    | pausing, @60
    withdrawn       | pausing, @60
    withdraw_failed | pausing, @60
    hurry           | pausing, @60
)";
inline constexpr const char* in_queue = R"(
    start           | queued, @510
    tick            | queued, @510                     | withdrawing, withdraw, tell timed_out
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | queued, @510
    queued          | queued, @510
    busy            | queued, @510
    unknown         | queued, @510
    unavailable     | queued, @510
    refused         | queued, @510
    push_granted    | done, tell handed 2000 since 0   | withdrawing, withdraw, tell timed_out
    push_maybe_free | asking, ask until 5300, @8000    | withdrawing, withdraw, tell timed_out
    push_reset      | queued, beat, @1250              | queued, beat, @8000
    beat_queued     | queued, @800                     | queued, @8000
    beat_granted    | done, tell handed 2000 since 0   | withdrawing, withdraw, tell timed_out
    beat_lost       | asking, ask until 5300, @8000    | withdrawing, withdraw, tell timed_out
    beat_unknown    | queued, @400                     | queued, @8000
    withdrawn       | queued, @510
    withdraw_failed | queued, @510
    hurry           | queued, @510
)";
inline constexpr const char* beating = R"(
    start           | queued, @1460
    tick            | queued, @1460                    | withdrawing, withdraw, tell timed_out
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | queued, @1460
    queued          | queued, @1460
    busy            | queued, @1460
    unknown         | queued, @1460
    unavailable     | queued, @1460
    refused         | queued, @1460
    push_granted    | done, tell handed 2000 since 0   | withdrawing, withdraw, tell timed_out
    push_maybe_free | asking, ask until 5590, @8000    | withdrawing, withdraw, tell timed_out
    push_reset      | queued, @1540                    | queued, @8000
    beat_queued     | queued, @1090                    | queued, @8000
    beat_granted    | done, tell handed 2000 since 0   | withdrawing, withdraw, tell timed_out
    beat_lost       | asking, ask until 5590, @8000    | withdrawing, withdraw, tell timed_out
    beat_unknown    | queued, @690                     | queued, @8000
    withdrawn       | queued, @1460
    withdraw_failed | queued, @1460
    hurry           | queued, @1460
)";
inline constexpr const char* asking_again = R"(
    start           | asking, @8000
    tick            | asking, @8000                    | withdrawing, withdraw, tell timed_out
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | done, tell granted 3000 since 600 | withdrawing, withdraw, tell unavailable
    queued          | queued, @1140                    | queued, @8000
    busy            | pausing, @690                    | done, tell unavailable
    unknown         | pausing, @740                    | withdrawing, withdraw, tell unavailable
    unavailable     | pausing, @740                    | withdrawing, withdraw, tell unavailable
    refused         | withdrawing, withdraw, tell refused
    push_granted    | asking, @8000
    push_maybe_free | asking, @8000
    push_reset      | asking, @8000
    beat_queued     | asking, @8000
    beat_granted    | asking, @8000
    beat_lost       | asking, @8000
    beat_unknown    | asking, @8000
    withdrawn       | asking, @8000
    withdraw_failed | asking, @8000
    hurry           | asking, @8000
)";
inline constexpr const char* in_queue_again = R"(
    start           | queued, @1150
    tick            | queued, @1150                    | withdrawing, withdraw, tell timed_out
    cancel          | withdrawing, withdraw, tell cancelled
    granted         | queued, @1150
    queued          | queued, @1150
    busy            | queued, @1150
    unknown         | queued, @1150
    unavailable     | queued, @1150
    refused         | queued, @1150
    push_granted    | asking, ask until 5700, @8000    | withdrawing, withdraw, tell timed_out
    push_maybe_free | asking, ask until 5700, @8000    | withdrawing, withdraw, tell timed_out
    push_reset      | queued, beat, @1650              | queued, beat, @8000
    beat_queued     | queued, @1200                    | queued, @8000
    beat_granted    | done, tell handed 2000 since 600 | withdrawing, withdraw, tell timed_out
    beat_lost       | asking, ask until 5700, @8000    | withdrawing, withdraw, tell timed_out
    beat_unknown    | queued, @800                     | queued, @8000
    withdrawn       | queued, @1150
    withdraw_failed | queued, @1150
    hurry           | queued, @1150
)";
inline constexpr const char* withdrawing = R"(
    start           | withdrawing
    tick            | withdrawing
    cancel          | withdrawing
    granted         | withdrawing
    queued          | withdrawing
    busy            | withdrawing
    unknown         | withdrawing
    unavailable     | withdrawing
    refused         | withdrawing
    push_granted    | withdrawing
    push_maybe_free | withdrawing
    push_reset      | withdrawing
    beat_queued     | withdrawing
    beat_granted    | withdrawing
    beat_lost       | withdrawing
    beat_unknown    | withdrawing
    withdrawn       | done
    withdraw_failed | withdrawing, @410                | done, tell withdraw_failed
    hurry           | withdrawing
)";
inline constexpr const char* withdrawing_again = R"(
    start           | withdrawing, @500
    tick            | withdrawing, @500                | withdrawing, withdraw
    cancel          | withdrawing, @500
    granted         | withdrawing, @500
    queued          | withdrawing, @500
    busy            | withdrawing, @500
    unknown         | withdrawing, @500
    unavailable     | withdrawing, @500
    refused         | withdrawing, @500
    push_granted    | withdrawing, @500
    push_maybe_free | withdrawing, @500
    push_reset      | withdrawing, @500
    beat_queued     | withdrawing, @500
    beat_granted    | withdrawing, @500
    beat_lost       | withdrawing, @500
    beat_unknown    | withdrawing, @500
    withdrawn       | done
    withdraw_failed | withdrawing, @550                | done, tell withdraw_failed
    hurry           | withdrawing, withdraw
)";
inline constexpr const char* with_grant = R"(
    start           | done
    tick            | done
    cancel          | done
    granted         | done
    queued          | done
    busy            | done
    unknown         | done
    unavailable     | done
    refused         | done
    push_granted    | done
    push_maybe_free | done
    push_reset      | done
    beat_queued     | done
    beat_granted    | done
    beat_lost       | done
    beat_unknown    | done
    withdrawn       | done
    withdraw_failed | done
    hurry           | done
)";
inline constexpr const char* gone = R"(
    start           | done
    tick            | done
    cancel          | done
    granted         | withdrawing, withdraw
    queued          | withdrawing, withdraw
    busy            | done
    unknown         | withdrawing, withdraw
    unavailable     | done
    refused         | done
    push_granted    | withdrawing, withdraw
    push_maybe_free | done
    push_reset      | done
    beat_queued     | done
    beat_granted    | done
    beat_lost       | done
    beat_unknown    | done
    withdrawn       | done
    withdraw_failed | done
    hurry           | done
)";
// clang-format on

} // namespace holdfast::machine::waiter_table
