/* SPDX-License-Identifier: MIT */
/* The loop of a worker: it waits for the broker, the child and the clock at once, so that none of them waits for another. */
#include "work.h"

#include "jobs.h"

#include <poll.h>
#include <string.h>
#include <time.h>

static const struct broker_events events = { jobs_take, letters_confirm };

/* Between half of the time and all of it, so that many workers do not come at once. */
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

/* These have something to be read. */
struct wake {
	unsigned broker; /* connections */
	bool child, clock;
};

/* Reads and writes until nothing is left that need not wait. */
static void serve_broker(struct work *work, const struct wake *wake)
{
	char message[BROKER_MESSAGE_MAX] = "the connection has ended";

	if (!work->broker)
		return;
	if (!broker_read(work->broker, wake->broker, &events, work, message) ||
	    !letters_acknowledge(work) || !letters_send(work)) {
		work->options->say(work->options->context, "the broker is gone", message);
		lose_broker(work, false);
		work->next_connect = channel_clock() + vary_time(WORK_BACKOFF_LEAST);
	}
}

static int choose_time(const struct work *work)
{
	if (work->broker && broker_has_more(work->broker))
		return 0;
	if (work->broker && work->ready > 0 && work->now >= work->paused)
		return WORK_FLUSH;
	return WORK_TURN;
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
	/* to be woken costs as much as to send a letter, so that what comes meanwhile is taken together */
	if (work->nap > work->now)
		(void)poll(NULL, 0, (int)(work->nap - work->now));
	(void)poll(fds, PLACES, choose_time(work));
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
	/* what an acknowledgement before the signal made room for comes first */
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
 * After the signal nothing is acknowledged until all requests that are held are finished, so that the broker sends no more.
 * A request that is on its way when the consumer is cancelled would count as delivered once.
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
		(void)letters_acknowledge(work);
	if (work->held.first)
		work->options->say(work->options->context, "requests go back to their queue",
		                   "they could not be finished in time");
	lose_broker(work, true);
	/* what the child still has are void jobs */
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
