// SPDX-License-Identifier: GPL-2.0-or-later
// The memory that the daemon keeps while it has nothing to do. Private to the daemon.
#pragma once

namespace rd::daemon {

// At the very start: what is freed goes back to the kernel, now and later.
void keep_little_memory();

// Gives back what only the start needed, or the work of once an hour: freed memory, also between pieces that are not free, and the pages
// of programs and libraries that were touched to link them, to set them up, to read settings and rules, to pack an hour. What is run
// again comes back by itself, from the kernel's cache of the file.
void give_back_what_is_idle();

}  // namespace rd::daemon
