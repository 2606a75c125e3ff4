#pragma once
// The members of each event type by name: one table for writing and for parsing.

#include "history/event.hpp"

#include <tuple>

namespace holdfast::history {

template <class Owner, class Member>
struct field {
    std::string_view key;
    Member Owner::*member;
};
template <class Owner, class Member>
field(const char*, Member Owner::*) -> field<Owner, Member>;

template <class EventType>
inline constexpr std::tuple<> fields_of{};

template <>
inline constexpr auto fields_of<requested> =
    std::tuple{field{"name", &requested::name},   field{"owner", &requested::owner},
               field{"mode", &requested::mode},   field{"n", &requested::n},
               field{"limit", &requested::limit}, field{"lease", &requested::lease}};

template <>
inline constexpr auto fields_of<granted> =
    std::tuple{field{"name", &granted::name}, field{"owner", &granted::owner},
               field{"token", &granted::token}, field{"until", &granted::valid_until}};

template <>
inline constexpr auto fields_of<renewed> =
    std::tuple{field{"name", &renewed::name}, field{"owner", &renewed::owner},
               field{"until", &renewed::valid_until}, field{"since", &renewed::since}};

template <>
inline constexpr auto fields_of<released> =
    std::tuple{field{"name", &released::name}, field{"owner", &released::owner}};

template <>
inline constexpr auto fields_of<lost> =
    std::tuple{field{"name", &lost::name}, field{"owner", &lost::owner},
               field{"until", &lost::valid_until}, field{"fired", &lost::fired}};

template <>
inline constexpr auto fields_of<gave_up> = std::tuple{
    field{"name", &gave_up::name}, field{"owner", &gave_up::owner}, field{"reason", &gave_up::why}};

template <>
inline constexpr auto fields_of<wrote> =
    std::tuple{field{"name", &wrote::name},   field{"owner", &wrote::owner},
               field{"token", &wrote::token}, field{"accepted", &wrote::accepted},
               field{"begun", &wrote::begun}, field{"value", &wrote::value}};

template <>
inline constexpr auto fields_of<resumed> = std::tuple{
    field{"victim", &resumed::victim}, field{"from", &resumed::from}, field{"to", &resumed::to}};

template <>
inline constexpr auto fields_of<killed> =
    std::tuple{field{"victim", &killed::victim}, field{"sent", &killed::sent}};

template <>
inline constexpr auto fields_of<broken> = std::tuple{
    field{"name", &broken::name}, field{"token", &broken::token}, field{"sent", &broken::sent}};

inline constexpr auto header_fields =
    std::tuple{field{"at", &event::at}, field{"pid", &event::pid}, field{"thread", &event::thread},
               field{"process", &event::process}};

} // namespace holdfast::history
