/* SPDX-License-Identifier: MIT */
/* Counters in the text format of Prometheus, 0.0.4, and a histogram of times. */
#ifndef CAIRN_SERVICE_ANSWERS_METRIC_TEXT_H
#define CAIRN_SERVICE_ANSWERS_METRIC_TEXT_H

#include <cairn.h>

#include <stdio.h>

enum { METRIC_BUCKETS = 12 };

struct metric_times {
	uint64_t bucket[METRIC_BUCKETS], count; /* requests, by how long they took */
	double seconds;
};

/* Counts a request that took so many seconds. */
void metric_times_take(struct metric_times *times, double seconds);

void metric_write_head(FILE *out, const char *name, const char *type, const char *help);
void metric_write_whole(FILE *out, const char *name, const char *type, const char *help,
                        uint64_t value);
void metric_write_result(FILE *out, const char *name, const char *result, uint64_t value);

/* Files or modules that were asked for, by what became of it. */
struct metric_found {
	uint64_t hits, misses, negatives, errors;
};

/* cairn_store_requests_total */
void metric_write_found(FILE *out, const char *help, const struct metric_found *found);

/* cairn_request_seconds */
void metric_write_times(FILE *out, const struct metric_times *times);

/* Memory and processor time of this process, and which cairn it is. */
void metric_write_process(FILE *out, uint64_t resident, double processor);

#endif
