/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream() */
/* Writes the counters of a service. */
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>

static void write_requests(FILE *out, const struct service_metrics *m)
{
	const char *name = "cairn_requests_total";

	metric_write_head(out, name, "counter", "Requests, by what became of them.");
	metric_write_result(out, name, "done", m->done);
	metric_write_result(out, name, "no_symbols", m->no_symbols);
	metric_write_result(out, name, "rejected", m->rejected);
	metric_write_result(out, name, "retried", m->retried);
	metric_write_times(out, &m->times);
}

static void write_store(FILE *out, const struct service_metrics *m)
{
	const struct metric_found found = { m->hits, m->misses, m->negatives, m->errors };

	metric_write_found(out, "Modules that were asked for.", &found);
	metric_write_whole(out, "cairn_store_bytes_total", "counter",
	                   "Bytes of the files that workers have opened.", m->opened_bytes);
	metric_write_whole(out, "cairn_cache_bytes", "gauge", "Memory of all workers.",
	                   m->cache_bytes);
	metric_write_whole(out, "cairn_workers_replaced_total", "counter",
	                   "Workers that have ended, or were ended.", m->replaced);
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
