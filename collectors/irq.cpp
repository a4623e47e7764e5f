// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupt vectors of the PCI functions below RDMA devices: where they may fire, where they do, and how often.
//
// Which vector belongs to which function is what msi_irqs says: names differ by driver and are changed by vendor packages. Counts come
// from /proc/interrupts in one pass that looks closer at the lines of these vectors only: on a host with 256 CPUs and 2,000 vectors
// it is 6 MB, so it is read every 10 s. The kernel counts 32 bits a CPU and vector; when one wraps, the sum goes back, which counts as
// a reset.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::irq, "name", Type::text, Nature::config, "",
     "What asked for it (mlx5_comp3@pci:0000:41:00.0): /proc/interrupts"},
    reference(Kind::irq, "device", Kind::device,
              "The RDMA device on its PCI function: /sys/bus/pci/devices/ADDRESS/msi_irqs"),
    {Kind::irq, "completion", Type::boolean, Nature::config, "",
     "Tells of completions or packets, not of commands and events of the adapter: by its name"},
    {Kind::irq, "affinity", Type::text, Nature::config, "", "CPUs it may fire on: /proc/irq/N/smp_affinity_list"},
    {Kind::irq, "effective", Type::text, Nature::config, "",
     "CPUs it does fire on (x86: one): /proc/irq/N/effective_affinity_list"},
    {Kind::irq, "count", Type::integer, Nature::counter, "interrupts", "Times it fired, on all CPUs: /proc/interrupts"},
    {Kind::device, "interrupts", Type::integer, Nature::counter, "interrupts",
     "Times its completion vectors fired: /proc/interrupts"},
    {Kind::device, "interrupts_remote", Type::integer, Nature::counter, "interrupts",
     "Those of them on CPUs of other NUMA nodes than its own"},
    {Kind::device, "interrupts_busiest_cpu", Type::real, Nature::gauge, "%",
     "Largest part that one CPU has in them, counted since the vectors exist"},
};

constexpr const FactSpec& kName = row(kFacts, Kind::irq, "name");
constexpr const FactSpec& kDevice = row(kFacts, Kind::irq, "device");
constexpr const FactSpec& kCompletion = row(kFacts, Kind::irq, "completion");
constexpr const FactSpec& kCount = row(kFacts, Kind::irq, "count");
constexpr const FactSpec& kInterrupts = row(kFacts, Kind::device, "interrupts");
constexpr const FactSpec& kRemote = row(kFacts, Kind::device, "interrupts_remote");
constexpr const FactSpec& kBusiest = row(kFacts, Kind::device, "interrupts_busiest_cpu");

constexpr std::string_view kInterruptsFile = "/proc/interrupts";
constexpr std::string_view kNodes = "/sys/devices/system/node";
// Of a host. Eight adapters have some five hundred; what lies beyond are virtual functions by the hundred.
constexpr std::size_t kMostVectors = 2048;
constexpr std::int64_t kHighestIrq = 1 << 20;

// One PCI function below RDMA devices.
struct Function {
    std::vector<Entity> devices;  // the first one owns the vectors
    Result<std::vector<std::int64_t>> irqs;
    Result<std::vector<int>> local;  // CPUs of its node; empty: there is one node only
};

// What the decoder needs for one pass, made once.
struct Table {
    struct Vector {
        Entity entity;
        std::size_t function = 0;
    };
    std::vector<Function> functions;
    std::vector<Vector> vectors;
    std::vector<std::int32_t> at;  // by interrupt number; -1: not ours
    std::vector<Cover> covers;
};

struct Line {
    std::string_view name;
    std::vector<std::int64_t> counts;  // by column
};

bool is_completion(std::string_view name) {
    constexpr std::array<std::string_view, 8> kOthers{"async", "AEQ",      "mgmnt",  "creq",
                                                      "_ctrl", "pages_eq", "cmd_eq", "misc"};
    return std::none_of(kOthers.begin(), kOthers.end(),
                        [name](std::string_view other) { return name.find(other) != std::string_view::npos; });
}

// "           CPU0       CPU1 …": offline CPUs have no column.
std::vector<int> columns_of(std::string_view header) {
    std::vector<int> cpus;
    for (const std::string_view word : words(header)) {
        const std::int64_t cpu = number_after(word, "CPU");
        if (cpu < 0 || cpu >= 65'536) return {};
        cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

// The interrupt number in front of the ':'; -1: a line of another kind (NMI, LOC).
std::int64_t number_of(std::string_view line, std::size_t colon) {
    return colon == std::string_view::npos ? -1 : parse_counter(line.substr(0, colon)).value_or(-1);
}

bool parse_line(std::string_view rest, std::size_t columns, Line& line) {
    line.counts.clear();
    const char* at = rest.data();
    const char* const end = at + rest.size();
    while (line.counts.size() < columns) {
        while (at != end && *at == ' ') ++at;
        std::int64_t count = 0;
        const auto [next, error] = std::from_chars(at, end, count);
        if (error != std::errc{} || count < 0) return false;
        line.counts.push_back(count);
        at = next;
    }
    // The chip and the number within it come first; several actions are separated by commas.
    const std::string_view text = trim({at, static_cast<std::size_t>(end - at)});
    line.name = text.substr(text.find_last_of(" \t") + 1);
    return true;
}

class Counting {
public:
    Counting(const Table& table, std::string_view header) : table_(table), cpus_(columns_of(header)) {
        sums_.resize(table.functions.size());
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            sums_[i].by_column.resize(cpus_.size());
            const auto& local = table.functions[i].local;
            sums_[i].remote.resize(cpus_.size());
            for (std::size_t c = 0; local && !local->empty() && c < cpus_.size(); ++c) {
                sums_[i].remote[c] = !std::binary_search(local->begin(), local->end(), cpus_[c]);
            }
        }
        seen_.resize(table.vectors.size());
    }
    [[nodiscard]] bool header_is_good() const { return !cpus_.empty(); }

    void take(std::string_view text, Facts& out) {
        const std::size_t colon = text.find(':');
        const std::int64_t number = number_of(text, colon);
        if (number < 0 || static_cast<std::size_t>(number) >= table_.at.size()) return;
        const std::int32_t index = table_.at[static_cast<std::size_t>(number)];
        if (index < 0 || seen_[static_cast<std::size_t>(index)]) return;
        const Table::Vector& vector = table_.vectors[static_cast<std::size_t>(index)];
        seen_[static_cast<std::size_t>(index)] = true;
        if (!parse_line(text.substr(colon + 1), cpus_.size(), line_)) {
            Gap gap{
                GapClass::error, fmt::format("{}: vector {}: not a count for each CPU", kInterruptsFile, number), {}};
            for (const FactSpec* spec : {&kName, &kCompletion, &kCount}) out.gap(vector.entity, *spec, gap);
            sums_[vector.function].broken = std::move(gap);
            return;
        }
        std::int64_t count = 0;
        for (const std::int64_t part : line_.counts) count += part;
        out.put(vector.entity, kCount, count);
        auto name = as_label(line_.name);
        const bool completion = name && is_completion(line_.name);
        if (name) {
            out.put(vector.entity, kCompletion, completion);
        } else {
            name.error().what = fmt::format("{}: vector {}: {}", kInterruptsFile, number, name.error().what);
            out.gap(vector.entity, kCompletion, gap_from(name.error()));
        }
        out.set(vector.entity, kName, std::move(name));
        if (completion) add(sums_[vector.function]);
    }

    void finish(Facts& out) const {
        for (std::size_t i = 0; i < table_.vectors.size(); ++i) {
            if (seen_[i]) continue;
            const Entity& entity = table_.vectors[i].entity;
            const Gap gap =
                not_offered(fmt::format("{}: no line of vector {}: nobody uses it", kInterruptsFile, entity.id));
            for (const FactSpec* spec : {&kName, &kCompletion, &kCount}) out.gap(entity, *spec, gap);
        }
        for (std::size_t i = 0; i < sums_.size(); ++i) finish(table_.functions[i], sums_[i], out);
    }

private:
    struct Sum {
        std::vector<std::int64_t> by_column;
        std::vector<bool> remote;
        std::int64_t vectors = 0;
        std::optional<Gap> broken;  // a line of it could not be read: the sum would be too small
    };

    void add(Sum& sum) const {
        ++sum.vectors;
        for (std::size_t c = 0; c < cpus_.size(); ++c) sum.by_column[c] += line_.counts[c];
    }

    void finish(const Function& function, const Sum& sum, Facts& out) const {
        if (!function.irqs) return;  // said already
        std::int64_t all = 0, remote = 0, busiest = 0;
        for (std::size_t c = 0; c < cpus_.size(); ++c) {
            all += sum.by_column[c];
            if (sum.remote[c]) remote += sum.by_column[c];
            busiest = std::max(busiest, sum.by_column[c]);
        }
        for (const Entity& device : function.devices) {
            if (sum.broken || sum.vectors == 0) {
                const Gap gap = sum.broken.value_or(
                    not_offered(fmt::format("{}: no completion vector of its function", kInterruptsFile)));
                for (const FactSpec* spec : {&kInterrupts, &kRemote, &kBusiest}) out.gap(device, *spec, gap);
                continue;
            }
            out.put(device, kInterrupts, all);
            if (function.local) {
                out.put(device, kRemote, remote);
            } else {
                out.gap(device, kRemote, gap_from(function.local.error()));
            }
            if (cpus_.size() == 1) {
                out.gap(device, kBusiest, not_offered(fmt::format("{}: there is one CPU only", kInterruptsFile)));
            } else if (all > 0) {
                out.put(device, kBusiest, 100.0 * static_cast<double>(busiest) / static_cast<double>(all));
            } else {
                out.gap(device, kBusiest, not_offered(fmt::format("{}: no interrupt yet", kInterruptsFile)));
            }
        }
    }

    const Table& table_;
    std::vector<int> cpus_;
    std::vector<Sum> sums_;
    std::vector<bool> seen_;
    Line line_;
};

void decode_interrupts(const Table& table, std::string_view text, Facts& out) {
    std::size_t end = std::min(text.find('\n'), text.size());
    Counting counting(table, text.substr(0, end));
    if (!counting.header_is_good()) {
        return gap_all(
            table.covers,
            gap_from({Errc::bad_input, fmt::format("{}: does not begin with a line of CPUs", kInterruptsFile), {}}),
            out);
    }
    while (end < text.size()) {
        const std::size_t begin = end + 1;
        end = std::min(text.find('\n', begin), text.size());
        counting.take(text.substr(begin, end - begin), out);
    }
    counting.finish(out);
}

Result<std::vector<std::int64_t>> vectors_of(const Host& host, const std::string& address) {
    const std::string path = fmt::format("/sys/bus/pci/devices/{}/msi_irqs", address);
    const auto names = host.list(path);
    if (!names && names.error().code == Errc::not_found) {
        return fail(Errc::not_supported, path + ": the function has no message-signalled interrupts");
    }
    if (!names) return tl::unexpected<Error>(names.error());
    std::vector<std::int64_t> irqs;
    for (const std::string& name : *names) {
        const auto number = parse_counter(name);
        if (number && *number < kHighestIrq) irqs.push_back(*number);
    }
    std::sort(irqs.begin(), irqs.end());
    return irqs;
}

// CPUs of the node of a function; none where there is one node only, and all is near.
Result<std::vector<int>> local_cpus(const Host& host, const std::string& address) {
    const auto names = list_subsystem(host, kNodes, "/sys/devices/system");
    if (!names) return tl::unexpected<Error>(names.error());
    std::size_t nodes = 0;
    for (const std::string& name : *names) nodes += number_after(name, "node") >= 0;
    if (nodes < 2) return std::vector<int>{};
    const std::string path = fmt::format("/sys/bus/pci/devices/{}/numa_node", address);
    const auto node = read_number(host, path);
    if (!node) return tl::unexpected<Error>(node.error());
    if (*node < 0) return fail(Errc::not_supported, path + ": the firmware of the host does not say");
    return read_cpulist(host, fmt::format("{}/node{}/cpulist", kNodes, *node));
}

void plan_vector(const Entity& entity, const Function& function, Plan& plan) {
    plan.put(entity, kDevice, function.devices.front());
    plan.every(Seconds(60));
    const std::string path = "/proc/irq/" + entity.id;
    plan.read(path + "/smp_affinity_list", entity, row(kFacts, Kind::irq, "affinity"), as_cpus);
    plan.read(path + "/effective_affinity_list", entity, row(kFacts, Kind::irq, "effective"), as_cpus);
}

void gap_devices(const Function& function, const Error& error, Plan& plan) {
    for (const Entity& device : function.devices) {
        for (const FactSpec* spec : {&kInterrupts, &kRemote, &kBusiest}) plan.gap(device, *spec, gap_from(error));
    }
}

std::map<std::string, Function> functions_of(const Host& host, std::vector<RdmaDevice>& devices, Plan& plan) {
    // Hardware first: where software sits on the same function, the vectors are the adapter's.
    std::stable_sort(devices.begin(), devices.end(),
                     [](const auto& a, const auto& b) { return !a.soft.value_or(true) && b.soft.value_or(true); });
    std::map<std::string, Function> functions;
    for (const RdmaDevice& device : devices) {
        if (!device.pci) {
            gap_devices({{device.entity}, {}, {}}, device.pci.error(), plan);
            continue;
        }
        const auto [at, added] = functions.try_emplace(*device.pci);
        if (added) {
            at->second.irqs = vectors_of(host, *device.pci);
            at->second.local = local_cpus(host, *device.pci);
            plan.watch(fmt::format("/sys/bus/pci/devices/{}/msi_irqs", *device.pci));
        }
        at->second.devices.push_back(device.entity);
    }
    return functions;
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    auto devices = rdma_devices(host);
    if (!devices) {
        plan.kind_gap(Kind::device, gap_from(devices.error()));
        return plan.kind_gap(Kind::irq, gap_from(devices.error()));
    }
    const auto table = std::make_shared<Table>();
    for (auto& [address, function] : functions_of(host, *devices, plan)) {
        if (function.irqs && table->vectors.size() + function.irqs->size() > kMostVectors) {
            function.irqs =
                fail(Errc::limit, fmt::format("{}: more than {} vectors on this host", address, kMostVectors));
        }
        if (!function.irqs) {
            gap_devices(function, function.irqs.error(), plan);
            if (function.irqs.error().code != Errc::not_supported)
                plan.kind_gap(Kind::irq, gap_from(function.irqs.error()));
            continue;
        }
        for (const std::int64_t irq : *function.irqs) {
            const Entity entity{Kind::irq, std::to_string(irq)};
            plan_vector(entity, function, plan);
            if (table->at.size() <= static_cast<std::size_t>(irq))
                table->at.resize(static_cast<std::size_t>(irq) + 1, -1);
            table->at[static_cast<std::size_t>(irq)] = static_cast<std::int32_t>(table->vectors.size());
            table->vectors.push_back({entity, table->functions.size()});
            for (const FactSpec* spec : {&kName, &kCompletion, &kCount}) table->covers.push_back({entity, spec});
        }
        for (const Entity& device : function.devices) {
            for (const FactSpec* spec : {&kInterrupts, &kRemote, &kBusiest}) table->covers.push_back({device, spec});
        }
        table->functions.push_back(std::move(function));
    }
    if (table->functions.empty()) return;
    plan.every(Seconds(10));
    plan.decode(std::string(kInterruptsFile), table->covers,
                [table](std::string_view text, Facts& out) { decode_interrupts(*table, text, out); });
}

}  // namespace

extern const Collector irq;
constinit const Collector irq{"irq", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
