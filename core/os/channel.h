/* SPDX-License-Identifier: MIT */
/*
 * Bytes through a socket between two processes of cairn, until a moment of the monotonic clock, and a descriptor with them.
 */
#ifndef CAIRN_OS_CHANNEL_H
#define CAIRN_OS_CHANNEL_H

#include <cairn.h>

#include <pthread.h>

/* A moment that never comes. */
#define CHANNEL_NEVER UINT64_MAX

/* Milliseconds of the monotonic clock. */
uint64_t channel_clock(void);

/* Initialize a condition whose waits end by that clock. An ordinary one follows the time of day, which may be set back by an hour. */
bool channel_condition_init(pthread_cond_t *condition);

/* Wait for the condition. Returns false once the moment has come. */
bool channel_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until);

/* All of the bytes, with a descriptor if `fd` is not -1. False: the other end is gone, or it is late. */
bool channel_send(int socket, const void *bytes, size_t size, int fd, uint64_t until);

/* The same the other way; *fd is -1 if none came, and NULL if none is wanted: one that comes is closed then. */
bool channel_receive(int socket, void *bytes, size_t size, int *fd, uint64_t until);

#endif
