// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string inside(std::string_view group) {
    Scene scene;
    scene.put(Kind::process, "1", "cgroup", std::string(group));
    return value(scene.derive({"container"}), Kind::process, "1", "container");
}

TEST(Container, ByItsControlGroup) {
    EXPECT_EQ(inside("/kubepods.slice/kubepods-pod1.slice/cri-containerd-0a.scope"), "true");
    EXPECT_EQ(inside("/system.slice/docker-0a.scope"), "true");
    EXPECT_EQ(inside("/machine.slice/libpod-0a.scope"), "true");
    EXPECT_EQ(inside("/system.slice/rcpair.service"), "false");
    EXPECT_EQ(inside("/user.slice/user-1000.slice/session-3.scope"), "false");
    EXPECT_EQ(inside("/system.slice/containerd.service"), "false") << "the runtime itself";
}

TEST(Container, UnknownWithoutIt) {
    Scene scene;
    scene.gap(Kind::process, "1", "cgroup", GapClass::no_privilege);
    EXPECT_EQ(value(scene.derive({"container"}), Kind::process, "1", "container"), "gap(no privilege)");
}

}  // namespace
}  // namespace rd::collectors::test
