// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/dcb.h"

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include <array>
#include <optional>

#include "core/base/records.h"

namespace rd {
namespace {

// Later than the headers that Debian 12 ships (6.3): application entries whose selector is not from IEEE 802.1Q.
constexpr std::uint16_t kDcbApp = 2;

constexpr int kPriorities = IEEE_8021QAZ_MAX_TCS;

std::string numbered(std::string_view key, int number) { return std::string(key) + '_' + std::to_string(number); }

std::string tsa_name(std::uint8_t algorithm) {
    switch (algorithm) {
        case IEEE_8021QAZ_TSA_STRICT:
            return "strict";
        case IEEE_8021QAZ_TSA_CB_SHAPER:
            return "cbs";
        case IEEE_8021QAZ_TSA_ETS:
            return "ets";
        case IEEE_8021QAZ_TSA_VENDOR:
            return "vendor";
        default:
            return std::to_string(algorithm);
    }
}

std::string selector_name(std::uint8_t selector) {
    switch (selector) {
        case IEEE_8021QAZ_APP_SEL_ETHERTYPE:
            return "ethertype";
        case IEEE_8021QAZ_APP_SEL_STREAM:
            return "stream-port";
        case IEEE_8021QAZ_APP_SEL_DGRAM:
            return "dgram-port";
        case IEEE_8021QAZ_APP_SEL_ANY:
            return "any-port";
        case IEEE_8021QAZ_APP_SEL_DSCP:
            return "dscp";
        case 255:
            return "pcp";
        default:
            return std::to_string(selector);
    }
}

std::string pfc_text(const ieee_pfc& pfc) {
    Record record;
    record.set("cap", pfc.pfc_cap);
    record.set("enabled", pfc.pfc_en);
    record.set("mbc", pfc.mbc);
    record.set("delay", pfc.delay);
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("requests", i), std::uint64_t{pfc.requests[i]});
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("indications", i), std::uint64_t{pfc.indications[i]});
    return record.text();
}

std::string ets_text(const ieee_ets& ets) {
    Record record;
    record.set("cap", ets.ets_cap);
    record.set("willing", ets.willing);
    record.set("cbs", ets.cbs);
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("prio_tc", i), ets.prio_tc[i]);
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("tc_tsa", i), tsa_name(ets.tc_tsa[i]));
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("tc_bw", i), ets.tc_tx_bw[i]);
    return record.text();
}

std::string buffer_text(const dcbnl_buffer& buffer) {
    Record record;
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("prio_buffer", i), buffer.prio2buffer[i]);
    for (int i = 0; i < DCBX_MAX_BUFFERS; ++i) record.set(numbered("size", i), buffer.buffer_size[i]);
    record.set("total", buffer.total_size);
    return record.text();
}

std::string maxrate_text(const ieee_maxrate& rates) {
    Record record;
    for (int i = 0; i < kPriorities; ++i) record.set(numbered("tc_maxrate", i), std::uint64_t{rates.tc_maxrate[i]});
    return record.text();
}

std::string dcbx_text(std::uint8_t mode) {
    const auto bit = [mode](unsigned mask) { return std::uint64_t{(mode & mask) != 0}; };
    Record record;
    record.set("mode", mode);
    record.set("host", bit(DCB_CAP_DCBX_HOST));
    record.set("lld", bit(DCB_CAP_DCBX_LLD_MANAGED));
    record.set("cee", bit(DCB_CAP_DCBX_VER_CEE));
    record.set("ieee", bit(DCB_CAP_DCBX_VER_IEEE));
    record.set("static", bit(DCB_CAP_DCBX_STATIC));
    return record.text();
}

std::string app_table_text(Attributes& attributes) {
    std::string text;
    Attributes table = attributes.nested();
    while (table.next()) {
        if (table.type() != DCB_ATTR_IEEE_APP && table.type() != kDcbApp) continue;
        const auto app = table.number<dcb_app>();
        Record record;
        record.set("selector", selector_name(app.selector));
        record.set("protocol", app.protocol);
        record.set("priority", app.priority);
        text += record.text();
    }
    attributes.absorb(table);
    return text;
}

std::uint16_t attribute_of(DcbPart part) {
    switch (part) {
        case DcbPart::pfc:
            return DCB_ATTR_IEEE_PFC;
        case DcbPart::ets:
            return DCB_ATTR_IEEE_ETS;
        case DcbPart::app:
            return DCB_ATTR_IEEE_APP_TABLE;
        case DcbPart::buffer:
            return DCB_ATTR_DCB_BUFFER;
        case DcbPart::maxrate:
            return DCB_ATTR_IEEE_MAXRATE;
        case DcbPart::dcbx:
            break;
    }
    return DCB_ATTR_IEEE_UNSPEC;
}

std::string text_of_part(DcbPart part, Attributes& in) {
    switch (part) {
        case DcbPart::pfc:
            return pfc_text(in.number<ieee_pfc>());
        case DcbPart::ets:
            return ets_text(in.number<ieee_ets>());
        case DcbPart::app:
            return app_table_text(in);
        case DcbPart::buffer:
            return buffer_text(in.number<dcbnl_buffer>());
        case DcbPart::maxrate:
            return maxrate_text(in.number<ieee_maxrate>());
        case DcbPart::dcbx:
            break;
    }
    return {};
}

Result<std::optional<std::string>> decode_ieee(DcbPart part, Attributes& attributes, std::string_view object) {
    // One byte instead of a nest is a driver's status: a negative errno, signed.
    if (attributes.payload().size() == 1) {
        const auto status = attributes.number<std::int8_t>();
        if (status < 0) return tl::unexpected(error_from_errno(-status, object));
        return std::nullopt;
    }
    std::optional<std::string> text;
    Attributes in = attributes.nested();
    while (in.next()) {
        if (in.type() == attribute_of(part)) text = text_of_part(part, in);
    }
    attributes.absorb(in);
    return text;
}

}  // namespace

Result<std::string> decode_dcb(DcbPart part, Bytes attributes, std::string_view object) {
    std::optional<std::string> text;
    Attributes in(attributes);
    while (in.next()) {
        if (part == DcbPart::dcbx && in.type() == DCB_ATTR_DCBX) {
            text = dcbx_text(in.number<std::uint8_t>());
        } else if (part != DcbPart::dcbx && in.type() == DCB_ATTR_IEEE) {
            auto found = decode_ieee(part, in, object);
            if (!found) return tl::unexpected(std::move(found.error()));
            text = std::move(*found);
        }
    }
    if (auto sound = in.sound(object); !sound) return tl::unexpected(std::move(sound.error()));
    if (!text) return fail(Errc::not_supported, std::string(object) + ": the driver does not offer this part of DCB");
    return std::move(*text);
}

DcbReader::DcbReader(DcbPart part, const std::string& netdev, std::string object)
    : part_(part), object_(std::move(object)), request_(RTM_GETDCB, 0) {
    dcbmsg head{};
    head.cmd = part == DcbPart::dcbx ? DCB_CMD_GDCBX : DCB_CMD_IEEE_GET;
    request_.fixed(std::as_bytes(std::span(&head, 1)));
    request_.text(DCB_ATTR_IFNAME, netdev);  // the protocol knows no interface index
}

Result<std::string> DcbReader::read() {
    if (auto answer = Netlink::of_this_thread(NETLINK_ROUTE).ask(request_, replies_); !answer) {
        return tl::unexpected(error_of(answer.error(), object_));
    }
    for (std::size_t i = 0; i < replies_.size(); ++i) {
        const Bytes payload = replies_[i].payload;
        if (payload.size() < sizeof(dcbmsg)) break;
        return decode_dcb(part_, payload.subspan(sizeof(dcbmsg)), object_);
    }
    return fail(Errc::bad_input, object_ + ": the answer is too short");
}

}  // namespace rd
