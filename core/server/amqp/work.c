/* SPDX-License-Identifier: MIT */
/*
 * Connects a broker to a child process. A job exists from the delivery of a request to its
 * acknowledgement: the child answers it, the answer is sent as a message, and the request is
 * acknowledged when the broker has stored that message. A single loop waits for the broker, the
 * child and timers, so that waiting for one does not delay the others.
 */
#include "work.h"

#include "os/channel.h"
#include "os/fetched.h"
#include "service/child.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASKED_MAX = CHILD_WRITE_MAX };

enum job_state {
	JOB_WAITING,
	JOB_ASKED,
	JOB_READY,
	JOB_SENT,
	JOB_KEPT,    /* the answer has been stored, so the request may be acknowledged */
	JOB_REFUSED, /* the request will be rejected; the broker moves it to a dead-letter queue */
};

struct job {
	struct job *next; /* next job in order of delivery */
	struct job *next_waiting;
	struct broker_request request;
	enum job_state state;
	/*
	 * the request has crashed a child, so it must be the only request in the next child's pipe
	 */
	bool is_alone;
	/* the broker connection has been lost, but the child still has the request in its pipe */
	bool is_void;
	uint64_t since; /* time of delivery in milliseconds */
	struct verdict verdict;
	enum request_result result;
	struct cairn_bytes answer;
	char id[ANSWER_HASH_SIZE];
	size_t id_size;
	char reason[ANSWER_REASON_MAX + 1];
	uint64_t message;
};

struct job_list {
	struct job *first, *last;
};

struct work {
	const struct work_options *options;
	struct broker *broker;
	uint64_t next_connect, backoff;
	bool was_connected, is_draining, is_cancelled;
	uint64_t last_request;
	bool may_end;
	/* all jobs, linked by `next`; jobs waiting for the child, linked by `next_waiting` */
	struct job_list held, waiting;
	struct job *asked[ASKED_MAX];
	unsigned asked_count;
	/*
	 * time at which the child began to work on asked[0], or at which it was started if that is
	 * later
	 */
	uint64_t asked_since;
	/* asked[writing] is being written to the child; `written` bytes of it have been written */
	unsigned writing;
	size_t written;
	struct child child;
	bool is_proved; /* the child has answered the probe */
	size_t proved;  /* number of bytes of the probe that have been written */
	uint64_t next_birth, birth_backoff;
	size_t ready;
	uint64_t ready_since; /* time at which the oldest job in state JOB_READY became ready */
	uint64_t paused;      /* send no messages before this time */
	/* time at which the current turn of the loop began; the clock is read once per turn */
	uint64_t now;
	uint64_t nap;       /* sleep until this time */
	uint64_t next_look; /* time at which deadlines are checked next */
	struct work_metrics metrics;
};

static void jobs_free(struct job *job)
{
	free(job->request.body);
	broker_origin_free(job->request.origin);
	free((void *)job->answer.data);
	free(job);
}

static void jobs_wait(struct work *work, struct job *job)
{
	job->state = JOB_WAITING;
	job->next_waiting = NULL;
	if (work->waiting.last)
		work->waiting.last->next_waiting = job;
	else
		work->waiting.first = job;
	work->waiting.last = job;
}

static void job_finish(struct work *work, struct job *job, struct verdict verdict,
                       const char *reason)
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

static void jobs_take(void *context, struct broker_request *request)
{
	const struct verdict dead = { .kind = VERDICT_DEAD };
	struct work *work = context;
	struct job *job = calloc(1, sizeof(*job));

	work->metrics.duplicates += request->was_delivered;
	if (!job) {
		/*
		 * Leave the request unacknowledged. The broker delivers it again when the
		 * connection has ended.
		 */
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
	request = &job->request;
	while (request->size > 0 && (request->body[request->size - 1] == '\n' ||
	                             request->body[request->size - 1] == '\r'))
		request->size--;
	request->body[request->size] = '\n';
	job->result = REQUEST_REJECTED;
	if (request->whole_size > BROKER_REQUEST_MAX)
		job_finish(work, job, dead, "a request of more than 16 MiB");
	else if (request->size > 0 && memchr(request->body, '\n', request->size))
		job_finish(work, job, dead, "the request has more than one line");
	else
		jobs_wait(work, job);
}

/*
 * Remove the jobs of a lost connection. The child still answers the requests in its pipe, but these
 * answers are discarded.
 */
static void jobs_drop(struct work *work)
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

/*
 * The child has up to ASKED_MAX requests in its pipe and answers them in order, so if it crashes,
 * the first unanswered request is responsible. A new child first gets a probe that every working
 * child can answer. If the probe fails, the child itself is broken and no request is blamed.
 */
static const char question[] = "{}\n";

/* Return unanswered jobs to the front of the waiting list, in their original order. */
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
		work->options->say(work->options->context, "the child does not answer",
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

static bool asking_start(struct work *work)
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

/* Choose the next jobs for the child. A job that has crashed a child is sent alone. */
static void choose_asked(struct work *work)
{
	while (work->asked_count < ASKED_MAX && work->waiting.first) {
		const bool is_alone = work->waiting.first->is_alone;
		if (work->asked_count > 0 && (is_alone || work->asked[0]->is_alone))
			return;
		if (work->asked_count == 0)
			work->asked_since = work->now;
		struct job *job = work->waiting.first;
		work->waiting.first = job->next_waiting;
		if (!job->next_waiting)
			work->waiting.last = NULL;
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

static void asking_feed(struct work *work)
{
	struct iovec parts[ASKED_MAX];
	int count = 0;

	if (work->child.pid <= 0)
		return;
	if (!work->is_proved) {
		const size_t size = sizeof(question) - 1 - work->proved;
		const struct iovec part = { (void *)(question + work->proved), size };
		const ssize_t taken = size > 0 ? child_write(&work->child, &part, 1) : 0;
		if (taken > 0)
			work->proved += (size_t)taken;
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

static bool asking_has_more(const struct work *work)
{
	return work->child.pid > 0 && (work->is_proved ? work->writing < work->asked_count
	                                               : work->proved < sizeof(question) - 1);
}

static void answer_job(struct work *work, struct job *job, const struct answer_head *head,
                       struct cairn_bytes line)
{
	const struct verdict_past past = { job->request.attempts, job->request.crashes,
		                           work->options->delays };
	struct verdict verdict = verdict_of_result(head->result, past);

	uint8_t *copy = verdict.kind == VERDICT_ANSWER ? malloc(line.size) : NULL;
	job->result = head->result;
	if (copy) {
		memcpy(copy, line.data, line.size);
		job->answer = (struct cairn_bytes){ copy, line.size };
		job->id_size = head->hash.size;
		memcpy(job->id, head->hash.data, head->hash.size);
	} else if (verdict.kind == VERDICT_ANSWER) {
		verdict = verdict_of_result(REQUEST_TRY_AGAIN, past);
	}
	job_finish(work, job, verdict, head->reason);
}

/*
 * Handle a line from the child. If the line is not an answer or no answer is expected, ends the
 * child and returns false.
 */
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

static void asking_read(struct work *work)
{
	enum child_state state = CHILD_QUIET;
	struct cairn_bytes line;

	while (work->child.pid > 0 && (state = child_read(&work->child)) == CHILD_SAYS) {
		while (work->child.pid > 0 && child_line(&work->child, &line))
			if (!take_answer_line(work, line))
				end_child(work, true,
				          "the symbolizing process wrote unexpected output instead "
				          "of an answer");
		if (work->child.is_drained)
			break;
	}
	work->nap = work->asked_count > 0 ? work->now + WORK_NAP : 0;
	if (work->child.pid <= 0 || state == CHILD_QUIET || state == CHILD_SAYS)
		return;
	if (state == CHILD_TOO_LONG)
		end_child(work, true, "the answer exceeds 16 MiB");
	else
		end_child(work, state == CHILD_NO_MEMORY,
		          state == CHILD_NO_MEMORY ? "out of memory" : NULL);
}

static void asking_watch(struct work *work)
{
	const uint64_t time = (uint64_t)work->options->seconds * 1000;
	const bool is_asked = !work->is_proved || work->asked_count > 0;
	char why[CHILD_WHY_MAX];

	if (work->child.pid <= 0 || !is_asked || work->now - work->asked_since < time)
		return;
	snprintf(why, sizeof(why), "it takes more than %u s", work->options->seconds);
	end_child(work, true, why);
}

static struct broker_message make_message(const struct work *work, const struct job *job)
{
	const struct cairn_bytes body = { job->request.body, job->request.size };
	const struct verdict *verdict = &job->verdict;
	struct broker_message message = { .body = body,
		                          .id = CAIRN_NO_BYTES,
		                          .origin = job->request.origin,
		                          .attempts = verdict->past.attempts,
		                          .crashes = verdict->past.crashes };

	switch (verdict->kind) {
	case VERDICT_ANSWER:
		message.queue = work->options->answers;
		message.body = job->answer;
		message.id = (struct cairn_bytes){ (const uint8_t *)job->id, job->id_size };
		break;
	case VERDICT_LATER:
		message.queue = work->options->later[verdict->delay];
		message.reason = job->reason;
		break;
	case VERDICT_DEAD:
		message.queue = work->options->dead;
		message.reason = job->reason;
		break;
	case VERDICT_AGAIN:
		break;
	}
	return message;
}

/*
 * Return true if the ready messages should be sent, because there are enough messages, no more are
 * expected soon, or the oldest has waited long enough.
 */
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

static bool messages_send(struct work *work)
{
	bool good = true;

	if (!is_time(work))
		return true;
	work->ready = 0;
	broker_collect(work->broker, true);
	for (struct job *job = work->held.first; job && good; job = job->next) {
		if (job->state != JOB_READY)
			continue;
		const struct broker_message message = make_message(work, job);
		job->state = JOB_SENT;
		good = broker_send(work->broker, &message, &job->message);
	}
	broker_collect(work->broker, false);
	return good;
}

static void messages_confirm(void *context, uint64_t message, bool multiple, bool kept)
{
	struct work *work = context;

	for (struct job *job = work->held.first; job; job = job->next) {
		if (job->state != JOB_SENT ||
		    !(job->message == message || (multiple && job->message < message)))
			continue;
		job->state = kept ? JOB_KEPT : JOB_READY;
		if (kept)
			continue;
		/*
		 * The queue is full. Leave the request unacknowledged, which slows its sender down.
		 */
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

static bool messages_acknowledge(struct work *work)
{
	uint64_t tag = 0;
	struct job *last = NULL, **place = &work->held.first, *job = *place;
	bool good = true;

	if (work->is_draining)
		return true; /* all requests are acknowledged together when the worker ends */
	/* acknowledge all stored jobs at the head of the list with one message */
	while (job && job->state == JOB_KEPT) {
		tag = job->request.tag;
		*place = job->next;
		count_job(work, job);
		jobs_free(job);
		job = *place;
	}
	if (tag > 0)
		good = broker_acknowledge(work->broker, tag, true);
	while ((job = *place) != NULL) {
		if (job->state == JOB_KEPT || job->state == JOB_REFUSED) {
			const uint64_t number = job->request.tag;
			count_job(work, job);
			good = (job->state == JOB_KEPT
			                ? broker_acknowledge(work->broker, number, false)
			                : broker_reject(work->broker, number)) &&
			       good;
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

/*
 * Return a random time between half of `milliseconds` and `milliseconds`, so that workers do not
 * all reconnect at once.
 */
static uint64_t vary_time(uint64_t milliseconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return milliseconds / 2 + (uint64_t)(now.tv_nsec / 1000) % (milliseconds / 2 + 1);
}

static void lose_broker(struct work *work, bool politely)
{
	broker_close(work->broker, politely);
	work->broker = NULL;
	jobs_drop(work);
}

static void connect_broker(struct work *work)
{
	const struct work_options *options = work->options;
	char message[BROKER_MESSAGE_MAX];

	if (broker_open(&options->broker, &work->broker, message)) {
		work->metrics.reconnects += work->was_connected;
		work->was_connected = true;
		work->backoff = 0;
		options->say(options->context, "connected", NULL);
		return;
	}
	options->say(options->context, "no broker", message);
	work->broker = NULL;
	work->backoff = work->backoff ? work->backoff * 2 : WORK_BACKOFF_LEAST;
	if (work->backoff > WORK_BACKOFF_MOST)
		work->backoff = WORK_BACKOFF_MOST;
	work->next_connect = channel_clock() + vary_time(work->backoff);
}

struct wake {
	/* bit mask of the connections that are ready: BROKER_TAKING, BROKER_SENDING */
	unsigned broker;
	bool child, clock;
};

static void serve_broker(struct work *work, const struct wake *wake)
{
	static const struct broker_events events = { jobs_take, messages_confirm };
	char message[BROKER_MESSAGE_MAX] = "the connection has ended";

	if (!work->broker)
		return;
	if (!broker_read(work->broker, wake->broker, &events, work, message) ||
	    !messages_acknowledge(work) || !messages_send(work)) {
		work->options->say(work->options->context, "the broker is gone", message);
		lose_broker(work, false);
		work->next_connect = channel_clock() + vary_time(WORK_BACKOFF_LEAST);
	}
}

static struct wake wait_for_something(struct work *work)
{
	enum { TAKING, SENDING, OUTPUT, INPUT, PLACES };
	struct pollfd fds[PLACES] = {
		{ -1, POLLIN, 0 }, { -1, POLLIN, 0 }, { -1, POLLIN, 0 }, { -1, POLLOUT, 0 }
	};
	struct wake wake = { 0, false, false };

	for (unsigned i = 0; work->broker && i < 2; i++)
		fds[i].fd = broker_descriptor(work->broker, i);
	if (work->child.pid > 0)
		fds[OUTPUT].fd = work->child.output;
	if (asking_has_more(work))
		fds[INPUT].fd = work->child.input;
	/*
	 * Waking up costs as much as sending a message, so sleep briefly and then handle everything
	 * that has arrived during the sleep.
	 */
	if (work->nap > work->now)
		(void)poll(NULL, 0, (int)(work->nap - work->now));
	int time = WORK_TURN;
	if (work->broker && broker_has_more(work->broker))
		time = 0;
	else if (work->broker && work->ready > 0 && work->now >= work->paused)
		time = WORK_FLUSH;
	(void)poll(fds, PLACES, time);
	work->now = channel_clock();
	wake.clock = work->now >= work->next_look;
	if (wake.clock)
		work->next_look = work->now + WORK_TURN;
	wake.child = wake.clock || fds[OUTPUT].revents;
	if (wake.clock || (work->broker && broker_has_more(work->broker)))
		wake.broker = BROKER_TAKING | BROKER_SENDING;
	if (fds[TAKING].revents)
		wake.broker |= BROKER_TAKING;
	if (fds[SENDING].revents)
		wake.broker |= BROKER_SENDING;
	return wake;
}

static bool is_finished(const struct work *work)
{
	for (const struct job *job = work->held.first; job; job = job->next)
		if (job->state != JOB_KEPT && job->state != JOB_REFUSED)
			return false;
	return true;
}

static bool is_drained(struct work *work, uint64_t until)
{
	if (!work->broker || work->now >= until)
		return true;
	/* wait for requests that the broker has sent in response to the last acknowledgement */
	if (!is_finished(work) || work->now < work->last_request + WORK_LINGER)
		return false;
	if (!work->is_cancelled) {
		work->is_cancelled = true;
		work->last_request = work->now;
		if (!broker_cancel(work->broker))
			lose_broker(work, false);
		return false;
	}
	return true;
}

static void take_turn(struct work *work)
{
	const struct wake wake = wait_for_something(work);
	const struct timespec none = { 0, 0 };

	if (wake.child)
		asking_read(work);
	if (wake.clock) {
		asking_watch(work);
		work->may_end = sigtimedwait(work->options->ends, NULL, &none) > 0;
	}
	(void)asking_start(work);
	serve_broker(work, &wake);
	asking_feed(work);
	if (wake.clock)
		work->options->show(work->options->context, &work->metrics);
}

/*
 * Finish after a signal. Delay all acknowledgements until every held request is finished, because
 * the broker responds to each by sending new requests. Any of these still in flight when the
 * consumer is cancelled would go back to the queue with an increased delivery count, although
 * nothing has worked on them.
 */
static bool is_done(struct work *work, uint64_t *until)
{
	if (work->may_end) {
		if (work->is_draining)
			return true;
		work->is_draining = true;
		work->last_request = work->now;
		*until = work->now + (uint64_t)WORK_DRAIN * 1000;
		work->may_end = false;
	}
	return work->is_draining && is_drained(work, *until);
}

static void end_work(struct work *work)
{
	char why[CHILD_WHY_MAX];

	work->is_draining = false;
	if (work->broker)
		(void)messages_acknowledge(work);
	if (work->held.first)
		work->options->say(work->options->context, "requests go back to their queue",
		                   "they could not be finished in time");
	lose_broker(work, true);
	/* discard the child's remaining jobs, because their connection has been lost */
	for (unsigned i = 0; i < work->asked_count; i++)
		jobs_free(work->asked[i]);
	child_end(&work->child, true, why);
}

bool work_run(const struct work_options *options)
{
	struct work work = { .options = options, .child = { .input = -1, .output = -1 } };
	uint64_t until = 0;

	work.now = channel_clock();
	if (!asking_start(&work))
		return false;
	while (!is_done(&work, &until)) {
		if (!work.broker && !work.is_draining && work.now >= work.next_connect)
			connect_broker(&work);
		take_turn(&work);
	}
	end_work(&work);
	options->show(options->context, &work.metrics);
	return true;
}

/*
 * Moves dead letters to the request queue, and acknowledges each one when it has been stored there.
 */

enum {
	HELD_MAX = 64,
	TURN = 200,
	IDLE = 5000 /* end the move after this many milliseconds without a message */
};

struct redrive {
	const struct redrive_options *options;
	struct broker *broker;
	struct {
		uint64_t tag, message;
	} held[HELD_MAX]; /* messages that have been sent but not confirmed */
	size_t held_count;
	uint64_t wanted, taken, moved, last; /* `last` is the time of the latest message */
	bool is_gone, is_full;
};

/*
 * Forward a dead letter. Leave surplus messages unacknowledged, so that they return to their queue
 * when the connection ends.
 */
static void take_dead_letter(void *context, struct broker_request *request)
{
	struct redrive *r = context;
	struct broker_message message = { .queue = r->options->requests,
		                          .body = { request->body, request->size },
		                          .origin = request->origin };
	uint64_t number = 0;

	r->last = channel_clock();
	if (r->taken < r->wanted && r->held_count < HELD_MAX && !r->is_full) {
		r->taken++;
		r->is_gone = r->is_gone || !broker_send(r->broker, &message, &number);
		r->held[r->held_count].tag = request->tag;
		r->held[r->held_count++].message = number;
	}
	free(request->body);
	broker_origin_free(request->origin);
}

static void confirm_dead_letter(void *context, uint64_t message, bool multiple, bool kept)
{
	struct redrive *r = context;
	size_t out = 0;

	r->last = channel_clock();
	for (size_t i = 0; i < r->held_count; i++) {
		const bool is_meant =
			r->held[i].message == message || (multiple && r->held[i].message < message);
		if (!is_meant) {
			r->held[out++] = r->held[i];
		} else if (kept) {
			r->moved++;
			r->is_gone =
				r->is_gone || !broker_acknowledge(r->broker, r->held[i].tag, false);
		} else {
			r->is_full = true;
		}
	}
	r->held_count = out;
}

static bool is_over(const struct redrive *r)
{
	const struct timespec none = { 0, 0 };

	if (r->is_gone || (r->held_count == 0 && (r->is_full || r->moved >= r->wanted)))
		return true;
	/* stop waiting, because another process may have taken the remaining messages */
	if (r->held_count == 0 && channel_clock() - r->last > IDLE)
		return true;
	return sigtimedwait(r->options->ends, NULL, &none) > 0;
}

static bool move_letters(struct redrive *r, char message[BROKER_MESSAGE_MAX])
{
	static const struct broker_events events = { take_dead_letter, confirm_dead_letter };

	r->wanted = broker_waiting(r->broker);
	if (r->options->most > 0 && r->options->most < r->wanted)
		r->wanted = r->options->most;
	r->last = channel_clock();
	while (!is_over(r)) {
		struct pollfd fds[2] = { { broker_descriptor(r->broker, 0), POLLIN, 0 },
			                 { broker_descriptor(r->broker, 1), POLLIN, 0 } };
		if (!broker_has_more(r->broker))
			(void)poll(fds, 2, TURN);
		if (!broker_read(r->broker, BROKER_TAKING | BROKER_SENDING, &events, r, message))
			return false;
	}
	if (r->is_gone || r->is_full)
		snprintf(message, BROKER_MESSAGE_MAX, "%s",
		         r->is_gone ? "the broker is gone" : "the request queue is full");
	return !r->is_gone && !r->is_full;
}

bool redrive_run(const struct redrive_options *options, uint64_t *moved,
                 char message[BROKER_MESSAGE_MAX])
{
	const struct broker_queue queues[] = { { options->dead, 0, NULL },
		                               { options->requests, 0, NULL } };
	const struct broker_options broker = { .url = options->url,
		                               .ca_file = options->ca_file,
		                               .queues = queues,
		                               .queue_count = 2,
		                               .prefetch = HELD_MAX,
		                               .heartbeat = options->heartbeat };
	struct redrive r = { .options = options };

	*moved = 0;
	if (!broker_open(&broker, &r.broker, message))
		return false;
	const bool good = move_letters(&r, message);
	*moved = r.moved;
	broker_close(r.broker, good);
	return good;
}
