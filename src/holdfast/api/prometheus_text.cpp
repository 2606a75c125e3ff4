// The metrics in the text format of Prometheus. docs/metrics.md and the dashboard in
// packaging/grafana use the same names; tests compare them.

#include <holdfast/error.hpp>
#include <holdfast/metrics.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast {

namespace {

using client_list = std::vector<labelled_metrics>;

void check_label(const metric_label& label) {
    const auto is_letter = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               letter == '_';
    };
    const auto is_allowed = [&](char letter) {
        return is_letter(letter) || (letter >= '0' && letter <= '9');
    };
    const auto& name = label.name;
    if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), is_allowed)) {
        throw error{errc::invalid_option,
                    "metric_label: '" + name +
                        "' is not a name; use letters, digits and _, and no digit first"};
    }
}

std::string escape(std::string_view value) {
    std::string out;
    for (const char letter : value) {
        if (letter == '\n') {
            out += "\\n";
            continue;
        }
        if (letter == '\\' || letter == '"') { out += '\\'; }
        out += letter;
    }
    return out;
}

/// `{a="1",b="2"}`, or nothing if there are no labels.
std::string braced(const labelled_metrics& client, std::string_view name = {},
                   std::string_view value = {}) {
    std::string out;
    const auto add = [&out](std::string_view label, std::string_view text) {
        out += out.empty() ? '{' : ',';
        out.append(label).append("=\"").append(escape(text)).append("\"");
    };
    for (const auto& label : client.labels) { add(label.name, label.value); }
    if (!name.empty()) { add(name, value); }
    return out.empty() ? out : out + '}';
}

/// The shortest text of the number of seconds, whatever the locale says.
std::string seconds(std::chrono::nanoseconds time) {
    std::array<char, 64> text{};
    const auto value = std::chrono::duration<double>{time}.count();
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
    return {text.data(), end};
}

class page {
public:
    explicit page(const client_list& clients) : clients_{clients} {}

    template <class Get>
    void number(std::string_view name, std::string_view type, std::string_view help, Get get) {
        head(name, type, help);
        for (const auto& client : clients_) { line(name, braced(client), get(client.values)); }
    }

    template <class Counts>
    struct labelled_count {
        const char* value;
        std::uint64_t Counts::*count;
    };
    template <class Counts>
    void counts(std::string_view name, std::string_view help, std::string_view label,
                Counts metrics::*member, const std::vector<labelled_count<Counts>>& values) {
        head(name, "counter", help);
        for (const auto& client : clients_) {
            for (const auto& each : values) {
                line(name, braced(client, label, each.value), client.values.*member.*each.count);
            }
        }
    }

    void histogram(const std::string& name, std::string_view help,
                   duration_histogram metrics::*member) {
        head(name, "histogram", help);
        for (const auto& client : clients_) {
            const auto& times = client.values.*member;
            std::uint64_t up_to = 0;
            for (std::size_t range = 0; range < duration_histogram::bounds.size(); ++range) {
                up_to += times.counts[range];
                line(name + "_bucket",
                     braced(client, "le", seconds(duration_histogram::bounds[range])), up_to);
            }
            line(name + "_bucket", braced(client, "le", "+Inf"), times.count());
            text_ += name + "_sum" + braced(client) + ' ' + seconds(times.sum) + '\n';
            line(name + "_count", braced(client), times.count());
        }
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void head(std::string_view name, std::string_view type, std::string_view help) {
        text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
        text_.append(name).append(" ").append(type).append("\n");
    }
    void line(std::string_view name, const std::string& labels, std::uint64_t value) {
        text_.append(name).append(labels).append(" ").append(std::to_string(value)).append("\n");
    }

    const client_list& clients_;
    std::string text_;
};

void add_acquires(page& out) {
    out.counts<acquire_counts>("holdfast_acquires_total", "Acquires by their outcome.", "outcome",
                               &metrics::acquires,
                               {{"granted", &acquire_counts::granted},
                                {"busy", &acquire_counts::busy},
                                {"timed_out", &acquire_counts::timed_out},
                                {"tried_enough", &acquire_counts::tried_enough},
                                {"cancelled", &acquire_counts::cancelled},
                                {"unavailable", &acquire_counts::unavailable},
                                {"refused", &acquire_counts::refused}});
    out.number("holdfast_waits_total", "counter",
               "Acquires that found the lock held by others, and waited.",
               [](const metrics& values) { return values.waits; });
    out.number("holdfast_hand_offs_total", "counter",
               "Waits that the release of the holder before them granted.",
               [](const metrics& values) { return values.hand_offs; });
    out.histogram("holdfast_wait_seconds",
                  "How long granted acquires took, from the call to the grant.",
                  &metrics::wait_time);
    out.number("holdfast_waits", "gauge", "Calls that wait for a lock now.",
               [](const metrics& values) { return values.waits_now; });
}

void add_holds(page& out) {
    out.number("holdfast_holds", "gauge", "Locks that are held now.",
               [](const metrics& values) { return values.holds_now; });
    out.histogram("holdfast_hold_seconds",
                  "How long locks were held, from the grant to the release or the loss.",
                  &metrics::hold_time);
    out.counts<renewal_counts>("holdfast_renewals_total", "Renewals of leases by their answer.",
                               "outcome", &metrics::renewals,
                               {{"renewed", &renewal_counts::renewed},
                                {"lost", &renewal_counts::lost},
                                {"unknown", &renewal_counts::unknown},
                                {"failed", &renewal_counts::failed}});
    out.counts<release_counts>("holdfast_releases_total", "Releases by their outcome.", "outcome",
                               &metrics::releases,
                               {{"released", &release_counts::released},
                                {"handed_off", &release_counts::handed_off},
                                {"not_held", &release_counts::not_held},
                                {"unknown", &release_counts::unknown},
                                {"refused", &release_counts::refused}});
    out.counts<loss_counts>("holdfast_losses_total",
                            "Leases that ended before they were released, by the cause.", "cause",
                            &metrics::losses,
                            {{"expired", &loss_counts::expired},
                             {"taken", &loss_counts::taken},
                             {"max_hold", &loss_counts::max_hold},
                             {"thread_exited", &loss_counts::thread_exited}});
}

void add_engine(page& out) {
    out.counts<unknown_counts>("holdfast_unknown_outcomes_total",
                               "Requests whose reply was lost, by what they asked for.", "request",
                               &metrics::unknown_outcomes,
                               {{"acquire", &unknown_counts::acquire},
                                {"heartbeat", &unknown_counts::heartbeat},
                                {"renewal", &unknown_counts::renewal},
                                {"release", &unknown_counts::release},
                                {"withdrawal", &unknown_counts::withdrawal}});
    out.number("holdfast_reconnects_total", "counter",
               "Connections to a server that replaced one which had worked.",
               [](const metrics& values) { return values.reconnects; });
}

} // namespace

std::string to_prometheus(const metrics& values, const std::vector<metric_label>& labels) {
    return to_prometheus(client_list{{values, labels}});
}

std::string to_prometheus(const std::vector<labelled_metrics>& clients) {
    for (const auto& client : clients) {
        for (const auto& label : client.labels) { check_label(label); }
    }
    page out{clients};
    add_acquires(out);
    add_holds(out);
    add_engine(out);
    return out.take();
}

} // namespace holdfast
