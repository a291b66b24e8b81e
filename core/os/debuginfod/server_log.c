/* SPDX-License-Identifier: MIT */
/*
 * Reads libdebuginfod's log line by line. Unknown lines count as a failure, because a failure is
 * retried.
 */
#include "server_log.h"

#include "base/http_status.h"

#include <string.h>

static bool begins_with(struct cairn_bytes line, const char *word)
{
	const size_t size = strlen(word);

	return line.size >= size && memcmp(line.data, word, size) == 0;
}

static struct cairn_bytes take_log_line(struct cairn_bytes *log)
{
	const uint8_t *end = memchr(log->data, '\n', log->size);
	const size_t size = end ? (size_t)(end - log->data) : log->size;
	const struct cairn_bytes line = { log->data, size };

	log->data += size + (end ? 1 : 0);
	log->size -= size + (end ? 1 : 0);
	return line;
}

/* Return the three-digit number at the end of a line, or 0. */
static unsigned read_status(struct cairn_bytes line)
{
	unsigned status = 0;

	if (line.size < 4 || line.data[line.size - 4] != ' ')
		return 0;
	for (size_t i = line.size - 3; i < line.size; i++) {
		if (line.data[i] < '0' || line.data[i] > '9')
			return 0;
		status = 10 * status + (unsigned)(line.data[i] - '0');
	}
	return status;
}

static enum server_log judge_status(unsigned status)
{
	const enum http_meaning meaning = http_read_status(status);

	return meaning == HTTP_ABSENT    ? SERVER_LOG_ABSENT
	       : meaning == HTTP_REFUSED ? SERVER_LOG_REFUSED
	                                 : SERVER_LOG_FAILED;
}

/* Classify the answer of one server. `response` is its line; `next` may have the details. */
static enum server_log judge_server(struct cairn_bytes response, struct cairn_bytes next)
{
	if (begins_with(response, "server response HTTP response code said error"))
		return begins_with(next, "url ") ? judge_status(read_status(next))
		                                 : SERVER_LOG_FAILED;
	/* also printed for directories, which may be listed in DEBUGINFOD_URLS */
	if (begins_with(response, "server response Couldn't read a file://"))
		return SERVER_LOG_ABSENT;
	return SERVER_LOG_FAILED;
}

enum server_log server_log_read(struct cairn_bytes log)
{
	enum server_log worst = SERVER_LOG_EMPTY;

	while (log.size > 0) {
		const struct cairn_bytes line = take_log_line(&log);
		struct cairn_bytes rest = log;
		if (!begins_with(line, "server response "))
			continue;
		const enum server_log one =
			judge_server(line, rest.size > 0 ? take_log_line(&rest)
		                                         : (struct cairn_bytes){ NULL, 0 });
		if (one > worst)
			worst = one;
	}
	return worst;
}
