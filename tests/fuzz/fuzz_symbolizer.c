/* SPDX-License-Identifier: MIT */
/*
 * A module whose file is any bytes, asked about by the symbolizer with libcairn-dwarf: a few addresses, each alone, and
 * then many together, which is another way through the DWARF.  Always:
 *   - each address has an answer: what is there, or why it is not known;
 *   - all locations but the last one are inlined, and each begins at or before its address;
 *   - texts can be read to their ends, and so can those of labels;
 *   - after the module was forgotten the answers are the same, unless reading it takes more than its size allows.
 */
#include "fuzz.h"

#include <cairn.h>
#include <cairn/dwarf.h>
#include <errno.h>

/* Where the programs of the corpus have code, and those without a place. */
static const uint64_t bases[] = { 0, 0x1000, 0x401000 };

enum {
	BASES = sizeof(bases) / sizeof(*bases),
	STEP = 9,
	EACH = 16,
	ADDRESSES = BASES * EACH,
	FEW = 3
};

/* No other file of this machine takes part. */
static int open_nothing(void *context, const char *path, struct cairn_open_file *file)
{
	(void)context;
	(void)path;
	(void)file;
	return ENOENT;
}

static void close_nothing(void *context, struct cairn_open_file *file)
{
	(void)context;
	(void)file;
}

static uint64_t add_text(uint64_t sum, struct cairn_bytes text)
{
	ALWAYS(text.data);
	for (size_t i = 0; i < text.size; i++)
		sum = (sum ^ text.data[i]) * 0x100000001b3;
	return sum ^ text.size;
}

static uint64_t check_answer(const struct cairn_symbol_answer *answer, uint64_t va, bool *whole)
{
	uint64_t sum = answer->count;

	ALWAYS(answer->count <= answer->all);
	ALWAYS(answer->status != CAIRN_OK || answer->count > 0);
	ALWAYS(answer->count == 0 || answer->source);
	*whole = *whole && !answer->flaw;
	for (size_t i = 0; i < answer->count; i++) {
		const struct cairn_location *l = &answer->locations[i];
		ALWAYS(l->inlined == (i + 1 < answer->count));
		ALWAYS(l->start <= va && l->offset == va - l->start);
		sum = add_text(add_text(add_text(sum, l->function), l->directory), l->file);
		sum = (sum ^ l->line ^ l->column ^ l->start) * 0x100000001b3;
	}
	return sum;
}

static uint64_t ask(struct cairn_symbolizer *symbolizer, const struct cairn_symbol_module *module,
                    const uint64_t *vas, size_t count, bool *whole)
{
	struct cairn_symbol_answer answers[ADDRESSES];
	uint64_t sum = 0;

	ALWAYS(cairn_symbolizer_find(symbolizer, module, vas, count, answers, sizeof(*answers)) == CAIRN_OK);
	for (size_t i = 0; i < count; i++)
		sum = sum * 31 + check_answer(&answers[i], vas[i], whole);
	return sum;
}

static uint64_t ask_label(struct cairn_symbolizer *symbolizer,
                          const struct cairn_symbol_module *module, uint64_t va)
{
	struct cairn_location l;

	if (!cairn_symbolizer_label(symbolizer, module, va, &l))
		return 0;
	ALWAYS(l.function.size > 0 && l.start <= va && l.offset == va - l.start && l.line == 0);
	return add_text(add_text(l.start, l.function), l.file);
}

static uint64_t ask_all(struct cairn_symbolizer *symbolizer,
                        const struct cairn_symbol_module *module, bool *whole)
{
	uint64_t vas[ADDRESSES], sum = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		vas[i] = bases[i / EACH] + i % EACH * STEP;
	for (size_t i = 0; i < FEW; i++)
		sum = sum * 31 + ask(symbolizer, module, &vas[i * EACH + i], 1, whole);
	sum = sum * 31 + ask(symbolizer, module, vas, ADDRESSES, whole);
	for (size_t i = 0; i < ADDRESSES; i++)
		sum = sum * 31 + ask_label(symbolizer, module, vas[i]);
	return sum;
}

/* The size of the input chooses the style of the answers. */
static void choose_style(struct cairn_symbolizer_options *options, size_t size)
{
	options->names = (enum cairn_name_style)(size % 3);
	options->paths = size / 3 % 2 ? CAIRN_PATHS_RELATIVE : CAIRN_PATHS_WHOLE;
	options->accept_unnamed = size / 6 % 2;
	options->symbols_late = size / 12 % 2;
	options->builds = size / 24 % 2 ? CAIRN_BUILD_ANY : CAIRN_BUILD_PROVEN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	bool whole = true;

	options.skip = CAIRN_SKIP_MODULE_PATHS;
	options.files = (struct cairn_file_access){ open_nothing, close_nothing, NULL };
	choose_style(&options, size);
	module.file = (struct cairn_bytes){ data, size };
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	ALWAYS(symbolizer && cairn_symbolizer_add(symbolizer, cairn_dwarf_source()) == CAIRN_OK);
	const uint64_t sum = ask_all(symbolizer, &module, &whole);
	cairn_symbolizer_forget(symbolizer, &module);
	ALWAYS(sum == ask_all(symbolizer, &module, &whole) || !whole);
	cairn_symbolizer_free(symbolizer);
	return 0;
}
