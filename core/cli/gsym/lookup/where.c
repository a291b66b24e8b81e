/* SPDX-License-Identifier: MIT */
/*
 * Implements `cairn where`: function, file and line of addresses in a program, from whichever
 * symbols it has. The program is converted to GSYM when it is first asked about, and the result
 * kept under its build ID.  A large one that is asked about a few addresses answers without a conversion, as the
 * symbolizer of the library does, and is converted in the background when the answer was printed.
 *
 * A file of the cache ends with a trailer, past all that GSYM knows, which names the files it was
 * made (os/cache/cache_origin.h): the program and its halves.  So another program with that build ID makes it anew,
 * and so does debugging information that is installed later.
 */
#include "question.h"

#include "base/array_grow.h"
#include "base/bytes.h"
#include "cli/front/functions.h"
#include "convert/gsym/build.h"
#include "convert/source/elf_source.h"
#include "debuginfo/lookup/address_functions.h"
#include "os/background.h"
#include "os/cache/cache.h"
#include "os/cache/cache_origin.h"
#include "os/debuginfod/debuginfod.h"
#include "os/file/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Prints function, file and line of addresses in a program, inlined calls included.  "
	"Addresses\n"
	"are as linked: 4144, 0x1030, 103f, main, main+4, BINARY+0x14f0, or a line of a stack; "
	"without\n"
	"any they are read from standard input.  A GSYM file of its build beside BINARY answers; "
	"else\n"
	"the program is converted to GSYM once, and the result kept in the cache (see 'cairn "
	"cache').";

enum {
	/* Addresses that are looked up without converting all of the program. */
	FEW = 16,
	/* A file of debug information that is smaller is converted before one notices. */
	LARGE = 1 << 20,
};

struct where {
	struct function_source_options input;
	struct functions_input told; /* what is printed of the input */
	bool no_cache, use_debuginfod;
	struct debuginfod debuginfod;
	struct function_source origin;
	char path[OS_CACHE_PATH]; /* of the file in the cache; empty: none */
	char **texts;             /* what is asked for; none: standard input */
	int count;
	bool in_part; /* the answer did not take a conversion of all of the program */
	/* of that answer */
	struct address_functions *functions; /* hold its texts */
	struct cairn_batch batch;
	size_t locations, room;
	bool memory_short, without_line;
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

/* The symbols of the program in these bytes. */
static bool open_bytes(const struct where *where, struct cairn_bytes bytes,
                       struct gsym_input *input)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_fault fault;

	options.build_id = where->origin.build_id;
	if (cairn_symbols_open(bytes, &options, &input->symbols, &fault) != CAIRN_OK)
		return false;
	input->gsym = &input->symbols->image.gsym;
	return true;
}

static bool open_cached(const struct where *where, struct gsym_input *input)
{
	if (!where->path[0] || os_file_open_regular(where->path, &input->file) != 0)
		return false;
	if (is_fresh(where, input->file.bytes) && open_bytes(where, input->file.bytes, input))
		return true;
	os_file_close(&input->file);
	return false;
}

static int convert_program(struct where *where, struct gsym_input *input)
{
	struct gsym_output output;
	const enum cairn_status status =
		gsym_build_image(&where->origin, false, &output, &where->told.error);

	if (status != CAIRN_OK)
		return functions_input_fail(&where->told);
	progress_end(&where->told.line);
	input->file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	/* what is damaged may be whole the next time */
	if (where->path[0] && !where->origin.damaged) {
		struct os_cache_origin made = describe_files(where);
		write_to_cache(where, input->file.bytes, &made);
	}
	if (open_bytes(where, input->file.bytes, input))
		return EXIT_CLEAN;
	os_file_close(&input->file);
	print_diagnostic(where->origin.path, "the GSYM data made from it cannot be read");
	return EXIT_BROKEN;
}

static const struct os_file *find_debug_file(const struct where *where)
{
	const struct separate_debug_files *halves = &where->origin.elf->halves;

	return halves->debug.path[0] ? &halves->debug.file : &where->origin.file;
}

/* What costs little is kept for the next time at once. */
static bool is_large(const struct where *where)
{
	return find_debug_file(where)->bytes.size >= LARGE;
}

static struct cairn_bytes find_split_file(void *context, struct cairn_bytes directory,
                                          struct cairn_bytes name, uint64_t id)
{
	(void)id;
	return separate_debug_files_dwo(context, directory, name);
}

static struct address_files list_address_files(struct where *where)
{
	struct separate_debug_files *halves = &where->origin.elf->halves;
	const struct os_file *own = &where->origin.file;

	return (struct address_files){
		.own = own->bytes,
		.debug = halves->debug.path[0] ? halves->debug.file.bytes : own->bytes,
		.alt = halves->alt.file.bytes,
		.split = { find_split_file, halves, halves->package.file.bytes },
		.mapped = own->mapped
	};
}

/* Keeps what is known of one address until it is printed. */
static void take_answer(void *context, size_t index, const struct cairn_symbol_found *found)
{
	struct where *where = context;
	struct cairn_batch *batch = &where->batch;
	struct cairn_batch_item *item = &batch->items[index];

	if (!array_grow(&batch->locations, &where->room, where->locations + found->count,
	                sizeof(*batch->locations))) {
		where->memory_short = true;
		return;
	}
	memcpy(batch->locations + where->locations, found->locations,
	       found->count * sizeof(*found->locations));
	*item = (struct cairn_batch_item){ .first = where->locations, .count = found->count };
	where->locations += found->count;
	where->without_line |= found->locations[0].line == 0;
}

/* What a Go program's table knows is found by reading all. */
static bool may_know_more(struct where *where)
{
	struct cairn_fault fault;
	struct go_program go;

	if (!where->without_line ||
	    go_program_open(where->origin.file.bytes, &go, &fault) != CAIRN_OK)
		return false;
	go_program_close(&go);
	return true;
}

/* Looks up a few addresses without a conversion; false: that is not enough, or something is damaged, which it reports. */
static bool find_in_part(struct where *where, const uint64_t *vas, size_t count)
{
	const struct address_files files = list_address_files(where);
	const struct cairn_symbol_taker taker = { take_answer, where };

	where->functions = address_functions_open(&files);
	where->batch.count = count;
	where->batch.items = calloc(count, sizeof(*where->batch.items));
	if (!where->functions || !where->batch.items)
		return false;
	for (size_t i = 0; i < count; i++)
		where->batch.items[i].fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "" };
	where->without_line = false;
	address_functions_find(where->functions, vas, count, &taker);
	for (size_t i = 0; i < count; i++)
		where->without_line |= where->batch.items[i].count == 0;
	return !where->memory_short && !address_functions_damaged(where->functions) &&
	       !may_know_more(where);
}

/* The answers are there already, in the order of the questions. */
static enum cairn_status give_batch(void *context, const uint64_t *vas, size_t count,
                                    struct cairn_batch *batch)
{
	struct where *where = context;

	(void)vas;
	(void)count;
	*batch = where->batch;
	where->batch = (struct cairn_batch){ .count = 0 };
	return CAIRN_OK;
}

static bool answer_in_part(struct where *where, struct lookup *lookup)
{
	uint64_t vas[FEW];
	size_t count = 0;

	if (where->origin.kind != CAIRN_FUNCTIONS_ELF || where->count > FEW)
		return false;
	if (where->path[0] && !is_large(where)) /* what is not kept is not made */
		return false;
	for (int i = 0; i < where->count; i++)
		if (!question_parse_number(where->texts[i], &vas[count++]))
			return false; /* names want all functions */
	where->in_part = count > 0 && find_in_part(where, vas, count);
	if (where->in_part) {
		lookup->find = give_batch;
		lookup->context = where;
		lookup->bytes = find_debug_file(where)->bytes.size;
	}
	return where->in_part;
}

static void close_part(struct where *where)
{
	cairn_batch_free(&where->batch);
	address_functions_close(where->functions);
	where->functions = NULL;
}

/* Symbols that are in the program itself are of it; those of another build, or damaged ones, are not used. */
static bool open_embedded(const struct where *where, struct gsym_input *input)
{
	if (where->origin.kind != CAIRN_FUNCTIONS_ELF ||
	    !open_bytes(where, where->origin.file.bytes, input))
		return false;
	if (!input->symbols->image.conflicts)
		return true;
	cairn_symbols_free(input->symbols);
	input->symbols = NULL;
	return false;
}

/* A GSYM file that somebody made of this build; what is in the cache has a check of its own. */
static bool open_beside(const struct where *where, struct gsym_input *input)
{
	char cache[OS_CACHE_PATH];

	return where->origin.kind == CAIRN_FUNCTIONS_ELF && where->origin.build_id.size > 0 &&
	       gsym_input_find(where->origin.path, where->origin.build_id, where->input.folders,
	                       os_cache_folder(cache) ? cache : NULL, input);
}

static int find_input(struct where *where, struct lookup *lookup)
{
	struct gsym_input *input = &lookup->input;
	char folder[OS_CACHE_PATH];
	bool is_elf = where->origin.kind == CAIRN_FUNCTIONS_ELF;

	where->path[0] = '\0';
	if (open_embedded(where, input) || open_beside(where, input))
		return EXIT_CLEAN;
	if (is_elf && !where->no_cache && os_cache_folder(folder) &&
	    !os_cache_path(folder, where->origin.build_id, "gsym", where->path))
		where->path[0] = '\0';
	if (open_cached(where, input) || answer_in_part(where, lookup))
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
static bool fetch_debug_file(void *context, struct cairn_bytes build_id, char *path, size_t room)
{
	const struct functions_input *told = context;
	struct where *where = told->owner;
	const char *found;
	const enum debuginfod_answer answer =
		debuginfod_find(&where->debuginfod, DEBUGINFOD_DEBUG, build_id, &found);
	const char *why = debuginfod_explain(answer);

	if (why)
		print_diagnostic(NULL, "%s", why);
	return answer == DEBUGINFOD_FOUND && snprintf(path, room, "%s", found) < (int)room;
}

static int answer_addresses(struct where *where, struct lookup *lookup, int argc, char **argv)
{
	int status;

	functions_input_begin(&where->told, argv[0]);
	where->input.messages = where->told.options.messages;
	where->input.message = where->told.options.message;
	where->input.progress = where->told.options.progress;
	where->input.context = &where->told;
	where->told.owner = where;
	if (where->use_debuginfod)
		where->input.fetch = fetch_debug_file;
	if (function_source_open(argv[0], &where->input, &where->origin, &where->told.error) !=
	    CAIRN_OK) {
		functions_input_fail(&where->told);
		return EXIT_BROKEN;
	}
	lookup->json = json_to(stdout);
	lookup->input = (struct gsym_input){ .path = argv[0] };
	where->texts = argv + 1;
	where->count = argc - 1;
	question_begin(lookup, where->count, where->texts);
	status = find_input(where, lookup);
	if (status == EXIT_CLEAN)
		status = lookup_run(lookup, argc - 1, argv + 1);
	close_part(where);
	convert_beside(where);
	function_source_close(&where->origin);
	return status;
}

int verb_where(int argc, char **argv)
{
	struct where where = { .input = { .jobs = function_source_default_jobs(),
		                          .every_row = true },
		               .told = FUNCTIONS_INPUT,
		               .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	static struct lookup lookup = { .form = FORM_TEXT };
	bool quiet = false;
	const struct option options[] = {
		OPTION_LINES(&lookup.form),
		OPTION_JSON(&lookup.form),
		OPTION_LINKAGE_NAMES(&lookup.linkage_names),
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
	where.told.progress = !quiet;
	where.told.quiet = true;
	where.input.few = argc > 1;
	status = answer_addresses(&where, &lookup, argc, argv);
	debuginfod_close(&where.debuginfod);
	return status;
}
