// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/socket_attributes.h"

#include <linux/netlink.h>

namespace rd {

std::string_view text_of(Bytes bytes) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return all.substr(0, all.find('\0'));
}

bool Attributes::next() {
    if (!problem_.empty() || position_ >= bytes_.size()) return false;
    const std::size_t left = bytes_.size() - position_;
    const auto head = value_at<nlattr>(bytes_, position_);
    if (!head) {
        // Up to three bytes of padding may follow the last attribute.
        if (left >= NLA_ALIGNTO) problem_ = "attribute header";
        position_ = bytes_.size();
        return false;
    }
    if (head->nla_len < sizeof(nlattr) || head->nla_len > left) {
        problem_ = "attribute " + std::to_string(head->nla_type & NLA_TYPE_MASK) + " at byte " +
                   std::to_string(position_) + " claims " + std::to_string(head->nla_len) + " bytes, " +
                   std::to_string(left) + " are there";
        return false;
    }
    type_ = static_cast<std::uint16_t>(head->nla_type & NLA_TYPE_MASK);
    payload_ = bytes_.subspan(position_ + sizeof(nlattr), head->nla_len - sizeof(nlattr));
    position_ += (std::size_t{head->nla_len} + NLA_ALIGNTO - 1) & ~(std::size_t{NLA_ALIGNTO} - 1);
    return true;
}

std::uint64_t Attributes::number_of_any_width() {
    switch (payload_.size()) {
        case 1:
            return number<std::uint8_t>();
        case 2:
            return number<std::uint16_t>();
        case 4:
            return number<std::uint32_t>();
        default:
            return number<std::uint64_t>();
    }
}

void Attributes::absorb(const Attributes& nested) {
    if (problem_.empty() && !nested.problem_.empty()) {
        problem_ = "in attribute " + std::to_string(type_) + ": " + nested.problem_;
    }
}

void Attributes::too_short(std::size_t wanted) {
    if (!problem_.empty()) return;
    problem_ = "attribute " + std::to_string(type_) + " has " + std::to_string(payload_.size()) + " bytes, " +
               std::to_string(wanted) + " are needed";
}

Result<> Attributes::sound(std::string_view object) const {
    if (problem_.empty()) return {};
    return fail(Errc::bad_input, std::string(object) + ": " + problem_);
}

}  // namespace rd
