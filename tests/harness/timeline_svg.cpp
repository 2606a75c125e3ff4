#include "harness/timeline_svg.hpp"

#include "history/line.hpp"
#include "history/timeline.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace holdfast::test {

namespace {

constexpr int left = 190;
constexpr int width = 1000; ///< of the time line, in pixels
constexpr int row_height = 22;

class picture {
public:
    picture(history::stamp begin, history::stamp end)
        : begin_{begin}, length_{std::max<std::int64_t>((end - begin).count(), 1)} {}

    void add_row(const std::string& label) {
        ++rows_;
        out_ << "<text x=\"4\" y=\"" << top() + 14 << "\">" << label << "</text>\n";
        pixels_.clear();
    }
    /// Marks pixels of the present row.
    void mark(history::stamp from, history::stamp to, bool bad = false) {
        const int last = pixel(to);
        for (int at = pixel(from); at <= last; ++at) { pixels_[at] |= bad; }
    }
    /// Draws the marked pixels, each run of them as one bar.
    void end_row(const std::string& colour, const std::string& bad_colour) {
        for (auto at = pixels_.begin(); at != pixels_.end();) {
            const auto first = at;
            int next = first->first;
            while (at != pixels_.end() && at->first == next && at->second == first->second) {
                ++at;
                ++next;
            }
            out_ << "<rect x=\"" << left + first->first << "\" y=\"" << top() + 3 << "\" width=\""
                 << next - first->first << "\" height=\"15\" fill=\""
                 << (first->second ? bad_colour : colour) << "\"/>\n";
        }
    }
    [[nodiscard]] std::string text(const std::string& title) const {
        std::ostringstream all;
        const int height = (rows_ + 3) * row_height;
        all << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + width + 10
            << "\" height=\"" << height << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
            << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"4\" y=\"16\" "
            << "font-weight=\"bold\">" << title << "</text>\n"
            << out_.str();
        for (int part = 0; part <= 10; ++part) {
            all << "<text x=\"" << left + width * part / 10 - 12 << "\" y=\"" << height - 8
                << "\" fill=\"gray\">" << length_ * part / 10 / 1'000'000'000 << " s</text>\n";
        }
        all << "</svg>\n";
        return all.str();
    }

private:
    [[nodiscard]] int top() const { return rows_ * row_height; }
    [[nodiscard]] int pixel(history::stamp at) const {
        const auto offset = std::clamp<std::int64_t>((at - begin_).count(), 0, length_);
        return static_cast<int>(static_cast<double>(offset) / static_cast<double>(length_) *
                                (width - 1));
    }

    history::stamp begin_;
    std::int64_t length_;
    std::ostringstream out_;
    std::map<int, bool> pixels_;
    int rows_ = 0;
};

} // namespace

std::string timeline_svg(const std::string& title, const std::vector<history::event>& events,
                         const std::vector<injected_fault>& faults) {
    const auto all = history::arrange(events);
    picture out{all.begin, all.end};
    for (const auto& [name, line] : all.names) {
        out.add_row(history::encoded(name));
        for (const auto& hold : line.holds) {
            for (const auto& span : hold.valid) {
                out.mark(span.from, std::min(span.to, all.end), hold.loss != nullptr);
            }
        }
        out.end_row("#4c8bc9", "#d9822b"); // lost holds are orange
    }
    std::map<fault_kind, std::vector<const injected_fault*>> by_kind;
    for (const auto& fault : faults) { by_kind[fault.kind].push_back(&fault); }
    for (const auto& [kind, list] : by_kind) {
        out.add_row(std::string{to_string(kind)});
        for (const auto* fault : list) {
            out.mark(fault->from, fault->to, !fault->effects.keeps_proviso);
        }
        out.end_row("#777777", "#c0392b"); // red: P1b does not hold meanwhile
    }
    return out.text(title);
}

} // namespace holdfast::test
