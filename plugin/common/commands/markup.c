/* SPDX-License-Identifier: MIT */
/*
 * The command markup, which symbolizes a log that contains symbolizer markup. The log comes from
 * the target's memory or from a file.
 *
 * The log is filtered twice: first to collect its addresses, and again to print it after the
 * debugger and the symbol files have provided names. If the log describes modules, each address is
 * translated into an address in the module with the same build ID in the debugged process. If no
 * such module is loaded, symbol files are looked up by build ID.
 */
#define _GNU_SOURCE /* memmem */
#include "markup.h"

#include "commands.h"
#include "names.h"

#include "common/base/json_writer.h"
#include "common/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_fact_type(const struct cairn_markup_fact *fact)
{
	static const char *const types[] = {
		[CAIRN_MARKUP_TEXT] = "text",       [CAIRN_MARKUP_COLOUR] = "sgr",
		[CAIRN_MARKUP_SYMBOL] = "symbol",   [CAIRN_MARKUP_PC] = "pc",
		[CAIRN_MARKUP_DATA] = "data",       [CAIRN_MARKUP_BT] = "bt",
		[CAIRN_MARKUP_VALUE] = "value",     [CAIRN_MARKUP_DUMPFILE] = "dumpfile",
		[CAIRN_MARKUP_RESET] = "reset",     [CAIRN_MARKUP_MODULE] = "module",
		[CAIRN_MARKUP_MMAP] = "mmap",       [CAIRN_MARKUP_UNKNOWN] = "unknown",
		[CAIRN_MARKUP_INVALID] = "invalid", [CAIRN_MARKUP_REPORT] = "report",
	};

	return types[fact->kind];
}

static bool has_address(const struct cairn_markup_fact *fact)
{
	return fact->kind == CAIRN_MARKUP_BT || fact->kind == CAIRN_MARKUP_PC ||
	       fact->kind == CAIRN_MARKUP_DATA;
}

static void add_address_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	if (fact->kind == CAIRN_MARKUP_BT)
		json_add_number(json, "number", fact->number);
	json_add_address(json, "address", fact->address);
	json_add_address(json, "lookup", fact->lookup);
	if (fact->pc)
		json_add_string(json, "kind", fact->pc);
	if (fact->message.size)
		json_add_bytes(json, "message", fact->message);
}

static void add_fact_module_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	const struct cairn_markup_module *module = fact->module;

	json_begin_object(json, "module");
	json_add_number(json, "id", module->id);
	json_add_bytes(json, "name", module->name);
	json_add_hex(json, "build_id", module->build_id);
	if (has_address(fact) || fact->kind == CAIRN_MARKUP_VALUE)
		json_add_address(json, "relative", fact->va);
	json_end_object(json);
}

static void add_location_json(struct json_writer *json, const struct cairn_location *l)
{
	json_begin_object(json, NULL);
	json_add_bytes(json, "function", l->function);
	if (l->file.size)
		json_add_bytes(json, "file", l->file);
	if (l->line)
		json_add_number(json, "line", l->line);
	if (l->column)
		json_add_number(json, "column", l->column);
	if (l->inlined)
		json_add_bool(json, "inlined", true);
	json_end_object(json);
}

static void add_range_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	char flags[4] = "";

	strcat(flags, fact->read ? "r" : "");
	strcat(flags, fact->write ? "w" : "");
	strcat(flags, fact->execute ? "x" : "");
	json_add_address(json, "start", fact->start);
	json_add_address(json, "size", fact->size);
	json_add_string(json, "flags", flags);
	json_add_address(json, "module_relative", fact->va);
}

static void add_details_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	if (fact->module)
		add_fact_module_json(json, fact);
	if (fact->locations) {
		json_begin_array(json, "locations");
		for (size_t i = 0; i < fact->count; i++)
			add_location_json(json, &fact->locations[i]);
		json_end_array(json);
	}
	if (fact->name.size)
		json_add_bytes(json, "name", fact->name);
	if (fact->name.size && fact->kind != CAIRN_MARKUP_SYMBOL)
		json_add_number(json, "offset", fact->offset);
	if (fact->kind == CAIRN_MARKUP_MMAP)
		add_range_json(json, fact);
	if (fact->error)
		json_add_string(json, "error", fact->error);
}

void markup_json(struct text *text, const struct cairn_markup_fact *fact)
{
	struct json_writer json = json_writer_to(text);
	bool is_value = fact->kind == CAIRN_MARKUP_VALUE;

	json_begin_object(&json, NULL);
	json_add_string(&json, "type", name_fact_type(fact));
	json_add_number(&json, "line", fact->line);
	if (!is_value)
		json_add_number(&json, "column", fact->column);
	json_add_bytes(&json, is_value ? "key" : "text", fact->text);
	if (has_address(fact))
		add_address_json(&json, fact);
	if (is_value)
		json_add_address(&json, "value", fact->address);
	add_details_json(&json, fact);
	json_end_object(&json);
}

enum { CHUNK = 4096 };

/*
 * Open a regular file. Other files, such as pipes, are rejected because opening them could block
 * the debugger, which could not handle Ctrl-C meanwhile.
 */
static FILE *open_regular(struct command_call *call, const char *path)
{
	int fd = cairn_regular_file_open(path);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (file)
		return file;
	if (errno == EINVAL || errno == EISDIR)
		reply_error(call, "%s is not a regular file; copy its contents to a regular file",
		            path);
	else
		reply_error(call, "cannot open %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

static bool read_file(struct command_call *call, struct text *text)
{
	const char *path = command_call_path(call);
	FILE *file = open_regular(call, path);
	char part[CHUNK];
	size_t got;

	if (!file)
		return false;
	while (!text->cut && (got = fread(part, 1, sizeof(part), file)) > 0)
		text_bytes(text, part, got);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		reply_error(call, "cannot read %s", path);
	return !failed;
}

/*
 * Read `length` bytes of memory starting at `address`, or up to a zero byte if `length` is 0. Reads
 * page by page and stops at the first unreadable page. Fails if no bytes can be read.
 */
static bool read_memory(struct command_call *call, uint64_t address, uint64_t length,
                        struct text *text)
{
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
		reply_error(call, "cannot read memory at this address");
	else if (left > 0 && !text->cut)
		reply_print(call,
		            "[the memory at 0x%" PRIx64
		            " cannot be read; only the text before it is shown]",
		            address);
	return !call->failed;
}

/*
 * Split the words into an expression and, for memory of a known size, the length, which is a number
 * or a second expression.
 */
static bool split_operands(struct command_call *call, struct markup_text *markup)
{
	bool whole = command_call_option(call, "string") || command_call_option(call, "file");

	markup->length = 0;
	markup->expression = words_operands(call->words);
	markup->length_words = (struct word_range){ 0, 0 };
	if (words_count_operands(call->words) == 0) {
		reply_error(call, "EXPRESSION is missing; usage: %s EXPRESSION LENGTH",
		            call->session->running.command->name);
	} else if (!whole &&
	           !words_split_number(call->words, &markup->expression, &markup->length)) {
		unsigned last = words_find_last_expression(call->words);
		markup->length_words = (struct word_range){ last, last ? call->words->count : 0 };
		markup->expression.end = last ? last : markup->expression.end;
	}
	if (!call->failed && !whole && markup->length == 0 && markup->length_words.end == 0)
		reply_error(call,
		            "LENGTH is missing; specify LENGTH after EXPRESSION, or use -string");
	return !call->failed;
}

enum answer markup_read_length(struct command_call *call, struct markup_text *markup)
{
	if (!split_operands(call, markup))
		return ANSWER_FAILED;
	if (markup->length_words.end == 0)
		return ANSWER_READY;
	enum answer answer = call->session->debugger->evaluate(call, markup->length_words,
	                                                       &markup->length, NULL);
	if (answer != ANSWER_READY || markup->length > 0)
		return answer;
	reply_error(call, "LENGTH must be greater than 0");
	return ANSWER_FAILED;
}

enum answer markup_read_text(struct command_call *call, struct markup_text *markup)
{
	uint64_t address = 0;

	if (command_call_option(call, "file"))
		return read_file(call, &markup->text) ? ANSWER_READY : ANSWER_FAILED;
	enum answer answer =
		call->session->debugger->evaluate(call, markup->expression, &address, NULL);
	if (answer != ANSWER_READY)
		return answer;
	return read_memory(call, address, markup->length, &markup->text) ? ANSWER_READY
	                                                                 : ANSWER_FAILED;
}

/*
 * Symbolizes addresses in modules that a log describes but that are not loaded in the debugged
 * process. Uses the file that the user specified for the module's build ID, otherwise the files
 * that a symbolizer finds by build ID. The symbolizer is created for the first lookup.
 */
struct other_modules {
	struct cairn_symbolizer *symbolizer;
};

enum { RANK_GIVEN = 50 }; /* rank of user-specified files, before the symbolizer's own sources */

struct given_file {
	struct cairn_symbols *file;
	struct cairn_symbol_source source;
	void *opened;
	uint64_t offset;
};

static void close_given(void *opened)
{
	struct given_file *given = opened;

	if (given->opened)
		given->source.close(given->opened);
	cairn_symbols_free(given->file);
	free(given);
}

static enum cairn_status open_given(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	const struct source *known = sources_given(context, search->module->build_id);
	struct given_file *given = known ? calloc(1, sizeof(*given)) : NULL;

	if (!given)
		return known ? CAIRN_NO_MEMORY : CAIRN_NOT_FOUND;
	given->offset = known->offset;
	enum cairn_status status = cairn_symbols_open(known->path, NULL, &given->file, NULL);
	if (status == CAIRN_OK) {
		cairn_symbols_as_source(given->file, RANK_GIVEN, &given->source);
		status = given->source.open(given->source.context, search, &given->opened, fault);
	}
	if (status == CAIRN_OK)
		*opened = given;
	else
		close_given(given);
	return status;
}

static void find_given(void *opened, const uint64_t *vas, size_t count,
                       const struct cairn_symbol_taker *sink)
{
	const struct given_file *given = opened;
	uint64_t *shifted = calloc(count + 1, sizeof(*shifted));

	for (size_t i = 0; shifted && i < count; i++)
		shifted[i] = vas[i] - given->offset;
	if (shifted)
		given->source.find(given->opened, shifted, count, sink);
	free(shifted);
}

static struct cairn_symbolizer *make_symbolizer(const struct session *session)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const struct cairn_symbol_source given = {
		.size = sizeof(given),
		.rank = RANK_GIVEN,
		.name = "given",
		.context = (void *)&session->sources,
		.open = open_given,
		.find = find_given,
		.close = close_given,
	};

	options.directories = session->sources.directories;
	struct cairn_symbolizer *made = cairn_symbolizer_new(&options);
	if (made && cairn_symbolizer_add(made, &given) == CAIRN_OK)
		return made;
	cairn_symbolizer_free(made);
	return NULL;
}

static bool begin_question(struct other_modules *modules, const struct session *session,
                           const struct cairn_markup_query *question,
                           struct cairn_symbol_module *module)
{
	const struct cairn_symbol_module asked = CAIRN_SYMBOL_MODULE;

	*module = asked;
	module->build_id = question->module->build_id;
	if (module->build_id.size == 0)
		return false;
	if (!modules->symbolizer)
		modules->symbolizer = make_symbolizer(session);
	return modules->symbolizer != NULL;
}

/*
 * Store the locations of an address, innermost first, and return the number of locations, at most
 * `capacity`. They are valid until the next lookup.
 */
static size_t other_modules_code(struct other_modules *modules, const struct session *session,
                                 const struct cairn_markup_query *question,
                                 struct cairn_location *locations, size_t capacity)
{
	struct cairn_symbol_module module;
	struct cairn_symbol_answer answer;

	if (!begin_question(modules, session, question, &module) ||
	    cairn_symbolizer_find(modules->symbolizer, &module, &question->va, 1, &answer,
	                          sizeof(answer)) != CAIRN_OK)
		return 0;
	size_t count = answer.count < capacity ? answer.count : capacity;
	for (size_t i = 0; i < count; i++)
		locations[i] = answer.locations[i];
	if (count == 0)
		count = cairn_symbolizer_label(modules->symbolizer, &module, question->va,
		                               locations);
	return count;
}

/* Find the closest variable or function at or below the address. Returns false if there is none. */
static bool other_modules_data(struct other_modules *modules, const struct session *session,
                               const struct cairn_markup_query *question,
                               struct cairn_location *location)
{
	struct cairn_symbol_module module;

	return begin_question(modules, session, question, &module) &&
	       cairn_symbolizer_label(modules->symbolizer, &module, question->va, location);
}

static void other_modules_finish(struct other_modules *modules)
{
	cairn_symbolizer_free(modules->symbolizer);
	modules->symbolizer = NULL;
}

enum {
	LEVELS = 64,     /* maximum number of inlined calls shown for one address */
	POLL_STEPS = 64, /* number of lookups and printed lines between two checks for Ctrl-C */
};

struct markup {
	struct trace trace;
	struct markup_text input;
	struct other_modules others;
	struct code_location spots[LEVELS]; /* locations of an address in an unloaded module */
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
	bool asking;   /* first pass, which collects addresses and prints nothing */
	bool too_many; /* the log contains too many addresses, so some have no names */
	bool full;
	uint64_t left; /* number of bytes that may still be printed */
	unsigned steps;
	char name[64]; /* generated name for a nameless module */
	char readable[CAIRN_DEMANGLE_MAX];
	struct cairn_location location[LEVELS];
};

/*
 * Translate the address into a pc in the debugged process. Returns false if the module of the
 * address is not loaded.
 */
static bool find_pc(const struct session *s, const struct cairn_markup_query *question,
                    uint64_t *pc)
{
	const struct source_id wanted = source_id(question->module->build_id);
	struct cairn_module module;
	size_t at = 0;

	/* looking up the pc makes cairn detect a module that is loaded at the address in the log */
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

/* Convert a code_location to a cairn_location. Its function is "NAME + OFFSET" or "NAME". */
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

/* Let the debugger handle Ctrl-C. Does not return if the user has pressed it. */
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

/*
 * Store the locations of the address in run->location, innermost first. The first pass only records
 * the address.
 */
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
	let_interrupt(run);
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

/*
 * Store the outermost location in *location. A variable has only one location, and code is named
 * after its outermost function.
 */
static bool answer_data(void *context, const struct cairn_markup_query *question,
                        struct cairn_location *location)
{
	struct run *run = context;
	size_t count = find_locations(run, question, true);

	if (count > 0)
		*location = run->location[count - 1];
	return true;
}

/* Return the demangled name for {{{symbol:NAME}}}, as on the command line. */
static struct cairn_bytes find_readable(void *context, struct cairn_bytes name)
{
	struct run *run = context;
	size_t size = cairn_demangle(name, run->readable, sizeof(run->readable));

	return size > 0 ? borrow_bytes(run->readable, size) : name;
}

/*
 * Find the module of the debugged process at an address, for a log that does not describe modules.
 */
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

static bool reserve_bytes(struct run *run, size_t size)
{
	const struct debugger *debugger = run->call->session->debugger;

	run->full = run->full || size > run->left ||
	            (debugger->is_below_limit && !debugger->is_below_limit(run->call));
	if (run->asking || run->full)
		return false;
	run->left -= size;
	return true;
}

/* Print all complete lines. Keeps an incomplete last line in call->line. */
static void print_whole_lines(void *context, const void *text, size_t size)
{
	struct run *run = context;
	const char *at = text, *end;

	take_step(run);
	if (!reserve_bytes(run, size))
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
	if (!reserve_bytes(run, 0))
		return;
	markup_json(run->call->line, fact);
	if (reserve_bytes(run, run->call->line->size))
		reply_line(run->call);
}

/*
 * Report that the log was truncated. In JSON mode the report is another object, because each line
 * must be an object.
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
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	const struct cairn_markup_host host = { .size = sizeof(struct cairn_markup_host),
		                                .context = &run,
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
 * If the log describes modules, get the names of all modules from the debugger, because only
 * modules that cairn knows can be matched by build ID.
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
