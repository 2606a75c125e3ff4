// The text for Prometheus, and the names in it that the dashboard and docs/metrics.md use.

#include <holdfast/error.hpp>
#include <holdfast/metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string content(const std::string& path) {
    std::ifstream file{HOLDFAST_SOURCE_FOLDER "/" + path};
    return {std::istreambuf_iterator{file}, {}};
}

/// The words that begin with holdfast_ and follow `before`.
std::set<std::string> words_after(const std::string& text, const std::string& before) {
    const auto is_part = [](char each) { return (each >= 'a' && each <= 'z') || each == '_'; };
    std::set<std::string> out;
    const auto begin = before + "holdfast_";
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        if (before.empty() && at > 0 && is_part(text[at - 1])) { continue; }
        auto end = at + begin.size();
        while (end < text.size() && is_part(text[end])) { ++end; }
        out.insert(text.substr(at + before.size(), end - at - before.size()));
    }
    return out;
}

/// The values of a label.
std::set<std::string> values_of(const std::string& label, const std::string& text) {
    std::set<std::string> out;
    const auto begin = label + "=\"";
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        const auto from = at + begin.size();
        out.insert(text.substr(from, text.find('"', from) - from));
    }
    return out;
}

std::set<std::string> families() { return words_after(to_prometheus(metrics{}), "# TYPE "); }

/// The names in a text, those of a histogram's series without their endings.
std::set<std::string> names_in(const std::string& text) {
    std::set<std::string> out;
    for (auto name : words_after(text, "")) {
        for (const std::string ending : {"_bucket", "_sum", "_count"}) {
            if (name.ends_with("_seconds" + ending)) { name.resize(name.size() - ending.size()); }
        }
        out.insert(name);
    }
    return out;
}

TEST(prometheus_text, has_a_line_for_each_number_and_each_label) {
    metrics values;
    values.acquires.granted = 5;
    values.losses.taken = 2;
    values.reconnects = 1;
    values.holds_now = 3;
    const auto text = to_prometheus(values);
    EXPECT_THAT(text, HasSubstr("\nholdfast_acquires_total{outcome=\"granted\"} 5\n"));
    EXPECT_THAT(text, HasSubstr("\nholdfast_acquires_total{outcome=\"busy\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("\nholdfast_losses_total{cause=\"taken\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("\nholdfast_reconnects_total 1\n"));
    EXPECT_THAT(text, HasSubstr("\n# TYPE holdfast_holds gauge\nholdfast_holds 3\n"));
    EXPECT_TRUE(text.ends_with('\n'));
}

TEST(prometheus_text, has_cumulative_ranges_in_seconds) {
    metrics values;
    values.hold_time.counts[0] = 4;
    values.hold_time.counts[3] = 2;
    values.hold_time.counts.back() = 1;
    values.hold_time.sum = 2500ms;
    const auto text = to_prometheus(values, {{"lock", "a"}});
    const auto has = [&](const std::string& line) {
        EXPECT_THAT(text, HasSubstr("\nholdfast_hold_seconds_" + line + "\n"));
    };
    has("bucket{lock=\"a\",le=\"0.0001\"} 4");
    has("bucket{lock=\"a\",le=\"0.0005\"} 4");
    has("bucket{lock=\"a\",le=\"0.001\"} 6");
    has("bucket{lock=\"a\",le=\"7200\"} 6");
    has("bucket{lock=\"a\",le=\"+Inf\"} 7");
    has("sum{lock=\"a\"} 2.5");
    has("count{lock=\"a\"} 7");
}

TEST(prometheus_text, escapes_the_values_of_labels) {
    EXPECT_THAT(to_prometheus(metrics{}, {{"lock", "a\"b\\c\nx"}}),
                HasSubstr("{lock=\"a\\\"b\\\\c\\nx\"}"));
}

TEST(prometheus_text, rejects_the_name_of_a_label_that_prometheus_would_not_take) {
    for (const std::string name : {"", "1st", "a-b", "a b", "\xc3\xa9"}) {
        EXPECT_THROW(static_cast<void>(to_prometheus(metrics{}, {{name, "x"}})), error) << name;
    }
    EXPECT_NO_THROW(static_cast<void>(to_prometheus(metrics{}, {{"_a1", "x"}})));
}

TEST(prometheus_text, names_each_family_once_for_several_clients) {
    const auto text =
        to_prometheus({{metrics{}, {{"client", "a"}}}, {metrics{}, {{"client", "b"}}}});
    const std::string head = "# TYPE holdfast_holds gauge\n";
    ASSERT_NE(text.find(head), std::string::npos);
    EXPECT_EQ(text.find(head), text.rfind(head));
    EXPECT_THAT(text,
                HasSubstr("holdfast_holds{client=\"a\"} 0\nholdfast_holds{client=\"b\"} 0\n"));
}

TEST(prometheus_text, has_no_exponents_that_a_locale_or_a_reader_might_mistake) {
    for (const auto& bound : values_of("le", to_prometheus(metrics{}))) {
        EXPECT_THAT(bound, Not(HasSubstr(","))) << bound;
        EXPECT_TRUE(bound == "+Inf" || std::stod(bound) > 0) << bound;
    }
}

TEST(metric_names, are_the_same_in_the_dashboard) {
    EXPECT_EQ(names_in(content("packaging/grafana/holdfast.json")), families());
}

TEST(metric_names, are_the_same_in_the_documentation) {
    const auto page = content("docs/metrics.md");
    EXPECT_EQ(names_in(page), families());
    for (const std::string label : {"outcome", "cause", "request"}) {
        const auto values = values_of(label, to_prometheus(metrics{}));
        EXPECT_FALSE(values.empty()) << label;
        for (const auto& value : values) { EXPECT_THAT(page, HasSubstr("`" + value + "`")); }
    }
}

TEST(metric_names, are_the_same_in_the_alerts) {
    const auto rules = content("packaging/prometheus/holdfast.rules.yml");
    ASSERT_FALSE(rules.empty());
    for (const auto& name : names_in(rules)) { EXPECT_TRUE(families().contains(name)) << name; }
}

} // namespace
} // namespace holdfast
