/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream() */
/* Writes a worker's counters. */
#include "work_metrics.h"

#include <stdlib.h>

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
	                   "Children that have ended, or were ended.", m->replaced);
}

static void write_fetched(FILE *out, const struct debuginfod_counts *fetched)
{
	const struct metric_found found = { fetched->hits, fetched->misses, fetched->negatives,
		                            fetched->errors };

	metric_write_found(out, "Files that were asked of debuginfod, by what became of it.",
	                   &found);
	metric_write_whole(out, "cairn_store_bytes_total", "counter",
	                   "Bytes of files that servers sent.", fetched->bytes);
	metric_write_whole(out, "cairn_cache_bytes", "gauge",
	                   "Bytes in the cache, when a file came last.", fetched->cache_bytes);
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
