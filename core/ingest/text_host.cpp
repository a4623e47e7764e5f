// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/text_host.h"

#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/host/settings.h"

namespace rd::ingest {
namespace {

// The command that prints what is missing; $1 is the first part of the name behind `start`, $2 the next one.
struct Paste {
    std::string_view start, command;
};
constexpr std::array<Paste, 50> kPastes{{
    {"ethtool.stats/", "ethtool -S $1"},
    {"ethtool.driver/", "ethtool -i $1"},
    {"ethtool.link/", "ethtool $1"},
    {"ethtool.pause/", "ethtool -a $1"},
    {"ethtool.coalesce/", "ethtool -c $1"},
    {"ethtool.rings/", "ethtool -g $1"},
    {"ethtool.channels/", "ethtool -l $1"},
    {"ethtool.features/", "ethtool -k $1"},
    {"ethtool.fec/", "ethtool -I --show-fec $1"},
    {"ethtool.module/", "ethtool -m $1"},
    {"dcb.pfc/", "dcb pfc show dev $1"},
    {"dcb.ets/", "dcb ets show dev $1"},
    {"dcb.app/", "dcb app show dev $1"},
    {"dcb.buffer/", "dcb buffer show dev $1"},
    {"dcb.maxrate/", "dcb maxrate show dev $1"},
    {"dcb.dcbx/", "dcb dcbx show dev $1"},
    {"rtnl.link", "ip -d -s link"},
    {"rtnl.addr", "ip addr"},
    {"rdma.stat/", "rdma statistic show"},
    {"rdma.qp/", "rdma resource show qp"},
    {"rdma.cm_id/", "rdma resource show cm_id"},
    {"rdma.ctx/", "rdma resource show ctx"},
    {"rdma.cq/", "rdma resource show cq"},
    {"rdma.mr/", "rdma resource show mr"},
    {"rdma.resources/", "rdma resource show"},
    {"rdma.system", "rdma system show"},
    {"rdma.device", "rdma dev show -d"},
    {"rdma.port/", "rdma link show -d"},
    {"verbs.device/", "ibv_devinfo -v -d $1"},
    {"verbs.gids/", "show_gids"},
    {"pci.config/", "lspci -vvv -s $1"},
    {"infiniband.nodes", "ls -l /dev/infiniband"},
    {"kmsg", "dmesg"},
    {"/sys/bus/pci/devices", "lspci -vvv -s $1"},
    {"/sys/class/infiniband/?/hw_counters", "grep -H . /sys/class/infiniband/$1/ports/*/hw_counters/*"},
    {"/sys/class/infiniband/?/counters", "grep -H . /sys/class/infiniband/$1/ports/*/counters/*"},
    {"/sys/class/infiniband/?/gid", "show_gids"},
    {"/sys/class/infiniband/?/device", "ibdev2netdev -v"},
    {"/sys/class/infiniband_verbs", "ls -l /dev/infiniband"},
    {"/sys/class/infiniband", "ibv_devinfo -v"},
    {"/sys/class/net/?/statistics", "ip -s link show $1"},
    {"/sys/class/net", "ip -d -s link"},
    {"/sys/devices/system/node", "numactl -H"},
    {"/sys/devices/system/cpu", "lscpu"},
    {"/sys/module", "lsmod"},
    {"/proc/self/limits", "ulimit -a"},
    {"/proc/sys", "sysctl -a"},
    {"/proc/", "cat $0"},
    {"/etc/", "cat $0"},
    {"/sys/", "grep -H . $0"},
}};

// Whether `name` begins with `start`, in which "/?/" stands for one part and all that follows up to the next word of it.
bool begins(std::string_view name, std::string_view start) {
    const std::size_t any = start.find("/?/");
    if (any == std::string_view::npos) return starts_with(name, start);
    return starts_with(name, start.substr(0, any + 1)) &&
           name.find("/" + std::string(start.substr(any + 3)), any + 1) != std::string_view::npos;
}

std::string_view part_behind(std::string_view name, std::string_view start) {
    const std::size_t any = start.find("/?/");
    std::string_view rest = name.substr(std::min(any == std::string_view::npos ? start.size() : any + 1, name.size()));
    if (starts_with(rest, "/")) rest.remove_prefix(1);
    return rest.substr(0, rest.find('/'));
}

Error in_text(std::string_view name, Error error) {
    if (error.code != Errc::not_collected || !error.remedy.empty()) return error;
    error.what = std::string(name) + ": not in the text";
    error.remedy = remedy_for(name);
    return error;
}

class TextHandle final : public Handle {
public:
    TextHandle(std::unique_ptr<Handle> inner, std::string_view name) : inner_(std::move(inner)), name_(name) {}
    Result<> read(Buffer& into) override {
        return inner_->read(into).map_error([this](Error error) { return in_text(name_, std::move(error)); });
    }

private:
    std::unique_ptr<Handle> inner_;
    std::string name_;
};

class TextHost final : public Host {
public:
    TextHost(Bundle bundle, std::string source) : inner_(replay_host(std::move(bundle), std::move(source))) {}

    // A setting that no bundle recorded stands in the file, where that was pasted.
    std::unique_ptr<Handle> open(std::string_view name) const override {
        auto handle = starts_with(name, "config.")
                          ? open_filtered([this](std::string_view path) { return open(path); }, name)
                          : nullptr;
        return handle ? std::move(handle) : std::make_unique<TextHandle>(inner_->open(name), name);
    }
    Result<std::vector<std::string>> list(std::string_view path) const override {
        return inner_->list(path).map_error([path](Error error) { return in_text(path, std::move(error)); });
    }
    Result<std::string> link(std::string_view path) const override {
        return inner_->link(path).map_error([path](Error error) { return in_text(path, std::move(error)); });
    }
    Result<> write(std::string_view name, std::string_view) override {
        return fail(Errc::not_supported, std::string(name) + ": a text is not the host",
                    "change it on the host itself");
    }
    Stamp now() const override { return inner_->now(); }
    const HostIdentity& identity() const override { return inner_->identity(); }
    bool advance(std::chrono::nanoseconds interval) override { return inner_->advance(interval); }

private:
    std::unique_ptr<Host> inner_;
};

}  // namespace

std::string remedy_for(std::string_view name) {
    for (const Paste& paste : kPastes) {
        if (!begins(name, paste.start)) continue;
        std::string command(paste.command);
        const std::string_view part = part_behind(name, paste.start);
        if (const std::size_t at = command.find("$1"); at != std::string::npos) {
            if (part.empty()) {
                // "lspci -vvv -s $1" of no function in particular: of all
                command =
                    command.substr(0, command.rfind(" -", at) == std::string::npos ? at : command.rfind(" -", at));
            } else {
                command.replace(at, 2, part);
            }
        }
        if (const std::size_t at = command.find("$0"); at != std::string::npos) command.replace(at, 2, name);
        return "paste `" + std::string(trim(command)) + "`";
    }
    return "";
}

std::unique_ptr<Host> text_host(Bundle bundle, std::string source) {
    return std::make_unique<TextHost>(std::move(bundle), std::move(source));
}

}  // namespace rd::ingest
