/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what a process records of code that it makes, a jitdump or a perf map.  Always:
 *   - functions ascend, do not end past the end of memory, and are apart from each other when what was replaced is gone;
 *   - rows of lines and of frames ascend and are inside of their function;
 *   - the object made of it all is sound (tests/lib/check_object.h).
 */
#include "fuzz.h"

#include "check_object.h"

#include "symbols/jit_code.h"
#include "symbols/jit_frames.h"

#include <cairn.h>

enum { AMD64 = 62 };

static void check_functions(const struct jit_code *code, bool apart)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct jit_function *f = &code->function[i];
		ALWAYS(f->size > 0 && f->start + f->size > f->start);
		ALWAYS(f->details < code->details_count);
		ALWAYS(i == 0 || f->start >= f[-1].start);
		ALWAYS(!apart ||
		       (f->name.size > 0 && (i == 0 || f->start >= f[-1].start + f[-1].size)));
	}
}

static void check_frames(const struct jit_code *code, const struct jit_function *f)
{
	struct jit_frames frames;
	struct jit_row row;
	struct jit_frames_search search = { .code = code };
	uint64_t end = f->start;
	unsigned count = 0;

	for (uint64_t pc = f->start; pc - f->start < f->size && search.done < 8; pc++)
		if (jit_frames_find(&search, pc, &row))
			ALWAYS(row.end > pc && row.start <= pc);
	if (!jit_frames_open(&frames, code, f))
		return;
	for (; jit_frames_next(&frames, &row); end = row.end, count++)
		ALWAYS(row.start == end && row.end > end && row.end - f->start <= f->size);
	ALWAYS(count <= JIT_FRAMES_ROWS + 1);
}

static enum cairn_status check_function(void *context, const struct function *f)
{
	(void)context;
	ALWAYS(f->size > 0 && f->name.size > 0);
	for (size_t i = 0; i < f->row_count; i++) {
		ALWAYS(f->rows[i].file < f->file_count && f->rows[i].va - f->start < f->size);
		ALWAYS(i > 0 ? f->rows[i].va > f->rows[i - 1].va : f->rows[i].va == f->start);
	}
	return CAIRN_OK;
}

static void check_symbols(struct cairn_bytes file)
{
	const struct cairn_object_options options = { .size = sizeof(options), .machine = AMD64, .jit = file };
	struct cairn_symbols_options how = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbols *symbols;
	struct cairn_object object;
	struct cairn_fault fault;

	how.format = CAIRN_SYMBOLS_JIT;
	if (cairn_symbols_open_bytes(file, &how, &symbols, &fault) != CAIRN_OK)
		return;
	if (cairn_object_make(symbols, &options, &object) == CAIRN_OK) {
		const char *flaw = check_object(object.bytes);
		if (flaw)
			fprintf(stderr, "the object: %s\n", flaw);
		ALWAYS(!flaw);
		cairn_object_free(&object);
	}
	cairn_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes file = { data, size };
	const struct function_sink sink = { check_function, NULL };
	struct jit_code code;

	ALWAYS(jit_code_read(&code, file, NULL) == CAIRN_OK);
	check_functions(&code, false);
	for (size_t i = 0; i < code.count; i++) {
		const struct jit_function *found = jit_code_find(&code, code.function[i].start);
		ALWAYS(!found || found->start == code.function[i].start);
	}
	jit_code_remove_replaced(&code);
	check_functions(&code, true);
	for (size_t i = 0; i < code.count; i++)
		check_frames(&code, &code.function[i]);
	ALWAYS(jit_functions(&code, &sink) == CAIRN_OK);
	jit_code_finish(&code);
	check_symbols(file);
	return 0;
}
