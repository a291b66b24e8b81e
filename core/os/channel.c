/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */
/* Sends and receives whole messages between cairn processes. */
#include "channel.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

uint64_t channel_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool channel_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	if (pthread_condattr_init(&attributes) != 0)
		return false;
	const bool good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
	                  pthread_cond_init(condition, &attributes) == 0;
	pthread_condattr_destroy(&attributes);
	return good;
}

bool channel_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until)
{
	const struct timespec at = { (time_t)(until / 1000), (long)(until % 1000) * 1000000 };

	return pthread_cond_timedwait(condition, mutex, &at) == 0;
}

static bool await_socket(int socket, short events, uint64_t until)
{
	struct pollfd wait = { socket, events, 0 };
	int ready;

	do {
		const uint64_t now = channel_clock(), left = until > now ? until - now : 0;
		const int most = left < INT_MAX ? (int)left : INT_MAX;
		ready = poll(&wait, 1, until == CHANNEL_NEVER ? -1 : most);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

union control {
	struct cmsghdr head;
	char capacity[CMSG_SPACE(sizeof(int))];
};

static void attach_descriptor(struct msghdr *message, union control *control, int fd)
{
	memset(control, 0, sizeof(*control));
	message->msg_control = control->capacity;
	message->msg_controllen = sizeof(control->capacity);
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
}

static int take_descriptor(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

bool channel_send(int socket, const void *bytes, size_t size, int fd, uint64_t until)
{
	const char *at = bytes;
	union control control;

	while (size > 0) {
		struct iovec piece = { (void *)(uintptr_t)at, size };
		struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
		if (fd >= 0)
			attach_descriptor(&message, &control, fd);
		const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0) {
			at += sent;
			size -= (size_t)sent;
			fd = -1;
		} else if (errno == EAGAIN) {
			if (!await_socket(socket, POLLOUT, until))
				return false;
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

static void keep_descriptor(int got, int *fd)
{
	if (got >= 0 && fd && *fd < 0)
		*fd = got;
	else if (got >= 0)
		close(got);
}

bool channel_receive(int socket, void *bytes, size_t size, int *fd, uint64_t until)
{
	char *at = bytes;
	union control control;

	if (fd)
		*fd = -1;
	while (size > 0) {
		struct iovec piece = { at, size };
		struct msghdr message = { .msg_iov = &piece,
			                  .msg_iovlen = 1,
			                  .msg_control = control.capacity,
			                  .msg_controllen = sizeof(control.capacity) };
		const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (got > 0) {
			keep_descriptor(take_descriptor(&message), fd);
			at += got;
			size -= (size_t)got;
		} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			return false;
		} else if (errno == EAGAIN && !await_socket(socket, POLLIN, until)) {
			return false;
		}
	}
	return true;
}
