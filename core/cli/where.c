/* SPDX-License-Identifier: MIT */
/*
 * cairn where: function, file and line of addresses in a program, whatever tells them.  The program
 * is converted to GSYM when it is first asked about, and the result kept under its build ID.
 *
 * A file of the cache ends with a trailer, behind all that GSYM knows:
 *
 *	trailer = "cairn made me" NUL, 2 zeros, maker:8 inputs:8           32 bytes, little-endian
 *
 * `maker` changes whenever the converter gives other answers; `inputs` tells which halves of the
 * program were there: when debugging information is installed later, the file is made anew.
 */
#include "gsym_lookup.h"

#include "base/bytes.h"
#include "gsym_build.h"
#include "origin_elf.h"
#include "os/cache.h"
#include "os/publish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TRAILER_SIZE = 32, MARK_SIZE = 16, MAKER = 1 };

static const char about[] = "Prints function, file and line of addresses in a program, inlined "
			    "calls included.  Addresses\n"
			    "are as linked, decimal or hexadecimal after 0x; without any they are "
			    "read from standard input.\n"
			    "The program is converted to GSYM once, and the result kept in the "
			    "cache (see 'cairn cache').";

static const uint8_t mark[MARK_SIZE] = "cairn made me";

struct where {
	struct origin_options input;
	bool no_cache;
	struct origin origin;
	char path[OS_CACHE_PATH]; /* of the file in the cache; empty: none */
};

static void put_u64(uint8_t *p, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

/* The halves, by their sizes: what they hold follows from the build ID. */
static uint64_t inputs_of(const struct origin *origin)
{
	const struct halves *halves = &origin->elf->halves;
	const uint64_t sizes[] = { origin->file.bytes.size, halves->debug.file.bytes.size,
		                   halves->alt.file.bytes.size, halves->package.file.bytes.size };
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNT(sizes); i++)
		sum = (sum ^ sizes[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return sum;
}

static void make_trailer(const struct where *where, uint8_t trailer[TRAILER_SIZE])
{
	memcpy(trailer, mark, MARK_SIZE);
	put_u64(trailer + MARK_SIZE, MAKER);
	put_u64(trailer + MARK_SIZE + 8, inputs_of(&where->origin));
}

/* Nothing in the cache is trusted: it must be whole, of this build, and made by this converter. */
static bool is_fresh(const struct where *where, struct cairn_bytes bytes)
{
	uint8_t trailer[TRAILER_SIZE];

	make_trailer(where, trailer);
	return bytes.size > TRAILER_SIZE &&
	       memcmp(bytes.data + bytes.size - TRAILER_SIZE, trailer, TRAILER_SIZE) == 0;
}

static bool open_bytes(const struct where *where, struct gsym_input *input)
{
	struct cairn_fault fault;

	if (cairn_symbols_open(input->file.bytes, where->origin.build_id, &input->symbols,
	                       &fault) != CAIRN_OK)
		return false;
	input->gsym = &input->symbols->image.gsym;
	return true;
}

static bool open_cached(const struct where *where, struct gsym_input *input)
{
	if (!where->path[0] || os_file_open_regular(where->path, &input->file) != 0)
		return false;
	if (is_fresh(where, input->file.bytes) && open_bytes(where, input))
		return true;
	os_file_close(&input->file);
	return false;
}

/* A cache that cannot be written to is no reason not to answer. */
static void keep(const struct where *where, struct cairn_bytes bytes)
{
	char folder[OS_CACHE_PATH];
	uint8_t trailer[TRAILER_SIZE];
	const struct cairn_bytes parts[] = { bytes, { trailer, TRAILER_SIZE } };

	if (!where->path[0])
		return;
	make_trailer(where, trailer);
	int error = os_cache_folder(folder) ? os_make_folders(folder) : ENOENT;
	if (error == 0)
		error = os_publish(where->path, parts, COUNT(parts));
	if (error)
		complain(where->path, "not kept in the cache: %s", strerror(error));
}

static int make(struct where *where, struct gsym_output *output)
{
	struct gsym_writer_options options = gsym_build_options(&where->origin);
	struct gsym_writer *writer = gsym_writer_new(&options);
	int status = writer ? gsym_build(&where->origin, writer) : EXIT_BROKEN;

	if (status == EXIT_CLEAN && gsym_writer_image(writer, 0, UINT64_MAX, output) != CAIRN_OK) {
		complain(where->origin.path, "out of memory");
		status = EXIT_BROKEN;
	}
	gsym_writer_free(writer);
	return status;
}

static int convert(struct where *where, struct gsym_input *input)
{
	struct gsym_output output;
	int status = make(where, &output);

	if (status != EXIT_CLEAN)
		return status;
	input->file = (struct os_file){ { output.data, output.size }, output.data, false };
	/* what is damaged may be whole the next time */
	if (!where->origin.damaged)
		keep(where, input->file.bytes);
	if (open_bytes(where, input))
		return EXIT_CLEAN;
	os_file_close(&input->file);
	complain(where->origin.path, "what was made of it cannot be read");
	return EXIT_BROKEN;
}

static int find_input(struct where *where, struct gsym_input *input)
{
	char folder[OS_CACHE_PATH];
	bool is_elf = where->origin.kind == ORIGIN_ELF;

	where->path[0] = '\0';
	if (is_elf && !where->no_cache && os_cache_folder(folder) &&
	    !os_cache_path(folder, where->origin.build_id, "gsym", where->path))
		where->path[0] = '\0';
	if (open_cached(where, input))
		return EXIT_CLEAN;
	return convert(where, input);
}

int verb_where(int argc, char **argv)
{
	struct where where = {
		.input = { .jobs = origin_usual_jobs(), .quiet = true, .every_row = true }
	};
	static struct lookup lookup = { .form = FORM_TEXT };
	const struct option options[] = {
		OPTION_LINES(&lookup.form),
		OPTION_JSON(&lookup.form),
		{ .name = "directory",
		  .argument = "DIR[:DIR...]",
		  .help = "look there for files of debugging information",
		  .text = &where.input.folders },
		{ .name = "no-cache",
		  .help = "neither read nor write the cache",
		  .flag = &where.no_cache },
	};
	const struct command command = { "cairn where [OPTION...] BINARY [ADDRESS...]", about,
		                         options, COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc == 0)
		return usage_error(&command, "no BINARY");
	if (!origin_open(argv[0], &where.input, &where.origin, &status))
		return status;
	lookup.json = json_to(stdout);
	lookup.input = (struct gsym_input){ .path = argv[0] };
	status = find_input(&where, &lookup.input);
	if (status == EXIT_CLEAN)
		status = lookup_run(&lookup, argc - 1, argv + 1);
	origin_close(&where.origin);
	return status;
}
