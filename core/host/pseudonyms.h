// SPDX-License-Identifier: GPL-2.0-or-later
// What stands in the place of each identifier of a host. First everything is learnt, then numbered in its own order, so that the same
// host gives the same names, no new name is one that the host had, and what was equal, or made of each other (an interface
// identifier of a MAC, a GID of a GUID), still is. Private to core/host.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/identifiers.h"

namespace rd {

class Pseudonyms final : public KnownIdentifiers {
public:
    void learn(std::string_view text, Place place);
    // A name of the host itself, with its domain or without.
    void learn_host(std::string_view name);
    // Kept for its whole value only: a word that means other things elsewhere ("node1").
    void learn_common_host(std::string_view name);
    void learn_serial(std::string_view serial);
    // Of a host that was scrubbed before: what was put in the place of names then stays.
    void keep_own_words() { keeps_own_words_ = true; }
    // Nothing is learnt after this.
    void number();

    [[nodiscard]] std::string replace(std::string_view text, Place place) const;
    // Of a text that is a host name or a serial number as a whole, white space around it aside.
    [[nodiscard]] std::string replace_whole(std::string_view text) const;

    [[nodiscard]] bool has(Form form, const IdBytes& bytes) const override;

private:
    template <std::size_t size>
    using Bytes = std::array<std::uint8_t, size>;
    using Mac = Bytes<6>;
    using Guid = Bytes<8>;
    using Net4 = Bytes<3>;
    using Gid = Bytes<16>;
    struct Word {
        std::string key;  // in lower case
        std::string to;
    };

    void learn(const Identifier& found, std::string_view text);
    void learn_guid(const Guid& guid);
    void learn_gid(const Gid& gid);
    [[nodiscard]] bool knows_guid(const Guid& guid) const;
    [[nodiscard]] bool knows_gid(const Gid& gid) const;

    [[nodiscard]] Mac mapped(Mac mac) const;
    [[nodiscard]] Guid mapped(const Guid& guid) const;
    [[nodiscard]] Gid mapped(const Gid& gid) const;
    [[nodiscard]] Bytes<4> mapped(const Bytes<4>& address) const;
    [[nodiscard]] IdBytes mapped(Form form, const IdBytes& bytes) const;
    [[nodiscard]] std::string replacement(const Identifier& found, std::string_view text) const;

    void number_nets();
    void number_words();
    void append_words(std::string_view text, std::size_t from, std::size_t to, std::string& out) const;
    [[nodiscard]] const Word* word_at(std::string_view text, std::size_t at, std::size_t end) const;

    bool keeps_own_words_ = false;
    // Keys are what was found; values are made by number().
    std::map<Mac, Mac>
        macs_;  // without the bit "locally administered", which both forms of an EUI-64 carry differently
    std::map<Guid, Guid> guids_;  // that are not made of a MAC
    std::map<Net4, Net4> nets_;
    std::map<Guid, Guid> prefixes_;  // upper halves of IPv6 addresses
    std::map<Gid, Gid> uuids_;
    std::map<std::string, std::string, std::less<>> names_;  // NQNs and WWIDs, in lower case
    std::map<std::string, std::string, std::less<>> hosts_, domains_, serials_, whole_;
    std::map<std::string, std::vector<Word>, std::less<>> words_;  // by their first letters and digits
};

}  // namespace rd
