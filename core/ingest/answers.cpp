// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/answers.h"

#include <algorithm>

#include "core/base/letters.h"
#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kLongestNetdev = 15;  // IFNAMSIZ - 1
constexpr std::size_t kLongestDevice = 63;  // IB_DEVICE_NAME_MAX - 1
constexpr int kMaxPort = 255;

// What may become a part of a path. Names of interfaces and devices may hold more, but then they cannot be told from text.
bool is_name(std::string_view text, std::size_t longest) {
    return !text.empty() && text.size() <= longest && text != "." && text != ".." &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                      c == '-' || c == '.' || c == '@' || c == ':';
           });
}

Record& record_of(Piece& piece, std::string_view key, std::string_view id) {
    for (Record& record : piece.records) {
        if (record.get(key) == id) return record;
    }
    Record& added = piece.records.emplace_back();
    added.set(key, id);
    return added;
}

void add(Record& record, std::string_view key, std::string_view value) {
    if (!record.get(key)) record.set(key, value);
}

std::string without_end(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    return std::string(path);
}

}  // namespace

void Answers::read(std::string_view name, std::string_view text, Trust trust) {
    if (name.empty()) return;
    Piece& piece = pieces_[std::string(name)];
    if (piece.text && piece.trust > trust) return;
    piece.text = std::string(text);
    if (!text.empty() && text.back() != '\n' && name.front() == '/') *piece.text += '\n';
    piece.trust = trust;
    piece.error.reset();
}

void Answers::field(std::string_view subject, std::string_view key, std::string_view value) {
    if (subject.empty() || key.empty()) return;
    Piece& piece = pieces_[std::string(subject)];
    if (piece.records.empty()) piece.records.emplace_back();
    add(piece.records.front(), key, value);
}

void Answers::record(std::string_view subject, std::string_view key, std::string_view id, std::string_view field,
                     std::string_view value) {
    if (subject.empty() || id.empty()) return;
    Piece& piece = pieces_[std::string(subject)];
    piece.key = std::string(key);
    add(record_of(piece, key, id), field, value);
}

void Answers::append(std::string_view subject, Record record) {
    if (subject.empty()) return;
    Piece& piece = pieces_[std::string(subject)];
    piece.dump = true;
    piece.records.push_back(std::move(record));
}

void Answers::empty_dump(std::string_view subject) {
    if (!subject.empty()) pieces_[std::string(subject)].dump = true;
}

void Answers::failed(std::string_view name, Errc code, std::string what, std::string remedy) {
    if (name.empty()) return;
    Piece& piece = pieces_[std::string(name)];
    if (piece.text || !piece.records.empty()) return;
    piece.error = Error{code, std::move(what), std::move(remedy)};
}

void Answers::exists(std::string_view path) {
    if (starts_with(path, "/") && path.size() > 1) existing_.push_back(without_end(path));
}

void Answers::list(std::string_view path, std::vector<std::string> names) {
    if (!starts_with(path, "/")) return;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    lists_[without_end(path)] = std::move(names);
}

void Answers::link(std::string_view path, std::string_view target) {
    if (!starts_with(path, "/") || !starts_with(target, "/")) return;
    links_[std::string(path)].text = std::string(target);
}

std::string Answers::netdev(std::string_view name) {
    if (name.empty()) name = kUnnamedNetdev;
    if (name != kUnnamedNetdev && !is_name(name, kLongestNetdev)) return {};
    exists("/sys/class/net/" + std::string(name));
    return std::string(name);
}

std::string Answers::device(std::string_view name) {
    if (name.empty()) name = kUnnamedDevice;
    if (name != kUnnamedDevice && !is_name(name, kLongestDevice)) return {};
    exists("/sys/class/infiniband/" + std::string(name));
    return std::string(name);
}

std::string Answers::port(std::string_view device_name, int number) {
    const std::string known = device(device_name);
    if (known.empty() || number < 1 || number > kMaxPort) return {};
    std::string path = "/sys/class/infiniband/" + known + "/ports/" + std::to_string(number);
    exists(path);
    return path;
}

std::string Answers::pci(std::string_view address) {
    std::string full = lower(trim(address));
    if (!is_pci_address(full)) full = "0000:" + full;
    if (!is_pci_address(full)) return {};
    exists("/sys/bus/pci/devices/" + full);
    return full;
}

void Answers::on_pci(std::string_view class_path, std::string_view address) {
    const std::string full = pci(address);
    if (full.empty()) return;
    const std::string path = without_end(class_path);
    exists(path);
    // The bridges above are not named: the path holds the function alone.
    const std::string place = "/sys/devices/pci" + full.substr(0, 7) + "/" + full;
    link(path + "/device", place);
}

void Answers::hostname(std::string_view name) { identity_.hostname = std::string(trim(name)); }
void Answers::kernel(std::string_view release) { identity_.kernel = std::string(trim(release)); }
void Answers::machine(std::string_view name) { identity_.machine = std::string(trim(name)); }
void Answers::uid(std::uint32_t uid) { identity_.uid = uid; }
void Answers::wall(std::int64_t wall_ns) { identity_.wall_ns = wall_ns; }
void Answers::uptime(std::int64_t boot_ns) { identity_.uptime_ns = boot_ns; }

void Answers::kernel_line(std::string_view line) { logs_.push_back({std::string(line), {}}); }
void Answers::log(std::string_view line, std::string_view source) {
    logs_.push_back({std::string(line), source.empty() ? "text" : std::string(source)});
}
void Answers::note(std::string text) { notes_.push_back(std::move(text)); }

bool Answers::empty() const {
    return pieces_.empty() && links_.empty() && lists_.empty() && existing_.empty() && logs_.empty() &&
           identity_.hostname.empty() && identity_.kernel.empty() && identity_.machine.empty() && !identity_.uid &&
           !identity_.wall_ns && !identity_.uptime_ns;
}

}  // namespace rd::ingest
