/* SPDX-License-Identifier: MIT */
/* Keeps the requests of a worker from their delivery to their end. */
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jobs_free(struct job *job)
{
	free(job->request.body);
	broker_origin_free(job->request.origin);
	free((void *)job->answer.data);
	free(job);
}

void jobs_wait(struct work *work, struct job *job)
{
	job->state = JOB_WAITING;
	job->next_waiting = NULL;
	if (work->waiting.last)
		work->waiting.last->next_waiting = job;
	else
		work->waiting.first = job;
	work->waiting.last = job;
}

struct job *jobs_next_waiting(struct work *work)
{
	struct job *job = work->waiting.first;

	if (!job)
		return NULL;
	work->waiting.first = job->next_waiting;
	if (!job->next_waiting)
		work->waiting.last = NULL;
	return job;
}

void job_finish(struct work *work, struct job *job, struct verdict verdict, const char *reason)
{
	job->verdict = verdict;
	snprintf(job->reason, sizeof(job->reason), "%s", reason);
	if (verdict.kind == VERDICT_AGAIN) {
		job->is_alone = true;
		job->request.crashes = verdict.past.crashes;
		jobs_wait(work, job);
	} else if (verdict.kind == VERDICT_DEAD && !work->options->dead) {
		job->state = JOB_REFUSED;
	} else {
		job->state = JOB_READY;
		if (work->ready++ == 0)
			work->ready_since = work->now;
	}
}

static void trim_line_ends(struct broker_request *request)
{
	while (request->size > 0 && (request->body[request->size - 1] == '\n' ||
	                             request->body[request->size - 1] == '\r'))
		request->size--;
	request->body[request->size] = '\n';
}

/* A request that the child cannot be asked is refused here. */
static const char *find_fault(const struct broker_request *request)
{
	if (request->whole_size > BROKER_REQUEST_MAX)
		return "a request of more than 16 MiB";
	if (request->size > 0 && memchr(request->body, '\n', request->size))
		return "a request of more than one line";
	return NULL;
}

static void take_job(struct work *work, struct job *job)
{
	const struct verdict dead = { .kind = VERDICT_DEAD };
	const char *fault;

	trim_line_ends(&job->request);
	fault = find_fault(&job->request);
	job->result = REQUEST_REJECTED;
	if (fault)
		job_finish(work, job, dead, fault);
	else
		jobs_wait(work, job);
}

void jobs_take(void *context, struct broker_request *request)
{
	struct work *work = context;
	struct job *job = calloc(1, sizeof(*job));

	work->metrics.duplicates += request->was_delivered;
	if (!job) {
		/* it is held by the broker, and comes again when the connection ends */
		free(request->body);
		broker_origin_free(request->origin);
		return;
	}
	job->request = *request;
	job->since = work->last_request = work->now;
	if (work->held.last)
		work->held.last->next = job;
	else
		work->held.first = job;
	work->held.last = job;
	take_job(work, job);
}

/* What the child has is answered all the same, and counts no more then. */
void jobs_drop(struct work *work)
{
	struct job *job = work->held.first, *next;

	for (; job; job = next) {
		next = job->next;
		if (job->state == JOB_ASKED)
			job->is_void = true;
		else
			jobs_free(job);
	}
	work->held = work->waiting = (struct job_list){ NULL, NULL };
	work->ready = 0;
}
