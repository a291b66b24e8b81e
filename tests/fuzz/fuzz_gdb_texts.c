/* SPDX-License-Identifier: MIT */
/*
 * What goes between GDB and the module.  The first byte of the input chooses a way, the rest is any text: a
 * request as GDB's script writes it, what GDB printed about symbols, breakpoints and memory, or a line or a value
 * of an answer.  Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - words and output of a request lie in its bytes, which do not become more;
 *   - a list of inferiors has no more rows than bytes;
 *   - a name fits its room, numbers of breakpoints are numbers, a range of memory is not empty;
 *   - an answer is commands of a bounded size, each of which prints text and does nothing else: no control character,
 *     no name of a variable, as many arguments as its format wants.
 */
#include "held.h"

#include "common/base/files.h"

#include "queries/values.h"
#include "queries/gdb_output.h"

#include "protocol/gdb_call.h"

#include <string.h>

enum {
	WAYS = 4,
	SPOTS = 4,
	NUMBER = 5, /* of the request */
	PRINTF_MAX =
		6 * 4096, /* bytes of one command; GDB keeps what a printf prints on its stack */
	MARK = 8,         /* bytes that one of a word or a value becomes, at most */
};

static struct exchange exchange;

static char *copy_as_string(struct cairn_bytes bytes)
{
	char *string = malloc(bytes.size + 1);

	ALWAYS(string);
	memcpy(string, bytes.data, bytes.size);
	string[bytes.size] = '\0';
	return string;
}

static void take_request(struct cairn_bytes bytes)
{
	struct channel *channel = &exchange.channel;
	struct request request;

	ALWAYS(channel_open(channel));
	ALWAYS(memfile_put(channel->request, (const char *)bytes.data, bytes.size));
	if (!channel_receive(channel, &request))
		return;
	const char *begin = channel->bytes.data, *end = begin + channel->bytes.size;
	ALWAYS(channel->bytes.size <= bytes.size && !channel_is_waiting(channel));
	ALWAYS(request.words.count <= WORDS_MAX);
	for (unsigned i = 0; i < request.words.count; i++) {
		const char *word = request.words.word[i];
		ALWAYS(word > begin && word <= end && word + strlen(word) <= end &&
		       !strchr(word, '\n'));
	}
	ALWAYS(request.again == (request.output != NULL));
	if (request.again)
		ALWAYS(request.output > begin &&
		       request.output_size <= (size_t)(end - request.output));
}

static void take_symbols(const char *said)
{
	static struct code_location spots[SPOTS];
	struct request request = { .number = NUMBER };
	struct gdb_call g = { .exchange = &exchange, .request = &request, .output = said };

	memset(spots, 0xff, sizeof(spots));
	for (size_t i = 0; i < SPOTS; i++)
		spots[i].function[0] = spots[i].file[0] = '\0';
	gdb_symbols_read_spots(&g.call, spots, SPOTS, strlen(said) % 2 == 0);
	for (size_t i = 0; i < SPOTS; i++) {
		ALWAYS(memchr(spots[i].function, '\0', sizeof(spots[i].function)));
		ALWAYS(memchr(spots[i].file, '\0', sizeof(spots[i].file)));
	}
}

static void take_ranges(struct cairn_bytes bytes, enum memory_access access)
{
	struct memory_ranges ranges = memory_ranges_open(bytes, access);
	struct cairn_range range;
	size_t count = 0;

	while (memory_ranges_next(&ranges, &range)) {
		ALWAYS(range.low < range.high);
		ALWAYS(count++ < bytes.size);
	}
}

static void take_inferiors(const char *said, size_t size)
{
	struct inferior_row row;
	size_t count = 0;

	for (const char *at = said; inferiors_next(&at, &row);)
		ALWAYS(at > said && at <= said + size && count++ < size);
}

static void take_lists(const char *said, struct cairn_bytes bytes)
{
	struct text numbers = { .data = NULL };

	breakpoints_enabled(said, &numbers);
	ALWAYS(numbers.size <= bytes.size);
	ALWAYS(numbers.size == 0 || strspn(numbers.data, " 0123456789") == numbers.size);
	text_finish(&numbers);
	take_ranges(bytes, MEMORY_WRITABLE);
	take_ranges(bytes, MEMORY_READABLE);
	take_inferiors(said, bytes.size);
}

/* The format of a printf up to its quote; how many arguments it wants.  NULL: it does more than print text. */
static const char *skip_format(const char *at, size_t *arguments)
{
	for (; *at != '"'; at++) {
		const unsigned char *p = (const unsigned char *)at;
		if (*p < ' ' || *p == 0x7f || *p == '$' ||
		    (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0))
			return NULL;
		if (*at == '%' && at[1] != '%' && at[1] != 'c')
			return NULL;
		*arguments += *at == '%' && at[1] == 'c';
		at += *at == '%' || *at == '\\';
		if (*at == '\0' || *at == '\n')
			return NULL;
	}
	return at + 1;
}

static const char *check_command(const char *at)
{
	static const char begin[] = "printf \"";
	const char *end = strchr(at, '\n');
	size_t arguments = 0;

	ALWAYS(end && end - at <= PRINTF_MAX && strncmp(at, begin, sizeof(begin) - 1) == 0);
	at = skip_format(at + sizeof(begin) - 1, &arguments);
	ALWAYS(at && (size_t)(end - at) == 3 * arguments);
	for (; at < end; at += 3)
		ALWAYS(memcmp(at, ",36", 3) == 0);
	return end + 1;
}

/* The bytes as one line of an answer, between two short ones. */
static void answer_line(struct cairn_bytes bytes)
{
	struct text reply = { .data = NULL }, line = { .colored = true }, word = { .data = NULL };
	struct gdb_call g = { .exchange = &exchange, .reply = &reply };

	text_add(&word, "a");
	text_bytes(&line, (const char *)bytes.data, bytes.size);
	gdb_print_line(&g.call, &word);
	gdb_print_line(&g.call, &line);
	gdb_print_line(&g.call, &word);
	for (const char *at = reply.data; *at;)
		at = check_command(at);
	text_finish(&reply);
	text_finish(&line);
	text_finish(&word);
}

/* A string that a script reads: within its quotes, in one line. */
static void answer_value(const char *value)
{
	struct text reply = { .data = NULL }, word = { .data = NULL };
	struct gdb_call g = { .exchange = &exchange, .reply = &reply };

	gdb_set_string(&g.call, "name", value);
	const char *quote = strchr(reply.data, '"');
	ALWAYS(quote && reply.size <= 128 + MARK * strlen(value));
	for (quote++; *quote != '"'; quote++) {
		ALWAYS(*quote >= ' ' && *quote <= '~' && *quote != '$');
		quote += *quote == '\\';
	}
	ALWAYS(strcmp(quote, "\"\n") == 0);
	text_word(&word, value);
	for (const char *at = word.size ? word.data : ""; *at; at++) {
		ALWAYS(!strchr(" \t\"'", *at));
		at += *at == '\\';
	}
	text_finish(&word);
	text_finish(&reply);
}

static void take_input(unsigned way, struct cairn_bytes bytes)
{
	char *string = copy_as_string(bytes);

	if (way == 0) {
		take_request(bytes);
		text_finish(&exchange.channel.bytes);
	} else if (way == 1) {
		take_symbols(string);
		take_lists(string, bytes);
	} else if (way == 2) {
		answer_line(bytes);
	} else {
		answer_value(string);
	}
	free(string);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	held_begin();
	take_input(data[0] % WAYS, (struct cairn_bytes){ data + 1, size - 1 });
	held_end(size, HELD_PLAIN);
	return 0;
}
