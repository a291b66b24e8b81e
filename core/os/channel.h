/* SPDX-License-Identifier: MIT */
/*
 * Sends bytes and file descriptors between two cairn processes over a socket. Deadlines are times
 * on the monotonic clock, in milliseconds.
 */
#ifndef CAIRN_OS_CHANNEL_H
#define CAIRN_OS_CHANNEL_H

#include <cairn.h>

#include <pthread.h>

#define CHANNEL_NEVER UINT64_MAX

uint64_t channel_clock(void);

/*
 * Initialize a condition variable whose timed waits use the monotonic clock. By default they would
 * use the wall clock, which may be set back.
 */
bool channel_condition_init(pthread_cond_t *condition);

/* Wait until the condition is signaled. Returns false if the deadline `until` passes first. */
bool channel_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until);

/*
 * Send all bytes, together with the descriptor `fd` unless it is -1. Returns false if the peer has
 * closed the socket or the deadline has passed.
 */
bool channel_send(int socket, const void *bytes, size_t size, int fd, uint64_t until);

/*
 * Receive exactly `size` bytes. Sets *fd to the descriptor sent with them, or -1; if `fd` is NULL,
 * closes a received descriptor. Returns false if the peer has closed the socket or the deadline has
 * passed.
 */
bool channel_receive(int socket, void *bytes, size_t size, int *fd, uint64_t until);

#endif
