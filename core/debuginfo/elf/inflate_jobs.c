/* SPDX-License-Identifier: MIT */
/*
 * Inflates sections on several threads.  What is read of a file stays in memory until a section is at its end, and with
 * several of them that would be more at a time than with one after the other: a thread that has nothing more to do gives
 * pages back meanwhile.  Those that are still to be read come again.
 */
#include "inflate_jobs.h"

#include "base/invariant.h"
#include "base/threads.h"
#include "os/file/file.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
	JOBS_MAX = 16,
	INFLATERS_MAX = 4,
	WORTH_THREADS = 1 << 20,       /* bytes that come out of all sections but the largest */
	RELEASE_NANOSECONDS = 8000000, /* in which some 8 MB come out */
	SECOND = 1000000000,
};

struct inflating {
	struct inflate_job *job[JOBS_MAX]; /* the largest first */
	bool done[JOBS_MAX];
	size_t count, next, dones;
	pthread_mutex_t lock; /* of the three lines above */
	pthread_cond_t ended; /* all are done */
};

void inflate_job_prepare(struct inflate_job *job, struct budget *budget)
{
	size_t size = 0;

	job->status = inflate_section_size(job->section, job->kind, job->big, &size, &job->fault);
	if (job->status != CAIRN_OK)
		return;
	job->size = size;
	job->out = budget_inflate(budget, size) ? malloc(size ? size : 1) : NULL;
	if (job->out)
		return;
	job->status = CAIRN_NO_MEMORY;
	job->fault =
		(struct cairn_fault){ CAIRN_NO_MEMORY, 0, "no memory to decompress a section" };
}

static void run_inflate_job(struct inflate_job *job)
{
	job->status = inflate_section_into(job->section, job->kind, job->big, job->out, job->size,
	                                   &job->fault);
	if (job->mapped)
		os_file_release_pages(job->section);
	if (job->status == CAIRN_OK)
		return;
	free(job->out);
	job->out = NULL;
}

static struct timespec find_release_time(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += RELEASE_NANOSECONDS;
	at.tv_sec += at.tv_nsec / SECOND;
	at.tv_nsec %= SECOND;
	return at;
}

/* Until the others are done; the lock is held. */
static void release_read_pages(struct inflating *all)
{
	while (all->dones < all->count) {
		const struct timespec until = find_release_time();
		if (pthread_cond_timedwait(&all->ended, &all->lock, &until) == 0)
			continue;
		for (size_t i = 0; i < all->count; i++)
			if (!all->done[i] && all->job[i]->mapped)
				os_file_release_pages(all->job[i]->section);
	}
}

static void *inflate_in_turn(void *context)
{
	struct inflating *all = context;

	pthread_mutex_lock(&all->lock);
	while (all->next < all->count) {
		const size_t number = all->next++;
		pthread_mutex_unlock(&all->lock);
		run_inflate_job(all->job[number]);
		pthread_mutex_lock(&all->lock);
		all->done[number] = true;
		if (++all->dones == all->count)
			pthread_cond_broadcast(&all->ended);
	}
	release_read_pages(all);
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

static void insert_by_size(struct inflating *all, struct inflate_job *job)
{
	size_t at = all->count++;

	for (; at > 0 && all->job[at - 1]->size < job->size; at--)
		all->job[at] = all->job[at - 1];
	all->job[at] = job;
}

/* How many threads there is work for: the largest section is one's. */
static unsigned limit_threads(const struct inflating *all, unsigned threads)
{
	size_t rest = 0;

	for (size_t i = 1; i < all->count; i++)
		rest += all->job[i]->size < WORTH_THREADS ? all->job[i]->size : WORTH_THREADS;
	if (rest < WORTH_THREADS)
		return 1;
	return threads < INFLATERS_MAX ? threads : INFLATERS_MAX;
}

void inflate_jobs_run(struct inflate_job *job, size_t count, unsigned threads)
{
	struct inflating all = { .count = 0 };

	INVARIANT(count <= JOBS_MAX);
	pthread_mutex_init(&all.lock, NULL);
	pthread_cond_init(&all.ended, NULL);
	for (size_t i = 0; i < count; i++)
		if (job[i].out)
			insert_by_size(&all, &job[i]);
	threads_run(limit_threads(&all, threads), inflate_in_turn, &all);
	pthread_cond_destroy(&all.ended);
	pthread_mutex_destroy(&all.lock);
}
