// SPDX-License-Identifier: GPL-2.0-or-later
// For tests that repeat the same work with other numbers: a sanitizer sees in a few rounds what it sees in all, at a tenth of the speed.
#pragma once

namespace rd::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RD_SANITIZED true
#elif defined(__has_feature)
#define RD_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define RD_SANITIZED false
#endif
inline constexpr bool kSanitized = RD_SANITIZED;
#undef RD_SANITIZED

}  // namespace rd::test
