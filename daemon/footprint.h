// SPDX-License-Identifier: GPL-2.0-or-later
// The memory that the daemon keeps while it has nothing to do. Private to the daemon.
#pragma once

namespace rd::daemon {

// Gives back what only the start needed: freed memory, and the pages of programs and libraries that were touched to link them, to set
// them up, and to read settings and rules. What is run again comes back by itself, from the kernel's cache of the file.
void give_back_what_the_start_took();

}  // namespace rd::daemon
