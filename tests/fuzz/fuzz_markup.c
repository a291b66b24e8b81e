/* SPDX-License-Identifier: MIT */
/*
 * Markup: the nodes of a line are the line, by either rules; text without markup comes out as it
 * went in, with reports if the host has no names; it does not matter in which pieces text is fed; what the filter calls a place in the
 * line is one; what a host is told can be read; memory and output stay in bounds.
 */
#include "held.h"

#include "markup/filter.h"

#include <string.h>

enum { OUTPUT_MAX = 1 << 24 };

struct output {
	char *text;
	size_t size, capacity;
	bool silent; /* the host has no names */
};

static void take(void *context, const void *text, size_t size)
{
	struct output *out = context;

	while (out->capacity < out->size + size) {
		out->capacity = out->capacity ? 2 * out->capacity : 4096;
		out->text = realloc(out->text, out->capacity);
		ALWAYS(out->text && out->capacity <= OUTPUT_MAX);
	}
	memcpy(out->text + out->size, text, size);
	out->size += size;
}

/* Two locations for even addresses, none for odd ones; no symbols of module 3. */
static bool code(void *context, const struct cairn_markup_query *question,
                 struct cairn_markup_result *answer)
{
	static const struct cairn_location locations[2] = {
		{ .function = { (const uint8_t *)"in\033ner", 6 },
		  .directory = { (const uint8_t *)"dir", 3 },
		  .file = { (const uint8_t *)"f.c", 3 },
		  .line = 1,
		  .inlined = true },
		{ .function = { (const uint8_t *)"outer", 5 },
		  .directory = { (const uint8_t *)"", 0 },
		  .file = { (const uint8_t *)"", 0 } },
	};

	(void)context;
	answer->locations = locations;
	answer->count = question->va % 2 ? 0 : 2;
	return question->module->id != 3;
}

static bool data(void *context, const struct cairn_markup_query *question,
                 struct cairn_location *location)
{
	(void)context;
	if (question->va % 3 == 0)
		location->function = (struct cairn_bytes){ (const uint8_t *)"thing", 5 };
	location->offset = question->va % 5;
	return question->module->id != 3;
}

/* Places with even offsets are in one of four modules. */
static bool locate(void *context, const struct cairn_markup_place *place,
                   struct cairn_markup_module *module, uint64_t *va)
{
	static const uint8_t id[] = { 0xca, 0xfe };

	(void)context;
	*va = place->offset;
	module->name = (struct cairn_bytes){ (const uint8_t *)"mod", 3 };
	module->build_id = (struct cairn_bytes){ id, place->offset % 4 ? sizeof(id) : 0 };
	return place->offset % 2 == 0;
}

static void complain(void *context, uint64_t line, uint64_t column, const char *what,
                     struct cairn_bytes found)
{
	(void)context;
	ALWAYS(line > 0 && column > 0 && what && found.data);
}

static volatile uint64_t what_was_read;

static uint64_t sum_of(struct cairn_bytes text)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++)
		sum += text.data[i];
	return sum;
}

/* All that the host is told can be read; texts and elements come in the order of the log. */
static void tell(void *context, const struct cairn_markup_fact *fact)
{
	uint64_t *line = context, sum;

	ALWAYS(fact->line >= *line && fact->column > 0);
	*line = fact->line;
	sum = sum_of(fact->text) + sum_of(fact->message) + sum_of(fact->name);
	if (fact->module)
		sum += sum_of(fact->module->name) + sum_of(fact->module->build_id);
	for (size_t i = 0; i < fact->count; i++)
		sum += sum_of(fact->locations[i].function) + sum_of(fact->locations[i].file);
	what_was_read = sum; /* so that it is */
	ALWAYS((fact->kind == CAIRN_MARKUP_INVALID) == (fact->error != NULL));
	ALWAYS(!fact->pc || fact->kind == CAIRN_MARKUP_BT || fact->kind == CAIRN_MARKUP_PC ||
	       fact->kind == CAIRN_MARKUP_REPORT);
}

static void check_facts(struct cairn_bytes in, const struct cairn_markup_options *options)
{
	uint64_t line = 0;
	const struct cairn_markup_host host = {
		.size = sizeof(struct cairn_markup_host), .context = &line, .code = code, .data = data, .tell = tell, .locate = locate
	};
	struct cairn_markup *m = cairn_markup_new(options, &host);

	ALWAYS(m);
	ALWAYS(cairn_markup_feed(m, in) == CAIRN_OK && cairn_markup_finish(m) == CAIRN_OK);
	cairn_markup_free(m);
}

static void filter(struct cairn_bytes in, const struct cairn_markup_options *options,
                   struct output *out, size_t piece)
{
	const struct cairn_markup_host host = { .size = sizeof(struct cairn_markup_host), .context = out,
		                                .write = take,
		                                .code = out->silent ? NULL : code,
		                                .data = data,
		                                .complain = complain,
		                                .locate = locate };
	struct cairn_markup *m = cairn_markup_new(options, &host);

	ALWAYS(m);
	while (in.size > 0) {
		size_t size = in.size < piece ? in.size : piece;
		ALWAYS(cairn_markup_feed(m, (struct cairn_bytes){ in.data, size }) == CAIRN_OK);
		in.data += size;
		in.size -= size;
	}
	ALWAYS(cairn_markup_finish(m) == CAIRN_OK);
	cairn_markup_free(m);
}

/* The nodes are the line.  True when all of it is text. */
static bool check_line(struct cairn_bytes line, enum markup_rules rules)
{
	struct markup in = markup_open(line, rules);
	struct markup_node node;
	const uint8_t *at = line.data;
	bool plain = true;

	while (markup_next(&in, &node)) {
		ALWAYS(node.text.data == at && node.text.size > 0);
		at += node.text.size;
		plain = plain && node.kind == MARKUP_TEXT;
	}
	ALWAYS(at == line.data + line.size);
	ALWAYS(markup_plain_prefix(line) <= line.size);
	return plain;
}

static bool check_lines(struct cairn_bytes in)
{
	bool plain = true;

	while (in.size > 0) {
		const uint8_t *end = memchr(in.data, '\n', in.size);
		size_t size = end ? (size_t)(end - in.data) : in.size;
		struct cairn_bytes line = { in.data, size };
		plain = check_line(line, MARKUP_KEEP) && plain;
		check_line(line, MARKUP_LLVM);
		size += end != NULL;
		in.data += size;
		in.size -= size;
	}
	return plain;
}

static void check_filter(struct cairn_bytes in, const struct cairn_markup_options *options,
                         bool plain)
{
	struct output whole = { .silent = plain }, pieces = { .silent = plain };

	filter(in, options, &whole, SIZE_MAX);
	filter(in, options, &pieces, in.size % 7 + 1);
	ALWAYS(whole.size == pieces.size);
	ALWAYS(whole.size == 0 || memcmp(whole.text, pieces.text, whole.size) == 0);
	if (plain) {
		bool ended = in.data[in.size - 1] == '\n';
		ALWAYS(whole.size == in.size + !ended);
		ALWAYS(memcmp(whole.text, in.data, in.size) == 0);
	}
	free(whole.text);
	free(pieces.text);
}

static void take_input(const uint8_t *input, size_t size)
{
	struct cairn_bytes in = { input, size };
	struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options), .style = CAIRN_MARKUP_CAIRN };

	if (size == 0)
		return;
	bool plain = check_lines(in);
	check_facts(in, &options);
	check_filter(in, &options, plain);
	options.reports = true;
	check_facts(in, &options);
	check_filter(in, &options, plain);
	check_filter(in, &options, false);
	options.reports = false;
	options.colour = options.repeat_prefix = true;
	options.style = CAIRN_MARKUP_FUCHSIA;
	check_filter(in, &options, plain);
	options.style = CAIRN_MARKUP_LLVM;
	check_filter(in, &options, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
