/* SPDX-License-Identifier: MIT */
/*
 * What naming addresses costs in a service, beside a program that does the same without one:
 *
 *	serve_names local BUILDS FOLDERS BATCHES       answers in this process, by the library; prints its processor time
 *	serve_names load BUILDS SOCKET BATCHES THREADS [FIRST]
 *	                                               posts the same batches, or those from FIRST on, to `cairn serve`; prints mean and 99th
 *	                                               percentile
 *
 * BUILDS has a line for each build: its ID, the first address of its code and how many bytes that has. A batch is 1,000 random addresses in all
 * of the builds.
 */
#define _DEFAULT_SOURCE
#include "cli/front/cli.h"
#include "output/json.h"
#include "requests/request.h"

#include <cairn/dwarf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { WARMING = 20, BUILDS = 4096, BATCH = 1000, FRAME_TEXT = 256, ANSWER = 4 << 20 };

static struct build {
	char id[129];
	unsigned long long low, size;
} builds[BUILDS];
static unsigned build_count, batches;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void read_builds(const char *path)
{
	FILE *in = fopen(path, "r");

	if (!in)
		die(path);
	while (build_count < BUILDS &&
	       fscanf(in, "%128s %llx %llx", builds[build_count].id, &builds[build_count].low,
	              &builds[build_count].size) == 3)
		build_count++;
	fclose(in);
	if (build_count == 0)
		exit(2);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

/* The body of one batch, the same each time; its bytes. */
static size_t make_batch(unsigned number, char *text)
{
	uint64_t state = number * 7919u + 1;
	size_t size = (size_t)sprintf(text, "{\"frames\":[");

	for (unsigned i = 0; i < BATCH; i++) {
		const struct build *b = &builds[next_random(&state) % build_count];
		size += (size_t)sprintf(
			text + size, "%s{\"build_id\":\"%s\",\"address\":\"0x%llx\"}", i ? "," : "",
			b->id, b->low + next_random(&state) % b->size);
	}
	return size + (size_t)sprintf(text + size, "]}");
}

static double read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double read_processor(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void print_batch(FILE *out, const struct request *request)
{
	struct json json = json_to(out);

	json_object(&json, NULL);
	json_array(&json, "results");
	for (size_t i = 0; i < request->frame_count; i++) {
		json_object(&json, NULL);
		json_array(&json, "frames");
		for (size_t j = 0; j < request->frames[i].call_count; j++) {
			const struct request_call *call =
				&request->calls[request->frames[i].call + j];
			const struct cairn_bytes file =
				string_pool_get(&request->texts, call->file);
			json_object(&json, NULL);
			json_text(&json, "function",
			          demangled_name(string_pool_get(&request->texts, call->function)));
			if (file.size > 0)
				json_text(&json, "file", file);
			if (call->line > 0)
				json_number(&json, "line", call->line);
			if (call->column > 0)
				json_number(&json, "column", call->column);
			json_end(&json);
		}
		json_end(&json);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void answer_batch(struct cairn_symbolizer *symbolizer, unsigned number, char *text,
                         FILE *out)
{
	const struct cairn_bytes body = { (const uint8_t *)text, make_batch(number, text) };
	struct request request;
	struct cairn_fault fault;

	if (request_open(&request, body, &fault) != CAIRN_OK ||
	    request_ask(&request, symbolizer, NULL, &fault) != CAIRN_OK)
		exit(2);
	print_batch(out, &request);
	request_close(&request);
}

static int run_local(const char *directories)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	char *text = malloc(BATCH * FRAME_TEXT);
	FILE *out = fopen("/dev/null", "w");

	options.directories = directories;
	options.skip = CAIRN_SKIP_SYSTEM;
	options.memory_max = UINT64_MAX; /* nobody is to read a file twice */
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	if (!text || !out || !symbolizer ||
	    cairn_symbolizer_add(symbolizer, cairn_dwarf_source()) != CAIRN_OK)
		return 2;
	const double begin = read_processor();
	for (unsigned i = 0; i < WARMING; i++)
		answer_batch(symbolizer, i, text, out);
	const double warm = read_processor();
	for (unsigned i = 0; i < batches; i++)
		answer_batch(symbolizer, i, text, out);
	const double end = read_processor();
	/* what it takes to make the batches is not theirs */
	for (unsigned i = 0; i < batches; i++)
		make_batch(i, text);
	printf("local: first batches %.3f s, %u warm ones %.3f s of processor time\n", warm - begin,
	       batches, end - warm - (read_processor() - end));
	return 0;
}

static struct sockaddr_un at = { .sun_family = AF_UNIX };
static atomic_uint next_batch;
static unsigned first_batch;
static double *took;

static int open_connection(void)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof(at)) != 0)
		die("connect");
	return fd;
}

static void write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t sent = write(fd, bytes, size);
		if (sent <= 0)
			die("write");
		bytes += sent;
		size -= (size_t)sent;
	}
}

/* One answer with a Content-Length, and status 200. */
static void read_answer(int fd, char *answer)
{
	size_t size = 0, all = 0;
	char *end = NULL;

	while (!end || size < all) {
		const ssize_t got = read(fd, answer + size, ANSWER - 1 - size);
		if (got <= 0)
			die("read");
		size += (size_t)got;
		answer[size] = '\0';
		if (end || !(end = strstr(answer, "\r\n\r\n")))
			continue;
		const char *length = strstr(answer, "Content-Length: ");
		if (strncmp(answer, "HTTP/1.1 200", 12) != 0 || !length)
			exit(2);
		all = (size_t)(end + 4 - answer) + strtoul(length + 16, NULL, 10);
	}
}

static void *post_batches(void *context)
{
	char *text = malloc(BATCH * FRAME_TEXT), *answer = malloc(ANSWER), head[256];
	const int fd = open_connection();
	unsigned number;

	(void)context;
	if (!text || !answer)
		exit(2);
	while ((number = atomic_fetch_add(&next_batch, 1)) < batches) {
		const size_t size = make_batch(first_batch + number, text);
		const int head_size = snprintf(head, sizeof(head),
		                               "POST /symbolize HTTP/1.1\r\nHost: "
		                               "localhost\r\nContent-Length: %zu\r\n\r\n",
		                               size);
		const double begin = read_clock();
		write_all(fd, head, (size_t)head_size);
		write_all(fd, text, size);
		read_answer(fd, answer);
		took[number] = read_clock() - begin;
	}
	close(fd);
	free(text);
	free(answer);
	return NULL;
}

/* One client that sends a byte a second, as long as the others are at work. */
static void *send_slowly(void *context)
{
	static const char text[] =
		"POST /symbolize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
	const int fd = open_connection();

	(void)context;
	for (size_t i = 0; atomic_load(&next_batch) < batches; i++) {
		if (write(fd, &text[i % (sizeof(text) - 1)], 1) != 1)
			break;
		sleep(1);
	}
	close(fd);
	return NULL;
}

static int compare_times(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int run_load(const char *path, unsigned threads)
{
	pthread_t thread[64], slow;
	double sum = 0;

	if (threads == 0 || threads > 64 || strlen(path) >= sizeof(at.sun_path))
		return 2;
	strcpy(at.sun_path, path);
	took = calloc(batches + 1, sizeof(*took));
	if (!took || pthread_create(&slow, NULL, send_slowly, NULL) != 0)
		return 2;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, post_batches, NULL) != 0)
			return 2;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	qsort(took, batches, sizeof(*took), compare_times);
	for (unsigned i = 0; i < batches; i++)
		sum += took[i];
	printf("load: %u batches, mean %.2f ms, p99 %.2f ms, slowest %.2f ms; p99 is %.1f times "
	       "the mean\n",
	       batches, 1e3 * sum / batches, 1e3 * took[batches * 99 / 100],
	       1e3 * took[batches - 1], took[batches * 99 / 100] / (sum / batches));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	read_builds(argv[2]);
	batches = (unsigned)strtoul(argv[4], NULL, 10);
	if (batches == 0)
		return 2;
	if (strcmp(argv[1], "local") == 0)
		return run_local(argv[3]);
	if (argc > 6)
		first_batch = (unsigned)strtoul(argv[6], NULL, 10);
	return argc > 5 ? run_load(argv[3], (unsigned)strtoul(argv[5], NULL, 10)) : 2;
}
