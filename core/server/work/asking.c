/* SPDX-License-Identifier: MIT */
/*
 * The child: some requests are in its pipe at a time, it answers in their order, and so the first that has no answer is the one that a
 * child died of. A new child is asked something that every child can answer first: one that cannot is broken, and no request is blamed.
 */
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char question[] = "{}\n";

/* Jobs that the child has not answered wait again, in their order, before others. */
static void give_back(struct work *work)
{
	const struct job_list others = work->waiting;

	work->waiting = (struct job_list){ NULL, NULL };
	for (unsigned i = 0; i < work->asked_count; i++)
		if (work->asked[i]->is_void)
			jobs_free(work->asked[i]);
		else
			jobs_wait(work, work->asked[i]);
	work->asked_count = 0;
	if (!others.first)
		return;
	if (work->waiting.last)
		work->waiting.last->next_waiting = others.first;
	else
		work->waiting.first = others.first;
	work->waiting.last = others.last;
}

static struct job *take_asked(struct work *work)
{
	struct job *job = work->asked[0];

	work->asked_count--;
	memmove(work->asked, work->asked + 1, work->asked_count * sizeof(struct job *));
	work->asked_since = work->now;
	if (work->writing > 0)
		work->writing--;
	else
		work->written = 0;
	return job;
}

static void blame_job(struct work *work, struct job *job, const char *why)
{
	const struct verdict_past past = { job->request.attempts, job->request.crashes,
		                           work->options->delays };
	char reason[ANSWER_REASON_MAX];

	snprintf(reason, sizeof(reason), "crashes the worker: %s", why);
	job->result = REQUEST_TRY_AGAIN;
	job_finish(work, job, verdict_of_crash(past), reason);
}

static void end_child(struct work *work, bool now, const char *why)
{
	struct job *guilty = NULL;
	char how[CHILD_WHY_MAX];

	child_end(&work->child, now, how);
	work->metrics.replaced++;
	if (!work->is_proved) {
		work->options->say(work->options->context, "the child answers nothing",
		                   why ? why : how);
		work->birth_backoff =
			work->birth_backoff ? work->birth_backoff * 2 : WORK_BACKOFF_LEAST;
		if (work->birth_backoff > WORK_BACKOFF_MOST)
			work->birth_backoff = WORK_BACKOFF_MOST;
		work->next_birth = work->now + work->birth_backoff;
	}
	if (work->asked_count > 0 && (work->writing > 0 || work->written > 0))
		guilty = take_asked(work);
	give_back(work);
	work->writing = 0;
	work->written = 0;
	if (guilty && guilty->is_void)
		jobs_free(guilty);
	else if (guilty)
		blame_job(work, guilty, why ? why : how);
}

bool asking_start(struct work *work)
{
	if (work->child.pid > 0 || work->now < work->next_birth)
		return true;
	const int error = child_start(&work->options->child, &work->child);
	work->is_proved = false;
	work->proved = 0;
	work->asked_since = work->now;
	if (!error)
		return true;
	work->options->say(work->options->context, work->options->child.command[0],
	                   strerror(error));
	work->next_birth = work->now + WORK_BACKOFF_MOST;
	return false;
}

static void write_question(struct work *work)
{
	const size_t size = sizeof(question) - 1 - work->proved;
	const struct iovec part = { (void *)(question + work->proved), size };
	const ssize_t count = size > 0 ? child_write(&work->child, &part, 1) : 0;

	if (count > 0)
		work->proved += (size_t)count;
}

/* One that the child died of goes in alone. */
static void choose_asked(struct work *work)
{
	while (work->asked_count < ASKED_MAX && work->waiting.first) {
		const bool is_alone = work->waiting.first->is_alone;
		if (work->asked_count > 0 && (is_alone || work->asked[0]->is_alone))
			return;
		if (work->asked_count == 0)
			work->asked_since = work->now;
		struct job *job = jobs_next_waiting(work);
		job->state = JOB_ASKED;
		work->asked[work->asked_count++] = job;
	}
}

static void count_written(struct work *work, size_t count)
{
	while (count > 0) {
		const size_t left = work->asked[work->writing]->request.size + 1 - work->written;
		if (count < left) {
			work->written += count;
			return;
		}
		count -= left;
		work->writing++;
		work->written = 0;
	}
}

void asking_feed(struct work *work)
{
	struct iovec parts[ASKED_MAX];
	int count = 0;

	if (work->child.pid <= 0)
		return;
	if (!work->is_proved) {
		write_question(work);
		return;
	}
	choose_asked(work);
	for (unsigned i = work->writing; i < work->asked_count; i++) {
		const struct broker_request *request = &work->asked[i]->request;
		const size_t at = i == work->writing ? work->written : 0;
		parts[count++] = (struct iovec){ request->body + at, request->size + 1 - at };
	}
	const ssize_t written = count > 0 ? child_write(&work->child, parts, count) : 0;
	if (written > 0) {
		count_written(work, (size_t)written);
		work->nap = work->now + WORK_NAP;
	}
}

bool asking_has_more(const struct work *work)
{
	return work->child.pid > 0 && (work->is_proved ? work->writing < work->asked_count
	                                               : work->proved < sizeof(question) - 1);
}

/* False: memory is short. */
static bool keep_answer(struct job *job, const struct answer_head *head, struct cairn_bytes line)
{
	uint8_t *copy = malloc(line.size);

	if (!copy)
		return false;
	memcpy(copy, line.data, line.size);
	job->answer = (struct cairn_bytes){ copy, line.size };
	job->id_size = head->hash.size;
	memcpy(job->id, head->hash.data, head->hash.size);
	return true;
}

static void answer_job(struct work *work, struct job *job, const struct answer_head *head,
                       struct cairn_bytes line)
{
	const struct verdict_past past = { job->request.attempts, job->request.crashes,
		                           work->options->delays };
	struct verdict verdict = verdict_of_result(head->result, past);

	job->result = head->result;
	if (verdict.kind == VERDICT_ANSWER && !keep_answer(job, head, line))
		verdict = verdict_of_result(REQUEST_TRY_AGAIN, past);
	job_finish(work, job, verdict, head->reason);
}

/* False: the line is not an answer, or nothing was asked. Then the child is ended. */
static bool take_answer_line(struct work *work, struct cairn_bytes line)
{
	struct answer_head head;

	if (fetch_line_add(line, &work->metrics.fetched))
		return true;
	if (!answer_head_read(line, &head))
		return false;
	if (!work->is_proved) {
		work->is_proved = true;
		work->birth_backoff = 0;
		return true;
	}
	if (work->asked_count == 0 || (work->writing == 0 && work->written == 0))
		return false;
	struct job *job = take_asked(work);
	if (job->is_void)
		jobs_free(job);
	else
		answer_job(work, job, &head, line);
	return true;
}

void asking_read(struct work *work)
{
	enum child_state state = CHILD_QUIET;
	struct cairn_bytes line;

	while (work->child.pid > 0 && (state = child_read(&work->child)) == CHILD_SAYS) {
		while (work->child.pid > 0 && child_line(&work->child, &line))
			if (!take_answer_line(work, line))
				end_child(work, true, "it gives no answer");
		if (work->child.is_drained)
			break;
	}
	work->nap = work->asked_count > 0 ? work->now + WORK_NAP : 0;
	if (work->child.pid <= 0 || state == CHILD_QUIET || state == CHILD_SAYS)
		return;
	if (state == CHILD_TOO_LONG)
		end_child(work, true, "an answer of more than 16 MiB");
	else
		end_child(work, state == CHILD_NO_MEMORY,
		          state == CHILD_NO_MEMORY ? "out of memory" : NULL);
}

void asking_watch(struct work *work)
{
	const uint64_t time = (uint64_t)work->options->seconds * 1000;
	const bool is_asked = !work->is_proved || work->asked_count > 0;
	char why[CHILD_WHY_MAX];

	if (work->child.pid <= 0 || !is_asked || work->now - work->asked_since < time)
		return;
	snprintf(why, sizeof(why), "it takes more than %u s", work->options->seconds);
	end_child(work, true, why);
}
