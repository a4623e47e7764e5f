// SPDX-License-Identifier: GPL-2.0-or-later
// A bundle: what was read of a host, at two or more moments, so that the same collectors and rules give the same
// answer later and elsewhere. What `record` writes is a test fixture as it stands.
//
//   manifest.toml   format = 1; tool, hostname, kernel, machine, boot_id, uid, capabilities (hexadecimal string), hypervisor,
//                   scrubbed; [[sweep]] boot_ns, wall_ns, unchanged (one table a moment, in order). All but `format` may be
//                   left out; no [[sweep]] means one moment. pieces = N, written by `record`, finds incomplete copies;
//                   remove it from a bundle that is edited by hand
//   t0/             first moment. Files lie at their path (t0/sys/class/…), subject answers below t0/@/ (t0/@/dcb.pfc/ens1f0)
//   t0/values       "path<TAB>text" a line: files of one line, in place of a file each; hand-written bundles have it
//   t0/links        "path<TAB>target" a line: symbolic links as resolved. Never real links
//   t0/lists        "path<TAB>name<TAB>name…" a line: directories that were listed. A directory without a line lists what lies
//                   below it in the bundle
//   t0/errors       "name<TAB>class<TAB>what<TAB>remedy" a line: reads that failed, and how. "link:/path" and "list:/path" name
//                   links and lists that failed; a path whose reading failed fails so for them too unless they say otherwise
//   t1/ …           later moments: only what differs from the moment before; "t1/gone" names what was not asked any more
//                   (a name a line, with the same marks): it is not_collected from then on, never the old value. Where
//                   nothing differs there is no folder, and the [[sweep]] says unchanged = true: a folder that was lost
//                   must not read as a host on which nothing moved
//
// In names of files, bytes other than printable ASCII, and '%', are written %XX; in the tables control characters and '%'.
// What lies beside manifest.toml and t0, t1 … is left alone.
//
// Read from a directory or from .tar, .tar.gz, .tar.zst. Nothing is ever unpacked to disk. Refused with place and
// remedy: absolute or ".." names, links, devices, duplicate entries, more than 1,000 moments, 200,000 entries, 256 MiB, 8 MiB
// a file, 512 MiB for all moments with their differences applied.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/host/host.h"

namespace rd {

struct Moment {
    Stamp stamp;
    std::map<std::string, Result<std::string>, std::less<>> reads;               // by name: path or subject/argument
    std::map<std::string, Result<std::string>, std::less<>> links;               // path → target
    std::map<std::string, Result<std::vector<std::string>>, std::less<>> lists;  // path → names
};

struct Bundle {
    HostIdentity identity;
    std::string tool;  // "rdmadoctor 0.1.0"
    bool scrubbed = false;
    std::vector<Moment> moments;  // complete each (differences are an affair of the files)
};

[[nodiscard]] Result<Bundle> load_bundle(const std::string& path);
// Refuses an existing `path`, and a name that promises what is not written (an empty one, "-", x.zip). A name ending in .tar.zst,
// .tar.gz or .tar becomes an archive, else a directory. Written beside the target and renamed when complete, so that a full disk
// leaves nothing half done. An Error speaks of `path` only, whatever the name beside it was.
[[nodiscard]] Result<> save_bundle(const Bundle& bundle, const std::string& path);
// Whether that could begin now, tried out and taken away again: a recording takes minutes, and its place may be wrong.
[[nodiscard]] Result<> check_bundle_target(const std::string& path);

// Wall times are told in order: where the clock was set back between two moments, those before are counted back by the boot clock.
[[nodiscard]] std::unique_ptr<Host> replay_host(Bundle bundle, std::string source);

// A Host that passes on what `inner` answers and remembers it. `inner` must outlive it.
class RecordingHost;  // recording.h

}  // namespace rd
