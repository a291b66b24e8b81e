/* SPDX-License-Identifier: MIT */
/*
 * Records client connections, and disconnects slow ones. At the limits, an idle connection
 * is closed for a new one.
 */
#include "connections.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static time_t read_clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int connections_init(struct connections *visitors, const struct connection_room *room)
{
	*visitors = (struct connections){ .room = *room };
	return pthread_mutex_init(&visitors->mutex, NULL);
}

void connections_finish(struct connections *visitors)
{
	pthread_mutex_destroy(&visitors->mutex);
}

void connections_add(struct connections *visitors, struct client_connection *visitor, int fd,
                     const uint8_t address[CONNECTION_ADDRESS])
{
	*visitor = (struct client_connection){ .all = visitors,
		                               .fd = fd,
		                               .phase = CONNECTION_HEADERS,
		                               .since = read_clock_seconds() };
	memcpy(visitor->address, address, CONNECTION_ADDRESS);
	pthread_mutex_lock(&visitors->mutex);
	visitor->next = visitors->first;
	if (visitor->next)
		visitor->next->previous = visitor;
	visitors->first = visitor;
	visitors->count++;
	pthread_mutex_unlock(&visitors->mutex);
}

void connections_remove(struct client_connection *visitor)
{
	struct connections *visitors = visitor->all;

	pthread_mutex_lock(&visitors->mutex);
	if (visitor->next)
		visitor->next->previous = visitor->previous;
	if (visitor->previous)
		visitor->previous->next = visitor->next;
	else
		visitors->first = visitor->next;
	visitors->held -= visitor->held;
	visitors->count--;
	pthread_mutex_unlock(&visitors->mutex);
}

void connections_enter_phase(struct client_connection *visitor, enum connection_phase phase)
{
	pthread_mutex_lock(&visitor->all->mutex);
	visitor->phase = phase;
	visitor->since = read_clock_seconds();
	visitor->moved = 0;
	pthread_mutex_unlock(&visitor->all->mutex);
}

void connections_count_moved(struct client_connection *visitor, uint64_t bytes)
{
	pthread_mutex_lock(&visitor->all->mutex);
	visitor->moved += bytes;
	pthread_mutex_unlock(&visitor->all->mutex);
}

static bool is_slow(const struct client_connection *visitor, uint64_t spent,
                    const struct connection_limits *limits)
{
	if (spent > limits->transfer)
		return true;
	if (spent <= limits->headers)
		return false;
	switch (visitor->phase) {
	case CONNECTION_HEADERS:
		return true;
	case CONNECTION_BODY:
	case CONNECTION_SENDING:
		return visitor->moved / spent < limits->rate;
	case CONNECTION_ANSWER:
		break;
	}
	return false;
}

static void send_away(struct client_connection *visitor)
{
	visitor->sent_away = true;
	shutdown(visitor->fd, SHUT_RDWR);
}

void connections_drop_slow(struct connections *visitors, const struct connection_limits *limits)
{
	time_t at = read_clock_seconds();

	pthread_mutex_lock(&visitors->mutex);
	for (struct client_connection *v = visitors->first; v; v = v->next)
		if (!v->sent_away && is_slow(v, (uint64_t)(at - v->since), limits))
			send_away(v);
	pthread_mutex_unlock(&visitors->mutex);
}

static bool is_same_address(const struct client_connection *a, const struct client_connection *b)
{
	return memcmp(a->address, b->address, CONNECTION_ADDRESS) == 0;
}

/*
 * Addresses with equal hashes are counted together, which only affects who is disconnected first.
 */
enum { ADDRESS_CLASSES = 256 };

static uint8_t classify_address(const struct client_connection *visitor)
{
	uint8_t class = 0;

	for (unsigned i = 0; i < CONNECTION_ADDRESS; i++)
		class = (uint8_t)(class * 31 + visitor->address[i]);
	return class;
}

struct connection_counts {
	unsigned all, same; /* `same`: with the address of the newest connection */
	unsigned class[ADDRESS_CLASSES];
};

static struct connection_counts count_connections(const struct connections *visitors,
                                                  const struct client_connection *newest)
{
	struct connection_counts counts = { 0 };

	for (const struct client_connection *v = visitors->first; v; v = v->next) {
		if (v->sent_away)
			continue;
		counts.all++;
		counts.same += is_same_address(v, newest);
		counts.class[classify_address(v)]++;
	}
	return counts;
}

/* Return a rank: connections of a higher rank are closed first; rank 0 is never closed. */
static unsigned rate_idleness(const struct client_connection *visitor, uint64_t spent,
                              const struct connection_room *room)
{
	enum { PATIENCE = 10 };

	switch (visitor->phase) {
	case CONNECTION_HEADERS:
		return 3;
	case CONNECTION_BODY:
	case CONNECTION_SENDING:
		if (spent > room->headers / PATIENCE && visitor->moved / spent < room->rate)
			return 2;
		break;
	case CONNECTION_ANSWER:
		break;
	}
	return visitor->phase != CONNECTION_BODY && spent > room->headers;
}

static struct client_connection *choose_idlest(const struct connections *visitors,
                                               const struct client_connection *newest,
                                               const struct connection_counts *counts)
{
	const struct connection_room *room = &visitors->room;
	const bool of_address = counts->same > room->most_of_address;
	const time_t at = read_clock_seconds();
	struct client_connection *best = NULL;
	unsigned best_class = 0, best_idle = 0;

	for (struct client_connection *v = visitors->first; v; v = v->next) {
		const unsigned idle = rate_idleness(v, (uint64_t)(at - v->since), room);
		const unsigned class = of_address ? 0 : counts->class[classify_address(v)];
		if (v == newest || v->sent_away || idle == 0 ||
		    (of_address && !is_same_address(v, newest)))
			continue;
		/* The list begins with the newest, so the last of equals is the oldest. */
		if (!best || class > best_class || (class == best_class && idle >= best_idle)) {
			best = v;
			best_class = class;
			best_idle = idle;
		}
	}
	return best;
}

void connections_make_room(struct connections *visitors, struct client_connection *newest)
{
	pthread_mutex_lock(&visitors->mutex);
	const struct connection_counts counts = count_connections(visitors, newest);
	if (counts.all > visitors->room.most || counts.same > visitors->room.most_of_address) {
		struct client_connection *idle = choose_idlest(visitors, newest, &counts);
		send_away(idle ? idle : newest);
	}
	pthread_mutex_unlock(&visitors->mutex);
}

bool connections_hold(struct client_connection *visitor, size_t bytes)
{
	struct connections *visitors = visitor->all;
	const struct connection_room *room = &visitors->room;
	size_t of_address = 0;

	pthread_mutex_lock(&visitors->mutex);
	for (const struct client_connection *v = visitors->first; v; v = v->next)
		of_address += is_same_address(v, visitor) ? v->held : 0;
	const bool all_fit = bytes <= room->memory - visitors->held;
	const bool fits = all_fit && bytes <= room->memory_of_address - of_address;
	if (fits) {
		visitor->held += bytes;
		visitors->held += bytes;
	}
	const time_t at = read_clock_seconds();
	for (struct client_connection *v = fits ? NULL : visitors->first; v; v = v->next)
		if (!v->sent_away && v->phase == CONNECTION_SENDING &&
		    (!all_fit || is_same_address(v, visitor)) &&
		    rate_idleness(v, (uint64_t)(at - v->since), room) > 1)
			send_away(v);
	pthread_mutex_unlock(&visitors->mutex);
	return fits;
}

void connections_keep(struct client_connection *visitor, size_t most)
{
	pthread_mutex_lock(&visitor->all->mutex);
	if (visitor->held > most) {
		visitor->all->held -= visitor->held - most;
		visitor->held = most;
	}
	pthread_mutex_unlock(&visitor->all->mutex);
}

unsigned connections_affordable(unsigned wanted, unsigned spare)
{
	/*
	 * a socket and a file each, plus a socket that was shut down and not yet closed by its
	 * thread
	 */
	enum { EACH = 3, OF_LIBRARY = 8 };
	struct rlimit files;
	const int used = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (used >= 0)
		close(used);
	if (used < 0 || getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 0;
	const rlim_t needed = (rlim_t)used + spare + OF_LIBRARY,
		     all = needed + EACH * (rlim_t)wanted;
	if (files.rlim_cur < all) {
		files.rlim_cur = files.rlim_max < all ? files.rlim_max : all;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= all)
		return wanted;
	return files.rlim_cur > needed ? (unsigned)((files.rlim_cur - needed) / EACH) : 0;
}

unsigned connections_busy(struct connections *visitors)
{
	unsigned busy = 0;

	pthread_mutex_lock(&visitors->mutex);
	for (const struct client_connection *v = visitors->first; v; v = v->next)
		busy += v->phase != CONNECTION_HEADERS;
	pthread_mutex_unlock(&visitors->mutex);
	return busy;
}
