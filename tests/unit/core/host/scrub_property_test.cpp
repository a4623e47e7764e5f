// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts made at random, with every kind of identifier in every form and place. None may survive, and what was equal stays equal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "core/base/records.h"
#include "core/base/text.h"
#include "core/host/scrub.h"

namespace rd {
namespace {

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

// An identifier in one of its forms, and the texts of it that must not be found afterwards.
struct Written {
    std::string text;
    std::string value;  // equal for all forms of the same
    std::vector<std::string> traces;
};

class Maker {
public:
    explicit Maker(unsigned seed) : random_(seed) {
        for (int i = 0; i < 4; ++i) macs_.push_back({0x0c, 0x42, 0xa1, byte(), byte(), byte()});
        for (int i = 0; i < 3; ++i) guids_.push_back({0x5c, byte(), byte(), byte(), 0x77, byte(), byte(), byte()});
        for (int i = 0; i < 4; ++i) quads_.push_back({10, byte(), byte(), byte()});
        for (int i = 0; i < 3; ++i) uuids_.push_back(digits(32));
        for (int i = 0; i < 3; ++i) nqns_.push_back("nqn.2019-06.io.corp:array" + digits(6) + ".Vol");
        for (int i = 0; i < 3; ++i) serials_.push_back("MT" + digits(8) + "Z9");
        label_ = "storage-" + digits(4) + "-x";
    }

    [[nodiscard]] std::string host() const { return label_ + ".rack7.corp-net.org"; }
    [[nodiscard]] const std::vector<std::string>& serials() const { return serials_; }

    Written any() {
        switch (below(8)) {
            case 0:
            case 1:
                return mac();
            case 2:
                return guid();
            case 3:
                return quad();
            case 4:
                return gid();
            case 5:
                return uuid();
            case 6: {
                const std::string nqn = pick(nqns_);
                return {nqn, nqn, {nqn.substr(20)}};
            }
            default:
                return word();
        }
    }

    std::size_t below(std::size_t end) { return random_() % end; }

private:
    std::uint8_t byte() { return static_cast<std::uint8_t>(17 + random_() % 230); }
    std::string digits(std::size_t count) {
        std::string out;
        while (out.size() < count) out += fmt::format("{:02x}", byte());
        return out;
    }
    template <class T>
    const T& pick(const std::vector<T>& all) {
        return all[below(all.size())];
    }
    std::string in_any_case(std::string text) {
        if (below(3) == 0) std::transform(text.begin(), text.end(), text.begin(), ::toupper);
        return text;
    }
    template <std::size_t size>
    static std::string joined(const std::array<std::uint8_t, size>& bytes, std::size_t group, const char* separator) {
        std::string out;
        for (std::size_t i = 0; i < size; ++i)
            out += fmt::format("{}{:02x}", i != 0 && i % group == 0 ? separator : "", bytes[i]);
        return out;
    }

    Written mac() {
        const auto mac = pick(macs_);
        const std::string bare = joined(mac, 6, ""), tail = bare.substr(6);
        const std::string forms[] = {joined(mac, 1, ":"), joined(mac, 1, "-"), "enx" + bare};
        const std::string tail_colons = joined(mac, 1, ":").substr(9);
        return {in_any_case(forms[below(3)]), bare, {tail, tail_colons, joined(mac, 1, "-").substr(9)}};
    }
    Written guid() {
        std::array<std::uint8_t, 8> guid = pick(guids_);
        if (below(2) == 0) {
            const auto mac = pick(macs_);
            guid = {mac[0], mac[1], mac[2], 3, 0, mac[3], mac[4], mac[5]};
        }
        const std::string bare = joined(guid, 8, "");
        const std::string forms[] = {joined(guid, 2, ":"), "0x" + bare, joined(guid, 1, ":")};
        const std::size_t form = below(3);
        return {form == 1 ? "0x" + in_any_case(bare) : in_any_case(forms[form]),
                bare,
                {bare.substr(10), joined(guid, 2, ":").substr(5)}};
    }
    Written quad() {
        const auto quad = pick(quads_);
        const std::string text = fmt::format("{}.{}.{}.{}", quad[0], quad[1], quad[2], quad[3]);
        const std::string groups = fmt::format("{:02x}{:02x}:{:02x}{:02x}", quad[0], quad[1], quad[2], quad[3]);
        const std::string forms[] = {text, "0000:0000:0000:0000:0000:ffff:" + groups, "::ffff:" + text};
        const std::string net = fmt::format("{}.{}.{}.", quad[0], quad[1], quad[2]);
        return {forms[below(3)], text, {net, "ffff:" + groups}};
    }
    Written gid() {
        std::array<std::uint8_t, 16> gid{0xfe, 0x80};
        if (below(2) == 0) gid = {0x2a, 0x02, 0x55, 0x66, 0, 0, 0, 0x17};
        if (below(2) == 0) {
            const auto mac = pick(macs_);
            const std::uint8_t end[] = {
                static_cast<std::uint8_t>(mac[0] ^ 2), mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
            std::copy_n(end, 8, gid.begin() + 8);
        } else {
            std::copy_n(pick(guids_).begin(), 8, gid.begin() + 8);
        }
        const std::string full = joined(gid, 2, ":");
        std::string compressed = "fe80::";
        for (std::size_t i = 8; i < 16; i += 2)
            compressed += fmt::format("{}{:x}", i == 8 ? "" : ":", gid[i] << 8 | gid[i + 1]);
        const std::vector<std::string> traces{"2a02:5566", full.substr(30), joined(gid, 16, "").substr(26)};
        if (gid[0] == 0xfe && below(2) == 0) return {compressed, full, traces};
        return {in_any_case(full), full, traces};
    }
    Written uuid() {
        const std::string bare = pick(uuids_);
        const char separator = below(2) == 0 ? '-' : '_';
        std::string text = bare;
        for (const std::size_t at : {20u, 16u, 12u, 8u}) text.insert(at, 1, separator);
        return {in_any_case(text), bare, {bare.substr(20)}};
    }
    Written word() {
        if (below(2) == 0) {
            const std::string serial = pick(serials_);
            return {in_any_case(serial), serial, {serial}};
        }
        return {in_any_case(below(2) == 0 ? host() : label_), label_, {label_, "rack7", "corp-net"}};
    }

    std::mt19937 random_;
    std::vector<std::array<std::uint8_t, 6>> macs_;
    std::vector<std::array<std::uint8_t, 8>> guids_;
    std::vector<std::array<std::uint8_t, 4>> quads_;
    std::vector<std::string> uuids_, nqns_, serials_;
    std::string label_;
};

// Where identifiers stand: between these.
constexpr std::pair<const char*, const char*> kAround[] = {
    {"", ""},         {"", "\n"},       {" ", " "},       {"[", "]"},     {"(", ")"}, {"=", ","},
    {"\t", "\n"},     {"'", "'"},       {"addr ", "; x"}, {"mac:", " y"}, {"x/", ""}, {"state ok: ", " lost"},
    {"a.b \"", "\""}, {"7: ", ": down"}};

std::string everything(const Bundle& bundle) {
    std::string out = bundle.identity.hostname + "\n" + bundle.identity.boot_id + "\n";
    const auto add = [&out](std::string_view text) { out.append(text).append(1, '\n'); };
    const auto add_error = [&](const Error& error) {
        add(error.what);
        add(error.remedy);
    };
    for (const Moment& moment : bundle.moments) {
        for (const auto& [name, answer] : moment.reads) {
            add(name);
            if (!answer) {
                add_error(answer.error());
                continue;
            }
            add(*answer);
            const auto record = parse_record(*answer);
            if (!record) continue;
            for (const auto& [key, value] : record->fields()) add(value);
        }
        for (const auto& [name, target] : moment.links) {
            add(name);
            if (target) add(*target);
        }
        for (const auto& [name, entries] : moment.lists) {
            add(name);
            if (!entries) continue;
            for (const std::string& entry : *entries) add(entry);
        }
    }
    return lowered(out);
}

struct Made {
    Bundle bundle;
    std::set<std::string> traces;
    std::map<std::string, std::pair<std::string, std::string>> alone;  // by file: identifier and the form it is in
};

Made make(unsigned seed) {
    Maker maker(seed);
    Made made;
    made.bundle.identity.hostname = maker.host();
    made.bundle.identity.boot_id = "4b4935be-1d77-4cd7-ac72-55722c3c8b00";
    made.traces.insert("4b4935be");
    made.bundle.moments.resize(2);
    const auto note = [&](const Written& written) {
        for (const std::string& trace : written.traces) made.traces.insert(lowered(trace));
        return written.text;
    };
    int number = 0;
    for (Moment& moment : made.bundle.moments) {
        for (std::size_t i = 0; i < maker.serials().size(); ++i) {
            moment.reads.insert_or_assign(fmt::format("/sys/class/nvme/nvme{}/serial", i), maker.serials()[i] + "\n");
        }
        for (int i = 0; i < 60; ++i) {
            const std::string name = "/sys/file" + std::to_string(++number);
            const auto& [before, after] = kAround[maker.below(std::size(kAround))];
            const Written written = maker.any();
            const std::string around = before + note(written) + after;
            switch (maker.below(8)) {
                case 0:
                    moment.links.emplace(name, "/sys/devices/" + written.text + "/x");
                    break;
                case 1:
                    moment.lists.emplace(name, std::vector<std::string>{written.text, "zz"});
                    break;
                case 2:
                    moment.reads.emplace(name, fail(Errc::io, name + ": " + around, around));
                    break;
                case 3:
                    moment.reads.emplace("/sys/" + written.text + "/" + std::to_string(number), "1\n");
                    break;
                case 4: {
                    Record record;
                    record.set("seq", std::uint64_t{7});
                    record.set("text", around);
                    moment.reads.emplace("kmsg/" + std::to_string(number), record.text());
                    break;
                }
                case 5:
                    moment.reads.emplace(name, around + " " + note(maker.any()) + "\n" + around);
                    break;
                default:
                    moment.reads.emplace(name, written.text);
                    made.alone.emplace(name, std::pair{written.value, written.text});
            }
        }
    }
    return made;
}

TEST(ScrubProperty, NothingOfTheHostSurvivesAndWhatWasEqualStaysEqual) {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        const Made made = make(seed);
        const Bundle to = scrub(made.bundle);
        const std::string text = everything(to);
        for (const std::string& trace : made.traces) {
            const std::size_t at = text.find(trace);
            ASSERT_EQ(at, std::string::npos)
                << "seed " << seed << ": " << trace << " in …" << text.substr(at < 40 ? 0 : at - 40, 120);
        }
        std::map<std::string, std::string> there, back;
        for (const auto& [name, identifier] : made.alone) {
            for (const Moment& moment : to.moments) {
                const auto found = moment.reads.find(name);
                if (found == moment.reads.end()) continue;
                const std::string was = lowered(identifier.second), now = lowered(*found->second);
                ASSERT_EQ(there.emplace(was, now).first->second, now) << "seed " << seed << ": " << was;
                ASSERT_EQ(back.emplace(now, was).first->second, was) << "seed " << seed << ": " << now;
            }
        }
        const Bundle again = scrub(made.bundle);
        ASSERT_EQ(everything(again), text);
        ASSERT_LE(everything(scrub(to)).size(), 8 * text.size());
    }
}

}  // namespace
}  // namespace rd
