// SPDX-License-Identifier: GPL-2.0-or-later
// Completion statuses (enum ibv_wc_status). Numbers are those of libibverbs, syndromes those of mlx5's completion entries.
#include <algorithm>

#include "core/diagnosis/terms/term.h"

namespace rd {
namespace {

constexpr const char* kRequester =
    "The requester: whoever sent. It is evidence about the peer or the path between; look there before you change this "
    "host.";
constexpr const char* kResponder = "The responder: whoever posted the receive. The peer made the message.";
constexpr const char* kOwn = "The process that posted the request. The fault is in that process or its memory.";
constexpr const char* kUnused =
    "Only reliable datagrams would give it, which no adapter has. Seen in a log, it is more likely a number that was "
    "read wrongly.";

Term status(int number, const char* name, const char* title, const char* means, const char* seen_by) {
    Term term;
    term.kind = TermKind::completion;
    term.number = number;
    term.name = name;
    term.title = title;
    term.means = means;
    term.seen_by = seen_by;
    return term;
}

std::vector<Term> local_errors() {
    Term length = status(
        1, "IBV_WC_LOC_LEN_ERR", "local length error",
        "A message was longer than the receive that was posted for it, or longer than the port can send.", kResponder);
    length.causes = {
        {"the receive buffers are smaller than the peer's messages", "sizes in the configuration of both programs"},
        {"the two ends use different path MTUs", "active_mtu of both ports; each end must take the smaller"}};
    length.todo = {"Compare message and buffer sizes of both ends, then the active MTU of both ports.",
                   "Expect the peer to report a remote invalid request (9) for the same message."};
    length.facts = {"port.resp_local_length_error", "port.active_mtu"};

    Term operation = status(2, "IBV_WC_LOC_QP_OP_ERR", "local QP operation error",
                            "The adapter could not make sense of a work request of this queue pair.", kOwn);
    operation.causes = {
        {"more scatter entries, or more inline data, than the queue pair was made with", "max_sge, max_inline_data"},
        {"an operation that this kind of queue pair or its state does not allow", "the program's call"}};
    operation.todo = {"Compare what the program asks for with the limits of the device (ibv_devinfo -v)."};
    operation.facts = {"port.req_local_qp_operation_errors", "port.req_cqe_error"};

    Term protection = status(4, "IBV_WC_LOC_PROT_ERR", "local protection error",
                             "The memory that a work request names is not registered for what it is used for.", kOwn);
    protection.causes = {
        {"the region was deregistered or freed while the request was under way", "order of teardown in the program"},
        {"a local key of another protection domain, or bounds beyond the region", "the program's call"},
        {"GPU memory that was moved or freed behind the registration", "run once with host memory: it must be clean"},
        {"a cache of registrations that does not notice when memory is given back", "its settings; run without it"}};
    protection.todo = {"Run once without GPU memory and without a registration cache, to see which of them it is."};
    protection.facts = {"port.req_local_protection_errors", "port.resp_local_protection_errors"};

    Term flush =
        status(5, "IBV_WC_WR_FLUSH_ERR", "Work Request Flushed Error",
               "The queue pair was in state ERR already, and what was still in its queues came back undone. It is "
               "never the cause: something else failed first, here or at the peer, or the connection was closed.",
               "Both ends. It says nothing about whose fault it was.");
    flush.todo = {"Find the first completion of this queue pair that was not flushed; that one is the reason.",
                  "If there is none, the peer closed or failed: look at its log at that time.",
                  "At a normal disconnect a flood of them is normal."};
    flush.facts = {"port.req_cqe_flush_error", "port.resp_cqe_flush_error", "port.qps_error"};
    flush.aliases = {"WR flushed"};

    Term window = status(6, "IBV_WC_MW_BIND_ERR", "memory management operation error",
                         "A memory window could not be bound, or a key not be invalidated.", kOwn);
    window.causes = {
        {"the region lacks the right to bind windows, or the window is of another domain", "access flags"}};
    window.todo = {"Compare the access flags of region, window and queue pair."};
    window.aliases = {"memory bind operation error"};

    Term access = status(8, "IBV_WC_LOC_ACCESS_ERR", "local access error",
                         "The peer wrote to memory of ours with rights that it does not have.", kResponder);
    access.causes = {{"the region was registered without remote write, or the peer uses an old key", "access flags"}};
    access.todo = {"Look for a remote access error (10) at the peer at the same time."};
    return {length, operation, protection, flush, window, access};
}

std::vector<Term> remote_errors() {
    Term response = status(
        7, "IBV_WC_BAD_RESP_ERR", "bad response error",
        "The answer of the peer broke the protocol: a wrong opcode, or a length that was not asked for.", kRequester);
    response.causes = {
        {"firmware or driver of the peer", "versions at both ends; known defects of the peer's firmware"},
        {"something on the way that changes packets", "RoCE packets with a bad ICRC at either end"}};
    response.todo = {"Compare firmware with hosts on which it does not happen."};
    response.facts = {"port.icrc_errors"};

    Term invalid =
        status(9, "IBV_WC_REM_INV_REQ_ERR", "remote invalid request error",
               "The peer refused the request itself: an operation, length or depth that its queue pair does not take.",
               kRequester);
    invalid.causes = {
        {"more reads or atomics under way than the peer has responder resources for",
         "initiator_depth and responder_resources of the connection; max_qp_rd_atom of the peer's adapter"},
        {"the message is longer than the receive posted at the peer", "a local length error (1) there"},
        {"the peer's queue pair does not allow reads, writes or atomics", "its access flags"}};
    invalid.todo = {"Ask the peer for its own first error; it usually names the reason."};
    invalid.facts = {"port.req_remote_invalid_request"};

    Term remote_access =
        status(10, "IBV_WC_REM_ACCESS_ERR", "remote access error",
               "The peer does not let us use the memory that the request names: key, bounds or rights.", kRequester);
    remote_access.causes = {
        {"the peer freed or registered that memory anew, and the key we have is old", "order of teardown at the peer"},
        {"registered without the remote right that is used", "access flags of the region at the peer"},
        {"a wrong address or length in what the peers tell each other", "the protocol between the programs"}};
    remote_access.todo = {"Look at the peer: it counts resp_remote_access_errors for the same request.",
                          "At the end of a job, one of them is a race of teardown and harmless."};
    remote_access.facts = {"port.req_remote_access_errors", "port.resp_remote_access_errors"};

    Term operation = status(11, "IBV_WC_REM_OP_ERR", "remote operation error",
                            "The peer began the request and could not finish it.", kRequester);
    operation.causes = {{"a receive of the peer that names bad memory", "a local error in the peer's log"},
                        {"the peer's queue pair failed meanwhile", "its first completion that was not flushed"}};
    operation.todo = {"Look at the peer's first error at that time."};
    operation.facts = {"port.req_remote_operation_errors"};

    Term retry =
        status(12, "IBV_WC_RETRY_EXC_ERR", "transport retry counter exceeded",
               "No acknowledgement came, however often the packet was sent again. The adapter gave up after about "
               "4.096 us x 2^timeout x (retries + 1), and the queue pair is dead.",
               kRequester);
    retry.causes = {
        {"at the very first exchange: there is no RDMA path, although TCP works. A GID of the wrong kind or network, a "
         "VLAN, a filter for UDP 4791, rails that are not connected",
         "GIDs in use at both ends; a test with the same GID and traffic class between this pair (ib_write_bw -x -T)"},
        {"later, at random: packets are lost on the way",
         "packet_seq_err here and out_of_sequence at the peer rise; discards and pause on the way"},
        {"later, with a link: the link of either end flapped", "carrier changes at both ends"},
        {"the peer's process, queue pair or host went away", "the peer's log before that time; its first error"},
        {"the peer is not ready to receive yet, or has other queue pair numbers", "order of the connection setup"},
        {"the path is paused for longer than the retries last", "pause received by this port; a pause storm somewhere"},
        {"large messages only: an MTU on the way is smaller than that of the queue pair", "MTU of every hop"}};
    retry.todo = {"At once or later? At once means no path, later means loss, a flap, or a peer that died.",
                  "Look at the peer first: was there an earlier error, a restart, a crash?",
                  "A longer timeout hides loss; it does not mend it."};
    retry.codes = {};
    retry.facts = {"port.retry_exceeded",  "port.local_ack_timeout_err", "port.packet_seq_err",
                   "port.out_of_sequence", "netdev.carrier_changes",     "port.qps_error"};

    Term rnr = status(13, "IBV_WC_RNR_RETRY_EXC_ERR", "RNR retry counter exceeded",
                      "The peer answered, and each time had no receive posted for the message.", kRequester);
    rnr.causes = {
        {"the peer posts too few receives, or too late", "out_of_buffer at the peer; depth of its receive queue"},
        {"the process of the peer is stalled or starved of processor time", "its load and placement"},
        {"rnr_retry below 7 gives up after a few tries; 7 means for ever", "what the program sets"}};
    rnr.todo = {"The receive queue of the peer must be deeper, or refilled sooner.",
                "Storage initiators set rnr_retry to 7."};
    rnr.facts = {"port.rnr_retry_exceeded", "port.rnr_nak_retry_err", "port.out_of_buffer"};

    Term abort = status(16, "IBV_WC_REM_ABORT_ERR", "aborted error", "The operation was taken back before it was done.",
                        kRequester);
    abort.causes = {
        {"memory registered on demand faulted at the peer and could not be brought in", "page faults there"}};
    abort.todo = {"Look at the peer: memory on demand, or a queue pair that was torn down."};
    abort.aliases = {"operation aborted"};
    return {response, invalid, remote_access, operation, retry, rnr, abort};
}

std::vector<Term> rare() {
    Term success = status(0, "IBV_WC_SUCCESS", "success", "The request was done.", "The process that posted it.");
    Term fatal = status(19, "IBV_WC_FATAL_ERR", "fatal error", "The adapter or its driver failed as a whole.",
                        "Every user of the device.");
    fatal.todo = {"Look for a device fatal event and for the driver's messages in the kernel log."};
    Term timeout = status(20, "IBV_WC_RESP_TIMEOUT_ERR", "response timeout error",
                          "No response came in time. Management datagrams (MAD) end so.", kRequester);
    timeout.causes = {{"the subnet manager or the addressed node does not answer", "port state; sminfo, saquery"}};
    Term general = status(21, "IBV_WC_GENERAL_ERR", "general error", "Something else; the vendor code may say what.",
                          "The process that posted the request.");
    general.todo = {"Note the vendor code, and look in the kernel log for messages of the driver at that time."};
    Term tag = status(22, "IBV_WC_TM_ERR", "TM error", "Tag matching in the adapter failed.", kOwn);
    Term rendezvous = status(23, "IBV_WC_TM_RNDV_INCOMPLETE", "TM software rendezvous",
                             "A rendezvous of tag matching must be finished by software. It is no failure.", kOwn);
    return {success,
            status(3, "IBV_WC_LOC_EEC_OP_ERR", "local EE context operation error", kUnused, kOwn),
            status(14, "IBV_WC_LOC_RDD_VIOL_ERR", "local RDD violation error", kUnused, kOwn),
            status(15, "IBV_WC_REM_INV_RD_REQ_ERR", "remote invalid RD request", kUnused, kRequester),
            status(17, "IBV_WC_INV_EECN_ERR", "invalid EE context number", kUnused, kOwn),
            status(18, "IBV_WC_INV_EEC_STATE_ERR", "invalid EE context state", kUnused, kOwn),
            fatal,
            timeout,
            general,
            tag,
            rendezvous};
}

struct Syndrome {
    int code;
    int status;
};
constexpr Syndrome kSyndromes[] = {{0x01, 1}, {0x02, 2},  {0x04, 4},  {0x05, 5},  {0x06, 6},  {0x10, 7}, {0x11, 8},
                                   {0x12, 9}, {0x13, 10}, {0x14, 11}, {0x15, 12}, {0x16, 13}, {0x22, 16}};

std::vector<Term> all() {
    std::vector<Term> terms = local_errors();
    for (auto* const make : {remote_errors, rare}) {
        for (Term& term : make()) terms.push_back(std::move(term));
    }
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.number < b.number; });
    for (Term& term : terms) {
        for (const Syndrome& syndrome : kSyndromes) {
            if (syndrome.status == term.number)
                term.codes.push_back("mlx5 completion syndrome " + code_text(syndrome.code));
        }
        for (const VendorCode& code : vendor_codes()) {
            if (code.status != term.number) continue;
            term.codes.push_back("vendor " + code_text(code.code) + " of " + std::string(code.driver) + ": " +
                                 std::string(code.means));
        }
    }
    return terms;
}

}  // namespace

const std::vector<VendorCode>& vendor_codes() {
    static const std::vector<VendorCode> codes = {
        {0x81, 12, "mlx5", "retries exceeded"},
        {0x83, 12, "mlx5", "retries exceeded on a queue pair that a GPU drives itself"},
        {0xf9, 5, "mlx5", "flushed: secondary, look for the first other error"},
        {0x51, 4, "mlx5", "local protection, seen with GPU memory"},
        {0x8e, 1, "mlx5", "local length, as the kernel logs it"},
        {0x0a, 12, "bnxt_re", "retries exceeded"},
    };
    return codes;
}

const std::vector<Term>& completion_terms() {
    static const std::vector<Term> terms = all();
    return terms;
}

const Term* completion_of_syndrome(int syndrome) {
    for (const Syndrome& each : kSyndromes) {
        if (each.code != syndrome) continue;
        for (const Term& term : completion_terms()) {
            if (term.number == each.status) return &term;
        }
    }
    return nullptr;
}

}  // namespace rd
