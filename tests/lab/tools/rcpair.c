// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a process that an RDMA diagnosis has something to say about, and stays alive:
 *
 *   rcpair register --mib N            open a device, try to register N MiB, hold the context
 *   rcpair fail --count N --every-ms M connect N pairs of RC queue pairs, one after another, each
 *                                      sending one message that must run into a retry limit: a
 *                                      write, or with --late-ms a message that finds no receive;
 *                                      queue pairs in error are kept
 *   rcpair late --count N --late-ms L --every-ms M
 *                                      send N messages over one pair, M ms apart, each of which
 *                                      finds its receive posted only after L ms
 *   rcpair stream --per-second N       write N times a second, several under way at a time, until one
 *                                      fails; sleeps between, so that it costs little
 *
 * Common: --device-a mlx5_0 --device-b mlx5_1 --timeout 8 --retry 3 --rnr-timer 12 --rnr-retry 7
 *         --tclass 0 --uc (unreliable connection) --gid-index (that of the IPv4 address)
 * Ends when killed, or when a stream fails. Prints one line per thing that happened.
 */
#include <errno.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 1, MESSAGE = 4096, WINDOW = 32, TICK_MS = 5, ACCESS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };

struct options {
	const char *device[2];
	int mib, count, every_ms, late_ms, per_second, timeout, retry, rnr_timer, rnr_retry, tclass, gid_index, uc;
};

struct side {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	char *buffer;
	union ibv_gid gid;
	int gid_index;
};

static void die(const char *what)
{
	fprintf(stderr, "rcpair: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	for (int i = 0; list && list[i] && !context; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	if (!context)
		die(name);
	return context;
}

/* The GID that stands for the IPv4 address: ::ffff:a.b.c.d */
static void find_gid(struct side *side)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	for (int i = 0; ibv_query_gid(side->context, PORT, i, &side->gid) == 0; i++)
		if (memcmp(side->gid.raw, mapped, sizeof(mapped)) == 0) {
			side->gid_index = i;
			return;
		}
	die("no IPv4 GID");
}

static void open_side(struct side *side, const char *device, int gid_index)
{
	side->context = open_device(device);
	side->gid_index = gid_index;
	if (gid_index < 0)
		find_gid(side);
	else if (ibv_query_gid(side->context, PORT, gid_index, &side->gid))
		die("GID");
	side->pd = ibv_alloc_pd(side->context);
	side->cq = ibv_create_cq(side->context, WINDOW, NULL, NULL, 0);
	side->buffer = aligned_alloc(MESSAGE, MESSAGE);
	if (!side->pd || !side->cq || !side->buffer)
		die("set up");
	side->mr = ibv_reg_mr(side->pd, side->buffer, MESSAGE, ACCESS);
	if (!side->mr)
		die("register");
}

static void create_qp(struct side *side, const struct options *options)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.cap = { .max_send_wr = WINDOW, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = options->uc ? IBV_QPT_UC : IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	side->qp = ibv_create_qp(side->pd, &attr);
	if (!side->qp)
		die("create queue pair");
}

static void connect_qp(struct side *from, const struct side *to, const struct options *options)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = PORT, .qp_access_flags = ACCESS,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = to->qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = (uint8_t)options->rnr_timer,
		.ah_attr = {
			.is_global = 1,
			.port_num = PORT,
			.grh = { .dgid = to->gid, .sgid_index = (uint8_t)from->gid_index,
				 .hop_limit = 64, .traffic_class = (uint8_t)options->tclass },
		},
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.timeout = (uint8_t)options->timeout,
		.retry_cnt = (uint8_t)options->retry,
		.rnr_retry = (uint8_t)options->rnr_retry,
		.max_rd_atomic = 1,
	};

	const int rtr_of_rc = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	const int rts_of_rc = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC;

	if (ibv_modify_qp(from->qp, &init,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("INIT");
	if (ibv_modify_qp(from->qp, &rtr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | (options->uc ? 0 : rtr_of_rc)))
		die("RTR");
	if (ibv_modify_qp(from->qp, &rts,
			  IBV_QP_STATE | IBV_QP_SQ_PSN | (options->uc ? 0 : rts_of_rc)))
		die("RTS");
}

static void post(struct side *from, const struct side *to, enum ibv_wr_opcode opcode)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)from->buffer, .length = MESSAGE, .lkey = from->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.wr.rdma = { .remote_addr = (uintptr_t)to->buffer, .rkey = to->mr->rkey },
	};
	struct ibv_send_wr *bad;

	if (ibv_post_send(from->qp, &wr, &bad))
		die("post");
}

static void post_receive(struct side *side)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)side->buffer, .length = MESSAGE, .lkey = side->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(side->qp, &wr, &bad))
		die("post receive");
}

static enum ibv_wc_status wait_for(struct side *side)
{
	struct ibv_wc wc;
	int got;

	while ((got = ibv_poll_cq(side->cq, 1, &wc)) == 0)
		usleep(1000);
	if (got < 0)
		die("poll");
	return wc.status;
}

static void tell(const struct side *side, enum ibv_wc_status status, double start)
{
	printf("qp %u: status %d (%s) after %.1f ms\n", side->qp->qp_num, status,
	       ibv_wc_status_str(status), now_ms() - start);
}

static void open_pair(struct side side[2], const struct options *options)
{
	for (int i = 0; i < 2; i++)
		open_side(&side[i], options->device[i], options->gid_index);
}

static void connect_pair(struct side side[2], const struct options *options)
{
	create_qp(&side[0], options);
	create_qp(&side[1], options);
	connect_qp(&side[0], &side[1], options);
	connect_qp(&side[1], &side[0], options);
}

static void fail_mode(const struct options *options)
{
	struct side side[2] = { 0 };

	open_pair(side, options);
	for (int n = 0; n < options->count; n++) {
		double start = now_ms();

		connect_pair(side, options);
		post(&side[0], &side[1], options->late_ms ? IBV_WR_SEND : IBV_WR_RDMA_WRITE);
		tell(&side[0], wait_for(&side[0]), start);
		usleep((useconds_t)options->every_ms * 1000);
	}
}

static void late_mode(const struct options *options)
{
	struct side side[2] = { 0 };

	open_pair(side, options);
	connect_pair(side, options);
	for (int n = 0; n < options->count; n++) {
		double start = now_ms();

		post(&side[0], &side[1], IBV_WR_SEND);
		usleep((useconds_t)options->late_ms * 1000);
		post_receive(&side[1]);
		tell(&side[0], wait_for(&side[0]), start);
		wait_for(&side[1]);
		usleep((useconds_t)options->every_ms * 1000);
	}
}

static void stream_mode(const struct options *options)
{
	struct side side[2] = { 0 };
	int under_way = 0;
	double owed = 0;

	open_pair(side, options);
	connect_pair(side, options);
	for (;;) {
		struct ibv_wc wc;
		int got;

		owed += (double)options->per_second * TICK_MS / 1e3;
		for (; owed >= 1 && under_way < WINDOW; owed--, under_way++)
			post(&side[0], &side[1], IBV_WR_RDMA_WRITE);
		if (owed > WINDOW)
			owed = WINDOW;
		usleep(TICK_MS * 1000);
		while ((got = ibv_poll_cq(side[0].cq, 1, &wc)) > 0) {
			under_way--;
			if (wc.status != IBV_WC_SUCCESS) {
				printf("status %d (%s)\n", wc.status, ibv_wc_status_str(wc.status));
				exit(1);
			}
		}
		if (got < 0)
			die("poll");
	}
}

static void register_mode(const struct options *options)
{
	struct ibv_context *context = open_device(options->device[0]);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	size_t bytes = (size_t)options->mib << 20;
	void *buffer = aligned_alloc(MESSAGE, bytes);

	if (!pd || !buffer)
		die("set up");
	memset(buffer, 0, bytes);
	if (ibv_reg_mr(pd, buffer, bytes, ACCESS))
		printf("registered %d MiB\n", options->mib);
	else
		printf("cannot register %d MiB: %s\n", options->mib, strerror(errno));
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "device-a", required_argument, NULL, 'a' },
		{ "device-b", required_argument, NULL, 'b' },
		{ "mib", required_argument, NULL, 'm' },
		{ "count", required_argument, NULL, 'n' },
		{ "every-ms", required_argument, NULL, 'e' },
		{ "timeout", required_argument, NULL, 't' },
		{ "late-ms", required_argument, NULL, 'l' },
		{ "per-second", required_argument, NULL, 'p' },
		{ "retry", required_argument, NULL, 'r' },
		{ "rnr-timer", required_argument, NULL, 'T' },
		{ "rnr-retry", required_argument, NULL, 'R' },
		{ "tclass", required_argument, NULL, 'c' },
		{ "gid-index", required_argument, NULL, 'g' },
		{ "uc", no_argument, NULL, 'u' },
		{ 0 }
	};
	struct options options = {
		.device = { "mlx5_0", "mlx5_1" }, .mib = 16, .count = 1, .timeout = 8, .retry = 3,
		.rnr_timer = 12, .rnr_retry = 7, .gid_index = -1,
		.per_second = 600,
	};
	int option;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (option) {
		case 'a': options.device[0] = optarg; break;
		case 'b': options.device[1] = optarg; break;
		case 'm': options.mib = atoi(optarg); break;
		case 'n': options.count = atoi(optarg); break;
		case 'e': options.every_ms = atoi(optarg); break;
		case 't': options.timeout = atoi(optarg); break;
		case 'l': options.late_ms = atoi(optarg); break;
		case 'p': options.per_second = atoi(optarg); break;
		case 'r': options.retry = atoi(optarg); break;
		case 'T': options.rnr_timer = atoi(optarg); break;
		case 'R': options.rnr_retry = atoi(optarg); break;
		case 'c': options.tclass = atoi(optarg); break;
		case 'g': options.gid_index = atoi(optarg); break;
		case 'u': options.uc = 1; break;
		default: return 64;
		}
	}
	if (optind + 1 == argc && strcmp(argv[optind], "fail") == 0) {
		fail_mode(&options);
	} else if (optind + 1 == argc && strcmp(argv[optind], "stream") == 0) {
		stream_mode(&options);
	} else if (optind + 1 == argc && strcmp(argv[optind], "late") == 0) {
		late_mode(&options);
	} else if (optind + 1 == argc && strcmp(argv[optind], "register") == 0) {
		register_mode(&options);
	} else {
		fprintf(stderr, "usage: rcpair register|fail|late|stream [--option value...]\n");
		return 64;
	}
	for (;;)
		pause();
}
