/* SPDX-License-Identifier: MIT */
/* Counters and a histogram of times in version 0.0.4 of Prometheus's text format. */
#ifndef CAIRN_SERVICE_METRICS_H
#define CAIRN_SERVICE_METRICS_H

#include "os/fetched.h"

#include <cairn.h>
#include <stdio.h>

enum { METRIC_BUCKETS = 12 };

struct metric_times {
	uint64_t bucket[METRIC_BUCKETS], count; /* requests up to each bound, and in total */
	double seconds;
};

void metric_times_take(struct metric_times *times, double seconds);

struct metric_found {
	uint64_t hits, misses, negatives, errors;
};

/* Counters of a worker in Prometheus's text format. */
struct work_metrics {
	uint64_t done, no_symbols, not_yet, rejected, retried; /* acknowledged requests by result */
	struct metric_times times; /* from delivery to acknowledgement */
	uint64_t duplicates, reconnects, replaced;
	struct debuginfod_counts fetched;
};

/* Usage of this process and of children that have been waited for. */
struct work_process {
	uint64_t resident;
	double processor;
};

/* Return the text, which the caller frees, or NULL if memory is short. */
char *work_metrics_text(const struct work_metrics *metrics, const struct work_process *process,
                        size_t *size);

#endif
