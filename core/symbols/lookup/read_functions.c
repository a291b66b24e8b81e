/* SPDX-License-Identifier: MIT */
/* Reads the functions of a file, and copies their texts, each once. */
#include "read_functions.h"

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/table/interner.h"
#include "formats/breakpad/breakpad.h"
#include "formats/gsym/gsym.h"
#include "symbols/index/build.h"
#include "symbols/sources/breakpad/breakpad.h"
#include "symbols/sources/go/go.h"
#include "symbols/sources/jit/jit.h"
#include "symbols/sources/symbfile/symbfile.h"

#include <stdlib.h>
#include <string.h>

bool symbols_must_read(struct cairn_bytes file, enum cairn_symbol_format *format)
{
	if (symbfile_has_magic(file))
		*format = CAIRN_SYMBOLS_SYMBFILE;
	else if (!gsym_has_magic(file) && breakpad_is_likely(file))
		*format = CAIRN_SYMBOLS_BREAKPAD;
	else
		return false;
	return true;
}

/* Functions of one of the formats; their texts live until it is closed. */
struct input {
	struct symbfile_built symbfile;
	struct breakpad_file *breakpad;
	struct go_program go;
	bool has_go;
	struct go_functions *go_functions;
	struct jit_code jit;
	bool has_jit;
	struct cairn_bytes build_id;
	struct polling *polling;
};

static enum cairn_status open_go(struct cairn_bytes file, struct input *from,
                                 struct cairn_fault *fault)
{
	enum cairn_status status = go_program_open(file, &from->go, fault);

	if (status == CAIRN_NOT_FOUND)
		return fault_set(fault, status, "not a Go program");
	if (status != CAIRN_OK)
		return status;
	from->has_go = true;
	from->build_id = elf_build_id(&from->go.elf);
	from->go_functions = go_functions_new(&from->go);
	return from->go_functions ? CAIRN_OK : fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
}

static enum cairn_status open_jit(struct cairn_bytes file, struct input *from,
                                  struct cairn_fault *fault)
{
	from->has_jit = true;
	if (jit_code_read(&from->jit, file, from->polling) != CAIRN_OK)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	jit_code_drop_replaced(&from->jit);
	return CAIRN_OK;
}

static enum cairn_status open_input(struct cairn_bytes file, enum cairn_symbol_format format,
                                    struct input *from, struct cairn_fault *fault)
{
	if (format == CAIRN_SYMBOLS_GO)
		return open_go(file, from, fault);
	if (format == CAIRN_SYMBOLS_JIT)
		return open_jit(file, from, fault);
	if (format == CAIRN_SYMBOLS_BREAKPAD) {
		from->breakpad = breakpad_file_new(file, from->polling);
		if (!from->breakpad)
			return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
		from->build_id = breakpad_file_build_id(from->breakpad);
		return CAIRN_OK;
	}
	enum cairn_status status = symbfile_build(&file, 1, from->polling, &from->symbfile);
	if (status != CAIRN_OK)
		return fault_set(fault, status,
		                 status == CAIRN_NO_MEMORY ? "out of memory"
		                                           : "ranges that overlap too much");
	return CAIRN_OK;
}

static void close_input(struct input *from)
{
	breakpad_file_free(from->breakpad);
	go_functions_free(from->go_functions);
	jit_code_finish(&from->jit);
	if (from->has_go)
		go_program_close(&from->go);
	else if (!from->breakpad && !from->has_jit)
		symbfile_built_free(&from->symbfile);
}

static enum cairn_status read_go(const struct input *from, const struct function_sink *sink)
{
	enum cairn_status status = CAIRN_OK;

	for (uint64_t i = 0; i < from->go.table.functions && status == CAIRN_OK; i++)
		status = go_functions_read(from->go_functions, i, sink);
	return status;
}

static enum cairn_status read_functions(const struct input *from, const struct function_sink *sink)
{
	struct breakpad_summary report;

	if (from->go_functions)
		return read_go(from, sink);
	if (from->has_jit)
		return jit_functions(&from->jit, sink);
	if (!from->breakpad)
		return symbfile_functions(&from->symbfile.index, sink);
	return breakpad_functions(from->breakpad, 0, sink, NULL, &report);
}

/* A function on its way into the list. */
struct passing {
	struct kept_functions *list;
	struct interner texts;
	struct polling *polling; /* between functions the host is asked */
};

/* What ends at a NUL is all that a C program would see of a text; until all are there, its number stands in its size. */
static void intern_text(struct passing *passing, struct cairn_bytes *text)
{
	const uint8_t *nul = text->size > 0 ? memchr(text->data, 0, text->size) : NULL;

	if (nul)
		text->size = (size_t)(nul - text->data);
	text->size = interner_add(&passing->texts, *text);
}

/* The same for what must have a name. */
static void intern_name(struct passing *passing, struct cairn_bytes *name)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	intern_text(passing, name);
	if (name->size == 0)
		name->size = interner_add(&passing->texts, unknown);
}

static enum cairn_status pass_function(void *context, const struct function *function)
{
	struct passing *passing = context;
	struct kept_functions *list = passing->list;
	const struct function_sink sink = kept_functions_sink(list);
	const size_t calls = list->calls, files = list->files;

	polling_count(passing->polling, 1 + function->row_count + function->inline_count);
	const enum cairn_status status = sink.take(sink.context, function);
	if (status != CAIRN_OK)
		return status;
	intern_name(passing, &list->function[list->count - 1].name);
	for (size_t i = calls; i < list->calls; i++)
		intern_name(passing, &list->call[i].name);
	for (size_t i = files; i < list->files; i++) {
		intern_text(passing, &list->file[i].directory);
		intern_text(passing, &list->file[i].name);
	}
	return passing->texts.text.failed ? CAIRN_NO_MEMORY : CAIRN_OK;
}

static void find_text(const struct passing *passing, struct cairn_bytes *text)
{
	*text = interner_text(&passing->texts, (uint32_t)text->size);
}

/* Once no text moves any more. */
static void find_texts(const struct passing *passing)
{
	struct kept_functions *list = passing->list;

	for (size_t i = 0; i < list->count; i++)
		find_text(passing, &list->function[i].name);
	for (size_t i = 0; i < list->calls; i++)
		find_text(passing, &list->call[i].name);
	for (size_t i = 0; i < list->files; i++) {
		find_text(passing, &list->file[i].directory);
		find_text(passing, &list->file[i].name);
	}
}

static void finish_passing(struct passing **passing)
{
	if (*passing)
		interner_finish(&(*passing)->texts);
	free(*passing);
}

static enum cairn_status keep_functions(const struct input *from, struct symbols_functions *read)
{
	WITH_CLEANUP(finish_passing) struct passing *passing = calloc(1, sizeof(*passing));

	if (!passing || !interner_init(&passing->texts, UINT32_MAX))
		return CAIRN_NO_MEMORY;
	passing->list = &read->list;
	passing->polling = from->polling;
	const struct function_sink sink = { pass_function, passing };
	const enum cairn_status status = read_functions(from, &sink);
	if (status != CAIRN_OK)
		return status;
	find_texts(passing);
	read->texts = passing->texts.text.data;
	passing->texts.text.data = NULL;
	kept_functions_sort(&read->list);
	kept_functions_shrink(&read->list);
	return read->list.count > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}

/* Why there is nothing to be had of a file that was read. */
static enum cairn_status reject_empty_input(const struct input *from, struct cairn_fault *fault)
{
	const struct cairn_fault *damage = &from->symbfile.fault[0];

	if (damage->status != CAIRN_OK) {
		*fault = *damage;
		return damage->status;
	}
	return fault_set(fault, CAIRN_NOT_FOUND,
	                 from->symbfile.pads
	                         ? "return pads alone, which are not symbols of functions"
	                         : "no functions in it");
}

static bool copy_build_id(struct symbols_functions *read, struct cairn_bytes build_id)
{
	uint8_t *copy = malloc(build_id.size + 1);

	if (!copy)
		return false;
	if (build_id.size > 0)
		memcpy(copy, build_id.data, build_id.size);
	read->build_id = (struct cairn_bytes){ copy, build_id.size };
	return true;
}

void symbols_functions_finish(struct symbols_functions *read)
{
	kept_functions_close(&read->list);
	free(read->texts);
	free((void *)(uintptr_t)read->build_id.data);
}

enum cairn_status symbols_read_functions(struct cairn_bytes file, enum cairn_symbol_format format,
                                         struct polling *polling, struct symbols_functions *read,
                                         struct cairn_fault *fault)
{
	WITH_CLEANUP(close_input)
	struct input from = { .build_id = { (const uint8_t *)"", 0 }, .polling = polling };
	enum cairn_status status = open_input(file, format, &from, fault);

	*read = (struct symbols_functions){ .damage = { CAIRN_OK, 0, NULL } };
	if (status != CAIRN_OK)
		return status;
	read->damage = from.symbfile.fault[0];
	status = copy_build_id(read, from.build_id) ? keep_functions(&from, read) : CAIRN_NO_MEMORY;
	if (status == CAIRN_NOT_FOUND)
		return reject_empty_input(&from, fault);
	return status == CAIRN_OK ? status : fault_set(fault, status, cairn_status_text(status));
}
