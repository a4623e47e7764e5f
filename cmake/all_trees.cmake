# SPDX-License-Identifier: GPL-2.0-or-later
# Read by ctest in the release tree. `./dev test` has built the other trees before; whoever calls ctest by hand may have an old one
# lying there and gets the release tree alone.
if(DEFINED ENV{RDMADOCTOR_ALL_TREES})
  subdirs(asan tsan)
endif()
