/* SPDX-License-Identifier: MIT */
/* Writes the counters of a service or a worker in the Prometheus text format. */
#define _GNU_SOURCE /* open_memstream() */
#include "metrics.h"

#include "answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Upper bounds of the histogram buckets in seconds. The strings are needed because printf() prints
 * a decimal comma in some locales.
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

static void metric_write_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void metric_write_whole(FILE *out, const char *name, const char *type, const char *help,
                               uint64_t value)
{
	metric_write_head(out, name, type, help);
	fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void metric_write_result(FILE *out, const char *name, const char *result, uint64_t value)
{
	fprintf(out, "%s{result=\"%s\"} %" PRIu64 "\n", name, result, value);
}

static void metric_write_found(FILE *out, const char *help, const struct metric_found *found)
{
	const char *name = "cairn_store_requests_total";

	metric_write_head(out, name, "counter", help);
	metric_write_result(out, name, "hit", found->hits);
	metric_write_result(out, name, "miss", found->misses);
	metric_write_result(out, name, "negative", found->negatives);
	metric_write_result(out, name, "error", found->errors);
}

static void metric_write_times(FILE *out, const struct metric_times *times)
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

static void metric_write_process(FILE *out, uint64_t resident, double processor)
{
	metric_write_whole(out, "process_resident_memory_bytes", "gauge", "Memory of this process.",
	                   resident);
	metric_write_head(out, "process_cpu_seconds_total", "counter",
	                  "Processor time of this process.");
	fprintf(out, "process_cpu_seconds_total %.3f\n", processor);
	metric_write_head(out, "cairn_build_info", "gauge", "Version of cairn.");
	fprintf(out, "cairn_build_info{version=\"%s\"} 1\n", CAIRN_VERSION);
}

static void write_requests(FILE *out, const struct service_metrics *m)
{
	const char *name = "cairn_requests_total";

	metric_write_head(out, name, "counter", "Requests by outcome.");
	metric_write_result(out, name, "done", m->done);
	metric_write_result(out, name, "no_symbols", m->no_symbols);
	metric_write_result(out, name, "rejected", m->rejected);
	metric_write_result(out, name, "retried", m->retried);
	metric_write_times(out, &m->times);
}

static void write_store(FILE *out, const struct service_metrics *m)
{
	const struct metric_found found = { m->hits, m->misses, m->negatives, m->errors };

	metric_write_found(out, "Modules that were requested.", &found);
	metric_write_whole(out, "cairn_store_bytes_total", "counter",
	                   "Bytes of the files that workers have opened.", m->opened_bytes);
	metric_write_whole(out, "cairn_cache_bytes", "gauge", "Memory of all workers.",
	                   m->cache_bytes);
	metric_write_whole(out, "cairn_workers_replaced_total", "counter",
	                   "Workers that exited or were killed.", m->replaced);
	metric_write_whole(out, "cairn_connections", "gauge", "Clients that are connected.",
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
	metric_write_process(out, m->resident, m->processor);
	if (fclose(out) != 0)
		return;
	answer->status = SERVICE_OK;
	answer->body = text;
	answer->size = size;
}

static void write_work(FILE *out, const struct work_metrics *m)
{
	const char *name = "cairn_requests_total";

	metric_write_head(out, name, "counter", "Requests that were acknowledged, by result.");
	metric_write_result(out, name, "done", m->done);
	metric_write_result(out, name, "no_symbols", m->no_symbols);
	metric_write_result(out, name, "not_yet", m->not_yet);
	metric_write_result(out, name, "rejected", m->rejected);
	metric_write_result(out, name, "retried", m->retried);
	metric_write_times(out, &m->times);
	metric_write_whole(out, "cairn_duplicates_total", "counter",
	                   "Requests that the broker had delivered before.", m->duplicates);
	metric_write_whole(out, "cairn_reconnects_total", "counter",
	                   "Connections after the first one.", m->reconnects);
	metric_write_whole(out, "cairn_workers_replaced_total", "counter",
	                   "Children that exited or were killed.", m->replaced);
}

static void write_fetched(FILE *out, const struct debuginfod_counts *fetched)
{
	const struct metric_found found = { fetched->hits, fetched->misses, fetched->negatives,
		                            fetched->errors };

	metric_write_found(out, "Files requested from debuginfod, by outcome.", &found);
	metric_write_whole(out, "cairn_store_bytes_total", "counter",
	                   "Bytes of files that servers sent.", fetched->bytes);
	metric_write_whole(out, "cairn_cache_bytes", "gauge",
	                   "Bytes in the cache when the last file was added.",
	                   fetched->cache_bytes);
	metric_write_whole(out, "cairn_cache_evictions_total", "counter",
	                   "Files that were removed from the cache to make room.",
	                   fetched->evictions);
}

char *work_metrics_text(const struct work_metrics *metrics, const struct work_process *process,
                        size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	write_work(out, metrics);
	write_fetched(out, &metrics->fetched);
	metric_write_process(out, process->resident, process->processor);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
