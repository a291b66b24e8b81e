/* SPDX-License-Identifier: MIT */
/*
 * The command markup: a log in the target's memory or in a file, with names.
 *
 * The text is filtered twice: once to collect the addresses in it, and again to print it when the
 * debugger and the symbol files have provided their names. An address in a module that the text
 * describes is translated to the module of the same build in the debugged process. If that module
 * is not loaded, the files of its build are used.
 */
#define _GNU_SOURCE /* memmem */
#include "common/base/cleanup.h"
#include "common/commands/commands.h"
#include "common/commands/naming.h"
#include "markup_json.h"
#include "markup_text.h"
#include "other_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 64,     /* maximum number of inlined calls shown for one address */
	POLL_STEPS = 64, /* queries and lines between two checks for Ctrl-C */
};

struct markup {
	struct trace trace;
	struct markup_text input;
	struct other_modules others;
	struct code_location spots[LEVELS]; /* names of an address in a module of `others` */
};

static struct markup *get_context(const struct command_call *call)
{
	return call->context;
}

static void finish_markup(void *context)
{
	struct markup *markup = context;

	text_finish(&markup->input.text);
	trace_finish(&markup->trace);
	other_modules_finish(&markup->others);
}

struct run {
	struct command_call *call;
	bool asking;   /* first pass: collect addresses, print nothing */
	bool too_many; /* too many addresses, so that some have no names */
	bool full;     /* the limit is reached; the rest is not shown */
	uint64_t left; /* bytes that may still be shown */
	unsigned steps;
	char name[64]; /* for a module without a name */
	char readable[CAIRN_DEMANGLE_MAX];
	struct cairn_location location[LEVELS];
};

/*
 * Translate the address to a pc of the debugged process. Returns false if its module is not loaded.
 */
static bool find_pc(const struct session *s, const struct cairn_markup_query *question,
                    uint64_t *pc)
{
	const struct source_id wanted = source_id(question->module->build_id);
	struct cairn_module module;
	size_t at = 0;

	/* looking up the pc makes cairn find the module if it is loaded where the text says */
	if (cairn_space_module(s->space, question->pc, &module) == CAIRN_OK &&
	    question->pc == question->va + module.bias &&
	    (wanted.size == 0 || module.build_id.size == 0 ||
	     source_is(&wanted, module.build_id))) {
		*pc = question->pc;
		return true;
	}
	while (cairn_space_next_module(s->space, &at, &module)) {
		if (module.has_headers && source_is(&wanted, module.build_id)) {
			*pc = question->va + module.bias;
			return true;
		}
	}
	return false;
}

static struct cairn_bytes borrow_bytes(const char *text, size_t size)
{
	return (struct cairn_bytes){ (const uint8_t *)text, size };
}

/* Convert a spot, whose function is "name + 12" or "name", to a location. */
static struct cairn_location make_location(const struct code_location *spot)
{
	const char *plus = NULL;

	for (const char *at = spot->function; (at = strstr(at, " + ")) != NULL; at++)
		plus = at;
	size_t size = plus ? (size_t)(plus - spot->function) : strlen(spot->function);
	return (struct cairn_location){ .function = borrow_bytes(spot->function, size),
		                        .directory = borrow_bytes("", 0),
		                        .file = borrow_bytes(spot->file, strlen(spot->file)),
		                        .offset = plus ? strtoull(plus + 3, NULL, 10) : 0,
		                        .line = spot->line,
		                        .inlined = spot->inlined };
}

/* Give the debugger a chance to handle Ctrl-C. If it was pressed, this does not return. */
static void let_interrupt(const struct run *run)
{
	const struct cairn_poll *poll = &run->call->session->sources.poll;

	if (poll->poll)
		poll->poll(poll->context);
}

static void take_step(struct run *run)
{
	if (++run->steps % POLL_STEPS == 0)
		let_interrupt(run);
}

static void note_address(struct run *run, uint64_t lookup)
{
	struct code_location *added = trace_add(&get_context(run->call)->trace);

	if (added)
		added->pc = added->lookup = lookup;
	else
		run->too_many = true;
}

static size_t find_own_locations(struct run *run, uint64_t lookup)
{
	const struct trace *trace = &get_context(run->call)->trace;
	const struct code_location *spot = trace_find(trace, lookup),
				   *end = trace->spots + trace->count;
	size_t count = 0;

	for (; spot && spot < end && spot->lookup == lookup && count < LEVELS; spot++)
		if (*spot->function || *spot->file)
			run->location[count++] = make_location(spot);
	return count;
}

/* Convert locations from other files to the form in which spots are shown. */
static void show_locations(struct run *run, size_t count)
{
	struct code_location *spots = get_context(run->call)->spots;
	const bool full_path = command_call_option(run->call, "full-path");

	for (size_t i = 0; i < count; i++) {
		const unsigned column = run->location[i].column;
		naming_fill_spot(&spots[i], &run->location[i], full_path);
		run->location[i] = make_location(&spots[i]);
		run->location[i].column = column;
	}
}

/* Find the locations of the address, innermost first. The first run only records the address. */
static size_t find_locations(struct run *run, const struct cairn_markup_query *question, bool data)
{
	struct session *session = run->call->session;
	struct other_modules *others = &get_context(run->call)->others;
	uint64_t lookup;

	take_step(run);
	const bool own = find_pc(session, question, &lookup);
	if (own && !run->asking)
		return find_own_locations(run, lookup);
	if (own)
		note_address(run, lookup);
	if (run->asking)
		return 0;
	let_interrupt(run); /* a file may be opened next */
	const size_t count =
		data ? other_modules_data(others, session, question, run->location)
		     : other_modules_code(others, session, question, run->location, LEVELS);
	show_locations(run, count);
	return count;
}

static bool answer_code(void *context, const struct cairn_markup_query *question,
                        struct cairn_markup_result *answer)
{
	struct run *run = context;

	answer->locations = run->location;
	answer->count = find_locations(run, question, false);
	return true;
}

/* A variable has a single location; for code, take the outermost function. */
static bool answer_data(void *context, const struct cairn_markup_query *question,
                        struct cairn_location *location)
{
	struct run *run = context;
	size_t count = find_locations(run, question, true);

	if (count > 0)
		*location = run->location[count - 1];
	return true;
}

/* Return the demangled name of {{{symbol:...}}}, as on the command line. */
static struct cairn_bytes find_readable(void *context, struct cairn_bytes name)
{
	struct run *run = context;
	size_t size = cairn_demangle(name, run->readable, sizeof(run->readable));

	return size > 0 ? borrow_bytes(run->readable, size) : name;
}

/* Find the session's module at an address, for a text that does not describe any module. */
static bool find_module_at(void *context, uint64_t pc, struct cairn_markup_module *module,
                           struct cairn_range *pcs, uint64_t *va)
{
	struct run *run = context;
	struct cairn_module found;

	take_step(run);
	if (cairn_space_module(run->call->session->space, pc, &found) != CAIRN_OK)
		return false;
	if (!found.name) {
		snprintf(run->name, sizeof(run->name), "0x%" PRIx64, found.low);
		found.name = run->name;
	}
	module->name = borrow_bytes(found.name, strlen(found.name));
	module->build_id = found.build_id.size ? found.build_id : borrow_bytes("", 0);
	*pcs = (struct cairn_range){ found.low, found.high };
	*va = found.low - found.bias;
	return true;
}

static bool take_room(struct run *run, size_t size)
{
	const struct debugger *debugger = run->call->session->debugger;

	run->full = run->full || size > run->left ||
	            (debugger->has_room && !debugger->has_room(run->call));
	if (run->asking || run->full)
		return false;
	run->left -= size;
	return true;
}

/* Print complete lines. An incomplete line waits in call->line. */
static void print_whole_lines(void *context, const void *text, size_t size)
{
	struct run *run = context;
	const char *at = text, *end;

	take_step(run);
	if (!take_room(run, size))
		return;
	while ((end = memchr(at, '\n', size)) != NULL) {
		text_bytes(run->call->line, at, (size_t)(end - at));
		reply_line(run->call);
		size -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	text_bytes(run->call->line, at, size);
}

static void show_json(void *context, const struct cairn_markup_fact *fact)
{
	struct run *run = context;

	take_step(run);
	if (!take_room(run, 0))
		return;
	markup_json(run->call->line, fact);
	if (take_room(run, run->call->line->size))
		reply_line(run->call);
}

/*
 * Print that the text was truncated. In JSON mode only objects may be printed, so a last object
 * says so.
 */
static void print_text_cut(struct command_call *call)
{
	text_reset(call->line);
	if (!call->json) {
		reply_print(call, "[the text is too long; the rest is not shown]");
		return;
	}
	struct json_writer json = reply_begin_json(call);
	json_add_string(&json, "type", "cut");
	reply_end_json(call, &json);
}

static void free_filter(struct cairn_markup **markup)
{
	cairn_markup_free(*markup);
}

static bool filter_markup(struct command_call *call, bool asking)
{
	const struct text *text = &get_context(call)->input.text;
	struct run run = { .call = call,
		           .asking = asking,
		           .left = MARKUP_SHOWN_LEAST + (uint64_t)MARKUP_SHOWN_TIMES * text->size };
	const struct cairn_markup_options options = { .style = CAIRN_MARKUP_CAIRN };
	const struct cairn_markup_host host = { .context = &run,
		                                .write = print_whole_lines,
		                                .code = answer_code,
		                                .data = answer_data,
		                                .readable = find_readable,
		                                .module = find_module_at,
		                                .tell = call->json ? show_json : NULL };
	CLEANUP(free_filter) struct cairn_markup *markup = cairn_markup_new(&options, &host);
	bool good = markup &&
	            cairn_markup_feed(markup, borrow_bytes(text->size ? text->data : "",
	                                                   text->size)) == CAIRN_OK &&
	            cairn_markup_finish(markup) == CAIRN_OK;

	if (!good)
		reply_error(call, "out of memory");
	if (good && run.too_many && !call->json)
		reply_print(call, "[more than %d addresses; some have no names here]", TRACE_MAX);
	if (good && !asking && (run.full || text->cut))
		print_text_cut(call);
	return good;
}

static enum answer read_length(struct command_call *call)
{
	return markup_read_length(call, &get_context(call)->input);
}

static enum answer read_text(struct command_call *call)
{
	return markup_read_text(call, &get_context(call)->input);
}

/*
 * Get all modules of the session if the text describes modules, to find the same builds among them.
 */
static enum answer learn_modules(struct command_call *call)
{
	const struct text *text = &get_context(call)->input.text;
	const bool has_module =
		text->size > 0 && memmem(text->data, text->size, "{{{module:", 10) != NULL;

	return has_module ? call->session->debugger->name_modules(call) : ANSWER_READY;
}

static enum answer collect_addresses(struct command_call *call)
{
	if (!filter_markup(call, true))
		return ANSWER_FAILED;
	trace_sort(&get_context(call)->trace);
	return ANSWER_READY;
}

static enum answer show_markup(struct command_call *call)
{
	naming_from_files(call);
	return filter_markup(call, false) ? ANSWER_READY : ANSWER_FAILED;
}

const struct command command_markup = {
	.name = "cairn markup",
	.usage = "[-json] [-string] [-file] [-full-path] EXPRESSION [LENGTH]",
	.help = "Show text with symbolizer markup, with names instead of addresses.\n"
		"The text is LENGTH bytes of memory; with -string it ends at a zero byte; with\n"
		"-file it is a file.  LENGTH is an expression, too.  If the text names no\n"
		"modules, cairn uses those of the session.",
	.example = "cairn markup log_ring 4096",
	.steps = { read_length, read_text, learn_modules, collect_addresses, naming_ask_names,
	           naming_ask_modules, show_markup },
	.context_size = sizeof(struct markup),
	.finish = finish_markup,
};
