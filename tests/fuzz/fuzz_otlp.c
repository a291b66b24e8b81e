/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a message of OpenTelemetry's profiles, in each version, which is named by symbols that know most addresses, and
 * written. Always: 1.10 without names is written as it was, unless it is JSON; what is written is 1.10, and has the names; text
 * of the stacks is the same when it is read again, and as a profile of pprof there are as many.
 */
#include "fuzz.h"
#include "made_names.h"

#include <string.h>

#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static int take(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) != size;
}

static struct cairn_bytes write_profile(const struct cairn_profile *profile,
                                        enum cairn_profile_format format)
{
	char *text = NULL;
	size_t size;
	struct cairn_fault fault;
	FILE *out = open_memstream(&text, &size);
	const struct cairn_profile_output output = { take, out, NULL };

	ALWAYS(cairn_profile_write(profile, format, &output, &fault) == CAIRN_OK);
	fclose(out);
	return (struct cairn_bytes){ (const uint8_t *)text, size };
}

static void find_most(void *opened, const uint64_t *vas, size_t count,
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

static void expect_same(struct cairn_bytes a, struct cairn_bytes b)
{
	ALWAYS(a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0));
}

/* What is written has the same stacks when it is read. */
static void check_again(const struct cairn_profile *profile)
{
	const struct cairn_bytes output = write_profile(profile, CAIRN_PROFILE_OTLP);
	const struct cairn_bytes text = write_profile(profile, CAIRN_PROFILE_FOLDED);
	struct cairn_profile *again;
	struct cairn_fault fault;

	ALWAYS(cairn_profile_open(output, CAIRN_PROFILE_1_10, &again, &fault) == CAIRN_OK);
	const struct cairn_bytes other = write_profile(again, CAIRN_PROFILE_FOLDED);
	expect_same(text, other);
	cairn_profile_close(again);
	free((void *)other.data);
	free((void *)text.data);
	free((void *)output.data);
}

/* As a profile of pprof it has as many stacks. */
static void check_pprof(const struct cairn_profile *profile)
{
	const struct cairn_bytes output = write_profile(profile, CAIRN_PROFILE_PPROF);
	const struct cairn_bytes text = write_profile(profile, CAIRN_PROFILE_FOLDED);
	struct cairn_profile *again;
	struct cairn_fault fault;
	size_t lines = 0;

	ALWAYS(cairn_profile_open(output, CAIRN_PROFILE_GUESSED, &again, &fault) == CAIRN_OK);
	ALWAYS(cairn_profile_format(again) == CAIRN_PROFILE_PPROF);
	const struct cairn_bytes other = write_profile(again, CAIRN_PROFILE_FOLDED);
	for (size_t i = 0; i < text.size; i++)
		lines += text.data[i] == '\n';
	for (size_t i = 0; i < other.size; i++)
		lines -= other.data[i] == '\n';
	ALWAYS(lines == 0);
	cairn_profile_close(again);
	free((void *)other.data);
	free((void *)text.data);
	free((void *)output.data);
}

static void check_version(struct cairn_bytes input, enum cairn_profile_version version)
{
	const bool is_json = input.size > 0 && input.data[0] == '{';
	struct cairn_symbolizer *symbolizer;
	struct cairn_profile *profile;
	struct cairn_fault fault;

	if (cairn_profile_open(input, version, &profile, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= input.size);
		return;
	}
	if (cairn_profile_format(profile) == CAIRN_PROFILE_OTLP) {
		if (version == CAIRN_PROFILE_1_10 && !is_json) {
			const struct cairn_bytes same = write_profile(profile, CAIRN_PROFILE_OTLP);
			expect_same(input, same);
			free((void *)same.data);
		}
		symbolizer = made_names_symbolizer(find_most);
		ALWAYS(symbolizer && cairn_profile_symbolize(profile, symbolizer, 0) == CAIRN_OK);
		cairn_symbolizer_free(symbolizer);
		check_again(profile);
		check_pprof(profile);
	}
	cairn_profile_close(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (enum cairn_profile_version version = CAIRN_PROFILE_GUESSED;
	     version <= CAIRN_PROFILE_1_10; version++)
		check_version((struct cairn_bytes){ data, size }, version);
	return 0;
}
