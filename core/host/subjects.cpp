// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/subjects.h"

#include <net/if.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/host/dcb.h"
#include "core/host/ethtool.h"
#include "core/host/ethtool_ioctl.h"
#include "core/host/kmsg.h"
#include "core/host/lldp.h"
#include "core/host/module.h"
#include "core/host/nodes.h"
#include "core/host/pci.h"
#include "core/host/rdma.h"
#include "core/host/rtnl.h"
#include "core/host/verbs.h"

namespace rd {
namespace {

// A name taken apart and checked. `port` is 0 where the subject has none.
struct Parts {
    std::string name;  // as asked for: "rdma.port/mlx5_0/1"
    std::string target;
    std::uint32_t port = 0;
};

class FailedHandle final : public Handle {
public:
    explicit FailedHandle(Error error) : error_(std::move(error)) {}
    Result<> read(Buffer&) override { return tl::unexpected(error_); }

private:
    Error error_;
};

// A handle around anything that reads: `Reader::read()` gives the text.
template <class Reader>
class ReaderHandle final : public Handle {
public:
    ReaderHandle(std::string name, Reader reader) : name_(std::move(name)), reader_(std::move(reader)) {}
    Result<> read(Buffer& into) override {
        auto text = reader_.read();
        if (!text) return tl::unexpected(std::move(text.error()));
        if (text->size() > kMaxAnswer) {
            return fail(Errc::limit, name_ + ": answer of " + std::to_string(text->size()) + " bytes");
        }
        into.assign(*text);
        return {};
    }

private:
    std::string name_;
    Reader reader_;
};

template <class Reader>
std::unique_ptr<Handle> handle(const Parts& parts, Reader reader) {
    return std::make_unique<ReaderHandle<Reader>>(parts.name, std::move(reader));
}

// For sources that keep nothing between two reads.
class FunctionReader {
public:
    using Function = Result<std::string> (*)(const std::string& target, std::string_view object);
    FunctionReader(Function function, const Parts& parts) : function_(function), parts_(parts) {}
    [[nodiscard]] Result<std::string> read() { return function_(parts_.target, parts_.name); }

private:
    Function function_;
    Parts parts_;
};

template <FunctionReader::Function function>
std::unique_ptr<Handle> open_function(const Parts& parts) {
    return handle(parts, FunctionReader(function, parts));
}
template <DcbPart part>
std::unique_ptr<Handle> open_dcb(const Parts& parts) {
    return handle(parts, DcbReader(part, parts.target, parts.name));
}
template <EthtoolPart part>
std::unique_ptr<Handle> open_ethtool(const Parts& parts) {
    return handle(parts, EthtoolReader(part, parts.target, parts.name));
}
template <RdmaPart part>
std::unique_ptr<Handle> open_rdma(const Parts& parts) {
    return handle(parts, RdmaReader(part, parts.target, parts.port, parts.name));
}
std::unique_ptr<Handle> open_links(const Parts& parts) { return handle(parts, LinkReader()); }
std::unique_ptr<Handle> open_addresses(const Parts& parts) { return handle(parts, AddressReader()); }
std::unique_ptr<Handle> open_statistics(const Parts& parts) {
    return handle(parts, StatisticsReader(parts.target, parts.name));
}
std::unique_ptr<Handle> open_module(const Parts& parts) {
    return handle(parts, ModuleReader(parts.target, parts.name));
}
std::unique_ptr<Handle> open_pci(const Parts& parts) { return handle(parts, PciReader(parts.target, parts.name)); }
std::unique_ptr<Handle> open_lldp(const Parts& parts) { return handle(parts, LldpReader(parts.target, parts.name)); }
std::unique_ptr<Handle> open_kmsg(const Parts& parts) { return handle(parts, KmsgReader(parts.name)); }

// Where applications write, how much, and who may read it differs from site to site. Looking for it could take minutes and would read
// what is none of our business.
std::unique_ptr<Handle> open_logs(const Parts& parts) {
    return std::make_unique<FailedHandle>(Error{Errc::not_collected,
                                                parts.name + ": logs of applications are not read on a live host",
                                                "give the lines: rdmadoctor explain - < LOG"});
}

enum class Takes { nothing, netdev, device, device_and_port, pci_address };

struct Subject {
    std::string_view name;
    Takes takes;
    std::unique_ptr<Handle> (*open)(const Parts&);
};

constexpr Subject kSubjects[] = {
    {"rtnl.link", Takes::nothing, open_links},
    {"rtnl.addr", Takes::nothing, open_addresses},
    {"dcb.pfc", Takes::netdev, open_dcb<DcbPart::pfc>},
    {"dcb.ets", Takes::netdev, open_dcb<DcbPart::ets>},
    {"dcb.app", Takes::netdev, open_dcb<DcbPart::app>},
    {"dcb.buffer", Takes::netdev, open_dcb<DcbPart::buffer>},
    {"dcb.maxrate", Takes::netdev, open_dcb<DcbPart::maxrate>},
    {"dcb.dcbx", Takes::netdev, open_dcb<DcbPart::dcbx>},
    {"ethtool.driver", Takes::netdev, open_function<read_driver>},
    {"ethtool.stats", Takes::netdev, open_statistics},
    {"ethtool.link", Takes::netdev, open_ethtool<EthtoolPart::link>},
    {"ethtool.pause", Takes::netdev, open_ethtool<EthtoolPart::pause>},
    {"ethtool.coalesce", Takes::netdev, open_ethtool<EthtoolPart::coalesce>},
    {"ethtool.rings", Takes::netdev, open_ethtool<EthtoolPart::rings>},
    {"ethtool.channels", Takes::netdev, open_ethtool<EthtoolPart::channels>},
    {"ethtool.features", Takes::netdev, open_ethtool<EthtoolPart::features>},
    {"ethtool.fec", Takes::netdev, open_ethtool<EthtoolPart::fec>},
    {"ethtool.module", Takes::netdev, open_module},
    {"lldp", Takes::netdev, open_lldp},
    {"rdma.devices", Takes::nothing, open_rdma<RdmaPart::devices>},
    {"rdma.device", Takes::device, open_rdma<RdmaPart::device>},
    {"rdma.port", Takes::device_and_port, open_rdma<RdmaPart::port>},
    {"rdma.resources", Takes::device, open_rdma<RdmaPart::resources>},
    {"rdma.qp", Takes::device, open_rdma<RdmaPart::qp>},
    {"rdma.cm_id", Takes::device, open_rdma<RdmaPart::cm_id>},
    {"rdma.ctx", Takes::device, open_rdma<RdmaPart::ctx>},
    {"rdma.cq", Takes::device, open_rdma<RdmaPart::cq>},
    {"rdma.mr", Takes::device, open_rdma<RdmaPart::mr>},
    {"rdma.mr_stat", Takes::device, open_rdma<RdmaPart::mr_stat>},
    {"rdma.stat", Takes::device_and_port, open_rdma<RdmaPart::stat>},
    {"rdma.system", Takes::nothing, open_rdma<RdmaPart::system>},
    {"pci.config", Takes::pci_address, open_pci},
    {"verbs.device", Takes::device, open_function<read_verbs_device>},
    {"verbs.gids", Takes::device, open_function<read_verbs_gids>},
    {"infiniband.nodes", Takes::nothing, open_function<read_infiniband_nodes>},
    {"kmsg", Takes::nothing, open_kmsg},
    {"logs", Takes::nothing, open_logs},
};

constexpr std::size_t kMaxDeviceName = 63;  // IB_DEVICE_NAME_MAX, without the NUL
constexpr std::int64_t kMaxPort = 255;

bool is_device_name(std::string_view text, std::size_t max) {
    if (text.empty() || text.size() > max || text == "." || text == "..") return false;
    return std::none_of(text.begin(), text.end(), [](char c) {
        return c == '/' || static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) == 0x7f;
    });
}

// What is wrong with the arguments; empty when nothing is.
std::string check_arguments(Takes takes, const std::vector<std::string_view>& arguments, Parts& parts) {
    const std::size_t wanted = takes == Takes::nothing ? 0 : takes == Takes::device_and_port ? 2 : 1;
    if (arguments.size() != wanted) {
        return "takes " + std::to_string(wanted) + " argument(s), not " + std::to_string(arguments.size());
    }
    if (wanted == 0) return {};
    parts.target = std::string(arguments[0]);
    switch (takes) {
        case Takes::nothing:
            break;
        case Takes::netdev:
            if (!is_device_name(parts.target, IFNAMSIZ - 1)) return "not the name of a network interface";
            break;
        case Takes::pci_address:
            if (!is_pci_address(parts.target)) return "not a PCI address (0000:41:00.0)";
            break;
        case Takes::device:
        case Takes::device_and_port:
            if (!is_device_name(parts.target, kMaxDeviceName)) return "not the name of an RDMA device";
            break;
    }
    if (wanted == 2) {
        const auto port = parse_integer(arguments[1]);
        if (!port || *port < 1 || *port > kMaxPort) return "not a port number";
        parts.port = static_cast<std::uint32_t>(*port);
    }
    return {};
}

}  // namespace

bool is_subject(std::string_view name) { return !name.empty() && name.front() != '/'; }

std::unique_ptr<Handle> open_subject(std::string_view name) {
    const auto failed = [name](Errc code, const std::string& what) {
        return std::make_unique<FailedHandle>(Error{code, printable(name) + ": " + what, {}});
    };
    auto arguments = split(name, '/');
    const std::string_view wanted = arguments.front();
    arguments.erase(arguments.begin());
    const auto* subject = std::find_if(std::begin(kSubjects), std::end(kSubjects),
                                       [wanted](const Subject& each) { return each.name == wanted; });
    if (subject == std::end(kSubjects)) return failed(Errc::not_supported, "no such subject");
    Parts parts;
    parts.name = std::string(name);
    if (auto problem = check_arguments(subject->takes, arguments, parts); !problem.empty()) {
        return failed(Errc::bad_input, problem);
    }
    return subject->open(parts);
}

}  // namespace rd
