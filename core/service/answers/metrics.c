/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream() */
/* Writes counters in the text format of Prometheus. */
#include "answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Upper ends of the buckets, in seconds; the last one has none. */
static const char *const ends[METRICS_BUCKETS] = { "0.001", "0.0025", "0.005", "0.01",
	                                           "0.025", "0.05",   "0.1",   "0.25",
	                                           "0.5",   "1",      "5",     "30" };

void service_metrics_take(struct service_metrics *metrics, double seconds)
{
	for (size_t i = 0; i < METRICS_BUCKETS; i++)
		metrics->bucket[i] += seconds <= strtod(ends[i], NULL);
	metrics->count++;
	metrics->seconds += seconds;
}

static void write_metric_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_whole(FILE *out, const char *name, const char *type, const char *help,
                        uint64_t value)
{
	write_metric_head(out, name, type, help);
	fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void write_by_result(FILE *out, const char *name, const char *result, uint64_t value)
{
	fprintf(out, "%s{result=\"%s\"} %" PRIu64 "\n", name, result, value);
}

static void write_requests(FILE *out, const struct service_metrics *m)
{
	const char *name = "cairn_requests_total";

	write_metric_head(out, name, "counter", "Requests, by what became of them.");
	write_by_result(out, name, "done", m->done);
	write_by_result(out, name, "no_symbols", m->no_symbols);
	write_by_result(out, name, "rejected", m->rejected);
	write_by_result(out, name, "retried", m->retried);
	name = "cairn_request_seconds";
	write_metric_head(out, name, "histogram", "How long requests took.");
	for (size_t i = 0; i < METRICS_BUCKETS; i++)
		fprintf(out, "%s_bucket{le=\"%s\"} %" PRIu64 "\n", name, ends[i], m->bucket[i]);
	fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, m->count);
	fprintf(out, "%s_sum %.6f\n%s_count %" PRIu64 "\n", name, m->seconds, name, m->count);
}

static void write_store(FILE *out, const struct service_metrics *m)
{
	const char *name = "cairn_store_requests_total";

	write_metric_head(out, name, "counter", "Modules that were asked for.");
	write_by_result(out, name, "hit", m->hits);
	write_by_result(out, name, "miss", m->misses);
	write_by_result(out, name, "negative", m->negatives);
	write_by_result(out, name, "error", m->errors);
	write_whole(out, "cairn_store_bytes_total", "counter",
	            "Bytes of the files that workers have opened.", m->opened_bytes);
	write_whole(out, "cairn_cache_bytes", "gauge", "Memory of all workers.", m->cache_bytes);
	write_whole(out, "cairn_workers_replaced_total", "counter",
	            "Workers that have ended, or were ended.", m->replaced);
	write_whole(out, "cairn_connections", "gauge", "Clients that are connected.",
	            m->connections);
}

void service_metrics_answer(const struct service_metrics *m, struct service_answer *answer)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	*answer = (struct service_answer){ .status = SERVICE_TRY_AGAIN,
		                           .type = "text/plain; version=0.0.4" };
	if (!out)
		return;
	write_requests(out, m);
	write_store(out, m);
	write_whole(out, "process_resident_memory_bytes", "gauge", "Memory of this process.",
	            m->resident);
	write_metric_head(out, "process_cpu_seconds_total", "counter",
	                  "Processor time of this process.");
	fprintf(out, "process_cpu_seconds_total %.3f\n", m->processor);
	write_metric_head(out, "cairn_build_info", "gauge", "Which cairn this is.");
	fprintf(out, "cairn_build_info{version=\"%s\"} 1\n", CAIRN_VERSION);
	if (fclose(out) != 0)
		return;
	answer->status = SERVICE_OK;
	answer->body = text;
	answer->size = size;
}
