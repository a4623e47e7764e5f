// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/socket.h"

#include <gmock/gmock.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include <cerrno>
#include <thread>

#include "socket_bytes.h"

namespace rd {
namespace {

using test::attribute;
using test::ByteVector;
using test::operator+;
using test::message;
using test::raw;

constexpr std::uint32_t kSequence = 17;

struct Taken {
    Turn turn;
    std::vector<std::uint16_t> types;
};

Taken take(const ByteVector& datagram, std::size_t enough_after = 100) {
    Taken taken;
    taken.turn = take_datagram(datagram, kSequence, [&](const Message& each) {
        taken.types.push_back(each.type);
        return taken.types.size() < enough_after;
    });
    return taken;
}

ByteVector error_payload(int errnum) {
    nlmsghdr original{};
    original.nlmsg_len = sizeof(original) + 8;
    return raw(std::int32_t{-errnum}) + raw(original);
}

TEST(TakeDatagram, AnswerToAPlainRequestIsComplete) {
    const auto taken = take(message(99, 0, kSequence, ByteVector(4)));
    EXPECT_EQ(taken.turn.state, Turn::State::done);
    EXPECT_THAT(taken.types, testing::ElementsAre(99));
}

TEST(TakeDatagram, DumpGoesOnUntilDone) {
    const ByteVector part =
        message(99, NLM_F_MULTI, kSequence, {}) + message(98, NLM_F_MULTI, kSequence, ByteVector(5));
    EXPECT_EQ(take(part).turn.state, Turn::State::more);
    const auto taken = take(part + message(NLMSG_DONE, NLM_F_MULTI, kSequence, raw(std::int32_t{0})));
    EXPECT_EQ(taken.turn.state, Turn::State::done);
    EXPECT_THAT(taken.types, testing::ElementsAre(99, 98));
}

TEST(TakeDatagram, AnswersToOtherRequestsArePassedOver) {
    const auto taken = take(message(97, 0, kSequence - 1, {}) + message(NLMSG_ERROR, 0, 3, error_payload(EPERM)) +
                            message(99, 0, kSequence, {}));
    EXPECT_EQ(taken.turn.state, Turn::State::done);
    EXPECT_THAT(taken.types, testing::ElementsAre(99));
}

TEST(TakeDatagram, KeepsTheErrnoOfTheKernel) {
    const auto taken = take(message(NLMSG_ERROR, 0, kSequence, error_payload(EOPNOTSUPP) + ByteVector(8)));
    EXPECT_EQ(taken.turn.state, Turn::State::failed);
    EXPECT_EQ(taken.turn.failure.errnum, EOPNOTSUPP);
    EXPECT_EQ(taken.turn.failure.detail, "");
}

TEST(TakeDatagram, AcknowledgementIsTheEnd) {
    EXPECT_EQ(take(message(NLMSG_ERROR, 0, kSequence, error_payload(0))).turn.state, Turn::State::done);
}

TEST(TakeDatagram, ReadsTheExtendedAcknowledgement) {
    const ByteVector text =
        attribute(NLMSGERR_ATTR_OFFS, std::uint32_t{0}) + attribute(NLMSGERR_ATTR_MSG, "no such luck");
    const auto capped =
        take(message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, kSequence, error_payload(EINVAL) + text));
    EXPECT_EQ(capped.turn.failure.detail, "no such luck");
    // Not capped: the whole request is echoed before it, here 8 bytes more than its header.
    const auto echoed =
        take(message(NLMSG_ERROR, NLM_F_ACK_TLVS, kSequence, error_payload(EINVAL) + ByteVector(8) + text));
    EXPECT_EQ(echoed.turn.failure.detail, "no such luck");
    const auto done = take(message(NLMSG_DONE, NLM_F_ACK_TLVS, kSequence, raw(std::int32_t{-EINVAL}) + text));
    EXPECT_EQ(done.turn.failure.detail, "no such luck");
}

TEST(TakeDatagram, ADumpMayEndWithAnError) {
    const auto taken = take(message(99, NLM_F_MULTI, kSequence, {}) +
                            message(NLMSG_DONE, NLM_F_MULTI, kSequence, raw(std::int32_t{-EIO})));
    EXPECT_EQ(taken.turn.state, Turn::State::failed);
    EXPECT_EQ(taken.turn.failure.errnum, EIO);
    EXPECT_EQ(taken.types.size(), 1u);
}

TEST(TakeDatagram, SeesThatADumpWasInterrupted) {
    EXPECT_FALSE(take(message(99, NLM_F_MULTI, kSequence, {})).turn.interrupted);
    EXPECT_TRUE(take(message(99, NLM_F_MULTI | NLM_F_DUMP_INTR, kSequence, {})).turn.interrupted);
    EXPECT_TRUE(
        take(message(NLMSG_DONE, NLM_F_MULTI | NLM_F_DUMP_INTR, kSequence, raw(std::int32_t{0}))).turn.interrupted);
}

TEST(TakeDatagram, StopsWhenTheReaderHasEnough) {
    const auto taken = take(message(99, NLM_F_MULTI, kSequence, {}) + message(98, NLM_F_MULTI, kSequence, {}), 1);
    EXPECT_EQ(taken.turn.state, Turn::State::enough);
    EXPECT_EQ(taken.types.size(), 1u);
}

TEST(TakeDatagram, SurvivesAnyDamage) {
    const ByteVector datagram = message(99, NLM_F_MULTI, kSequence, attribute(1, std::uint32_t{2})) +
                                message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, kSequence,
                                        error_payload(EINVAL) + attribute(NLMSGERR_ATTR_MSG, "text"));
    test::for_each_damage(
        datagram, [](Bytes bytes) { (void)take_datagram(bytes, kSequence, [](const Message&) { return true; }); });
}

TEST(Replies, KeepWhatWasAddedUntilCleared) {
    Replies replies;
    const ByteVector first(3, std::byte{1});
    const ByteVector second(5, std::byte{2});
    replies.add({7, first});
    replies.add({8, second});
    ASSERT_EQ(replies.size(), 2u);
    EXPECT_EQ(replies[0].type, 7);
    EXPECT_EQ(ByteVector(replies[1].payload.begin(), replies[1].payload.end()), second);
    replies.clear();
    EXPECT_EQ(replies.size(), 0u);
}

TEST(Request, IsRefusedWhenItDoesNotFit) {
    Request request(1, 0);
    for (int i = 0; i < 10'000; ++i) request.u32(1, 2);
    EXPECT_TRUE(request.bytes(1).empty());
    Replies replies;
    const auto answer = Netlink::of_this_thread(NETLINK_ROUTE).ask(request, replies);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().errnum, ENOMEM);
}

TEST(Request, ReadsBackAsItWasBuilt) {
    Request request(5, NLM_F_DUMP);
    request.u32(1, 0x01020304);
    nlattr* nest = request.begin(2);
    request.text(3, "mlx5_0");
    request.end(nest);
    const Bytes bytes = request.bytes(42);
    const auto head = value_at<nlmsghdr>(bytes);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->nlmsg_type, 5);
    EXPECT_EQ(head->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
    EXPECT_EQ(head->nlmsg_seq, 42u);
    Attributes in(bytes.subspan(NLMSG_HDRLEN));
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.number<std::uint32_t>(), 0x01020304u);
    ASSERT_TRUE(in.next());
    Attributes nested = in.nested();
    ASSERT_TRUE(nested.next());
    EXPECT_EQ(nested.text(), "mlx5_0");
}

TEST(Netlink, EachThreadHasItsOwnConnection) {
    const Netlink* const mine = &Netlink::of_this_thread(NETLINK_ROUTE);
    const Netlink* other = mine;
    std::thread([&other] { other = &Netlink::of_this_thread(NETLINK_ROUTE); }).join();
    EXPECT_NE(mine, other);
    EXPECT_EQ(mine, &Netlink::of_this_thread(NETLINK_ROUTE));
}

TEST(Netlink, AnUnknownProtocolIsRefusedByItsErrno) {
    Request request(1, 0);
    Replies replies;
    const auto answer = Netlink::of_this_thread(31).ask(request, replies);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().errnum, EPROTONOSUPPORT);
}

TEST(Netlink, ARefusalLeavesTheConnectionUsable) {
    Request unknown(GENL_ID_CTRL, 0);
    genlmsghdr head{};
    head.cmd = CTRL_CMD_GETFAMILY;
    unknown.fixed(std::as_bytes(std::span(&head, 1)));
    unknown.text(CTRL_ATTR_FAMILY_NAME, "no-such-family");
    Request links(RTM_GETLINK, NLM_F_DUMP);
    const ifinfomsg any{};
    links.fixed(std::as_bytes(std::span(&any, 1)));
    Replies replies;
    for (int i = 0; i < 3; ++i) {
        const auto refusal = Netlink::of_this_thread(NETLINK_GENERIC).ask(unknown, replies);
        ASSERT_FALSE(refusal);
        EXPECT_EQ(refusal.error().errnum, ENOENT);
        ASSERT_TRUE(Netlink::of_this_thread(NETLINK_ROUTE).ask(links, replies));
        EXPECT_GE(replies.size(), 1u);
    }
}

TEST(Netlink, ADumpLeftHalfReadDoesNotDisturbTheNext) {
    Request links(RTM_GETLINK, NLM_F_DUMP);
    const ifinfomsg any{};
    links.fixed(std::as_bytes(std::span(&any, 1)));
    Netlink netlink(NETLINK_ROUTE);
    ASSERT_TRUE(netlink.converse(links, [](const Message&) { return false; }));
    Replies replies;
    ASSERT_TRUE(netlink.ask(links, replies));
    EXPECT_GE(replies.size(), 1u);
}

TEST(ErrorOf, CarriesClassAndDetail) {
    const Error error = error_of({EOPNOTSUPP, "unrecognized\nflags"}, "ethtool.fec/x");
    EXPECT_EQ(error.code, Errc::not_supported);
    EXPECT_THAT(error.what, testing::StartsWith("ethtool.fec/x: "));
    EXPECT_THAT(error.what, testing::EndsWith("(unrecognized\\x0aflags)"));
}

}  // namespace
}  // namespace rd
