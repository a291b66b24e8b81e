/* SPDX-License-Identifier: MIT */
/* Counters and a latency histogram in version 0.0.4 of the Prometheus text format. */
#ifndef CAIRN_SERVICE_METRICS_H
#define CAIRN_SERVICE_METRICS_H

#include "os/fetched.h"

#include <cairn.h>
#include <stdio.h>

enum { METRIC_BUCKETS = 12 };

struct metric_times {
	/* number of requests up to each bucket's bound (cumulative), and number of all requests */
	uint64_t bucket[METRIC_BUCKETS], count;
	double seconds;
};

void metric_times_take(struct metric_times *times, double seconds);

struct metric_found {
	uint64_t hits, misses, negatives, errors;
};

struct work_metrics {
	/* numbers of acknowledged requests, by result */
	uint64_t done, no_symbols, not_yet, rejected, retried;
	struct metric_times times; /* time from delivery to acknowledgement */
	uint64_t duplicates, reconnects, replaced;
	struct debuginfod_counts fetched;
};

/* CPU time and memory of the current process and its reaped children. */
struct work_process {
	uint64_t resident;
	double processor;
};

/* Return the metrics as a string, which the caller frees, or NULL if allocation fails. */
char *work_metrics_text(const struct work_metrics *metrics, const struct work_process *process,
                        size_t *size);

#endif
