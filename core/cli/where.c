/* SPDX-License-Identifier: MIT */
/*
 * `cairn where`: prints function, file and line of addresses in a program. A symbolizer uses
 * whichever symbols the program has. The program can also be converted to GSYM, which is then
 * queried first. The conversion runs at most once. It runs immediately if the file is not ELF, if a
 * function name must be resolved, or if damage is found, because the conversion reports the damage.
 * Otherwise it runs after all addresses have been looked up, to fill the cache.
 */
#include "cli/gsym/lookup.h"

#include "base/bytes.h"
#include "base/path.h"
#include "base/threads.h"
#include "cli/front/functions.h"
#include "debuginfo/elf_source.h"
#include "formats/captured_text.h"
#include "formats/elf/elf.h"
#include "locate/separate_debug_files.h"
#include "os/atomic_file.h"
#include "os/cache.h"
#include "os/children.h"
#include "os/debuginfod.h"
#include "os/symbol_path.h"
#include "symbols/symbolizer.h"
#include "symbols/symbols.h"
#include "writers/gsym/create.h"

#include <cairn/dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct where {
	struct lookup lookup;
	struct cairn_functions_options input;
	struct functions_input told;
	bool no_cache, use_debuginfod;
	bool is_few; /* only a few addresses are requested, so readahead would be wasted */
	struct debuginfod debuginfod;
	/* true if debuginfod was queried; `fetched` is empty if no server has the file */
	bool asked_debuginfod;
	char fetched[SYMBOL_PATH_MAX];
	/* path of the converted file in the cache; empty if a symbol file is used instead */
	char cached[OS_CACHE_PATH];
	int convert_status; /* exit status of the conversion to lookup.input, or NOT_CONVERTED */
	/*
	 * look up addresses only in the converted file; if the conversion failed, all lookups fail
	 */
	bool by_image;
	/* runtime addresses in the input, from which the program's load address is inferred */
	struct captured_returns returns;
	size_t judged; /* value of returns.count when the load address was last inferred */
	bool has_base;
	/*
	 * address range of the program: link-time addresses, or runtime addresses if `has_base` is
	 * set
	 */
	struct cairn_range pcs;
	uint64_t bias;
};

enum { NOT_CONVERTED = -1 };

static int open_program_file(void *context, const char *path, struct cairn_open_file *file)
{
	const struct where *where = context;
	struct os_file *own = malloc(sizeof(*own));
	const int error = own ? os_file_open_regular(path, own) : ENOMEM;

	if (error) {
		free(own);
		return error;
	}
	if (where->is_few)
		os_file_read_apart(own);
	file->bytes = own->bytes;
	file->handle = own;
	file->mapped = own->mapped;
	return 0;
}

static void close_program_file(void *context, struct cairn_open_file *file)
{
	(void)context;
	os_file_close(file->handle);
	free(file->handle);
}

/*
 * Return one of the program's files, or an empty struct if there is no such file. The file stays
 * open until the symbolizer forgets the program's module.
 */
static const struct os_file *where_file(struct where *where, enum cairn_module_file wanted)
{
	static const struct os_file none = { .bytes = { (const uint8_t *)"", 0 } };
	struct lookup *lookup = &where->lookup;
	struct cairn_open_file file;

	return cairn_symbolizer_file(lookup->symbolizer, &lookup->module, wanted, &file)
	               ? file.handle
	               : &none;
}

static uint64_t where_debug_size(struct where *where)
{
	const struct os_file *debug = where_file(where, CAIRN_FILE_DEBUG);

	return debug->bytes.size > 0 ? debug->bytes.size
	                             : where_file(where, CAIRN_FILE_PROGRAM)->bytes.size;
}

/*
 * Store the path of the debug file from debuginfod in `path`. Servers are queried only once, and a
 * failure is reported.
 */
static bool fetch_debug_file(struct where *where, struct cairn_bytes build_id, char *path,
                             size_t capacity)
{
	const char *found;

	if (!where->asked_debuginfod) {
		const enum debuginfod_answer answer =
			debuginfod_find(&where->debuginfod, CAIRN_FILE_DEBUG, build_id, &found);
		print_debuginfod_diagnostic(NULL, &where->debuginfod, answer);
		if (answer == DEBUGINFOD_FOUND)
			snprintf(where->fetched, sizeof(where->fetched), "%s", found);
		where->asked_debuginfod = true;
	}
	return where->fetched[0] && snprintf(path, capacity, "%s", where->fetched) < (int)capacity;
}

/*
 * Download the debug file for the conversion. This is cairn_functions_options.fetch with
 * where->told as its context.
 */
static bool where_fetch_for_conversion(void *context, struct cairn_bytes build_id, char *path,
                                       size_t capacity)
{
	const struct functions_input *told = context;

	return fetch_debug_file(told->owner, build_id, path, capacity);
}

static bool fetch_for_symbolizer(void *context, enum cairn_module_file wanted,
                                 struct cairn_bytes build_id, char *path, size_t capacity)
{
	return wanted == CAIRN_FILE_DEBUG && fetch_debug_file(context, build_id, path, capacity);
}

/* Check that no debug file is truncated. Print a diagnostic and return false if one is. */
static bool where_check_debug_files(struct where *where)
{
	static const enum cairn_module_file wanted[] = { CAIRN_FILE_DEBUG, CAIRN_FILE_ALTERNATE };
	struct lookup *lookup = &where->lookup;
	struct cairn_open_file file;

	for (size_t i = 0; i < COUNT(wanted); i++)
		if (cairn_symbolizer_file(lookup->symbolizer, &lookup->module, wanted[i], &file) &&
		    !elf_source_check_whole(file.path, file.bytes, &where->told.error)) {
			functions_input_fail(&where->told);
			return false;
		}
	if (where->fetched[0] && where_file(where, CAIRN_FILE_DEBUG)->bytes.size == 0) {
		print_diagnostic(where->fetched, "ignored: unreadable or from another build");
		where->fetched[0] = '\0';
	}
	return true;
}

static void where_report_debug_file(struct where *where)
{
	const struct os_file *program = where_file(where, CAIRN_FILE_PROGRAM);
	const struct separate_debug_rules rules = { .directories = where->input.directories };
	struct separate_debug_files *found = malloc(sizeof(*found));
	char paths[SEPARATE_DEBUG_FILES_LIST_MAX];

	if (!found)
		return;
	separate_debug_files_find_by(found, where->lookup.input.path, program->bytes, &rules);
	if (found->debug_name && !found->debug.path[0] && !where->fetched[0]) {
		separate_debug_files_list_absent(found, paths);
		print_word_diagnostic(where->lookup.input.path, paths, SEPARATE_DEBUG_FILES_ABSENT);
	}
	separate_debug_files_finish(found);
	free(found);
}

/*
 * Stores conversions in the cache. A cached file ends with a trailer, ignored by GSYM readers,
 * which identifies the program and the separate debug files that were converted (os/cache.h).
 * Therefore the conversion is repeated if another program has the same build ID, or if debug
 * information is installed later.
 */

enum {
	/* minimum size of debug information whose conversion takes noticeable time */
	LARGE = 1 << 20,
};

/* Write the converted file to the cache. A failure is reported, but does not affect the results. */
static void write_to_cache(const struct where *where, struct cairn_bytes bytes,
                           const struct os_cache_origin *made)
{
	char directory[OS_CACHE_PATH];
	uint8_t trailer[OS_CACHE_ORIGIN_SIZE];
	const struct cairn_bytes parts[] = { bytes, { trailer, OS_CACHE_ORIGIN_SIZE } };

	os_cache_origin_write(made, trailer);
	int error = os_cache_directory(directory) ? os_make_directories(directory) : ENOENT;
	if (error == 0)
		error = os_atomic_file_replace(where->cached, parts, COUNT(parts));
	if (error)
		print_diagnostic(where->cached, "not cached: %s", strerror(error));
}

/*
 * Return true if a cached file is complete, and was created from the current files by this version
 * of the converter.
 */
static bool is_fresh(struct where *where, struct cairn_bytes bytes)
{
	static const enum cairn_module_file wanted[OS_CACHE_ORIGIN_FILES] = {
		CAIRN_FILE_PROGRAM, CAIRN_FILE_DEBUG, CAIRN_FILE_ALTERNATE, CAIRN_FILE_PACKAGE
	};
	struct os_cache_origin made;
	bool stamped = false;

	if (os_cache_origin_read(bytes, &made) != CAIRN_OK)
		return false;
	for (unsigned i = 0; i < OS_CACHE_ORIGIN_FILES; i++) {
		const struct os_file *file = where_file(where, wanted[i]);
		if (!os_cache_origin_matches(&made.file[i], file))
			return false;
		stamped |= os_cache_origin_stamp(&made.file[i], file);
	}
	bytes.size -= OS_CACHE_ORIGIN_SIZE;
	/* store the new timestamps, so that the next run does not have to read all files */
	if (stamped)
		write_to_cache(where, bytes, &made);
	return true;
}

/*
 * Return true if the cache contains a conversion of the program's current files. Delete an outdated
 * one.
 */
static bool is_cached(struct where *where)
{
	struct os_file file;

	if (!where->cached[0] || os_file_open_regular(where->cached, &file) != 0)
		return false;
	const bool fresh = is_fresh(where, file.bytes);
	if (!fresh)
		(void)!unlink(where->cached);
	os_file_close(&file);
	return fresh;
}

static int convert_functions(struct where *where, struct cairn_functions *origin)
{
	struct gsym_input *image = &where->lookup.input;
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_fault fault;
	struct gsym_output output;

	if (gsym_build_image(origin, false, &output, &where->told.error) != CAIRN_OK)
		return functions_input_fail(&where->told);
	progress_end(&where->told.line);
	if (origin->no_split > 0)
		print_diagnostic(origin->path,
		                 "the split DWARF files (.dwo, .dwp) of %" PRIu64
		                 " units were not found, so inlined calls are missing and lines "
		                 "may be imprecise; add directories with --directory",
		                 origin->no_split);
	image->file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	/* do not cache a damaged or incomplete conversion, because the next one may succeed */
	if (where->cached[0] && !origin->damaged && origin->no_split == 0) {
		const struct separate_debug_files *separate = &origin->elf->separate;
		const struct os_cache_origin made = {
			.file = { os_cache_origin_of_file(&origin->file),
			          os_cache_origin_of_file(&separate->debug.file),
			          os_cache_origin_of_file(&separate->alt.file),
			          os_cache_origin_of_file(&separate->package.file) }
		};
		write_to_cache(where, image->file.bytes, &made);
	}
	options.build_id = origin->build_id;
	if (cairn_symbols_open_bytes(image->file.bytes, &options, &image->symbols, &fault) ==
	    CAIRN_OK) {
		image->gsym = &image->symbols->image.gsym;
		return EXIT_CLEAN;
	}
	os_file_close(&image->file);
	return fail_with(origin->path, "cannot read the generated GSYM data");
}

/*
 * Convert the program, in any format that contains functions, to where->lookup.input and write the
 * result to the cache. If this has been tried before, do nothing. Return an exit status.
 */
static int convert(struct where *where)
{
	struct cairn_functions *origin;

	if (where->convert_status != NOT_CONVERTED)
		return where->convert_status;
	where->convert_status = EXIT_BROKEN;
	if (cairn_functions_open(where->lookup.input.path, &where->input, &origin,
	                         &where->told.error) != CAIRN_OK) {
		functions_input_fail(&where->told);
		return EXIT_BROKEN;
	}
	origin->columns = true;
	where->convert_status = convert_functions(where, origin);
	cairn_functions_close(origin);
	return where->convert_status;
}

/*
 * Fill the cache once all addresses have been looked up. Large programs are converted in the
 * background.
 */
static void fill_cache(struct where *where)
{
	struct gsym_input *image = &where->lookup.input; /* closed by lookup_run() */
	const bool is_large = where_debug_size(where) >= LARGE;
	char directory[OS_CACHE_PATH];

	fflush(stdout);
	if (is_large && (!os_cache_directory(directory) || os_make_directories(directory) != 0 ||
	                 !os_background_begin(directory)))
		return;
	*image = (struct gsym_input){ .path = image->path };
	/* another process may have filled the cache in the meantime */
	if (!is_cached(where) && convert(where) == EXIT_CLEAN)
		gsym_input_close(image);
	if (is_large)
		os_background_end();
}

static const char about[] =
	"Print function, file and line of addresses in a program, inlined calls included.\n"
	"Addresses are as linked: 4144, 0x1030, 103f, 0000000000001030 (as in nm), main,\n"
	"main+4, BINARY+0x14f0, or a line of a stack; without any, read them from standard\n"
	"input. A GSYM file of the same build beside BINARY is used if there is one;\n"
	"otherwise the program is converted to GSYM once, and the result is kept in the cache\n"
	"(see 'cairn cache').";

enum {
	FEW = 16,        /* for at most this many addresses, only parts of files are read */
	IMAGE_RANK = 50, /* rank before all other sources */
};

static int answer_by_image(struct where *where)
{
	where->by_image = true;
	if (convert(where) == EXIT_CLEAN)
		where->lookup.printed = gsym_printed(where->lookup.input.gsym);
	return where->convert_status;
}

/*
 * Provide GSYM data to resolve function names: the symbol file in use if it is GSYM, otherwise the
 * conversion.
 */
static void name_functions(void *context)
{
	struct where *where = context;
	const struct cairn_symbols *symbols =
		symbolizer_symbols(where->lookup.symbolizer, &where->lookup.module);

	if (symbols && symbols->is_image)
		where->lookup.input.gsym = &symbols->image.gsym;
	else
		(void)convert(where);
}

/*
 * Open the program and its debug files. Any input other than a plain ELF file, for example a
 * compressed file or a pipe, must be converted before addresses can be looked up.
 */
static int open_program(struct where *where)
{
	struct lookup *lookup = &where->lookup;
	const char *path = lookup->input.path;
	char directory[OS_CACHE_PATH];
	struct elf elf;

	if (!elf_opens(where_file(where, CAIRN_FILE_PROGRAM)->bytes, &elf))
		return answer_by_image(where);
	if (!elf_source_check_whole(path, elf.bytes, &where->told.error) ||
	    !elf_source_check_linked(path, &elf, &where->told.error)) {
		functions_input_fail(&where->told);
		return EXIT_BROKEN;
	}
	if (!where_check_debug_files(where))
		return EXIT_BROKEN;
	if (where->no_cache || !os_cache_directory(directory) ||
	    !os_cache_path(directory, elf_build_id(&elf), "gsym", where->cached))
		where->cached[0] = '\0';
	const bool was_cached = is_cached(where);
	const struct cairn_symbols *symbols =
		symbolizer_symbols(lookup->symbolizer, &lookup->module);
	if (!symbols && was_cached)
		/* delete the cached file, because it cannot be read */
		(void)!unlink(where->cached);
	if (symbols)
		/*
		 * do not cache, because the converted file would give different results than the
		 * symbol file
		 */
		where->cached[0] = '\0';
	lookup->printed = printed_of(where_debug_size(where));
	if (symbols && symbols->is_image)
		printed_credit(&lookup->printed, symbols->image.gsym.bytes.size);
	return EXIT_CLEAN;
}

static enum cairn_status open_image_source(void *context, struct cairn_symbol_search *search,
                                           void **opened, struct cairn_fault *fault)
{
	struct where *where = context;
	struct cairn_symbol_source lent;

	if (!where->by_image || where->convert_status != EXIT_CLEAN)
		return CAIRN_NOT_FOUND;
	cairn_symbols_as_source(where->lookup.input.symbols, IMAGE_RANK, &lent);
	return lent.open(lent.context, search, opened, fault);
}

static bool open_symbolizer(struct where *where)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_source image, files = symbolizer_symbol_files;
	struct lookup *lookup = &where->lookup;

	/* omit the built-in sources, because the DWARF source reads symbol tables, too */
	options.skip = CAIRN_SKIP_BUILTIN_SOURCES | (where->no_cache ? CAIRN_SKIP_CACHE : 0);
	options.directories = where->input.directories;
	options.files = (struct cairn_file_access){ open_program_file, close_program_file, where };
	options.fetch = where->use_debuginfod ? fetch_for_symbolizer : NULL;
	options.fetch_context = where;
	/* accept the cached file, because is_cached() has removed outdated ones */
	files.complete = symbolizer_opened_conversion;
	cairn_symbols_as_source(NULL, IMAGE_RANK, &image);
	image.name = "image";
	image.context = where;
	image.open = open_image_source;
	image.whole = true;
	lookup->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	lookup->module.path = lookup->input.path;
	lookup->symbolizer = cairn_symbolizer_new(&options);
	return lookup->symbolizer && cairn_symbolizer_add(lookup->symbolizer, &image) == CAIRN_OK &&
	       cairn_symbolizer_add(lookup->symbolizer, &files) == CAIRN_OK &&
	       cairn_symbolizer_add(lookup->symbolizer, cairn_dwarf_source()) == CAIRN_OK &&
	       cairn_symbolizer_add(lookup->symbolizer, &symbolizer_go_table) == CAIRN_OK &&
	       cairn_symbolizer_add(lookup->symbolizer, &symbolizer_stubs) == CAIRN_OK;
}

static bool is_any_lost(const struct cairn_symbol_answer *answers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((answers[i].missing & CAIRN_MISSING_PART) || answers[i].flaw)
			return true;
	return false;
}

/*
 * Look up addresses. If a result is incomplete because of damage, convert the whole program and
 * look up all addresses again in the converted file, because the conversion reports the damage.
 */
static enum cairn_status find_addresses(void *context, const uint64_t *vas, size_t count,
                                        struct cairn_symbol_answer *answers)
{
	struct where *where = context;
	struct lookup *lookup = &where->lookup;

	if (where->by_image && where->convert_status != EXIT_CLEAN)
		return CAIRN_MALFORMED;
	const enum cairn_status status = lookup_ask(lookup, vas, count, answers);
	if (status != CAIRN_OK || where->by_image || !is_any_lost(answers, count))
		return status;
	/*
	 * Close the files before the conversion to free memory. The name index must be freed, too,
	 * because it refers to the files.
	 */
	if (where->convert_status == NOT_CONVERTED) {
		functions_by_name_finish(&lookup->names);
		lookup->input.gsym = NULL;
	}
	cairn_symbolizer_forget(lookup->symbolizer, &lookup->module);
	if (answer_by_image(where) == EXIT_CLEAN)
		return lookup_ask(lookup, vas, count, answers);
	lookup->status = choose_worse(lookup->status, where->convert_status);
	return CAIRN_MALFORMED;
}

/*
 * Collect runtime addresses from numbers and stack frames. A number is a runtime address if it
 * exceeds every link-time address of the program.
 */
static void see_lines(void *context, struct cairn_bytes lines)
{
	struct where *where = context;
	struct captured_returns *r = &where->returns;
	const struct cairn_bytes path = borrow_string(where->lookup.input.path);

	while (lines.size > 0 && r->count < CAPTURED_RETURNS_MAX) {
		struct cairn_bytes line = bytes_take_part(&lines, '\n');
		if (question_parse_address(bytes_trim(line, BYTES_WHITE, BYTES_WHITE),
		                           &r->address[r->count]))
			r->count += r->address[r->count] >= where->pcs.high;
		else
			(void)captured_returns_read(r, &line, base_name(path));
	}
}

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
	print_diagnostic(
		where->lookup.input.path,
		"assuming load address 0x%" PRIx64
		", because %zu of the %zu addresses that fall into this file follow calls; "
		"these are looked up as return addresses",
		base.first, base.follow, base.inside);
}

/*
 * Convert a runtime address to a link-time address. A return address is converted to an address in
 * the call.
 */
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

static int answer_addresses(struct where *where, int argc, char **argv)
{
	struct lookup *lookup = &where->lookup;
	struct elf elf;

	functions_input_begin(&where->told, argv[0]);
	where->told.owner = where;
	where->input.messages = where->told.options.messages;
	where->input.message = where->told.options.message;
	where->input.progress = where->told.options.progress;
	where->input.context = &where->told;
	where->input.fetch = where->use_debuginfod ? where_fetch_for_conversion : NULL;
	lookup->json = json_to(stdout);
	lookup->input.path = argv[0];
	lookup->find = find_addresses;
	lookup->name_functions = name_functions;
	lookup->context = where;
	question_begin(lookup, argc - 1, argv + 1);
	if (!open_symbolizer(where))
		return fail_with(argv[0], "out of memory");
	int status = open_program(where);
	if (elf_opens(where_file(where, CAIRN_FILE_PROGRAM)->bytes, &elf) &&
	    elf_load_span(&elf, &where->pcs)) {
		lookup->see = see_lines;
		lookup->place = place_address;
	}
	if (status == EXIT_CLEAN)
		status = lookup_run(lookup, argc - 1, argv + 1);
	if (status == EXIT_MISSING && !symbolizer_symbols(lookup->symbolizer, &lookup->module))
		where_report_debug_file(where);
	if (status != EXIT_BROKEN && where->cached[0] && where->convert_status == NOT_CONVERTED)
		fill_cache(where);
	cairn_symbolizer_free(lookup->symbolizer);
	return status;
}

int verb_where(int argc, char **argv)
{
	struct where where = { .lookup = { .form = FORM_TEXT },
		               .input = CAIRN_FUNCTIONS_OPTIONS,
		               .told = FUNCTIONS_INPUT,
		               .debuginfod = { .deadline = DEBUGINFOD_DEADLINE },
		               .convert_status = NOT_CONVERTED };
	bool quiet = false;
	const struct option options[] = {
		OPTION_LINES(&where.lookup.form),
		OPTION_JSON(&where.lookup.form),
		OPTION_LINKAGE_NAMES(&where.lookup.linkage_names),
		OPTION_DIRECTORY(&where.input.directories),
		OPTION_DEBUGINFOD("also ask the servers in DEBUGINFOD_URLS for the debug file",
		                  &where.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&where.debuginfod.deadline),
		OPTION_FLAG("no-cache", "do not read or write the cache", &where.no_cache),
		OPTION_NO_PROGRESS(&quiet),
	};
	const struct command command =
		COMMAND("cairn where [OPTION...] BINARY [ADDRESS...]", about, options,
	                OPERANDS(1, OPERANDS_MANY, "BINARY", "ADDRESS"),
	                .rights = RIGHT_FINDS | RIGHT_CACHE);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	where.told.progress = !quiet;
	where.told.quiet = true;
	where.input.statements = true;
	where.input.jobs = threads_default();
	where.is_few = argc > 1 && argc - 1 <= FEW;
	status = answer_addresses(&where, argc, argv);
	debuginfod_close(&where.debuginfod);
	return status;
}
