/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what a symbol server answers to a client, whose whole way they take: libcurl, the requests
 * with their retries and redirects, the metadata, unpacking, the file.  The input is a byte for what the client does,
 * then what each connection answers: two bytes of length, and the bytes.  Always:
 *   - it ends after a bounded number of connections, and never waits as long as the server wants;
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - a file is there exactly when the client reports so, and is a symbfile within the bound;
 *   - what is reported is short, has a reason when it failed, and nothing half written is left.
 * There is no network: each connection goes to a socket of this process, and the client sleeps no time (the linker wraps nanosleep()).
 */
#define _DEFAULT_SOURCE
#include "held.h"

#include "os/file.h"
#include "server/net/transfer.h"
#include "server/protocol/upload.h"

#include <curl/curl.h>
#include <dirent.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	PUSHES = 1, /* in the first byte */
	HAS_KEY = 2,
	RETRIES = 2,
	REQUESTS = 2, /* of one fetch */
	CONNECTIONS_MAX = REQUESTS * (RETRIES + 1) * (HTTP_REDIRECTS_MAX + 2),
	PIECE_MAX = 64 << 10,
	SIZE_MAX_FETCHED = 1 << 20,
};

static char directory[256], path[300], listener_name[64];
static int listener;

static struct {
	struct cairn_bytes left;
	int server[CONNECTIONS_MAX];
	size_t connections;
} script;

CURLcode __wrap_curl_easy_perform(CURL *curl);
CURLcode __real_curl_easy_perform(CURL *curl);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	ALWAYS(time->tv_sec * 1000 <= HTTP_WAIT_MAX && time->tv_nsec < 1000 * 1000 * 1000);
	return 0;
}

/* What the next connection answers. */
static struct cairn_bytes next_answer(void)
{
	struct cairn_bytes *left = &script.left;
	struct cairn_bytes answer = { left->data, 0 };

	if (left->size < 2)
		return answer;
	answer.data = left->data + 2;
	answer.size = left->data[0] | (size_t)left->data[1] << 8;
	if (answer.size > left->size - 2)
		answer.size = left->size - 2;
	left->data += 2 + answer.size;
	left->size -= 2 + answer.size;
	return answer;
}

/* A server that answers before it is asked, and waits for nothing. */
static int answer_connection(void *context, char *address, char *local, int port, int local_port)
{
	const struct cairn_bytes answer = next_answer();
	int fd = accept(listener, NULL, NULL), roomy = 2 * PIECE_MAX;

	(void)context, (void)address, (void)local, (void)port, (void)local_port;
	ALWAYS(fd >= 0 && script.connections < CONNECTIONS_MAX);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &roomy, sizeof(roomy));
	ALWAYS(answer.size == 0 || write(fd, answer.data, answer.size) == (ssize_t)answer.size);
	shutdown(fd, SHUT_WR);
	script.server[script.connections++] = fd;
	return CURL_PREREQFUNC_OK;
}

CURLcode __wrap_curl_easy_perform(CURL *curl)
{
	curl_easy_setopt(curl, CURLOPT_ABSTRACT_UNIX_SOCKET, listener_name); /* whatever the host */
	curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, answer_connection);
	curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
#if LIBCURL_VERSION_NUM >= 0x075500 /* no TLS: who would answer? */
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http");
#else
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP);
#endif
	return __real_curl_easy_perform(curl);
}

static void check_file(void)
{
	struct os_file file;

	ALWAYS(os_file_open_regular(path, &file) == 0);
	ALWAYS(file.bytes.size <= SIZE_MAX_FETCHED);
	ALWAYS(upload_parts_view(file.bytes).code == SYMBFILE_VALID);
	os_file_close(&file);
	ALWAYS(unlink(path) == 0);
}

static void check_directory_is_empty(void)
{
	DIR *listing = opendir(directory);
	struct dirent *entry;

	ALWAYS(listing);
	while ((entry = readdir(listing)))
		ALWAYS(strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	closedir(listing);
}

static void fetch(struct http *http)
{
	const struct fileid id = { { 0x34, 0x76, 0xfd, 0x69 } };
	struct fetch_result result;
	bool done = fetch_symbols(http, &id, SIZE_MAX_FETCHED, path, &result);

	ALWAYS(done == (access(path, F_OK) == 0));
	ALWAYS(done == (result.status == CAIRN_OK));
	ALWAYS(memchr(result.message, '\0', sizeof(result.message)));
	ALWAYS(done || result.message[0]);
	if (done)
		check_file();
}

static void push(struct http *http)
{
	static const uint8_t part[] = "symbfile\0\1";
	const struct upload upload = { .kind = UPLOAD_RANGES, .parts = 1 };
	struct push_result result;
	bool taken =
		push_part(http, &upload, (struct cairn_bytes){ part, sizeof(part) - 1 }, &result);

	ALWAYS(!taken || result.answered);
	ALWAYS(memchr(result.lost, '\0', sizeof(result.lost)));
	ALWAYS(result.answered || result.lost[0]);
	ALWAYS(memchr(result.answer.text, '\0', sizeof(result.answer.text)));
	ALWAYS(memchr(result.answer.uuid, '\0', sizeof(result.answer.uuid)));
}

static void remove_directory(void)
{
	rmdir(directory);
}

/* A socket without a file. */
static void open_listener(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int size =
		snprintf(listener_name, sizeof(listener_name), "cairn-answers-%ld", (long)getpid());

	memcpy(address.sun_path + 1, listener_name, (size_t)size);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ALWAYS(listener >= 0);
	ALWAYS(bind(listener, (const struct sockaddr *)&address,
	            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size)) == 0);
	ALWAYS(listen(listener, CONNECTIONS_MAX) == 0);
}

/* The folder is in memory where it can be: there may be thousands of files. */
static void prepare(void)
{
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");

	if (directory[0])
		return;
	curl_global_init(CURL_GLOBAL_DEFAULT);
	open_listener();
	snprintf(directory, sizeof(directory), "%s/answers.XXXXXX", tmp ? tmp : "/tmp");
	ALWAYS(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/fetched", directory);
	atexit(remove_directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_options options = { .url = "http://127.0.0.1:1/",
		                        .retries = RETRIES,
		                        .backoff = 1 };
	char message[HTTP_MESSAGE_MAX];
	struct http *http;

	if (size == 0)
		return 0;
	prepare();
	script.left = (struct cairn_bytes){ data + 1, size - 1 };
	script.connections = 0;
	held_begin();
	options.key = data[0] & HAS_KEY ? "a2V5" : NULL;
	ALWAYS(http_open(&options, &http, message));
	if (data[0] & PUSHES)
		push(http);
	else
		fetch(http);
	http_close(http);
	held_end(size, HELD_PACKED);
	while (script.connections > 0)
		close(script.server[--script.connections]);
	check_directory_is_empty();
	return 0;
}
