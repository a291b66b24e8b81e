/* SPDX-License-Identifier: MIT */
/* Writes counters in Prometheus's text format. */
#include "metric_text.h"

#include <inttypes.h>

/*
 * Upper bounds of the buckets in seconds. They are also stored as strings because some locales
 * print a decimal comma.
 */
static const struct {
	double seconds;
	const char *text;
} ends[METRIC_BUCKETS] = { { 0.001, "0.001" }, { 0.0025, "0.0025" }, { 0.005, "0.005" },
	                   { 0.01, "0.01" },   { 0.025, "0.025" },   { 0.05, "0.05" },
	                   { 0.1, "0.1" },     { 0.25, "0.25" },     { 0.5, "0.5" },
	                   { 1, "1" },         { 5, "5" },           { 30, "30" } };

void metric_times_take(struct metric_times *times, double seconds)
{
	for (size_t i = 0; i < METRIC_BUCKETS; i++)
		times->bucket[i] += seconds <= ends[i].seconds;
	times->count++;
	times->seconds += seconds;
}

void metric_write_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metric_write_whole(FILE *out, const char *name, const char *type, const char *help,
                        uint64_t value)
{
	metric_write_head(out, name, type, help);
	fprintf(out, "%s %" PRIu64 "\n", name, value);
}

void metric_write_result(FILE *out, const char *name, const char *result, uint64_t value)
{
	fprintf(out, "%s{result=\"%s\"} %" PRIu64 "\n", name, result, value);
}

void metric_write_found(FILE *out, const char *help, const struct metric_found *found)
{
	const char *name = "cairn_store_requests_total";

	metric_write_head(out, name, "counter", help);
	metric_write_result(out, name, "hit", found->hits);
	metric_write_result(out, name, "miss", found->misses);
	metric_write_result(out, name, "negative", found->negatives);
	metric_write_result(out, name, "error", found->errors);
}

void metric_write_times(FILE *out, const struct metric_times *times)
{
	const char *name = "cairn_request_seconds";

	metric_write_head(out, name, "histogram", "How long requests took.");
	for (size_t i = 0; i < METRIC_BUCKETS; i++)
		fprintf(out, "%s_bucket{le=\"%s\"} %" PRIu64 "\n", name, ends[i].text,
		        times->bucket[i]);
	fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, times->count);
	fprintf(out, "%s_sum %.6f\n%s_count %" PRIu64 "\n", name, times->seconds, name,
	        times->count);
}

void metric_write_process(FILE *out, uint64_t resident, double processor)
{
	metric_write_whole(out, "process_resident_memory_bytes", "gauge", "Memory of this process.",
	                   resident);
	metric_write_head(out, "process_cpu_seconds_total", "counter",
	                  "Processor time of this process.");
	fprintf(out, "process_cpu_seconds_total %.3f\n", processor);
	metric_write_head(out, "cairn_build_info", "gauge", "Which cairn this is.");
	fprintf(out, "cairn_build_info{version=\"%s\"} 1\n", CAIRN_VERSION);
}
