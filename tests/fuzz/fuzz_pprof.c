/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a profile of pprof, which is named by symbols that know each address, and written. Always: without names it
 * is written as it was; with names it is read again, has its mappings and locations in their order, and has no more to name;
 * text has a line for each stack at most.
 */
#include "fuzz.h"
#include "made_names.h"

#include "formats/pprof.h"

#include <stdio.h>
#include <string.h>

#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static int take(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) != size;
}

/* The profile in a format, to be freed; empty if it would be too large. */
static struct cairn_bytes write_profile(const struct cairn_profile *profile,
                                        enum cairn_profile_format format)
{
	char *text = NULL;
	size_t size;
	struct cairn_fault fault;
	FILE *out = open_memstream(&text, &size);
	const struct cairn_profile_output output = { take, out, NULL };
	const enum cairn_status status = cairn_profile_write(profile, format, &output, &fault);

	fclose(out);
	ALWAYS(status == CAIRN_OK);
	return (struct cairn_bytes){ (const uint8_t *)text, size };
}

static void find_made(void *opened, const uint64_t *vas, size_t count,
                      const struct cairn_symbol_taker *sink)
{
	static const struct cairn_location calls[] = {
		{ BYTES("_ZN1a1bEv"), BYTES("/src"), BYTES("a.cc"), 0, 0, 7, true, 3, 0 },
		{ BYTES("bad\xff\n;"), BYTES(""), BYTES("b.c"), 0, 0, 9, false, 0, 0 },
	};
	const struct cairn_symbol_found found = { calls, 2, 2, NULL };

	(void)opened;
	for (size_t i = 0; i < count; i++)
		if (vas[i] % 3 != 0)
			sink->take(sink->context, i, &found);
}

static void give_names(struct cairn_profile *profile)
{
	struct cairn_symbolizer *symbolizer = made_names_symbolizer(find_made);

	ALWAYS(symbolizer);
	ALWAYS(cairn_profile_symbolize(profile, symbolizer, 0) == CAIRN_OK);
	cairn_symbolizer_free(symbolizer);
}

static uint64_t count_named(const struct cairn_profile *profile, uint64_t *before)
{
	struct cairn_profiled_module module = { .size = sizeof(module) };
	uint64_t named = 0;

	*before = 0;
	for (size_t i = 0; cairn_profile_module(profile, i, &module); i++) {
		named += module.named;
		*before += module.named_before;
	}
	return named;
}

/* The ids of the mappings and locations of both, one after the other. */
static void compare_order(struct cairn_bytes a, struct cairn_bytes b)
{
	struct pprof x = pprof_open(a), y = pprof_open(b);
	struct wire_field field, other;
	struct pprof_location l, m;

	while (pprof_next(&x, &field)) {
		ALWAYS(pprof_next(&y, &other) && field.number == other.number);
		if (field.number != PPROF_LOCATION || field.type != WIRE_BYTES)
			continue;
		ALWAYS(pprof_read_location(&x, &field, &l) && pprof_read_location(&y, &other, &m));
		ALWAYS(l.id == m.id && l.mapping == m.mapping && l.address == m.address);
	}
}

static void check_lines(struct cairn_bytes text, size_t size)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.size; i++)
		lines += text.data[i] == '\n';
	ALWAYS(lines <= size && (text.size == 0 || text.data[text.size - 1] == '\n'));
}

static void check_named(struct cairn_profile *profile, struct cairn_bytes input)
{
	struct cairn_profile *again;
	struct cairn_fault fault;
	uint64_t before, both;

	give_names(profile);
	const uint64_t named = count_named(profile, &before);
	struct cairn_bytes text = write_profile(profile, CAIRN_PROFILE_PPROF);
	compare_order(input, text);
	ALWAYS(cairn_profile_open(text, CAIRN_PROFILE_GUESSED, &again, &fault) == CAIRN_OK);
	ALWAYS(count_named(again, &both) == 0 && both == named + before);
	cairn_profile_close(again);
	free((void *)text.data);
	text = write_profile(profile, CAIRN_PROFILE_FOLDED);
	check_lines(text, input.size);
	free((void *)text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes input = { data, size };
	struct cairn_profile *profile;
	struct cairn_fault fault;

	if (cairn_profile_open(input, CAIRN_PROFILE_GUESSED, &profile, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= size);
		return 0;
	}
	if (cairn_profile_format(profile) !=
	    CAIRN_PROFILE_PPROF) { /* "{}", which is one of OpenTelemetry */
		cairn_profile_close(profile);
		return 0;
	}
	struct cairn_bytes same = write_profile(profile, CAIRN_PROFILE_PPROF);
	ALWAYS(same.size == size && (size == 0 || memcmp(same.data, data, size) == 0));
	free((void *)same.data);
	check_named(profile, input);
	cairn_profile_close(profile);
	return 0;
}
