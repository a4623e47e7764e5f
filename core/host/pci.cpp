// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/pci.h"

#include <fmt/format.h>
#include <sys/stat.h>

extern "C" {
#include <pci/pci.h>
}

#include <array>
#include <bitset>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "core/base/records.h"

namespace rd {
namespace {

constexpr std::size_t kHeader = 64;  // what a reader without CAP_SYS_ADMIN gets
constexpr std::size_t kConventional = 256;
constexpr std::size_t kExtended = 4096;

std::optional<std::uint16_t> word(Bytes config, std::size_t at) { return value_at<std::uint16_t>(config, at); }

// Both lists are walked over bytes that a device made up: every position is visited once at most.
std::optional<std::size_t> find_capability(Bytes config, std::uint8_t id) {
    std::bitset<kConventional> visited;
    std::size_t at = value_at<std::uint8_t>(config, PCI_CAPABILITY_LIST).value_or(0) & ~std::size_t{3};
    while (at >= kHeader && !visited.test(at)) {
        visited.set(at);
        const auto here = value_at<std::uint8_t>(config, at + PCI_CAP_LIST_ID);
        const auto next = value_at<std::uint8_t>(config, at + PCI_CAP_LIST_NEXT);
        if (!here || !next || *here == 0xff) break;
        if (*here == id) return at;
        at = *next & ~std::size_t{3};
    }
    return std::nullopt;
}

std::optional<std::size_t> find_extended_capability(Bytes config, std::uint16_t id) {
    std::bitset<kExtended> visited;
    std::size_t at = kConventional;
    while (at >= kConventional && !visited.test(at)) {
        visited.set(at);
        const auto head = value_at<std::uint32_t>(config, at);
        if (!head || *head == 0 || *head == 0xffffffffu) break;
        if ((*head & 0xffff) == id) return at;
        at = (*head >> 20) & ~std::size_t{3};
    }
    return std::nullopt;
}

std::string type_name(unsigned type) {
    switch (type) {
        case PCI_EXP_TYPE_ENDPOINT:
            return "endpoint";
        case PCI_EXP_TYPE_LEG_END:
            return "legacy-endpoint";
        case PCI_EXP_TYPE_ROOT_PORT:
            return "root-port";
        case PCI_EXP_TYPE_UPSTREAM:
            return "upstream";
        case PCI_EXP_TYPE_DOWNSTREAM:
            return "downstream";
        case PCI_EXP_TYPE_PCI_BRIDGE:
            return "pcie-to-pci-bridge";
        case PCI_EXP_TYPE_PCIE_BRIDGE:
            return "pci-to-pcie-bridge";
        case PCI_EXP_TYPE_ROOT_INT_EP:
            return "integrated-endpoint";
        case PCI_EXP_TYPE_ROOT_EC:
            return "event-collector";
        default:
            return std::to_string(type);
    }
}

// Speed codes count up from 2.5 GT/s; a link that is not there has code 0. Nothing is set for a code we do not know.
void set_speed(Record& record, std::string_view key, unsigned code) {
    constexpr std::array<std::uint64_t, 7> kSpeeds{0, 25, 50, 80, 160, 320, 640};
    if (code > 0 && code < kSpeeds.size()) record.set(key, kSpeeds[code]);
}

void set_width(Record& record, std::string_view key, unsigned width) {
    if (width > 0) record.set(key, std::uint64_t{width});
}

std::uint64_t payload_bytes(unsigned code) { return 128ull << code; }

// False when the capability reaches past the bytes that could be read.
bool decode_express(Bytes config, std::size_t at, Record& record) {
    const auto flags = word(config, at + PCI_EXP_FLAGS);
    const auto capabilities = value_at<std::uint32_t>(config, at + PCI_EXP_DEVCAP);
    const auto control = word(config, at + PCI_EXP_DEVCTL);
    if (!flags || !capabilities || !control) return false;
    const unsigned type = (*flags & PCI_EXP_FLAGS_TYPE) >> 4;
    record.set("type", type_name(type));
    record.set("mps", payload_bytes((*control & PCI_EXP_DEVCTL_PAYLOAD) >> 5));
    record.set("mps_max", payload_bytes(*capabilities & PCI_EXP_DEVCAP_PAYLOAD));
    record.set("mrrs", payload_bytes((*control & PCI_EXP_DEVCTL_READRQ) >> 12));
    record.set("relaxed_ordering", std::uint64_t{(*control & PCI_EXP_DEVCTL_RELAXED) != 0});
    record.set("extended_tag", std::uint64_t{(*control & PCI_EXP_DEVCTL_EXT_TAG) != 0});
    if (type == PCI_EXP_TYPE_ROOT_INT_EP || type == PCI_EXP_TYPE_ROOT_EC) return true;  // on the chip: no link
    const auto link = value_at<std::uint32_t>(config, at + PCI_EXP_LNKCAP);
    const auto status = word(config, at + PCI_EXP_LNKSTA);
    if (!link || !status) return false;
    set_speed(record, "link_speed", *status & PCI_EXP_LNKSTA_SPEED);
    set_speed(record, "link_speed_max", *link & PCI_EXP_LNKCAP_SPEED);
    set_width(record, "link_width", (*status & PCI_EXP_LNKSTA_WIDTH) >> 4);
    set_width(record, "link_width_max", (*link & PCI_EXP_LNKCAP_WIDTH) >> 4);
    if ((*flags & PCI_EXP_FLAGS_VERS) < 2) return true;  // the second link control register came with version 2
    const auto control2 = word(config, at + PCI_EXP_LNKCTL2);
    if (!control2) return false;
    set_speed(record, "target_speed", *control2 & 0x0f);
    return true;
}

void ignore_message(char*, ...) {}

// libpci expects this not to return, and neither leaving the process nor jumping over frames is ours to do. Of the calls
// made here it is reached only when memory is exhausted, where C++ ends the program too.
[[gnu::noreturn]] void out_of_memory(char*, ...) { std::abort(); }

}  // namespace

Result<std::string> decode_pci_config(Bytes config, std::string_view object) {
    const auto vendor = word(config, PCI_VENDOR_ID);
    const auto device = word(config, PCI_DEVICE_ID);
    const auto status = word(config, PCI_STATUS);
    const auto revision = value_at<std::uint32_t>(config, PCI_CLASS_REVISION);
    if (!vendor || !device || !status || !revision || config.size() < kHeader) {
        return fail(Errc::bad_input, fmt::format("{}: {} bytes of configuration space", object, config.size()));
    }
    if (*vendor == 0xffff) {
        return fail(Errc::io, fmt::format("{}: the configuration space reads as all ones", object),
                    "the device is powered down, being reset or gone");
    }
    Record record;
    record.set("vendor", fmt::format("{:#06x}", *vendor));
    record.set("device", fmt::format("{:#06x}", *device));
    record.set("class", fmt::format("{:#08x}", *revision >> 8));
    const bool has_list = (*status & PCI_STATUS_CAP_LIST) != 0;
    if (has_list && config.size() < kConventional) {
        return fail(Errc::no_privilege, fmt::format("{}: only the first {} bytes can be read", object, config.size()),
                    "run as root (CAP_SYS_ADMIN)");
    }
    const auto express = has_list ? find_capability(config, PCI_CAP_ID_EXP) : std::nullopt;
    record.set("pcie", std::uint64_t{express.has_value()});
    if (express && !decode_express(config, *express, record)) {
        return fail(Errc::bad_input, fmt::format("{}: the PCI Express capability is cut off", object));
    }
    if (const auto acs = express ? find_extended_capability(config, PCI_EXT_CAP_ID_ACS) : std::nullopt) {
        if (const auto control = word(config, *acs + PCI_ACS_CTRL)) record.set("acs_control", *control);
    }
    return record.text();
}

void PciReader::CloseAccess::operator()(pci_access* access) const { pci_cleanup(access); }

PciReader::PciReader(std::string address, std::string object, const std::string& sysfs)
    : address_(std::move(address)), object_(std::move(object)), config_(sysfs + "/devices/" + address_ + "/config") {
    access_.reset(pci_alloc());
    access_->method = PCI_ACCESS_SYS_BUS_PCI;  // no probing of other ways, which may end in the error callback
    access_->error = out_of_memory;
    access_->warning = ignore_message;
    access_->debug = ignore_message;
    pci_set_param(access_.get(), const_cast<char*>("sysfs.path"), const_cast<char*>(sysfs.c_str()));
    pci_init(access_.get());
}

Result<std::string> PciReader::read() {
    // libpci says only that it failed; why is seen here.
    struct stat file {};
    if (::stat(config_.c_str(), &file) != 0) return tl::unexpected(error_from_errno(errno, object_));
    const auto part = [this](std::size_t from, std::size_t count) {
        return static_cast<int>(std::strtol(address_.substr(from, count).c_str(), nullptr, 16));
    };
    const std::size_t colon = address_.find(':');
    // For this read only: libpci keeps the file open with the device, and a function that went and came back is another file.
    const std::unique_ptr<pci_dev, decltype(&pci_free_dev)> device(
        pci_get_dev(access_.get(), part(0, colon), part(colon + 1, 2), part(colon + 4, 2), part(colon + 7, 1)),
        &pci_free_dev);
    std::array<u8, kExtended> bytes{};
    for (const std::size_t size : {kExtended, kConventional, kHeader}) {
        if (pci_read_block(device.get(), 0, bytes.data(), static_cast<int>(size))) {
            return decode_pci_config(std::as_bytes(std::span(bytes)).first(size), object_);
        }
    }
    return fail(Errc::io, object_ + ": the configuration space cannot be read");
}

}  // namespace rd
