/* SPDX-License-Identifier: MIT */
/* Reads the log of libdebuginfod line by line. A line that is not known counts as a failure, after which somebody asks again. */
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

/* The number of three digits that a line ends with; 0: it ends otherwise. */
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

/* `response` is the line of a server; the next one may say more of it. */
static enum server_log judge_server(struct cairn_bytes response, struct cairn_bytes next)
{
	if (begins_with(response, "server response HTTP response code said error"))
		return begins_with(next, "url ") ? judge_status(read_status(next))
		                                 : SERVER_LOG_FAILED;
	/* a folder, of which there is a URL, too */
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
