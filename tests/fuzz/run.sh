#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh PROGRAM CORPUS SEEDS: one fuzzer for FUZZ_SECONDS. What broke it is left in the working directory.
set -eu
program=$1 corpus=$2 seeds=$3
[ -d "$seeds" ] || seeds=
exec "$program" -max_total_time="${FUZZ_SECONDS:-10}" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
	"$corpus" $seeds
