/* SPDX-License-Identifier: MIT */
/*
 * A GSYM file, symbfile or Breakpad file of any bytes, written as an object.  Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - the functions of GSYM, and of what the others are converted to, keep what struct function
 * promises;
 *   - what is written is sound (tests/lib/check_object.h), for each class and byte order;
 *   - its size stays within what the file's size explains.
 */
#include "held.h"

#include "check_object.h"

#include "symbols/gsym.h"
#include "symbols/symbols.h"
#include "writers/elf/object_writer.h"

enum { BOUND = 1 << 24 }; /* of the object that a corpus file may make */

static void check_rows(const struct function *f)
{
	for (size_t i = 0; i < f->row_count; i++) {
		ALWAYS(f->rows[i].file < f->file_count);
		ALWAYS(f->size == 0 || f->rows[i].va - f->start < f->size);
		ALWAYS(i > 0 ? f->rows[i].va > f->rows[i - 1].va : f->rows[i].va == f->start);
	}
}

static bool is_inside(const struct function *f, const struct function_inline *around,
                      const struct cairn_range *range)
{
	if (!around)
		return f->size == 0 ||
		       (range->low >= f->start && range->high <= f->start + f->size);
	for (uint32_t i = 0; i < around->ranges; i++)
		if (range->low >= f->range[around->range + i].low &&
		    range->high <= f->range[around->range + i].high)
			return true;
	return false;
}

static void check_call(const struct function *f, size_t index)
{
	const struct function_inline *call = &f->inlines[index], *around = NULL;

	ALWAYS(call->depth >= 1 && call->ranges >= 1 && call->call_file < f->file_count);
	for (size_t i = index; call->depth > 1 && i-- > 0 && !around;)
		if (f->inlines[i].depth == call->depth - 1)
			around = &f->inlines[i];
	ALWAYS(call->depth == 1 || around);
	for (uint32_t r = 0; r < call->ranges; r++) {
		const struct cairn_range *range = &f->range[call->range + r];
		ALWAYS(range->low < range->high && is_inside(f, around, range));
		ALWAYS(r == 0 || range->low >= range[-1].high);
	}
}

static enum cairn_status check_function(void *context, const struct function *f)
{
	enum { CALLS = 200 }; /* that are checked, for it is slow */

	(void)context;
	ALWAYS(f->size <= UINT64_MAX - f->start);
	check_rows(f);
	for (size_t i = 0; i < f->inline_count && i < CALLS; i++)
		check_call(f, i);
	return CAIRN_OK;
}

static void write_object(const struct gsym *gsym, const struct cairn_object_options *options,
                         const struct frame_table *frames)
{
	struct elf_writer *writer = elf_writer_new(options, frames, BOUND / 8);
	uint8_t *bytes;
	size_t size;

	ALWAYS(writer);
	const struct function_sink sink = elf_writer_sink(writer);
	enum cairn_status status = gsym_functions(gsym, &sink, true, NULL);
	if (status == CAIRN_OK)
		status = elf_writer_finish(writer, &bytes, &size);
	elf_writer_free(writer);
	if (status != CAIRN_OK) {
		ALWAYS(status == CAIRN_NOT_FOUND || status == CAIRN_NO_MEMORY);
		return;
	}
	ALWAYS(size <= BOUND);
	const char *flaw = check_object((struct cairn_bytes){ bytes, size });
	if (flaw)
		fprintf(stderr, "%s\n", flaw);
	ALWAYS(!flaw);
	free(bytes);
}

static void take_input(const uint8_t *data, size_t size)
{
	static struct frame_function known[] = { { .range = { 0x1000, 0x1004 } },
		                                 { .range = { 0x1010, 0x1018 },
		                                   .kind = FRAME_FUNCTION_STUB } };
	static const struct frame_table frames = { .function = known, .functions = 2 };
	static const struct cairn_object_options forms[] = {
		{ .machine = 62, .unwinds = true },
		{ .machine = 40, .big_endian = true, .narrow = true },
		{ .machine = 183, .keep = { 0x1010, 0x1400 }, .by_clang = true },
		{ .machine = 62, .for_lldb = true },
	};
	const struct function_sink sink = { check_function, NULL };
	struct cairn_symbols *symbols;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	const struct cairn_bytes file = { data, size };

	if (cairn_symbols_open_bytes(file, NULL, &symbols, &fault) != CAIRN_OK) {
		ALWAYS(fault.status != CAIRN_OK && fault.what);
		return;
	}
	const struct gsym *gsym = &symbols->image.gsym;
	ALWAYS(gsym_functions(gsym, &sink, false, NULL) == CAIRN_OK);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		write_object(gsym, &forms[i], forms[i].for_lldb ? &frames : NULL);
	cairn_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
