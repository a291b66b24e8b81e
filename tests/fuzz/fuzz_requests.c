/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what one client sends to the symbol server, whose whole way they take: the HTTP library, the
 * server, its store.  Always:
 *   - the connection ends after a bounded number of steps, and what is answered begins as an answer;
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - what the server reports is short, and has a path of the request;
 *   - what is published is a symbfile, nothing half written is left, and nothing is outside the store;
 *   - what had been acknowledged before is still handed out.
 * There is neither thread nor network: the linker gives the server a daemon that is run step by step, a
 * connection that is a pair of sockets, and an fsync() that does nothing.
 */
#include "held.h"

#include "server/net/serve_site.h"
#include "server/protocol/upload.h"

#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
	SENT_MAX = 64 << 10,
	PART_MAX = 32 << 10,
	QUOTA = 1 << 20,
	STEPS_LEAST = 1000, /* of the daemon, for one connection */
	TREE_FILES = 16,
	UNPACKED_MAX = PART_MAX * 64,
	OPTIONS_MAX = 16,
};

static char directory[256], store_directory[300]; /* one in the other */
static struct serve *server;
static uint64_t stored; /* bytes, at the start */
static unsigned events;
static bool checking; /* the tree is walked to check it, else to empty it */

int __wrap_fsync(int fd);
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned flags, uint16_t port,
                                           MHD_AcceptPolicyCallback accept, void *accept_context,
                                           MHD_AccessHandlerCallback handle, void *context, ...);
struct MHD_Daemon *__real_MHD_start_daemon(unsigned flags, uint16_t port,
                                           MHD_AcceptPolicyCallback accept, void *accept_context,
                                           MHD_AccessHandlerCallback handle, void *context, ...);
bool __wrap_listen_open(const char *where, struct listen_socket *listener, char *message,
                        size_t message_capacity);

int __wrap_fsync(int fd)
{
	return fd < 0;
}

bool __wrap_listen_open(const char *where, struct listen_socket *listener, char *message,
                        size_t message_capacity)
{
	(void)message, (void)message_capacity;
	*listener = (struct listen_socket){ .fd = -1 };
	snprintf(listener->address, sizeof(listener->address), "%s", where);
	return true;
}

/* The options without those for listening and threads. */
static void copy_options(const struct MHD_OptionItem *from, struct MHD_OptionItem *to)
{
	size_t count = 0;

	for (; from->option != MHD_OPTION_END; from++)
		if (from->option != MHD_OPTION_LISTEN_SOCKET &&
		    from->option != MHD_OPTION_THREAD_STACK_SIZE) {
			ALWAYS(count + 1 < OPTIONS_MAX);
			to[count++] = *from;
		}
	to[count] = *from;
}

/*
 * Start the daemon without its listening socket and threads. The server gives functions with their contexts, and an array; see
 * start_daemon() in serve.c. Its logger and the callback before it are left out, because they need a thread for each connection.
 */
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned flags, uint16_t port,
                                           MHD_AcceptPolicyCallback accept, void *accept_context,
                                           MHD_AccessHandlerCallback handle, void *context, ...)
{
	static const int given[] = { MHD_OPTION_EXTERNAL_LOGGER, MHD_OPTION_URI_LOG_CALLBACK,
		                     MHD_OPTION_NOTIFY_COMPLETED, MHD_OPTION_NOTIFY_CONNECTION };
	enum { GIVEN = sizeof(given) / sizeof(*given), COMPLETED = 2, CONNECTION };
	struct MHD_OptionItem options[OPTIONS_MAX];
	void *function[GIVEN], *function_context[GIVEN];
	va_list list;

	(void)flags, (void)port;
	va_start(list, context);
	for (size_t i = 0; i < GIVEN; i++) {
		ALWAYS(va_arg(list, int) == given[i]);
		function[i] = va_arg(list, void *);
		function_context[i] = va_arg(list, void *);
	}
	ALWAYS(va_arg(list, int) == MHD_OPTION_ARRAY);
	copy_options(va_arg(list, const struct MHD_OptionItem *), options);
	va_end(list);
	return __real_MHD_start_daemon(MHD_USE_NO_LISTEN_SOCKET, 0, accept, accept_context, handle,
	                               context, MHD_OPTION_NOTIFY_COMPLETED, function[COMPLETED],
	                               function_context[COMPLETED], MHD_OPTION_NOTIFY_CONNECTION,
	                               function[CONNECTION], function_context[CONNECTION],
	                               MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static void take_event(void *context, const struct serve_event *event)
{
	(void)context;
	events++;
	ALWAYS(event->status == 0 || (event->status >= 200 && event->status < 600));
	ALWAYS(strlen(event->method) + strlen(event->path) <= SERVE_HEADERS_MAX);
	ALWAYS(!event->detail || strlen(event->detail) < STORE_DETAIL_MAX);
}

/* A file that is handed out. */
static void check_published(const char *path)
{
	static uint8_t packed[UNPACKED_MAX], bytes[UNPACKED_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ALWAYS(fd >= 0);
	ssize_t got = read(fd, packed, sizeof(packed));
	close(fd);
	ALWAYS(got > 0 && (size_t)got < sizeof(packed));
	size_t size = ZSTD_decompress(bytes, sizeof(bytes), packed, (size_t)got);
	ALWAYS(!ZSTD_isError(size));
	ALWAYS(upload_parts_view((struct cairn_bytes){ bytes, size }).code == SYMBFILE_VALID);
}

static bool is_named(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash + 1, name) == 0;
}

static int take_entry(const char *path, const struct stat *about, int type, struct FTW *where)
{
	const char *rest = path + strlen(directory);

	(void)about;
	if (!checking)
		return where->level == 0 ? 0 : remove(path);
	ALWAYS(where->level == 0 || strcmp(rest, "/store") == 0 ||
	       strncmp(rest, "/store/", 7) == 0);
	ALWAYS(strncmp(rest, "/store/new/", 11) != 0);
	if (type == FTW_F && (is_named(path, "ranges") || is_named(path, "returnpads")))
		check_published(path);
	return 0;
}

static void walk_directory(bool check)
{
	checking = check;
	ALWAYS(nftw(directory, take_entry, TREE_FILES, FTW_DEPTH | FTW_PHYS) == 0);
}

/* Sends the bytes, and gets the beginning of what is answered; how many bytes that are in all. */
static size_t exchange(struct cairn_bytes sent, char *begin, size_t capacity)
{
	const struct sockaddr_in client = { .sin_family = AF_INET,
		                            .sin_addr = { htonl(INADDR_LOOPBACK) } };
	size_t steps = STEPS_LEAST + sent.size, received = 0;
	int pair[2], roomy = 2 * SENT_MAX;
	char piece[4096];
	ssize_t got;

	ALWAYS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &roomy, sizeof(roomy));
	ALWAYS(write(pair[0], sent.data, sent.size) == (ssize_t)sent.size || sent.size == 0);
	shutdown(pair[0], SHUT_WR);
	ALWAYS(MHD_add_connection(server->daemon, pair[1], (const struct sockaddr *)&client,
	                          sizeof(client)) == MHD_YES);
	while ((got = read(pair[0], piece, sizeof(piece))) != 0) {
		ALWAYS(steps-- > 0);
		for (ssize_t i = 0; i < got; i++, received++)
			if (received < capacity)
				begin[received] = piece[i];
		if (got < 0)
			MHD_run(server->daemon);
	}
	close(pair[0]);
	while (server->visitors.count > 0) {
		ALWAYS(steps-- > 0);
		MHD_run(server->daemon);
	}
	MHD_run(server->daemon);
	return received;
}

#define GOOD_ID "NHb9aTyjzuGRQxEH02ygWA"
#define GOOD_PATH "/NH/b9/" GOOD_ID "/ranges"

/* A symbfile with one range. */
static const uint8_t good[] = { 0x73, 0x79, 0x6d, 0x62, 0x66, 0x69, 0x6c, 0x65, 0x00, 0x01,
	                        0x11, 0x02, 0x60, 0x01, 0x10, 0x09, 0x1a, 0x01, 0x66, 0x42,
	                        0x08, 0x08, 0x01, 0x10, 0x07, 0x08, 0x02, 0x10, 0x08 };

static void send_good(const char *request, struct cairn_bytes body)
{
	char text[512], answer[16];
	int size = snprintf(text, sizeof(text),
	                    "%s HTTP/1.1\r\nHost: a\r\nFileID: " GOOD_ID
	                    "\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
	                    request, body.size);

	memcpy(text + size, body.data, body.size);
	size_t received =
		exchange((struct cairn_bytes){ (uint8_t *)text, (size_t)size + body.size }, answer,
	                 sizeof(answer));
	ALWAYS(received > sizeof(answer) && memcmp(answer, "HTTP/1.1 200 ", 13) == 0);
}

/* A server whose store has one file. */
static void begin_server(void)
{
	static const struct serve_options options = { .listen = "nowhere",
		                                      .directory = store_directory,
		                                      .quota = QUOTA,
		                                      .max_part = PART_MAX,
		                                      .timeout = SERVE_TIMEOUT,
		                                      .deadline = SERVE_DEADLINE,
		                                      .client_max = SERVE_CLIENT_MAX,
		                                      .tell = take_event };
	char message[SERVE_MESSAGE_MAX];

	ALWAYS(serve_start(&options, &server, message));
	send_good("POST /api/symbols-ranges", (struct cairn_bytes){ good, sizeof(good) });
	stored = serve_stored(server);
	ALWAYS(stored > 0);
}

static void end_server(void)
{
	serve_stop(server);
	server = NULL;
	walk_directory(false);
}

static void finish(void)
{
	if (server)
		end_server();
	rmdir(directory);
}

/* The folder is in memory where it can be: there may be thousands of files. */
static void prepare(void)
{
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");

	if (!directory[0]) {
		snprintf(directory, sizeof(directory), "%s/requests.XXXXXX", tmp ? tmp : "/tmp");
		ALWAYS(mkdtemp(directory));
		snprintf(store_directory, sizeof(store_directory), "%s/store", directory);
		atexit(finish);
	}
	if (!server)
		begin_server();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes sent = { data ? data : good, size < SENT_MAX ? size : SENT_MAX };
	char answer[8];

	prepare();
	events = 0;
	held_begin();
	size_t received = exchange(sent, answer, sizeof(answer));
	held_end(size, HELD_PLAIN);
	ALWAYS(events <= size);
	ALWAYS(received == 0 || (received > sizeof(answer) && memcmp(answer, "HTTP/1.", 7) == 0));
	walk_directory(true);
	send_good("GET " GOOD_PATH, (struct cairn_bytes){ good, 0 });
	if (serve_stored(server) != stored)
		end_server();
	return 0;
}
