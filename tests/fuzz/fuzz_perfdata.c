/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a recording of perf, which becomes a profile, is written as pprof, as OpenTelemetry's message and as folded text, and read again.
 * What is packed in it is taken as it is, piece after piece, and the files that it refers to are these bytes, too. Always: what is written can be read, and no more samples are counted
 * than there are.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <cairn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Pieces as they are, one after the other. */
static enum cairn_status join_pieces(void *context, struct cairn_bytes (*next)(void *pieces),
                                     void *pieces, void **memory, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	(void)context;
	for (struct cairn_bytes piece = next(pieces); piece.size > 0; piece = next(pieces))
		fwrite(piece.data, 1, piece.size, out);
	fclose(out);
	*memory = text;
	return CAIRN_OK;
}

/* A list of the kernel's symbols, a jitdump and a perf map lie somewhere in the input, each behind a mark. */
static bool read_input(void *context, const struct cairn_recorded_request *request,
                       struct cairn_bytes *bytes)
{
	static const char *const marks[] = { [CAIRN_RECORDED_KALLSYMS] = "KALL",
		                             [CAIRN_RECORDED_JITDUMP] = "DUMP",
		                             [CAIRN_RECORDED_PERF_MAP] = "PMAP" };
	const struct cairn_bytes *input = context;
	const uint8_t *mark = memmem(input->data, input->size, marks[request->kind],
	                             strlen(marks[request->kind]));

	if (!mark)
		return false;
	const size_t size = (size_t)(input->data + input->size - mark) - 4;
	uint8_t *copy = malloc(size + 1);
	if (!copy)
		return false;
	memcpy(copy, mark + 4, size);
	*bytes = (struct cairn_bytes){ copy, size };
	return true;
}

static void check_again(const struct cairn_profile *profile, enum cairn_profile_format format)
{
	const struct cairn_bytes output = write_profile(profile, format);
	struct cairn_profile *again;
	struct cairn_fault fault;

	ALWAYS(cairn_profile_open(output, CAIRN_PROFILE_1_10, &again, &fault) == CAIRN_OK);
	const struct cairn_bytes text = write_profile(again, CAIRN_PROFILE_FOLDED);
	free((void *)text.data);
	cairn_profile_close(again);
	free((void *)output.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_recording_counts counts = { .size = sizeof(counts) };
	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct cairn_profile *profile;
	struct cairn_fault fault;
	struct cairn_bytes input = { data, size };

	options.unpack = join_pieces;
	options.read = read_input;
	options.context = &input;
	if (cairn_profile_open_recording((struct cairn_bytes){ data, size }, &options, &profile,
	                                 &fault) != CAIRN_OK) {
		ALWAYS(fault.what);
		return 0;
	}
	ALWAYS(cairn_profile_recording(profile, &counts));
	ALWAYS(counts.whole <= counts.dumps && counts.dumps <= counts.samples);
	ALWAYS(counts.samples + counts.damaged <= size / 8);
	check_again(profile, CAIRN_PROFILE_PPROF);
	if (counts.samples > 0)
		check_again(profile, CAIRN_PROFILE_OTLP);
	cairn_profile_close(profile);
	return 0;
}
