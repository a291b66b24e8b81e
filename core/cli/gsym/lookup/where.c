/* SPDX-License-Identifier: MIT */
/*
 * Implements `cairn where`: function, file and line of addresses in a program, from whichever symbols it has.  Answers come
 * as the addresses do; the program is converted to GSYM for the cache afterwards, or before that where functions are
 * asked for by name, or something is damaged, which a conversion reports.
 */
#include "where.h"

#include "question.h"

#include "base/base_name.h"
#include "base/bytes_split.h"
#include "convert/source/elf_source.h"
#include "formats/captured_text/captured_text.h"
#include "symbols/lookup/symbols.h"
#include "symbols/symbolizer/symbolizer.h"

#include <cairn/dwarf.h>
#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Prints function, file and line of addresses in a program, inlined calls included.  "
	"Addresses\n"
	"are as linked: 4144, 0x1030, 103f, 0000000000001030 (as nm has it), main, main+4,\n"
	"BINARY+0x14f0, or a line of a stack; without any they are read from standard input.\n"
	"A GSYM file of its build beside BINARY answers; else the program is converted to GSYM "
	"once,\n"
	"and the result kept in the cache (see 'cairn cache').";

enum {
	FEW = 16,        /* addresses for which little of a file is read */
	IMAGE_RANK = 50, /* asked before all others */
};

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

/* The file of symbols that answers knows functions by name, if it is GSYM; else a conversion does. */
static bool borrow_names(struct where *where)
{
	struct lookup *lookup = &where->lookup;
	const struct cairn_symbols *symbols =
		symbolizer_symbols(lookup->symbolizer, &lookup->module);

	if (!symbols || !symbols->is_image)
		return false;
	lookup->input.gsym = &symbols->image.gsym;
	return true;
}

static void name_functions(void *context)
{
	struct where *where = context;

	if (!borrow_names(where))
		(void)convert_once(where);
}

/* What may be printed: as much as is read for it. */
static void allow_printing(struct where *where)
{
	const struct cairn_symbols *symbols =
		symbolizer_symbols(where->lookup.symbolizer, &where->lookup.module);

	where->lookup.printed = printed_of(where_debug_size(where));
	if (symbols && symbols->is_image)
		printed_credit(&where->lookup.printed, symbols->image.gsym.bytes.size);
}

/* Opens what has the symbols of an ELF file. */
static int open_program(struct where *where, const struct elf *elf)
{
	const char *path = where->lookup.input.path;

	if (!elf_source_check_whole(path, elf->bytes, &where->told.error) ||
	    !elf_source_check_linked(path, elf, &where->told.error)) {
		functions_input_fail(&where->told);
		return EXIT_BROKEN;
	}
	where->build_id = elf_build_id(elf);
	where_cache_begin(where, where->build_id);
	if (!where_check_debug_files(where))
		return EXIT_BROKEN;
	where_cache_check(where);
	if (symbolizer_symbols(where->lookup.symbolizer, &where->lookup.module))
		where->cached[0] = '\0'; /* a conversion has other answers than that file */
	allow_printing(where);
	return EXIT_CLEAN;
}

/* What is no ELF file, or is packed, or comes from a pipe, is read by a conversion. */
static int open_question_file(struct where *where)
{
	const struct os_file *program = where_file(where, CAIRN_FILE_PROGRAM);
	struct elf elf;

	if (elf_opens(program->bytes, &elf))
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
	struct cairn_symbol_source image, files = symbolizer_symbol_files;

	files.complete =
		symbolizer_opened_conversion; /* where_cache_check() sees that it is not old */
	options.bare = true;                  /* DWARF has the symbol tables, too */
	options.no_cache = where->no_cache;
	where_set_files(where, &options);
	cairn_symbols_as_source(NULL, IMAGE_RANK, &image);
	image.name = "image";
	image.context = where;
	image.open = open_image_source;
	image.whole = true;
	where->lookup.symbolizer = cairn_symbolizer_new(&options);
	return where->lookup.symbolizer &&
	       cairn_symbolizer_add(where->lookup.symbolizer, &image) == CAIRN_OK &&
	       cairn_symbolizer_add(where->lookup.symbolizer, &files) == CAIRN_OK &&
	       cairn_symbolizer_add(where->lookup.symbolizer, cairn_dwarf_source()) == CAIRN_OK &&
	       cairn_symbolizer_add(where->lookup.symbolizer, &symbolizer_go_table) == CAIRN_OK &&
	       cairn_symbolizer_add(where->lookup.symbolizer, &symbolizer_stubs) == CAIRN_OK;
}

static bool is_any_lost(const struct cairn_symbol_answer *answers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((answers[i].missing & CAIRN_MISSING_PART) || answers[i].flaw)
			return true;
	return false;
}

/* What was read takes memory, which a conversion needs; names that were borrowed of it are gone then. */
static void forget_program(struct where *where)
{
	struct lookup *lookup = &where->lookup;

	if (where->convert_status == NOT_CONVERTED) {
		functions_by_name_finish(&lookup->names);
		lookup->input.gsym = NULL;
	}
	cairn_symbolizer_forget(lookup->symbolizer, &lookup->module);
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
	forget_program(where);
	if (convert_once(where) != EXIT_CLEAN) {
		where->gave_up = true;
		lookup->status = choose_worse(lookup->status, where->convert_status);
		return CAIRN_MALFORMED;
	}
	answer_by_image(where);
	return lookup_ask(lookup, vas, count, answers);
}

/* Keeps the addresses of numbers and of frames that are above all addresses as linked. */
static void see_lines(void *context, struct cairn_bytes lines)
{
	struct where *where = context;
	struct captured_returns *r = &where->returns;
	const struct cairn_bytes path = { (const uint8_t *)where->lookup.input.path,
		                          strlen(where->lookup.input.path) };

	while (lines.size > 0 && r->count < CAPTURED_RETURNS_MAX) {
		struct cairn_bytes line = bytes_take_part(&lines, '\n');
		if (question_parse_address(bytes_trim(line, BYTES_WHITE, BYTES_WHITE),
		                           &r->address[r->count]))
			r->count += r->address[r->count] >= where->pcs.high;
		else
			(void)captured_returns_read(r, &line, base_name(path));
	}
}

/* Learns from these addresses where the program was loaded. */
static void infer_base(struct where *where, const struct elf *elf)
{
	struct load_base base;

	if (where->has_base || where->returns.count <= where->judged + where->judged / 4)
		return;
	where->has_base =
		elf_find_load_base(elf, where->returns.address, &where->returns.count, &base);
	where->judged = where->returns.count;
	if (!where->has_base)
		return;
	where->bias = base.bias;
	where->pcs.low += base.bias;
	where->pcs.high += base.bias;
	print_diagnostic(where->lookup.input.path,
	                 "loaded at 0x%" PRIx64
	                 " by the addresses: %zu of %zu that are there follow its "
	                 "calls, and are looked up before them",
	                 base.first, base.follow, base.inside);
}

/* An address to which a call returns is looked up at the call. */
static bool place_address(void *context, uint64_t address, uint64_t *va)
{
	struct where *where = context;
	struct elf elf;

	if (where->returns.count == 0 ||
	    !elf_opens(where_file(where, CAIRN_FILE_PROGRAM)->bytes, &elf))
		return false;
	infer_base(where, &elf);
	if (!where->has_base || address < where->pcs.low || address >= where->pcs.high)
		return false;
	*va = address - where->bias;
	*va -= elf_is_return(&elf, *va);
	return true;
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
	struct elf elf;

	begin_conversion(where, argv[0]);
	lookup->json = json_to(stdout);
	lookup->input.path = argv[0];
	lookup->find = find_addresses;
	lookup->name_functions = name_functions;
	lookup->context = where;
	question_begin(lookup, argc - 1, argv + 1);
	if (!open_symbolizer(where))
		return fail_with(argv[0], "out of memory");
	int status = open_question_file(where);
	if (elf_opens(where_file(where, CAIRN_FILE_PROGRAM)->bytes, &elf) &&
	    elf_load_span(&elf, &where->pcs)) {
		lookup->see = see_lines;
		lookup->place = place_address;
	}
	if (status == EXIT_CLEAN)
		status = lookup_run(lookup, argc - 1, argv + 1);
	if (status == EXIT_MISSING && !symbolizer_symbols(lookup->symbolizer, &lookup->module))
		where_report_debug_file(where);
	if (status != EXIT_BROKEN && where->cached[0] && !where->has_image &&
	    where->convert_status == NOT_CONVERTED)
		where_cache_fill(where);
	cairn_symbolizer_free(lookup->symbolizer);
	return status;
}

int verb_where(int argc, char **argv)
{
	struct where where = { .lookup = { .form = FORM_TEXT },
		               .input = { .statements = true },
		               .told = FUNCTIONS_INPUT,
		               .debuginfod = { .deadline = DEBUGINFOD_DEADLINE },
		               .convert_status = NOT_CONVERTED };
	bool quiet = false;
	const struct option options[] = {
		OPTION_LINES(&where.lookup.form),
		OPTION_JSON(&where.lookup.form),
		OPTION_LINKAGE_NAMES(&where.lookup.linkage_names),
		OPTION_DIRECTORY(&where.input.folders),
		OPTION_FLAG("debuginfod",
		            "also ask the servers in DEBUGINFOD_URLS for the debug file",
		            &where.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&where.debuginfod.deadline),
		OPTION_FLAG("no-cache", "do not read or write the cache", &where.no_cache),
		OPTION_NO_PROGRESS(&quiet),
	};
	const struct command command = { "cairn where [OPTION...] BINARY [ADDRESS...]", about,
		                         options, COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	where.told.progress = !quiet;
	where.told.quiet = true;
	where.input.jobs = function_source_default_jobs();
	where.is_few = argc > 1 && argc - 1 <= FEW;
	status = answer_addresses(&where, argc, argv);
	debuginfod_close(&where.debuginfod);
	return status;
}
