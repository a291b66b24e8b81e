/* SPDX-License-Identifier: MIT */
/* What a worker has counted, as Prometheus reads it. */
#ifndef CAIRN_SERVICE_QUEUE_WORK_METRICS_H
#define CAIRN_SERVICE_QUEUE_WORK_METRICS_H

#include "os/debuginfod/counts.h"
#include "service/answers/metric_text.h"

struct work_metrics {
	uint64_t done, no_symbols, not_yet, rejected, retried; /* requests that were acknowledged */
	struct metric_times times; /* from delivery to acknowledgement */
	uint64_t duplicates, reconnects, replaced;
	struct debuginfod_counts fetched; /* by all children */
};

/* This counts this process and the children that it has waited for. */
struct work_process {
	uint64_t resident;
	double processor;
};

/* The text, of malloc(); NULL: memory is short. */
char *work_metrics_text(const struct work_metrics *metrics, const struct work_process *process,
                        size_t *size);

#endif
