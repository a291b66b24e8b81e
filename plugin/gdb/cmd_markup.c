/* SPDX-License-Identifier: MIT */
/*
 * The command markup: a log in the target's memory or in a file, with names.
 *
 * The text is filtered twice: first to see which addresses it asks about, then, when GDB has said
 * what is there, to be shown.  Addresses of a module that the text tells of are turned into those
 * that the same build has here.
 */
#include "commands.h"
#include "operands.h"
#include "symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 };

/* One run of the filter. */
struct run {
	struct call *call;
	bool asking;   /* the addresses are gathered; nothing is shown */
	char name[64]; /* of a module without one */
	struct cairn_location location;
};

static int by_lookup(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->lookup < b->lookup ? -1 : a->lookup > b->lookup;
}

/* Each address is asked once. */
static void sort_spots(struct trace *trace)
{
	size_t kept = 0;

	if (trace->count == 0)
		return;
	qsort(trace->spots, trace->count, sizeof(*trace->spots), by_lookup);
	for (size_t i = 1; i < trace->count; i++)
		if (trace->spots[i].lookup != trace->spots[kept].lookup)
			trace->spots[++kept] = trace->spots[i];
	trace->count = kept + 1;
}

static bool same_build(const struct cairn_module *module, struct cairn_bytes id)
{
	return id.size > 0 && module->build_id.size == id.size &&
	       memcmp(module->build_id.data, id.data, id.size) == 0;
}

/* Where the address is here; false when the module is not there. */
static bool find_pc(const struct session *s, const struct cairn_markup_question *question,
                    uint64_t *pc)
{
	struct cairn_bytes id = question->module->build_id;
	struct cairn_module module;
	size_t at = 0;

	/* a first look lets cairn meet the module, when it lies where the text says */
	if (cairn_space_module(s->space, question->pc, &module) == CAIRN_OK &&
	    question->pc == question->va + module.bias &&
	    (id.size == 0 || module.build_id.size == 0 || same_build(&module, id))) {
		*pc = question->pc;
		return true;
	}
	while (cairn_space_next_module(s->space, &at, &module)) {
		if (module.has_headers && same_build(&module, id)) {
			*pc = question->va + module.bias;
			return true;
		}
	}
	return false;
}

/* What GDB said of the address; in the first run it is noted. */
static const struct spot *find_spot(struct run *run, const struct cairn_markup_question *question)
{
	struct trace *trace = &run->call->session->trace;
	struct spot key = { .pc = 0 }, *added;

	if (!find_pc(run->call->session, question, &key.lookup))
		return NULL;
	if (!run->asking)
		return trace->count
		               ? bsearch(&key, trace->spots, trace->count, sizeof(key), by_lookup)
		               : NULL;
	added = trace_add(trace);
	if (added)
		added->pc = added->lookup = key.lookup;
	return NULL;
}

static struct cairn_bytes text_of(const char *text, size_t size)
{
	return (struct cairn_bytes){ (const uint8_t *)text, size };
}

/* GDB says "name + 12", or "name". */
static bool locate(struct run *run, const struct spot *spot)
{
	const char *plus = NULL;

	if (!spot || (!*spot->function && !*spot->file))
		return false;
	for (const char *at = spot->function; (at = strstr(at, " + ")) != NULL; at++)
		plus = at;
	size_t size = plus ? (size_t)(plus - spot->function) : strlen(spot->function);
	run->location = (struct cairn_location){ .function = text_of(spot->function, size),
		                                 .directory = text_of("", 0),
		                                 .file = text_of(spot->file, strlen(spot->file)),
		                                 .offset = plus ? strtoull(plus + 3, NULL, 10) : 0,
		                                 .line = spot->line };
	return true;
}

static bool code(void *context, const struct cairn_markup_question *question,
                 struct cairn_markup_answer *answer)
{
	struct run *run = context;

	answer->locations = &run->location;
	answer->count = locate(run, find_spot(run, question)) ? 1 : 0;
	return true;
}

static bool data(void *context, const struct cairn_markup_question *question,
                 struct cairn_location *location)
{
	struct run *run = context;

	if (locate(run, find_spot(run, question)))
		*location = run->location;
	return true;
}

/* The session's module at an address of a text that tells of none. */
static bool module_at(void *context, uint64_t pc, struct cairn_markup_module *module,
                      struct cairn_range *pcs, uint64_t *va)
{
	struct run *run = context;
	struct cairn_module found;

	if (cairn_space_module(run->call->session->space, pc, &found) != CAIRN_OK)
		return false;
	if (!found.name) {
		snprintf(run->name, sizeof(run->name), "0x%" PRIx64, found.low);
		found.name = run->name;
	}
	module->name = text_of(found.name, strlen(found.name));
	module->build_id = found.build_id.size ? found.build_id : text_of("", 0);
	*pcs = (struct cairn_range){ found.low, found.high };
	*va = found.low - found.bias;
	return true;
}

/* Whole lines are said; a line without its end waits. */
static void show(void *context, const void *text, size_t size)
{
	struct run *run = context;
	const char *at = text, *end;

	if (run->asking)
		return;
	while ((end = memchr(at, '\n', size)) != NULL) {
		text_bytes(run->call->line, at, (size_t)(end - at));
		reply_line(run->call);
		size -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	text_bytes(run->call->line, at, size);
}

static bool filter(struct call *call, bool asking)
{
	struct run run = { .call = call, .asking = asking };
	const struct cairn_markup_options options = { .style = CAIRN_MARKUP_CAIRN };
	const struct cairn_markup_host host = {
		.context = &run, .write = show, .code = code, .data = data, .module = module_at
	};
	const struct text *text = &call->session->markup;
	struct cairn_markup *markup = cairn_markup_new(&options, &host);
	bool good = markup &&
	            cairn_markup_feed(markup, text_of(text->size ? text->data : "", text->size)) ==
	                    CAIRN_OK &&
	            cairn_markup_finish(markup) == CAIRN_OK;

	cairn_markup_free(markup);
	if (!good)
		reply_error(call, "out of memory");
	return good;
}

static bool read_file(struct call *call)
{
	struct text *text = &call->session->markup;
	const char *path = call_path(call);
	FILE *file = fopen(path, "r");
	char part[CHUNK];
	size_t got;

	if (!file) {
		reply_error(call, "cannot open %s: %s", path, strerror(errno));
		return false;
	}
	while (!text->cut && (got = fread(part, 1, sizeof(part), file)) > 0)
		text_bytes(text, part, got);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		reply_error(call, "cannot read %s", path);
	return !failed;
}

/*
 * Memory from `address` on: `length` bytes, or with 0 up to a zero byte.  What can be read is taken
 * page by page; nothing at all is an error.
 */
static bool read_memory(struct call *call, uint64_t address, uint64_t length)
{
	struct text *text = &call->session->markup;
	struct cairn_bytes bytes;
	uint64_t left = length ? length : UINT64_MAX;

	while (left > 0 && !text->cut) {
		uint64_t size = CHUNK - address % CHUNK;
		if (size > left)
			size = left;
		if (cairn_trace_read(call->session->space, address, size, &bytes) != CAIRN_OK)
			break;
		const void *end = length ? NULL : memchr(bytes.data, '\0', bytes.size);
		size_t taken = end ? (size_t)((const uint8_t *)end - bytes.data) : bytes.size;
		text_bytes(text, (const char *)bytes.data, taken);
		if (end)
			return true;
		address += size;
		left -= size;
	}
	if (left > 0 && !text->cut && text->size == 0)
		reply_error(call, "the memory there cannot be read");
	else if (left > 0 && !text->cut)
		reply_say(call,
		          "[the memory at 0x%" PRIx64 " cannot be read; this is what was before]",
		          address);
	return !call->failed;
}

/* The words are an expression, and for memory of a known size its length. */
static bool check_operands(struct call *call)
{
	bool whole = call_option(call, "string") || call_option(call, "file");

	call->session->length = 0;
	if (operands_count(call) == 0)
		reply_error(call, "EXPRESSION is missing: cairn markup EXPRESSION LENGTH");
	else if (!whole && (!operands_take_number(call, &call->session->length) ||
	                    call->session->length == 0))
		reply_error(call, "LENGTH is missing: cairn markup EXPRESSION LENGTH, or -string");
	return !call->failed;
}

static bool read_text(struct call *call)
{
	struct session *s = call->session;
	uint64_t address;

	if (s->asked == ASKED_NOTHING && !check_operands(call))
		return false;
	text_reset(&s->markup);
	if (call_option(call, "file"))
		return read_file(call);
	return call_value(call, &address) && read_memory(call, address, s->length);
}

void command_markup(struct call *call)
{
	struct session *s = call->session;

	if (s->asked == ASKED_SYMBOLS) {
		symbols_take(call, call_option(call, "full-path"));
	} else {
		if (!read_text(call))
			return;
		trace_start(&s->trace);
		if (!filter(call, true))
			return;
		sort_spots(&s->trace);
		if (s->trace.count > 0) {
			symbols_ask(call);
			return;
		}
	}
	if (filter(call, false) && s->markup.cut)
		reply_say(call, "[the text is longer than %d bytes; the rest is not shown]",
		          TEXT_MAX);
}
