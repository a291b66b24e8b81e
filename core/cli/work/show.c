/* SPDX-License-Identifier: MIT */
/* Shows the counters of a worker over HTTP, and in a file that is replaced atomically. */
#include "work.h"

#include "os/channel.h"
#include "os/file/atomic_file.h"
#include "os/process/own_use.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *write_text(struct work_show *show, size_t *size)
{
	const struct work_process process = { .resident = own_use_memory(show->memory_file),
		                              .processor = own_use_processor() };
	struct work_metrics metrics;

	pthread_mutex_lock(&show->mutex);
	metrics = show->metrics;
	pthread_mutex_unlock(&show->mutex);
	return work_metrics_text(&metrics, &process, size);
}

static size_t take_no_body(void *context, const char *method, const char *path)
{
	(void)context;
	(void)method;
	(void)path;
	return 0;
}

static void answer_web(void *context, const struct web_request *request, struct web_answer *answer)
{
	const bool is_known = strcmp(request->path, "/metrics") == 0;

	answer->type = "text/plain; version=0.0.4";
	if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
		answer->status = 405;
		answer->allow = "GET, HEAD";
	} else if (!is_known) {
		answer->status = 404;
	} else {
		answer->body = write_text(context, &answer->size);
		answer->status = answer->body ? 200 : 503;
	}
}

static void refuse_web(void *context, const struct web_request *request, unsigned status,
                       const char *why, struct web_answer *answer)
{
	(void)context;
	(void)request;
	(void)why;
	answer->status = status;
}

static bool start_metrics(struct work_show *show, const char *address)
{
	const struct web_options options = { .listen = address,
		                             .limit = take_no_body,
		                             .answer = answer_web,
		                             .refuse = refuse_web,
		                             .context = show };
	char message[WEB_MESSAGE_MAX];

	if (!web_start(&options, &show->web, message))
		return refuse_with(address, "%s", message);
	printf("metrics on %s\n", web_listener(show->web)->address);
	fflush(stdout);
	return true;
}

static void write_file(struct work_show *show)
{
	size_t size = 0;
	char *text = write_text(show, &size);
	const struct cairn_bytes bytes = { (const uint8_t *)text, size };
	const int error = text ? os_atomic_file_write(show->file, &bytes, 1) : ENOMEM;

	if (error && !show->has_failed)
		print_diagnostic(show->file, "cannot write: %s", strerror(error));
	show->has_failed = error != 0;
	free(text);
}

bool work_show_start(struct work_show *show, const char *address, const char *file)
{
	show->file = file;
	show->memory_file = own_use_open();
	if (pthread_mutex_init(&show->mutex, NULL) != 0)
		return refuse_with(NULL, "out of memory");
	if (file)
		write_file(show);
	if (show->has_failed)
		return false;
	return !address || start_metrics(show, address);
}

void work_show_turn(void *context, const struct work_metrics *metrics)
{
	struct work_show *show = context;
	const uint64_t now = channel_clock();

	pthread_mutex_lock(&show->mutex);
	show->metrics = *metrics;
	pthread_mutex_unlock(&show->mutex);
	if (show->web && now >= show->next_watch) {
		web_watch(show->web);
		show->next_watch = now + 1000;
	}
	if (show->file && now >= show->next_file) {
		write_file(show);
		show->next_file = now + (uint64_t)WORK_FILE_SECONDS * 1000;
	}
}

void work_show_end(struct work_show *show)
{
	if (show->file)
		write_file(show);
	if (show->web)
		web_stop(show->web);
}
