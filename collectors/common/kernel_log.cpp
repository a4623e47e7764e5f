// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/kernel_log.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr std::size_t kLongestLine = 240;

// Fragments that all have to be in the line; no line of the wanted kind lacks them in any kernel that was looked at. Functions
// and line numbers, which mlx5 writes before its errors, change from version to version and are never matched.
struct Pattern {
    LogClass what;
    std::array<std::string_view, 3> all;
    std::string_view none = {};
};

// The first that fits counts.
constexpr Pattern kPatterns[] = {
    {LogClass::command_timeout, {"timeout. Will cause a leak of a command resource"}},
    {LogClass::command_timeout, {"cmd[", "No done completion"}},
    {LogClass::firmware_health, {"device's health compromised"}},
    {LogClass::firmware_health, {"Health issue observed"}},
    {LogClass::firmware_health, {"mlx5_core", "Fatal error", "detected"}},
    {LogClass::firmware_health, {"mlx5_core", "PCI slot is unavailable"}},
    {LogClass::firmware_health, {"mlx5_core", "health recovery failed"}},
    {LogClass::mkey_refused, {"CREATE_MKEY(0x200)", "failed, status bad parameter(0x3)"}},
    // Registers are probed for by trying: refusals of ACCESS_REG come with every boot.
    {LogClass::command_refused, {") failed, status ", "syndrome (0x"}, "ACCESS_REG"},
    {LogClass::slot_power, {"Detected insufficient power on the PCIe slot"}},
    {LogClass::slot_power, {"insufficient/unadvertised power on the PCIe slot"}},
    {LogClass::module_hot, {"Port module event[error]", "High Temperature"}},
    {LogClass::module_hot, {"High temperature on sensors"}},
    {LogClass::module_error, {"Port module event[error]"}},
    {LogClass::aer_corrected, {"PCIe Bus Error: severity=Correct"}},
    {LogClass::aer_uncorrected, {"PCIe Bus Error: severity=Uncorrect"}},
    {LogClass::dma_fault, {"DMAR: [DMA ", "equest device ["}},
    {LogClass::dma_fault, {"AMD-Vi: Event logged [IO_PAGE_FAULT"}},
    {LogClass::dma_fault, {"arm-smmu", "event 0x10 received"}},
    {LogClass::queue_error, {"CQ error on CQN"}},
    {LogClass::queue_error, {": QP ", " error: "}},
    {LogClass::queue_error, {"abnormal ae_id"}},
    {LogClass::nvme_timeout, {"nvme nvme", " QID ", " timeout"}},
    {LogClass::nvme_reconnect, {"nvme nvme", "Reconnecting in "}},
    {LogClass::nvme_refused, {"nvme nvme", "failed to connect queue"}},
    {LogClass::nvme_refused, {"nvme nvme", "Connect rejected"}},
    {LogClass::nvme_refused, {"nvme nvme", "rdma connection establishment failed"}},
};

// What ends a condition: what was said of it before is over.
struct End {
    std::string_view text;
    std::array<LogClass, 3> what;
};
constexpr End kEnds[] = {
    {"health recovery succeeded", {LogClass::firmware_health, LogClass::command_timeout, LogClass::command_timeout}},
    {"PCIe slot advertised sufficient power", {LogClass::slot_power, LogClass::slot_power, LogClass::slot_power}},
    {"Port module event: module ", {LogClass::module_error, LogClass::module_hot, LogClass::module_hot}},
    // The driver starts: firmware and slot are looked at anew.
    {": firmware version: ", {LogClass::firmware_health, LogClass::command_timeout, LogClass::slot_power}},
};

bool has(std::string_view line, std::string_view part) { return line.find(part) != std::string_view::npos; }

bool fits(const Pattern& pattern, std::string_view line) {
    if (!pattern.none.empty() && has(line, pattern.none)) return false;
    return std::all_of(pattern.all.begin(), pattern.all.end(), [&](std::string_view part) { return has(line, part); });
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// "0000:41:00.0" that begins here, with nothing of a longer word around it.
std::optional<std::string> address_at(std::string_view line, std::size_t begin) {
    constexpr std::string_view kForm = "hhhh:hh:hh.h";
    if (line.size() - begin < kForm.size() || (begin > 0 && is_hex(line[begin - 1]))) return std::nullopt;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        const char c = line[begin + i];
        if (kForm[i] == 'h' ? !is_hex(c) : c != kForm[i]) return std::nullopt;
    }
    return std::string(line.substr(begin, kForm.size()));
}

std::optional<std::string> address_in(std::string_view line) {
    for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
        if (colon < 4) continue;
        if (auto address = address_at(line, colon - 4)) return address;
    }
    return std::nullopt;
}

// "Request device [41:00.0]": DMAR leaves out the domain, which is 0 wherever it does.
std::optional<std::string> short_address_in(std::string_view line) {
    constexpr std::string_view kBefore = "equest device [";
    const std::size_t at = line.find(kBefore);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string full = "0000:" + std::string(line.substr(at + kBefore.size(), 7));
    return address_at(full, 0);
}

// "mlx5_0/1: QP 17 error", "infiniband mlx5_0: …", "NETDEV WATCHDOG: eth0 (mlx5_core): …".
std::optional<std::string> named_in(std::string_view line, const LogNames& names) {
    for (std::string_view word : words(line)) {
        word = word.substr(0, word.find_first_of(":/("));
        if (const auto found = names.find(word); found != names.end()) return found->second;
    }
    return std::nullopt;
}

std::optional<std::string> device_of(const Record& record, std::string_view line, const LogNames& names) {
    if (auto address = address_in(line)) return address;
    if (auto address = short_address_in(line)) return address;
    if (const auto device = record.get("device")) {
        if (auto address = address_in(*device)) return address;
    }
    return named_in(line, names);
}

// Errors that the firmware of the host handled come as a block of lines "{1}[Hardware Error]: …".
class FirmwareFirst {
public:
    // What this line completes, if it is the one that names the device.
    std::optional<LogClass> take(std::string_view line) {
        if (!has(line, "[Hardware Error]:")) return std::nullopt;
        if (has(line, "event severity:")) {
            corrected_ = has(line, "event severity: corrected");
            express_ = false;
        }
        if (has(line, "section_type: PCIe error")) express_ = true;
        if (!express_ || !has(line, "device_id: ")) return std::nullopt;
        express_ = false;
        return corrected_ ? LogClass::aer_corrected : LogClass::aer_uncorrected;
    }

private:
    bool corrected_ = false;
    bool express_ = false;
};

std::optional<LogClass> class_of(std::string_view line) {
    const auto* const found = std::find_if(std::begin(kPatterns), std::end(kPatterns),
                                           [line](const Pattern& pattern) { return fits(pattern, line); });
    if (found == std::end(kPatterns)) return std::nullopt;
    return found->what;
}

void count(LogTally& tally, double at, std::string_view line) {
    ++tally.count;
    tally.at = at;
    tally.line = printable(line, kLongestLine);
}

}  // namespace

KernelLog read_kernel_log(const std::vector<Record>& records, const LogNames& names) {
    KernelLog log;
    FirmwareFirst firmware_first;
    for (const Record& record : records) {
        const auto text = record.get("text");
        const auto time = parse_counter(record.get("us").value_or(std::string()));
        if (!text || !time || record.get("facility") != "0") continue;
        const std::string_view line = trim(*text);
        const double at = static_cast<double>(*time) / 1e6;
        ++log.lines;
        if (!log.begin) log.begin = at;
        for (const End& end : kEnds) {
            if (!has(line, end.text)) continue;
            if (const auto device = device_of(record, line, names)) {
                for (const LogClass what : end.what) log.by_address[*device][what] = LogTally{};
            }
        }
        auto what = firmware_first.take(line);
        if (!what) what = class_of(line);
        if (!what) continue;
        count(log.all[*what], at, line);
        if (const auto device = device_of(record, line, names)) count(log.by_address[*device][*what], at, line);
    }
    return log;
}

}  // namespace rd::collectors
