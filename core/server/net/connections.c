/* SPDX-License-Identifier: MIT */
/*
 * Tracks client connections and disconnects slow clients. When a limit is reached, an idle
 * connection is closed to make space for a new one.
 */
#include "connections.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static time_t read_clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int connections_init(struct connections *visitors, const struct connection_capacity *capacity)
{
	*visitors = (struct connections){ .capacity = *capacity };
	return pthread_mutex_init(&visitors->mutex, NULL);
}

void connections_finish(struct connections *visitors)
{
	pthread_mutex_destroy(&visitors->mutex);
}

/*
 * Add a connection. The caller owns `visitor`, which must remain valid until connections_remove().
 */
static void connections_add(struct connections *visitors, struct client_connection *visitor, int fd,
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

static void connections_remove(struct client_connection *visitor)
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
 * Number of hash classes for addresses. Addresses in the same class are counted together; this
 * affects only the order in which clients are disconnected.
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
	/* `same` counts the connections from the newest connection's address */
	unsigned all, same;
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

/*
 * Return the connection's rank. Connections with the highest rank are closed first; connections
 * with rank 0 are never closed.
 */
static unsigned rate_idleness(const struct client_connection *visitor, uint64_t spent,
                              const struct connection_capacity *capacity)
{
	enum { PATIENCE = 10 };

	switch (visitor->phase) {
	case CONNECTION_HEADERS:
		return 3;
	case CONNECTION_BODY:
	case CONNECTION_SENDING:
		if (spent > capacity->headers / PATIENCE && visitor->moved / spent < capacity->rate)
			return 2;
		break;
	case CONNECTION_ANSWER:
		break;
	}
	return visitor->phase != CONNECTION_BODY && spent > capacity->headers;
}

static struct client_connection *choose_idlest(const struct connections *visitors,
                                               const struct client_connection *newest,
                                               const struct connection_counts *counts)
{
	const struct connection_capacity *capacity = &visitors->capacity;
	const bool of_address = counts->same > capacity->most_of_address;
	const time_t at = read_clock_seconds();
	struct client_connection *best = NULL;
	unsigned best_class = 0, best_idle = 0;

	for (struct client_connection *v = visitors->first; v; v = v->next) {
		const unsigned idle = rate_idleness(v, (uint64_t)(at - v->since), capacity);
		const unsigned class = of_address ? 0 : counts->class[classify_address(v)];
		if (v == newest || v->sent_away || idle == 0 ||
		    (of_address && !is_same_address(v, newest)))
			continue;
		/*
		 * The newest connection is first in the list, so the last of several equal
		 * candidates is the oldest.
		 */
		if (!best || class > best_class || (class == best_class && idle >= best_idle)) {
			best = v;
			best_class = class;
			best_idle = idle;
		}
	}
	return best;
}

/*
 * Disconnect one client if adding `newest` has exceeded a limit.
 *
 * First choose among clients that have not sent a complete request: prefer the address with the
 * most connections, and the oldest connection from that address. Next are clients whose body or
 * response has been slower than the minimum rate for a tenth of the time limit `headers`, then
 * clients whose response has taken longer than this limit. If all clients are busy, disconnect
 * `newest`.
 */
static void connections_make_capacity(struct connections *visitors,
                                      struct client_connection *newest)
{
	pthread_mutex_lock(&visitors->mutex);
	const struct connection_counts counts = count_connections(visitors, newest);
	if (counts.all > visitors->capacity.most ||
	    counts.same > visitors->capacity.most_of_address) {
		struct client_connection *idle = choose_idlest(visitors, newest, &counts);
		send_away(idle ? idle : newest);
	}
	pthread_mutex_unlock(&visitors->mutex);
}

bool connections_hold(struct client_connection *visitor, size_t bytes)
{
	struct connections *visitors = visitor->all;
	const struct connection_capacity *capacity = &visitors->capacity;
	size_t of_address = 0;

	pthread_mutex_lock(&visitors->mutex);
	for (const struct client_connection *v = visitors->first; v; v = v->next)
		of_address += is_same_address(v, visitor) ? v->held : 0;
	const bool all_fit = bytes <= capacity->memory - visitors->held;
	const bool fits = all_fit && bytes <= capacity->memory_of_address - of_address;
	if (fits) {
		visitor->held += bytes;
		visitors->held += bytes;
	}
	const time_t at = read_clock_seconds();
	for (struct client_connection *v = fits ? NULL : visitors->first; v; v = v->next)
		if (!v->sent_away && v->phase == CONNECTION_SENDING &&
		    (!all_fit || is_same_address(v, visitor)) &&
		    rate_idleness(v, (uint64_t)(at - v->since), capacity) > 1)
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
	 * number of descriptors per connection: a socket, a file, and a socket that has been shut
	 * down but not yet closed by its thread
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

static unsigned connections_busy(struct connections *visitors)
{
	unsigned busy = 0;

	pthread_mutex_lock(&visitors->mutex);
	for (const struct client_connection *v = visitors->first; v; v = v->next)
		busy += v->phase != CONNECTION_HEADERS;
	pthread_mutex_unlock(&visitors->mutex);
	return busy;
}

size_t visitors_read_address(struct MHD_Connection *connection, uint8_t address[CONNECTION_ADDRESS])
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	memset(address, 0, CONNECTION_ADDRESS);
	if (info && info->client_addr && info->client_addr->sa_family == AF_INET) {
		memcpy(&v4, info->client_addr, sizeof(v4));
		memcpy(address, &v4.sin_addr, sizeof(v4.sin_addr));
		return sizeof(v4.sin_addr);
	}
	if (info && info->client_addr && info->client_addr->sa_family == AF_INET6) {
		memcpy(&v6, info->client_addr, sizeof(v6));
		memcpy(address, &v6.sin6_addr, sizeof(v6.sin6_addr));
		return sizeof(v6.sin6_addr);
	}
	return 0;
}

static void add_visitor(struct connections *visitors, struct MHD_Connection *connection,
                        struct client_connection *visitor, int fd)
{
	static const uint8_t v4_mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t address[CONNECTION_ADDRESS];

	/*
	 * Count IPv6 clients by network, because a host may use any address in its network.
	 * IPv4-mapped addresses (::ffff:0:0/96) are counted individually.
	 */
	if (visitors_read_address(connection, address) == CONNECTION_ADDRESS &&
	    memcmp(address, v4_mapped, sizeof(v4_mapped)) != 0)
		memset(address + CONNECTION_ADDRESS / 2, 0, CONNECTION_ADDRESS / 2);
	connections_add(visitors, visitor, fd, address);
	connections_make_capacity(visitors, visitor);
}

void visitors_track(void *context, struct MHD_Connection *connection, void **visitor,
                    enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (what == MHD_CONNECTION_NOTIFY_STARTED && info) {
		*visitor = malloc(sizeof(struct client_connection));
		if (*visitor)
			add_visitor(context, connection, *visitor, info->connect_fd);
	} else if (what == MHD_CONNECTION_NOTIFY_CLOSED && *visitor) {
		connections_remove(*visitor);
		free(*visitor);
		*visitor = NULL;
	}
}

struct client_connection *visitors_find(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* the connection that the current thread serves; each connection has its own thread */
static _Thread_local struct client_connection *of_thread;

void *visitors_note_request(void *context, const char *target, struct MHD_Connection *connection)
{
	(void)context, (void)target;
	of_thread = visitors_find(connection);
	return NULL; /* initial value of the request handler's context */
}

void visitors_answer_unreadable(void *context, const char *format, va_list arguments)
{
	static const char before[] = "Error processing request (HTTP response code is %u";
	static const char body[] =
		"{\"error\":\"the request is malformed, or its headers are too large\"}\n";
	char text[512];

	(void)context;
	if (!of_thread || strncmp(format, before, sizeof(before) - 1) != 0)
		return;
	const unsigned status = va_arg(arguments, unsigned);
	const int size =
		snprintf(text, sizeof(text),
	                 "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Type: "
	                 "application/json\r\nContent-Length: %zu\r\n\r\n%s",
	                 status, MHD_get_reason_phrase_for(status), sizeof(body) - 1, body);
	(void)send(of_thread->fd, text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(of_thread->fd, SHUT_WR);
}

void visitors_end(struct connections *visitors, struct MHD_Daemon *daemon, unsigned seconds)
{
	enum { NAP = 20 * 1000 * 1000, NAPS_A_SECOND = 50 };
	const struct timespec nap = { 0, NAP };
	const int fd = MHD_quiesce_daemon(daemon);

	for (unsigned i = 0; i < seconds * NAPS_A_SECOND; i++) {
		if (connections_busy(visitors) == 0)
			break;
		nanosleep(&nap, NULL);
	}
	MHD_stop_daemon(daemon);
	if (fd >= 0)
		close(fd);
	connections_finish(visitors);
}

const char *headers_find(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

bool headers_read_body_size(struct MHD_Connection *connection, uint64_t *size)
{
	const char *text = headers_find(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	uint64_t sum = 0;

	if (!text || !*text || headers_find(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING))
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		unsigned digit = (unsigned)(*text - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*size = sum;
	return *text == '\0';
}

struct header_count {
	const char *name;
	unsigned count;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
	struct header_count *counted = context;

	(void)kind, (void)value;
	counted->count += strcasecmp(name, counted->name) == 0;
	return MHD_YES;
}

unsigned headers_count(struct MHD_Connection *connection, const char *name)
{
	struct header_count counted = { name, 0 };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &counted);
	return counted.count;
}

bool headers_have_host(struct MHD_Connection *connection, bool is_http_1_0)
{
	const unsigned count = headers_count(connection, MHD_HTTP_HEADER_HOST);

	return count == 1 || (count == 0 && is_http_1_0);
}

unsigned headers_count_lengths(struct MHD_Connection *connection)
{
	return headers_count(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
}

struct header_lines {
	uintptr_t value_end;
	const char *fault;
};

/*
 * Check that a header line starts directly after the value of the previous line and its CR LF.
 * libmicrohttpd before 1.0 ends a value at a NUL byte and hides the rest of the line, as in
 * "Host: localhost\0.evil.example".
 */
static void check_line_begin(struct header_lines *lines, uintptr_t at)
{
	if (MHD_VERSION < 0x01000000 && lines->value_end && at - lines->value_end > 2)
		lines->fault = "a header with a NUL or on several lines";
}

/*
 * Reject header names with spaces, because libmicrohttpd treats a space before the colon as part of
 * the name.
 */
static enum MHD_Result check_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
	struct header_lines *lines = context;

	(void)kind;
	if (strpbrk(name, " \t"))
		lines->fault = "a space in the name of a header";
	check_line_begin(lines, (uintptr_t)name);
	lines->value_end = value ? (uintptr_t)value + strlen(value) : 0;
	return lines->fault ? MHD_NO : MHD_YES;
}

const char *headers_find_framing_fault(struct MHD_Connection *connection, const char *method)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	const char *coding = headers_find(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	struct header_lines lines = { 0, NULL };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, check_header, &lines);
	if (!lines.fault && info) /* an empty line ends the headers */
		check_line_begin(&lines, (uintptr_t)method + info->header_size - 2);
	if (lines.fault)
		return lines.fault;
	if (headers_count(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) > 1)
		return "two Transfer-Encoding headers";
	if (headers_count_lengths(connection) > 0 && coding)
		return "both Content-Length and Transfer-Encoding";
	return !coding || strcasecmp(coding, "chunked") == 0 ? NULL
	                                                     : "Transfer-Encoding is not chunked";
}
