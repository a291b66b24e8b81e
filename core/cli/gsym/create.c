/* SPDX-License-Identifier: MIT */
/* `cairn gsym create`: writes a GSYM file for one input, or for each file of a directory tree. */
#include "gsym.h"

#include "base/threads.h"
#include "cli/front/functions.h"
#include "cli/front/tree.h"
#include "formats/gsym/gsym.h"
#include "locate/symbol_files.h"
#include "os/symbol_path.h"
#include "output/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct create {
	const char *out;
	const char *tree; /* directory with input files; if set, `out` is the store's directory */
	uint64_t version;
	bool json;
	struct cairn_gsym_options gsym;
	struct functions_input input;

	const char *from;
	char path[4096];  /* output path; "-" is standard output */
	int stdout_error; /* errno of the failed write to standard output, or 0 */
	struct cairn_functions *functions;
	struct cairn_gsym_summary summary;
};

static void print_dropped(const struct create *create, FILE *out)
{
	const struct cairn_gsym_summary *s = &create->summary;
	const struct cairn_functions_drop more[] = {
		{ "functions with the range of another", s->folded },
		{ "functions given twice", s->repeated },
	};
	struct cairn_functions_drop drop;

	for (size_t at = 0; cairn_functions_next_drop(create->functions, &at, &drop);)
		fprintf(out, "  dropped: %" PRIu64 " %s\n", drop.count, drop.what);
	for (size_t i = 0; i < COUNT(more); i++)
		if (more[i].count)
			fprintf(out, "  dropped: %" PRIu64 " %s\n", more[i].count, more[i].what);
	if (s->nameless)
		fprintf(out, "  without a name: %" PRIu64 " functions, written as ??\n",
		        s->nameless);
	if (s->cut)
		fprintf(out, "  cut: %" PRIu64 " functions over 4 GiB or calls too deep\n", s->cut);
}

static size_t find_directory_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/*
 * Return the length of the output path's prefix that is the directory to search: the root of the
 * build-ID tree if the output is in one, otherwise the directory that contains it.
 */
static size_t find_search_directory(const struct create *create)
{
	const size_t size = strlen(create->path);
	char place[BUILD_ID_PATH_MAX];

	if (!build_id_path(place, sizeof(place), ".", 1,
	                   cairn_functions_build_id(create->functions), "gsym"))
		return find_directory_size(create->path);
	const char *below = place + 1; /* starts with the slash */
	const size_t length = strlen(below);
	return size >= length && strcmp(create->path + size - length, below) == 0
	               ? size - length
	               : find_directory_size(create->path);
}

/* Return true if the name ends in .gsym. Searches of a directory try such files first. */
static bool has_gsym_name(const char *path)
{
	static const char extension[] = ".gsym";
	const size_t size = strlen(path), end = sizeof(extension) - 1;

	return size >= end && strcmp(path + size - end, extension) == 0;
}

/*
 * Print where cairn will find the file: beside the program, with --directory, or not automatically.
 */
static void print_finding(const struct create *create, FILE *out)
{
	const char *path = create->path;
	const size_t own = find_directory_size(path);

	if (strcmp(path, "-") == 0 || create->gsym.embed || create->gsym.segment_size ||
	    create->tree)
		return;
	if (cairn_functions_build_id(create->functions).size == 0) {
		fputs("  found: not automatically, because it has no build ID\n", out);
		return;
	}
	if (own == find_directory_size(create->from) && memcmp(path, create->from, own) == 0) {
		fputs("  found: by its build ID, in the directory of the program", out);
	} else {
		const size_t directory = find_search_directory(create);
		fputs("  found: by its build ID, with --directory ", out);
		print_text(out, directory ? (struct cairn_bytes){ (const uint8_t *)path, directory }
		                          : (struct cairn_bytes){ (const uint8_t *)".", 1 });
	}
	if (!has_gsym_name(path))
		fprintf(out, ", if it is among the first %d files there", SYMBOL_FILES_DIRECTORY);
	fputc('\n', out);
}

static void create_print_summary(const struct create *create)
{
	const struct cairn_gsym_summary *s = &create->summary;
	FILE *out = strcmp(create->path, "-") == 0 ? stderr : stdout;

	print_string(out, create->path);
	fprintf(out,
	        ": GSYM version %u, %" PRIu64 " functions (%" PRIu64
	        " from symbols alone), %" PRIu64 " lines, %" PRIu64 " inlined calls",
	        s->version, s->functions, s->symbols, s->rows, s->inlines);
	if (s->merged)
		fprintf(out, ", %" PRIu64 " merged functions", s->merged);
	if (s->calls)
		fprintf(out, ", %" PRIu64 " call sites", s->calls);
	fprintf(out, "\n  %" PRIu64 " bytes", s->bytes);
	if (create->gsym.segment_size)
		fprintf(out, " in %" PRIu64 " pieces", s->pieces);
	fprintf(out, ", of these %" PRIu64 " for strings\n", s->string_bytes);
	print_dropped(create, out);
	print_finding(create, out);
	if (create->gsym.verify)
		fprintf(out,
		        "  verified: %" PRIu64 " functions at %" PRIu64 " addresses, %" PRIu64
		        " of them in shorter functions\n",
		        s->verified_functions, s->verified_addresses, s->hidden_addresses);
}

static void create_print_json(const struct create *create)
{
	const struct cairn_gsym_summary *s = &create->summary;
	struct cairn_functions_drop drop;
	struct json j = json_to(strcmp(create->path, "-") == 0 ? stderr : stdout);

	json_object(&j, NULL);
	json_string(&j, "input", create->from);
	json_string(&j, "output", create->path);
	json_number(&j, "version", s->version);
	json_hex(&j, "uuid", cairn_functions_build_id(create->functions));
	json_number(&j, "functions", s->functions);
	json_number(&j, "from_symbols", s->symbols);
	json_number(&j, "merged_functions", s->merged);
	json_number(&j, "lines", s->rows);
	json_number(&j, "inlined_calls", s->inlines);
	json_number(&j, "call_sites", s->calls);
	json_number(&j, "nameless", s->nameless);
	json_number(&j, "files", s->files);
	json_number(&j, "pieces", s->pieces);
	json_number(&j, "bytes", s->bytes);
	json_number(&j, "string_bytes", s->string_bytes);
	if (create->gsym.verify) {
		json_number(&j, "verified_functions", s->verified_functions);
		json_number(&j, "verified_addresses", s->verified_addresses);
	}
	json_object(&j, "dropped");
	for (size_t at = 0; cairn_functions_next_drop(create->functions, &at, &drop);)
		json_number(&j, drop.what, drop.count);
	json_number(&j, "functions with the range of another", s->folded);
	json_number(&j, "functions given twice", s->repeated);
	json_end(&j);
	json_end(&j);
}

/* Set the output path: the value of --output, INPUT with --embed, or otherwise INPUT.gsym. */
static bool name_output(struct create *create, const char *input)
{
	size_t capacity = sizeof(create->path);
	int size;

	if (create->out)
		size = snprintf(create->path, capacity, "%s", create->out);
	else if (strcmp(input, "-") == 0 || create->gsym.embed)
		size = snprintf(create->path, capacity, "%s", input);
	else
		size = snprintf(create->path, capacity, "%s.gsym", input);
	if ((size_t)size < capacity)
		return true;
	return refuse_with(input, "the output path is too long");
}

static int write_to_stdout(void *context, const char *suffix, const void *bytes, size_t size)
{
	struct create *create = context;

	(void)suffix;
	errno = 0;
	if (fwrite(bytes, 1, size, stdout) == size && !fflush(stdout))
		return 0;
	create->stdout_error = errno ? errno : EIO;
	return create->stdout_error;
}

static int write_gsym(struct create *create)
{
	const bool is_stdout = strcmp(create->path, "-") == 0;
	const struct cairn_output output = { sizeof(output), is_stdout ? NULL : create->path,
		                             write_to_stdout, create };

	create->summary.size = sizeof(create->summary);
	if (cairn_functions_write_gsym(create->functions, &create->gsym, &output, &create->summary,
	                               &create->input.error) != CAIRN_OK) {
		if (!create->stdout_error && !create->summary.refused)
			return functions_input_fail(&create->input);
		progress_end(&create->input.line);
		return create->stdout_error
		               ? fail_with(NULL, "cannot write to standard output: %s",
		                           strerror(create->stdout_error))
		               : fail_with(create->path, "not written; use --keep-going to write "
		                                         "the undamaged part");
	}
	progress_end(&create->input.line);
	if (create->json)
		create_print_json(create);
	else if (!create->input.quiet)
		create_print_summary(create);
	return EXIT_CLEAN;
}

static int create_file(struct create *create, const char *input)
{
	create->from = input;
	if (!name_output(create, input))
		return EXIT_BROKEN;
	create->functions = functions_input_open(&create->input, input);
	const int status = create->functions ? write_gsym(create) : EXIT_BROKEN;
	functions_input_close(&create->input, create->functions);
	return status;
}

/* Rate a file as a source of symbols: 2 with DWARF, 1 with only a symbol table, 0 with neither. */
static uint8_t rate_symbols(const struct elf *elf)
{
	struct elf_section section;

	if (elf_find_section(elf, ".debug_info", &section) ||
	    elf_find_section(elf, ".zdebug_info", &section))
		return 2;
	return elf_find_section(elf, ".symtab", &section);
}

/*
 * Return true if a stored file is complete. A truncated file lacks records, because they are at the
 * end.
 */
static bool has_all_records(const struct gsym *gsym)
{
	struct gsym_function function;
	struct gsym_block block;
	struct cairn_fault fault;

	struct gsym_walk walk = gsym_walk(gsym);

	for (uint32_t i = 0; i < gsym->functions; i++) {
		if (!gsym_walk_take(&walk, i, &fault) ||
		    gsym_function(gsym, i, &function, &fault) != CAIRN_OK)
			return false;
		struct gsym_blocks blocks = gsym_blocks(gsym, &function);
		while (gsym_next_block(&blocks, &block))
			;
		if (blocks.in.fault.status != CAIRN_OK)
			return false;
	}
	return true;
}

/*
 * Return true if the GSYM data is from the same build as `file`. In version 1, --truncate-uuid
 * stores only the beginning of a long build ID.
 */
static bool has_build_id(const struct gsym *gsym, const struct tree_file *file)
{
	return gsym->uuid.size > 0 && gsym->uuid.size <= file->size &&
	       (gsym->uuid.size == file->size || gsym->uuid.size == GSYM_UUID_MAX_V1) &&
	       memcmp(gsym->uuid.data, file->build_id, gsym->uuid.size) == 0;
}

static bool is_stored_gsym(const char *path, const struct tree_file *file)
{
	struct os_file stored;
	struct cairn_fault fault;
	struct gsym gsym;

	if (os_file_open_regular(path, &stored) != 0)
		return false;
	bool whole = gsym_open(stored.bytes, &gsym, &fault) == CAIRN_OK &&
	             has_build_id(&gsym, file) && has_all_records(&gsym);
	os_file_close(&stored);
	return whole;
}

static int make_symbols(const void *context, const char *input, const char *path)
{
	const struct create *all = context;
	struct create create = *all;

	create.out = path;
	create.json = false;
	create.input.jobs = 1;
	create.input.quiet = true;
	return create_file(&create, input);
}

static int create_tree(const struct create *create)
{
	const struct tree_verb verb = { .ending = "gsym",
		                        .empty = "without functions",
		                        .empty_key = "no_functions",
		                        .nothing = "no file in it has symbols and a build ID",
		                        .rate = rate_symbols,
		                        .is_stored = is_stored_gsym,
		                        .make = make_symbols,
		                        .context = create };
	struct tree tree = { .directory = create->tree,
		             .store = create->out,
		             .verb = &verb,
		             .jobs = (unsigned)create->input.jobs,
		             .quiet = create->input.quiet,
		             .as_json = create->json };

	return tree_run(&tree);
}

static const char about[] =
	"Create a GSYM file from an ELF file (DWARF and symbols), a separate debug file, Breakpad\n"
	"symbols, a symbfile, or another GSYM file. Without -o, OUT is INPUT.gsym. OUT appears\n"
	"complete or not at all. The same input gives the same bytes with any number of threads.\n"
	"With --tree, complete files that are already in the store are kept.";

static const char *check_create_options(const struct create *create)
{
	if (create->version != 1 && create->version != 2)
		return "--format must be 1 or 2";
	if (create->input.jobs < 1 || create->input.jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return "--jobs must be from 1 to 256";
	if (create->gsym.segment_size && create->out && strcmp(create->out, "-") == 0)
		return "segments cannot be written to standard output";
	if (create->tree && (!create->out || strcmp(create->out, "-") == 0))
		return "--tree requires --output with the directory of the store";
	if (create->tree && create->gsym.segment_size)
		return "--tree cannot create segments";
	if (create->tree && create->input.options.symbols)
		return "--symtab-file requires one INPUT and cannot be used with --tree";
	if (create->gsym.embed && (create->tree || create->gsym.segment_size))
		return "--embed creates one file and cannot be used with --tree or --segment-size";
	return NULL;
}

#define OPTIONS_KEPT(create)                                                              \
	OPTION_FLAG("merged-functions", "keep all functions that share the same code",    \
	            &(create).input.options.merged),                                      \
		OPTION_FLAG("call-sites", "record the return address of each call",       \
	                    &(create).input.options.calls),                               \
		OPTION_FLAG("statements", "keep the rows that breakpoints on lines need", \
	                    &(create).input.options.statements)

int gsym_create(int argc, char **argv)
{
	struct create create = { .version = 1,
		                 .gsym = CAIRN_GSYM_OPTIONS,
		                 .input = FUNCTIONS_INPUT };
	enum form form = FORM_TEXT;
	const struct option options[] = {
		OPTION_OUTPUT('o', "output", "OUT", "write to OUT; '-' is standard output",
		              &create.out),
		OPTION_WITH(RIGHT_FINDS, text, 0, "tree", "DIR",
		            "convert all programs and debug files below DIR into the store OUT",
		            &create.tree),
		OPTION_FLAG("embed", "write INPUT with a section .gsym; without -o, replace INPUT",
		            &create.gsym.embed),
		OPTION_NUMBER("format", "1|2", "write this version of GSYM (1)", &create.version),
		OPTIONS_KEPT(create),
		OPTION_NUMBER("segment-size", "BYTES",
		              "split into files OUT-0xSTART of at most this size",
		              &create.gsym.segment_size),
		OPTION_FLAG("verify", "look up every address in the result before writing it",
		            &create.gsym.verify),
		OPTION_FLAG("truncate-uuid",
		            "shorten a long build ID so that version 1 can hold it",
		            &create.gsym.truncate_build_id),
		OPTION_NUMBER("base", "ADDRESS", "add this to the addresses of a Breakpad file",
		              &create.input.options.base),
		OPTION_DIRECTORIES("directory", "DIR[:DIR...]",
		                   "search these directories for debug files",
		                   &create.input.options.directories),
		OPTION_TEXT("symtab-file", "FILE",
		            "take symbols from this ELF file of the same build",
		            &create.input.options.symbols),
		OPTION_FLAG("keep-going", "write the undamaged part of damaged DWARF",
		            &create.gsym.keep_damaged),
		OPTIONS_FUNCTIONS(create.input),
		OPTION_JSON(&form),
	};
	const struct command command =
		COMMAND("cairn gsym create [OPTION...] INPUT|--tree DIR", about, options,
	                OPERANDS(0, 1, "INPUT"), .rights = RIGHT_FINDS | RIGHT_BESIDE);

	create.input.jobs = threads_default();
	int status = EXIT_CLEAN;
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const char *wrong = create.tree && argc   ? "--tree takes no INPUT"
	                    : argc || create.tree ? check_create_options(&create)
	                                          : "no INPUT";
	if (wrong)
		return usage_error(&command, "%s", wrong);
	create.json = form == FORM_JSON;
	create.gsym.version = (unsigned)create.version;
	return create.tree ? create_tree(&create) : create_file(&create, argv[0]);
}
