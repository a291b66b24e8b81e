/* SPDX-License-Identifier: MIT */
/*
 * Implements `cairn where`: function, file and line of addresses in a program, from whichever symbols it has.  Answers come
 * as the addresses do; the program is converted to GSYM for the cache afterwards, or before that where functions are
 * asked for by name, or something is damaged, which a conversion reports.
 */
#include "where.h"

#include "question.h"

#include "convert/source/elf_source.h"
#include "symbols/symbolizer/symbolizer.h"

#include <cairn/dwarf.h>

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
	FEW = 16,         /* addresses for which little of a file is read */
	IMAGE_RANK = 100, /* asked before DWARF */
};

/* Symbols that are in the program itself are of it; those of another build, or damaged ones, are not used. */
static bool open_embedded(struct where *where, struct gsym_input *image)
{
	if (!where_open_image(where_file(where, CAIRN_FILE_PROGRAM)->bytes, where->build_id, image))
		return false;
	if (!image->symbols->image.conflicts)
		return true;
	cairn_symbols_free(image->symbols);
	image->symbols = NULL;
	image->gsym = NULL;
	return false;
}

/* A GSYM file that somebody made of this build; what is in the cache has a check of its own. */
static bool open_beside(const struct where *where, struct gsym_input *image)
{
	char cache[OS_CACHE_PATH];

	return where->build_id.size > 0 &&
	       gsym_input_find(image, where->build_id, where->input.folders,
	                       os_cache_folder(cache) ? cache : NULL);
}

static void answer_by_image(struct where *where)
{
	struct lookup *lookup = &where->lookup;

	where->has_image = true;
	lookup->printed = gsym_printed(lookup->input.gsym);
}

static int convert_once(struct where *where)
{
	if (where->convert_status == NOT_CONVERTED)
		where->convert_status = where_convert(where, &where->lookup.input);
	return where->convert_status;
}

static void name_functions(void *context)
{
	(void)convert_once(context);
}

/* Opens what has the symbols of an ELF file. */
static int open_program(struct where *where, const struct elf *elf)
{
	struct lookup *lookup = &where->lookup;
	struct gsym_input *image = &lookup->input;

	if (!elf_source_check_whole(image->path, elf->bytes, &where->told.error) ||
	    !elf_source_check_linked(image->path, elf, &where->told.error)) {
		functions_input_fail(&where->told);
		return EXIT_BROKEN;
	}
	where->build_id = elf_build_id(elf);
	if (open_embedded(where, image) || open_beside(where, image)) {
		answer_by_image(where);
		return EXIT_CLEAN;
	}
	where_cache_begin(where, where->build_id);
	if (!where_check_debug_files(where))
		return EXIT_BROKEN;
	lookup->printed = printed_of(where_debug_size(where));
	if (where_cache_open(where, image))
		answer_by_image(where);
	return EXIT_CLEAN;
}

/* What is no ELF file, or is packed, or comes from a pipe, is read by a conversion. */
static int open_question_file(struct where *where)
{
	const struct os_file *program = where_file(where, CAIRN_FILE_PROGRAM);
	struct cairn_fault fault;
	struct elf elf;

	if (elf_open(program->bytes, &elf, &fault) == CAIRN_OK)
		return open_program(where, &elf);
	const int status = convert_once(where);
	if (status == EXIT_CLEAN)
		answer_by_image(where);
	return status;
}

static enum cairn_status open_image_source(void *context, struct cairn_symbol_search *search,
                                           void **opened, struct cairn_fault *fault)
{
	struct where *where = context;
	struct cairn_symbol_source lent;

	if (!where->has_image)
		return CAIRN_NOT_FOUND;
	cairn_symbols_as_source(where->lookup.input.symbols, IMAGE_RANK, &lent);
	return lent.open(lent.context, search, opened, fault);
}

static bool open_symbolizer(struct where *where)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_source image;

	options.bare = true;
	where_set_files(where, &options);
	cairn_symbols_as_source(NULL, IMAGE_RANK, &image);
	image.name = "image";
	image.context = where;
	image.open = open_image_source;
	image.whole = true;
	where->lookup.symbolizer = cairn_symbolizer_new(&options);
	return where->lookup.symbolizer &&
	       cairn_symbolizer_add(where->lookup.symbolizer, &image) == CAIRN_OK &&
	       cairn_symbolizer_add(where->lookup.symbolizer, cairn_dwarf_source()) == CAIRN_OK &&
	       cairn_symbolizer_add(where->lookup.symbolizer, &symbolizer_go_table) == CAIRN_OK;
}

static bool is_any_lost(const struct cairn_symbol_answer *answers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((answers[i].missing & CAIRN_MISSING_PART) || answers[i].flaw)
			return true;
	return false;
}

/* Where something is damaged the answers are those of a conversion, which tells what it is. */
static enum cairn_status find_addresses(void *context, const uint64_t *vas, size_t count,
                                        struct cairn_symbol_answer *answers)
{
	struct where *where = context;
	struct lookup *lookup = &where->lookup;
	const enum cairn_status status =
		where->gave_up ? CAIRN_MALFORMED : lookup_ask(lookup, vas, count, answers);

	if (status != CAIRN_OK || where->has_image || !is_any_lost(answers, count))
		return status;
	/* what was read takes memory, which a conversion needs */
	cairn_symbolizer_forget(lookup->symbolizer, &lookup->module);
	if (convert_once(where) != EXIT_CLEAN) {
		where->gave_up = true;
		lookup->status = choose_worse(lookup->status, where->convert_status);
		return CAIRN_MALFORMED;
	}
	answer_by_image(where);
	return lookup_ask(lookup, vas, count, answers);
}

static void begin_conversion(struct where *where, const char *path)
{
	functions_input_begin(&where->told, path);
	where->told.owner = where;
	where->input.messages = where->told.options.messages;
	where->input.message = where->told.options.message;
	where->input.progress = where->told.options.progress;
	where->input.context = &where->told;
	where->input.fetch = where->use_debuginfod ? where_fetch_for_conversion : NULL;
}

static int answer_addresses(struct where *where, int argc, char **argv)
{
	struct lookup *lookup = &where->lookup;

	begin_conversion(where, argv[0]);
	lookup->json = json_to(stdout);
	lookup->input.path = argv[0];
	lookup->find = find_addresses;
	lookup->name_functions = name_functions;
	lookup->context = where;
	question_begin(lookup, argc - 1, argv + 1);
	if (!open_symbolizer(where)) {
		print_diagnostic(argv[0], "out of memory");
		return EXIT_BROKEN;
	}
	int status = open_question_file(where);
	if (status == EXIT_CLEAN)
		status = lookup_run(lookup, argc - 1, argv + 1);
	if (status != EXIT_BROKEN && where->cached[0] && !where->has_image &&
	    where->convert_status == NOT_CONVERTED)
		where_cache_fill(where);
	cairn_symbolizer_free(lookup->symbolizer);
	return status;
}

int verb_where(int argc, char **argv)
{
	struct where where = { .lookup = { .form = FORM_TEXT },
		               .input = { .every_row = true, .columns = true },
		               .told = FUNCTIONS_INPUT,
		               .debuginfod = { .deadline = DEBUGINFOD_DEADLINE },
		               .convert_status = NOT_CONVERTED };
	bool quiet = false;
	const struct option options[] = {
		OPTION_LINES(&where.lookup.form),
		OPTION_JSON(&where.lookup.form),
		OPTION_LINKAGE_NAMES(&where.lookup.linkage_names),
		OPTION_DIRECTORY(&where.input.folders),
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
	where.input.jobs = function_source_default_jobs();
	where.is_few = argc > 1 && argc - 1 <= FEW;
	status = answer_addresses(&where, argc, argv);
	debuginfod_close(&where.debuginfod);
	return status;
}
