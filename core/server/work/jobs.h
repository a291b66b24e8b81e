/* SPDX-License-Identifier: MIT */
/*
 * The parts of a worker, and what they share. work.c is the loop; asking.c gives requests to the child and takes its answers; jobs.c
 * keeps what is held; letters.c sends, and acknowledges what was confirmed.
 */
#ifndef CAIRN_SERVER_WORK_JOBS_H
#define CAIRN_SERVER_WORK_JOBS_H

#include "work.h"

#include "service/queue/answer_head.h"
#include "os/channel.h"
#include "os/debuginfod/fetch_line.h"

enum { ASKED_MAX = CHILD_WRITE_MAX }; /* requests that are in the child's pipe at a time */

enum job_state {
	JOB_WAITING, /* for the child */
	JOB_ASKED,
	JOB_READY, /* there is a letter to be sent */
	JOB_SENT,
	JOB_KEPT,    /* by the broker: the request may be acknowledged */
	JOB_REFUSED, /* the queue of requests has its own way for what is rejected */
};

struct job {
	struct job *next;         /* in the order of deliveries */
	struct job *next_waiting; /* while it waits */
	struct broker_request request;
	enum job_state state;
	bool is_alone;  /* the child died of it once: no neighbour is in the pipe with it */
	bool is_void;   /* its broker is gone, the child has it still */
	uint64_t since; /* milliseconds */
	struct verdict verdict;
	enum request_result result;
	struct cairn_bytes answer; /* of malloc() */
	char id[ANSWER_HASH_SIZE];
	size_t id_size;
	char reason[ANSWER_REASON_MAX + 1];
	uint64_t letter;
};

struct job_list {
	struct job *first, *last;
};

struct work {
	const struct work_options *options;
	struct broker *broker;
	uint64_t next_connect, backoff;
	bool was_connected, is_draining, is_cancelled;
	uint64_t last_request;         /* when it came */
	bool may_end;                  /* a signal has come */
	struct job_list held, waiting; /* `next`, and `next_waiting` */
	struct job *asked[ASKED_MAX];  /* in their order */
	unsigned asked_count;
	uint64_t asked_since; /* the first of them */
	unsigned writing;     /* the one of them that is being written */
	size_t written;       /* bytes of it */
	struct child child;
	bool is_proved; /* the child has answered what every child can */
	size_t proved;  /* bytes of that question which are written */
	uint64_t next_birth, birth_backoff;
	size_t ready;         /* letters */
	uint64_t ready_since; /* the first of them */
	uint64_t paused;      /* until then no letter is sent */
	uint64_t now;         /* when this turn began; the clock is asked once a turn */
	uint64_t nap;         /* until then nothing is looked at */
	uint64_t next_look;   /* at everything, and at the clock */
	struct work_metrics metrics;
};

/* jobs.c */
void jobs_take(void *work, struct broker_request *request); /* of struct broker_events */
void jobs_wait(struct work *work, struct job *job);
struct job *jobs_next_waiting(struct work *work);
void jobs_free(struct job *job);
void jobs_drop(struct work *work); /* the broker is gone */
void job_finish(struct work *work, struct job *job, struct verdict verdict, const char *reason);

/* asking.c */
bool asking_start(struct work *work); /* false: the child cannot be started */
void asking_feed(struct work *work);
void asking_read(struct work *work);
void asking_watch(struct work *work); /* the clock */
bool asking_has_more(const struct work *work);

/* letters.c */
bool letters_send(struct work *work); /* false: the broker is gone */
bool letters_acknowledge(struct work *work);
void letters_confirm(void *work, uint64_t letter, bool multiple, bool kept);

#endif
