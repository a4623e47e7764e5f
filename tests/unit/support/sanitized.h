// SPDX-License-Identifier: GPL-2.0-or-later
// For tests that repeat the same work with other numbers: a sanitizer sees in a few rounds what it sees in all, at a tenth of the speed.
#pragma once

namespace rd::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace rd::test
