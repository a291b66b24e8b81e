/* SPDX-License-Identifier: MIT */
/*
 * Parses the requests that the GDB script writes, decodes the captured output, and publishes
 * replies.
 */
#include "channel.h"

#include "common/base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char end_mark[] = "\001E\n";

/*
 * Sets of four consecutive descriptor numbers; the first unused set is taken. The numbers are below
 * 256, the usual minimum of `ulimit -n`, and shells do not use them. The last set is for sessions
 * with an even lower limit. cairn.gdb looks for the reply file at the same numbers, in
 * /proc/self/fd.
 */
static const struct {
	int directory, definitions, request, reply;
} numbers[] = {
	{ 181, 182, 183, 184 }, { 171, 172, 173, 174 }, { 161, 162, 163, 164 }, { 51, 52, 53, 54 }
};

/* Open all four descriptors or none. Fails if a number exceeds the process's descriptor limit. */
static bool open_all(const struct channel *channel, int directory)
{
	const int all[] = { channel->definitions, channel->request, channel->reply };
	size_t opened = 0;

	if (!memfile_free(directory))
		return false;
	while (opened < 3 && memfile_free(all[opened]) && memfile_put(all[opened], "", 0))
		opened++;
	if (opened == 3 && memfile_put_directory(directory))
		return true;
	while (opened > 0)
		memfile_close(all[--opened]);
	return false;
}

bool channel_open(struct channel *channel)
{
	for (size_t i = 0; !channel->open && i < sizeof(numbers) / sizeof(*numbers); i++) {
		channel->definitions = numbers[i].definitions;
		channel->request = numbers[i].request;
		channel->reply = numbers[i].reply;
		channel->open = open_all(channel, numbers[i].directory);
	}
	return channel->open;
}

bool channel_take_version(struct channel *channel, int *gdb_major)
{
	char bytes[4]; /* GDB's major version as an int in the target's byte order */

	if (!channel->open || channel->begun || memfile_size(channel->request) != sizeof(bytes) ||
	    memfile_get(channel->request, bytes, sizeof(bytes)) != sizeof(bytes))
		return false;
	memfile_empty(channel->request);
	*gdb_major = bytes[0] | bytes[3];
	return true;
}

bool channel_take_glance(struct channel *channel, unsigned long *number, int *inferior)
{
	uint8_t bytes[24];
	uint64_t words[3] = { 0, 0, 0 };

	if (!channel->open || channel->begun || memfile_size(channel->request) != sizeof(bytes) ||
	    memfile_get(channel->request, (char *)bytes, sizeof(bytes)) != sizeof(bytes))
		return false;
	const bool big_endian = bytes[0] == 0;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		words[i / 8] |= (uint64_t)bytes[i] << 8 * (big_endian ? 7 - i % 8 : i % 8);
	if (words[0] != 1)
		return false;
	memfile_empty(channel->request);
	*number = (unsigned long)words[1];
	*inferior = (int)words[2];
	return true;
}

bool channel_is_waiting(const struct channel *channel)
{
	return channel->open && memfile_size(channel->request) > channel->begun;
}

/*
 * Decode one character of a C string in MI syntax. Returns a pointer to the first byte not
 * consumed.
 */
static const char *unescape_char(const char *at, const char *end, char *to)
{
	static const char letters[] = "ntrbfae", meant[] = "\n\t\r\b\f\a\033";
	unsigned value = 0;

	if (*at != '\\' || at + 1 == end) {
		*to = *at;
		return at + 1;
	}
	at++;
	const char *digits = at;
	while (at < end && at < digits + 3 && *at >= '0' && *at <= '7')
		value = value * 8 + (unsigned)(*at++ - '0');
	if (at > digits) {
		*to = (char)value;
		return at;
	}
	const char *letter = *at ? strchr(letters, *at) : NULL;
	*to = letter ? meant[letter - letters] : *at;
	return at + 1;
}

/*
 * Return true if the line is an MI record. A table row may also begin with a star, but a space
 * follows that star.
 */
static bool is_record(const char *line, const char *stop)
{
	const char second = line + 1 < stop ? line[1] : '\0';

	switch (*line) {
	case '~':
	case '@':
	case '&':
		return second == '"';
	case '=':
	case '*':
	case '+':
	case '^':
		return second >= 'a' && second <= 'z';
	default:
		return *line == '(' && second == 'g';
	}
}

/*
 * Decode the string in the MI record at `line` and write it to `to`, which may overlap the record.
 * The record ends at `stop`.
 */
static char *decode_record(const char *line, const char *stop, const char *next, char *to)
{
	const char *quote = stop > line + 2 && stop[-1] == '"' ? stop - 1 : stop;
	size_t size = (size_t)(next - line);

	if (line[0] == '~' && line + 1 < stop && line[1] == '"') {
		for (const char *at = line + 2; at < quote;)
			at = unescape_char(at, quote, to++);
	} else if (line < stop && !is_record(line, stop)) {
		memmove(to, line, size);
		to += size;
	}
	return to;
}

/*
 * Decode a record that was part of another record's string. Such a record must be a complete line;
 * anything else is copied unchanged.
 */
static char *decode_inner_record(const char *line, const char *stop, const char *next, char *to)
{
	size_t size = (size_t)(next - line);

	if (next > stop && stop - line > 2 && memcmp(line, "~\"", 2) == 0 && stop[-1] == '"')
		return decode_record(line, stop, next, to);
	memmove(to, line, size);
	return to + size;
}

typedef char *decode_line(const char *line, const char *stop, const char *next, char *to);

static size_t decode_lines(char *bytes, size_t size, decode_line *decode)
{
	const char *end = bytes + size;
	char *to = bytes;

	for (const char *line = bytes; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *next = stop ? stop + 1 : end;
		to = decode(line, stop ? stop : end, next, to);
		line = next;
	}
	return (size_t)(to - bytes);
}

/*
 * Decode MI records, which GDB's log contains if GDB runs with the machine interface (MI). Records
 * that begin with "~" contain printed strings; other records report changed settings and are
 * dropped. If the log goes through a pipe, tables appear between records in plain form. From GDB 17
 * on, the output from `frame apply` and `thread apply` is a record inside the string of another
 * record.
 */
static size_t decode_records(char *bytes, size_t size)
{
	size = decode_lines(bytes, size, decode_record);
	return decode_lines(bytes, size, decode_inner_record);
}

/* Return the size of the first line in an output request. The module writes that line itself. */
static size_t begin_size(const char *bytes, size_t size)
{
	const char *stop =
		size > 2 && memcmp(bytes, "\001C ", 3) == 0 ? memchr(bytes, '\n', size) : NULL;

	return stop ? (size_t)(stop - bytes) + 1 : 0;
}

/*
 * Return the end of the request, or NULL if it is incomplete. One more line may follow the end
 * mark, because GDB may print a warning when it switches from C back to the user's language and the
 * frame has a different language.
 */
static char *find_request_end(const struct text *bytes)
{
	const size_t mark = sizeof(end_mark) - 1;
	const char *stop = bytes->data + bytes->size;
	char *at = NULL, *next = bytes->data;

	while ((next = memchr(next, *end_mark, (size_t)(stop - next))) != NULL)
		at = next++;
	if (!at || (size_t)(stop - at) < mark || memcmp(at, end_mark, mark) != 0)
		return NULL;
	const char *rest = at + mark;
	const char *line = memchr(rest, '\n', (size_t)(stop - rest));
	return rest == stop || line == stop - 1 ? at : NULL;
}

static bool read_bytes(struct channel *channel)
{
	const size_t mark = sizeof(end_mark) - 1;
	size_t size = channel->open ? memfile_size(channel->request) : 0;

	if (size < mark || size > TEXT_MAX)
		return false;
	text_reset(&channel->bytes);
	char *buffer = malloc(size);
	if (!buffer)
		return false;
	size = memfile_get(channel->request, buffer, size);
	size_t begin = begin_size(buffer, size);
	if (size > begin && (buffer[begin] == '=' || buffer[begin] == '~'))
		size = begin + decode_records(buffer + begin, size - begin);
	text_bytes(&channel->bytes, buffer, size);
	free(buffer);
	char *end = channel->bytes.cut || size < mark ? NULL : find_request_end(&channel->bytes);
	if (!end)
		return false;
	channel->bytes.size = (size_t)(end - channel->bytes.data);
	*end = '\0';
	return true;
}

/*
 * Find the beginning of the request. In an output request everything after the first line is
 * output, even if it looks like a request, because a symbol's name may contain any bytes. Otherwise
 * search for the last beginning of a request, because an interrupted request may precede the
 * complete one. Skip the lines that GDB adds with `set trace-commands`.
 */
static char *find_begin(char *bytes)
{
	char *found = NULL;

	for (char *line = bytes; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!found && strncmp(line, "\001C ", 3) == 0)
			return line;
		if (strncmp(line, "\001B ", 3) == 0)
			found = line;
	}
	return found;
}

/*
 * Add a word without its trailing space. The script adds the space because otherwise a backslash at
 * the end of a word would escape the newline.
 */
static void add_word(char *word, struct request *request)
{
	struct words *words = &request->words;
	size_t size = strlen(word);

	if (size > 0 && word[size - 1] == ' ')
		word[size - 1] = '\0';
	if (words->count < WORDS_MAX)
		words->word[words->count++] = word;
	else
		words->too_many = true;
}

static void split_words(char *at, struct request *request)
{
	while (at && *at) {
		char *next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		if (at[0] == 'W' && at[1] == ' ')
			add_word(at + 2, request);
		at = next;
	}
}

bool channel_receive(struct channel *channel, struct request *request)
{
	if (!read_bytes(channel))
		return false;
	memfile_empty(channel->request);
	channel->begun = 0;
	char *begin = find_begin(channel->bytes.data);
	if (!begin)
		return false;
	char *rest;
	*request = (struct request){ .number = strtoul(begin + 3, &rest, 10) };
	char *body = strchr(begin, '\n');
	body = body ? body + 1 : begin + strlen(begin);
	if (begin[1] == 'C') {
		request->again = true;
		request->output = body;
		request->output_size = channel->bytes.size - (size_t)(body - channel->bytes.data);
		return true;
	}
	request->verb = (unsigned)strtoul(rest, &rest, 10);
	request->gdb_major = (int)strtol(rest, &rest, 10);
	request->thread = strtol(rest, &rest, 10) != 0;
	request->style = strtol(rest, &rest, 10) != 0;
	request->radix = (unsigned)strtoul(rest, NULL, 10);
	split_words(body, request);
	return true;
}

void channel_publish(const struct channel *channel, const char *commands, size_t size)
{
	memfile_put(channel->reply, commands, size);
}

/* Publish the reply in a form that GDB executes for this request only. */
void channel_reply(const struct channel *channel, unsigned long number, const struct text *commands)
{
	struct text whole = { .data = NULL };

	text_print(&whole, "if %lu - $_cairn_number\nelse\n", number);
	if (commands->cut)
		text_add(&whole, "_cairn got\n"
		                 "with language c -- set $cairn_ok = 0\n"
		                 "with max-value-size unlimited -- with language c -- "
		                 "set $cairn_error = \"the answer is too long\"\n"
		                 "echo cairn: the answer is too long\\n\n");
	else if (commands->size)
		text_bytes(&whole, commands->data, commands->size);
	text_add(&whole, "end\n");
	if (!whole.cut)
		channel_publish(channel, whole.data, whole.size);
	text_finish(&whole);
}
