/* SPDX-License-Identifier: MIT */
/* Writes counters and a histogram of times in version 0.0.4 of Prometheus's text format. */
#ifndef CAIRN_SERVICE_ANSWERS_METRIC_TEXT_H
#define CAIRN_SERVICE_ANSWERS_METRIC_TEXT_H

#include <cairn.h>

#include <stdio.h>

enum { METRIC_BUCKETS = 12 };

struct metric_times {
	uint64_t bucket[METRIC_BUCKETS], count; /* requests up to each bound, and in total */
	double seconds;
};

void metric_times_take(struct metric_times *times, double seconds);

void metric_write_head(FILE *out, const char *name, const char *type, const char *help);
void metric_write_whole(FILE *out, const char *name, const char *type, const char *help,
                        uint64_t value);
void metric_write_result(FILE *out, const char *name, const char *result, uint64_t value);

struct metric_found {
	uint64_t hits, misses, negatives, errors;
};

/* Write cairn_store_requests_total. */
void metric_write_found(FILE *out, const char *help, const struct metric_found *found);

/* Write cairn_request_seconds. */
void metric_write_times(FILE *out, const struct metric_times *times);

/* Write the memory and processor time of this process and the version of cairn. */
void metric_write_process(FILE *out, uint64_t resident, double processor);

#endif
