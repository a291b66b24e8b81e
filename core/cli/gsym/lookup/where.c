/* SPDX-License-Identifier: MIT */
/*
 * Implements `cairn where`: function, file and line of addresses in a program, from whichever
 * symbols it has. The program is converted to GSYM when it is first asked about, and the result
 * kept under its build ID.  Of a large one that is asked about a few addresses only the units around these
 * are read, and the conversion goes on in the background when the answer was printed.
 *
 * A file of the cache ends with a trailer, past all that GSYM knows, which names the files it was
 * made (os/cache/cache_origin.h): the program and its halves.  So another program with that build ID makes it anew,
 * and so does debugging information that is installed later.
 */
#include "lookup.h"

#include "cli/gsym/create/build.h"

#include "base/bytes.h"
#include "cli/source/elf_source.h"
#include "os/background.h"
#include "os/cache/cache.h"
#include "os/cache/cache_origin.h"
#include "os/debuginfod/debuginfod.h"
#include "os/file/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char about[] = "Prints function, file and line of addresses in a program, inlined "
			    "calls included.  Addresses\n"
			    "are as linked, decimal or hexadecimal after 0x; without any they are "
			    "read from standard input.\n"
			    "The program is converted to GSYM once, and the result kept in the "
			    "cache (see 'cairn cache').";

enum {
	/* Addresses that are looked up without converting all of the program. */
	FEW = 16,
	/* A file of debug information that is smaller is converted before one notices. */
	LARGE = 1 << 20,
};

struct where {
	struct function_source_options input;
	bool no_cache, use_debuginfod;
	struct debuginfod debuginfod;
	struct function_source origin;
	char path[OS_CACHE_PATH]; /* of the file in the cache; empty: none */
	char **texts;             /* what is asked for; none: standard input */
	int count;
	bool in_part; /* the answer did not take a conversion of all of the program */
};

/* The program and its halves, in the order of the trailer. */
static void list_files(const struct function_source *origin,
                       const struct os_file *file[OS_CACHE_ORIGIN_FILES])
{
	const struct separate_debug_files *halves = &origin->elf->halves;

	file[0] = &origin->file;
	file[1] = &halves->debug.file;
	file[2] = &halves->alt.file;
	file[3] = &halves->package.file;
}

static struct os_cache_origin describe_files(const struct where *where)
{
	const struct os_file *file[OS_CACHE_ORIGIN_FILES];
	struct os_cache_origin made;

	list_files(&where->origin, file);
	for (unsigned i = 0; i < OS_CACHE_ORIGIN_FILES; i++)
		made.file[i] = os_cache_origin_of_file(file[i]);
	return made;
}

/* The answer does not need a cache that can be written to. */
static void write_to_cache(const struct where *where, struct cairn_bytes bytes,
                           const struct os_cache_origin *made)
{
	char folder[OS_CACHE_PATH];
	uint8_t trailer[OS_CACHE_ORIGIN_SIZE];
	const struct cairn_bytes parts[] = { bytes, { trailer, OS_CACHE_ORIGIN_SIZE } };

	os_cache_origin_write(made, trailer);
	int error = os_cache_folder(folder) ? os_make_folders(folder) : ENOENT;
	if (error == 0)
		error = os_atomic_file_replace(where->path, parts, COUNT(parts));
	if (error)
		print_diagnostic(where->path, "not kept in the cache: %s", strerror(error));
}

/* Nothing in the cache is trusted: it must be whole, of these files, and made by this converter. */
static bool is_fresh(const struct where *where, struct cairn_bytes bytes)
{
	const struct os_file *file[OS_CACHE_ORIGIN_FILES];
	struct os_cache_origin made;
	bool stamped = false;

	if (os_cache_origin_read(bytes, &made) != CAIRN_OK)
		return false;
	list_files(&where->origin, file);
	for (unsigned i = 0; i < OS_CACHE_ORIGIN_FILES; i++) {
		if (!os_cache_origin_matches(&made.file[i], file[i]))
			return false;
		stamped |= os_cache_origin_stamp(&made.file[i], file[i]);
	}
	bytes.size -= OS_CACHE_ORIGIN_SIZE;
	if (stamped) /* so that the next question need not read all of them */
		write_to_cache(where, bytes, &made);
	return true;
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

static int convert_program(struct where *where, struct gsym_input *input)
{
	struct gsym_output output;
	int status = gsym_build_image(&where->origin, false, &output);

	if (status != EXIT_CLEAN)
		return status;
	input->file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	/* what is damaged may be whole the next time */
	if (where->path[0] && !where->origin.damaged) {
		struct os_cache_origin made = describe_files(where);
		write_to_cache(where, input->file.bytes, &made);
	}
	if (open_bytes(where, input))
		return EXIT_CLEAN;
	os_file_close(&input->file);
	print_diagnostic(where->origin.path, "the GSYM data made from it cannot be read");
	return EXIT_BROKEN;
}

/* The functions around a few addresses in memory; false: that is not enough. */
static bool convert_part(struct where *where, enum elf_source_reach reach, const uint64_t *vas,
                         size_t count, struct gsym_input *input)
{
	struct gsym_writer_options options = gsym_build_options(&where->origin);
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct gsym_output output;
	bool done = false;

	if (writer) {
		struct function_source_sinks takers = gsym_build_sinks(writer);
		done = elf_source_read_at(&where->origin, reach, vas, count, &takers) == CAIRN_OK &&
		       gsym_writer_order(writer) == CAIRN_OK &&
		       gsym_writer_image(writer, 0, UINT64_MAX, &output) == CAIRN_OK;
	}
	gsym_writer_free(writer);
	if (!done)
		return false;
	input->file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	if (open_bytes(where, input))
		return true;
	os_file_close(&input->file);
	return false;
}

/* What costs little is kept for the next time at once. */
static bool is_large(const struct where *where)
{
	const struct separate_debug_files *halves = &where->origin.elf->halves;
	const struct os_file *debug =
		halves->debug.path[0] ? &halves->debug.file : &where->origin.file;

	return debug->bytes.size >= LARGE;
}

static bool answer_in_part(struct where *where, struct gsym_input *input)
{
	uint64_t vas[FEW];
	size_t count = 0;

	if (where->origin.kind != FUNCTION_SOURCE_ELF || where->count > FEW)
		return false;
	if (where->path[0] && !is_large(where)) /* what is not kept is not made */
		return false;
	for (int i = 0; i < where->count; i++)
		count += parse_number(where->texts[i], &vas[count]);
	for (unsigned reach = ELF_SOURCE_OUTSIDE;
	     count > 0 && !where->in_part && reach <= ELF_SOURCE_AROUND; reach++)
		where->in_part =
			convert_part(where, (enum elf_source_reach)reach, vas, count, input);
	return where->in_part;
}

/* Symbols that are in the program itself are of it; those of another build, or damaged ones, are not used. */
static bool open_embedded(const struct where *where, struct gsym_input *input)
{
	struct cairn_fault fault;

	if (where->origin.kind != FUNCTION_SOURCE_ELF ||
	    cairn_symbols_open(where->origin.file.bytes, where->origin.build_id, &input->symbols,
	                       &fault) != CAIRN_OK)
		return false;
	input->gsym = &input->symbols->image.gsym;
	if (!input->symbols->image.conflicts)
		return true;
	cairn_symbols_free(input->symbols);
	input->symbols = NULL;
	return false;
}

static int find_input(struct where *where, struct gsym_input *input)
{
	char folder[OS_CACHE_PATH];
	bool is_elf = where->origin.kind == FUNCTION_SOURCE_ELF;

	where->path[0] = '\0';
	if (open_embedded(where, input))
		return EXIT_CLEAN;
	if (is_elf && !where->no_cache && os_cache_folder(folder) &&
	    !os_cache_path(folder, where->origin.build_id, "gsym", where->path))
		where->path[0] = '\0';
	if (open_cached(where, input) || answer_in_part(where, input))
		return EXIT_CLEAN;
	return convert_program(where, input);
}

/* The next question is answered from the cache, which a process in the background fills. */
static void convert_beside(struct where *where)
{
	struct gsym_input input = { .path = where->origin.path };
	char folder[OS_CACHE_PATH];

	if (!where->in_part || !where->path[0] || !os_cache_folder(folder) ||
	    os_make_folders(folder) != 0)
		return;
	fflush(stdout);
	if (!os_background_begin(folder))
		return;
	if (!open_cached(where, &input))
		(void)convert_program(where, &input);
	os_background_end();
}

/* The debug file from debuginfod; what keeps it from helping is reported. */
static bool fetch_debug_file(void *context, struct cairn_bytes build_id, const char **path)
{
	struct where *where = context;
	const enum debuginfod_answer answer =
		debuginfod_find(&where->debuginfod, DEBUGINFOD_DEBUG, build_id, path);
	const char *why = debuginfod_explain(answer);

	if (why)
		print_diagnostic(NULL, "%s", why);
	return answer == DEBUGINFOD_FOUND;
}

static int answer_addresses(struct where *where, struct lookup *lookup, int argc, char **argv)
{
	int status;

	if (where->use_debuginfod) {
		where->input.fetch = fetch_debug_file;
		where->input.fetch_context = where;
	}
	if (!function_source_open(argv[0], &where->input, &where->origin, &status))
		return status;
	lookup->json = json_to(stdout);
	lookup->input = (struct gsym_input){ .path = argv[0] };
	where->texts = argv + 1;
	where->count = argc - 1;
	status = find_input(where, &lookup->input);
	if (status == EXIT_CLEAN)
		status = lookup_run(lookup, argc - 1, argv + 1);
	convert_beside(where);
	function_source_close(&where->origin);
	return status;
}

int verb_where(int argc, char **argv)
{
	struct where where = { .input = { .jobs = function_source_default_jobs(),
		                          .quiet = true,
		                          .every_row = true },
		               .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	static struct lookup lookup = { .form = FORM_TEXT };
	bool quiet = false;
	const struct option options[] = {
		OPTION_LINES(&lookup.form),
		OPTION_JSON(&lookup.form),
		{ .name = "directory",
		  .argument = "DIR[:DIR...]",
		  .help = "search these folders for debug files",
		  .text = &where.input.folders },
		{ .name = "debuginfod",
		  .help = "also ask the servers in DEBUGINFOD_URLS for the debug file",
		  .flag = &where.use_debuginfod },
		OPTION_DEBUGINFOD_DEADLINE(&where.debuginfod.deadline),
		{ .name = "no-cache",
		  .help = "do not read or write the cache",
		  .flag = &where.no_cache },
		OPTION_NO_PROGRESS(&quiet),
	};
	const struct command command = { "cairn where [OPTION...] BINARY [ADDRESS...]", about,
		                         options, COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc == 0)
		return usage_error(&command, "no BINARY");
	where.input.progress = !quiet;
	where.input.few = argc > 1;
	status = answer_addresses(&where, &lookup, argc, argv);
	debuginfod_close(&where.debuginfod);
	return status;
}
