/* SPDX-License-Identifier: MIT */
/* Sends answers, requests to be tried later and dead letters, some at a time, and acknowledges requests whose letter the broker has kept. */
#include "jobs.h"

static struct broker_letter write_letter(const struct work *work, const struct job *job)
{
	const struct cairn_bytes body = { job->request.body, job->request.size };
	const struct verdict *verdict = &job->verdict;
	struct broker_letter letter = { .body = body,
		                        .id = CAIRN_NO_BYTES,
		                        .origin = job->request.origin,
		                        .attempts = verdict->past.attempts,
		                        .crashes = verdict->past.crashes };

	switch (verdict->kind) {
	case VERDICT_ANSWER:
		letter.queue = work->options->answers;
		letter.body = job->answer;
		letter.id = (struct cairn_bytes){ (const uint8_t *)job->id, job->id_size };
		break;
	case VERDICT_LATER:
		letter.queue = work->options->later[verdict->delay];
		letter.reason = job->reason;
		break;
	case VERDICT_DEAD:
		letter.queue = work->options->dead;
		letter.reason = job->reason;
		break;
	case VERDICT_AGAIN: /* there is no letter then */
		break;
	}
	return letter;
}

/* When some are there, or nothing more will come soon, or the first of them has waited. */
static bool is_time(const struct work *work)
{
	const size_t some = work->options->broker.prefetch / 2;

	if (work->ready == 0 || broker_is_blocked(work->broker))
		return false;
	const uint64_t now = work->now;
	return now >= work->paused &&
	       (work->ready >= some || (work->asked_count == 0 && !work->waiting.first) ||
	        now - work->ready_since >= WORK_FLUSH);
}

bool letters_send(struct work *work)
{
	bool good = true;

	if (!is_time(work))
		return true;
	work->ready = 0;
	broker_collect(work->broker, true);
	for (struct job *job = work->held.first; job && good; job = job->next) {
		if (job->state != JOB_READY)
			continue;
		const struct broker_letter letter = write_letter(work, job);
		job->state = JOB_SENT;
		good = broker_send(work->broker, &letter, &job->letter);
	}
	broker_collect(work->broker, false);
	return good;
}

void letters_confirm(void *context, uint64_t letter, bool multiple, bool kept)
{
	struct work *work = context;

	for (struct job *job = work->held.first; job; job = job->next) {
		if (job->state != JOB_SENT ||
		    !(job->letter == letter || (multiple && job->letter < letter)))
			continue;
		job->state = kept ? JOB_KEPT : JOB_READY;
		if (kept)
			continue;
		/* its queue is full: what asks too much waits, for it is not acknowledged */
		work->ready++;
		work->paused = work->now + WORK_PAUSE;
	}
}

static void count_job(struct work *work, const struct job *job)
{
	struct work_metrics *metrics = &work->metrics;

	metric_times_take(&metrics->times, (double)(work->now - job->since) / 1000);
	switch (job->verdict.kind) {
	case VERDICT_ANSWER:
		metrics->done += job->result == REQUEST_DONE;
		metrics->no_symbols += job->result == REQUEST_NO_SYMBOLS;
		metrics->not_yet += job->result == REQUEST_NOT_YET;
		break;
	case VERDICT_LATER:
		metrics->retried++;
		break;
	case VERDICT_DEAD:
		metrics->rejected++;
		break;
	case VERDICT_AGAIN:
		break;
	}
}

/* Takes the kept requests at the beginning of the list: one acknowledgement, of *tag, is for all of them. */
static struct job *take_beginning(struct work *work, uint64_t *tag)
{
	struct job *job = work->held.first;

	while (job && job->state == JOB_KEPT) {
		struct job *next = job->next;
		*tag = job->request.tag;
		count_job(work, job);
		jobs_free(job);
		job = next;
	}
	work->held.first = job;
	if (!job)
		work->held.last = NULL;
	return job;
}

static bool settle_job(struct work *work, const struct job *job)
{
	count_job(work, job);
	return job->state == JOB_KEPT ? broker_acknowledge(work->broker, job->request.tag, false)
	                              : broker_reject(work->broker, job->request.tag);
}

bool letters_acknowledge(struct work *work)
{
	uint64_t tag = 0;
	struct job *last = NULL, **place = &work->held.first, *job;
	bool good = true;

	if (work->is_draining)
		return true; /* at the end, all at once */
	(void)take_beginning(work, &tag);
	if (tag > 0)
		good = broker_acknowledge(work->broker, tag, true);
	while ((job = *place) != NULL) {
		if (job->state == JOB_KEPT || job->state == JOB_REFUSED) {
			good = settle_job(work, job) && good;
			*place = job->next;
			jobs_free(job);
		} else {
			last = job;
			place = &job->next;
		}
	}
	work->held.last = last;
	return good;
}
