/* SPDX-License-Identifier: MIT */
/*
 * `cairn sframe create`, `convert` and `merge`: write SFrame tables and row tables for one file,
 * for the modules of a core, or for a directory tree of programs.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "sframe.h"

#include "base/bytes.h"
#include "base/threads.h"
#include "cli/front/tree.h"
#include "debuginfo/unpack.h"
#include "formats/elf/elf.h"
#include "formats/rowtable.h"
#include "os/atomic_file.h"
#include "os/symbol_path.h"
#include "output/escape.h"
#include "output/json.h"

#include <cairn/functions.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PERMISSIONS = 0777 };

/*
 * Check that the options do not contradict each other. Return EXIT_CLEAN, or print a diagnostic and
 * return EXIT_USAGE. `option` is the name of the option that selects the SFrame version.
 */
static int sframe_check_making(const struct command *command, const struct sframe_making *making,
                               const char *option)
{
	const struct sframe_layout *layout =
		making->version > 0 ? sframe_layout((unsigned)making->version) : NULL;

	if (!layout || !layout->writable)
		return usage_error(command, "%s must be 2 or 3", option);
	if (making->by_section && !layout->by_section)
		return usage_error(command, "--by-section requires %s 2", option);
	if (making->share && making->join)
		return usage_error(command,
		                   "--share-rows and --join-functions are mutually exclusive");
	return EXIT_CLEAN;
}

static struct cairn_sframe_options sframe_making_options(const struct sframe_making *making)
{
	return (struct cairn_sframe_options){ .size = sizeof(struct cairn_sframe_options),
		                              .version = (unsigned)making->version,
		                              .by_section = making->by_section,
		                              .share_rows = making->share,
		                              .join_functions = making->join,
		                              .debug_frame = { (const uint8_t *)"", 0 } };
}

/*
 * Set `path` to the value of --output or, by default, to INPUT with `ending` appended. If the path
 * is too long, print a diagnostic and return false.
 */
static bool sframe_name_output(const struct sframe_making *making, const char *input,
                               const char *ending, char path[SFRAME_PATH])
{
	const bool beside = !making->out && strcmp(input, "-") != 0;
	const int size = snprintf(path, SFRAME_PATH, "%s%s", making->out ? making->out : input,
	                          beside ? ending : "");

	if (size < SFRAME_PATH)
		return true;
	return refuse_with(input, "the output path is too long");
}

static int publish_made(const char *path, struct cairn_bytes bytes, const char *like)
{
	struct stat about;

	if (strcmp(path, "-") == 0)
		return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && !fflush(stdout)
		               ? EXIT_CLEAN
		               : fail_with(NULL, "cannot write to standard output: %s",
		                           strerror(errno));
	const bool alike = like && strcmp(like, "-") != 0 && stat(like, &about) == 0;
	int error = os_atomic_file_write(path, &bytes, 1);
	if (error == 0 && alike && chmod(path, about.st_mode & PERMISSIONS) != 0)
		error = errno;
	return error ? fail_with(path, "cannot write: %s", strerror(error)) : EXIT_CLEAN;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void print_summary_json(const struct sframe_making *making, const char *path,
                               const struct cairn_sframe_file *made)
{
	struct json json = json_to(strcmp(path, "-") == 0 ? stderr : stdout);

	json_object(&json, NULL);
	json_string(&json, "file", path);
	if (making->as)
		json_string(&json, "as", making->as);
	else
		json_number(&json, "version", making->version);
	json_number(&json, "functions", made->functions);
	json_number(&json, "rows", made->rows);
	json_number(&json, "bytes", made->table);
	json_number(&json, "cfi_bytes", made->cfi);
	json_number(&json, "code", made->code);
	json_number(&json, "described", made->described);
	json_number(&json, "written", made->written);
	json_number(&json, "damaged", made->damaged);
	json_object(&json, "left_out");
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		json_number(&json, cairn_sframe_loss_name((enum cairn_sframe_loss)i),
		            made->left_out[i]);
	json_end(&json);
	json_end(&json);
}

static void sframe_print_made(const struct sframe_making *making, const char *input,
                              const char *path, const struct cairn_sframe_file *made)
{
	if (made->damaged && !making->quiet)
		print_diagnostic(input,
		                 "unreadable entries: %" PRIu64 ", the first at byte %" PRIu64
		                 " (0x%" PRIx64 "): %s; the table does not cover their code",
		                 made->damaged, made->fault.offset, made->fault.offset,
		                 made->fault.what);
	if (making->form == FORM_JSON)
		print_summary_json(making, path, made);
	else if (!making->quiet) {
		FILE *out = strcmp(path, "-") == 0 ? stderr : stdout;
		print_string(out, path);
		if (making->as)
			fputs(": a row table", out);
		else
			fprintf(out, ": SFrame version %" PRIu64, making->version);
		fprintf(out,
		        ", %" PRIu64 " functions, %" PRIu64 " rows, %" PRIu64
		        " bytes, from %" PRIu64 "; %.4f %% of the code that was described\n",
		        made->functions, made->rows, made->table, made->cfi,
		        percent_of(made->written, made->described));
		if (making->report) {
			fprintf(out, "  code             %12" PRIu64 " bytes\n", made->code);
			fprintf(out, "  described        %12" PRIu64 "  %8.4f %%\n",
			        made->described, percent_of(made->described, made->code));
			fprintf(out,
			        "  written          %12" PRIu64 "  %8.4f %% of the described\n",
			        made->written, percent_of(made->written, made->described));
			for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
				if (made->left_out[i])
					fprintf(out, "  omitted:  %-10s %8" PRIu64 "  %8.4f %%\n",
					        cairn_sframe_loss_name((enum cairn_sframe_loss)i),
					        made->left_out[i],
					        percent_of(made->left_out[i], made->described));
		}
	}
}

/*
 * Write the table to `path`, print the summary and free the table. The permissions are copied from
 * the file `like`, which may be NULL. Return the exit status.
 */
static int sframe_finish_made(const struct sframe_making *making, const char *input,
                              const char *path, const char *like, struct cairn_sframe_file *made)
{
	const int status = publish_made(path, made->bytes, like);

	if (status == EXIT_CLEAN)
		sframe_print_made(making, input, path, made);
	cairn_sframe_file_free(made);
	return status;
}

static int sframe_report_unmade(const char *input, enum cairn_status status,
                                const struct cairn_fault *fault)
{
	print_diagnostic(input, "cannot create a table: %s", fault->what);
	return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
}

static enum cairn_status unpack_frames(const struct elf *elf, struct cairn_bytes file,
                                       void **unpacked, struct cairn_bytes *frames)
{
	struct elf_section section;
	size_t size = 0;

	if (!elf_find_section(elf, ".debug_frame", &section) ||
	    !(section.flags & ELF_SHF_COMPRESSED))
		return CAIRN_OK;
	enum cairn_status status = debuginfo_decompress(file, ".debug_frame", unpacked, &size);
	if (status == CAIRN_OK)
		*frames = (struct cairn_bytes){ *unpacked, size };
	return status;
}

static int make_table(const struct sframe_making *making, const char *input,
                      struct cairn_bytes file, const struct elf *elf,
                      struct cairn_sframe_file *made)
{
	struct cairn_sframe_options options = sframe_making_options(making);
	void *unpacked = NULL;
	struct cairn_fault fault;
	enum cairn_status status = unpack_frames(elf, file, &unpacked, &options.debug_frame);

	options.rows = making->as != NULL;

	if (status != CAIRN_OK)
		return fail_with(input, ".debug_frame cannot be decompressed");
	status = cairn_sframe_file_make(file, &options, made, &fault);
	free(unpacked);
	return status == CAIRN_OK ? EXIT_CLEAN : sframe_report_unmade(input, status, &fault);
}

/*
 * Create the table for one input. Return the exit status. *made is set only if the status is
 * EXIT_CLEAN.
 */
static int sframe_create_file(const struct sframe_making *making, const char *input,
                              const char *path, struct cairn_sframe_file *made)
{
	struct os_file file;
	struct elf elf;

	if (!input_open_elf(input, &file, &elf))
		return EXIT_BROKEN;
	int status = make_table(making, input, file.bytes, &elf, made);
	if (status == EXIT_CLEAN)
		status = sframe_finish_made(making, input, path, NULL, made);
	os_file_close(&file);
	return status;
}

/*
 * Implements `cairn sframe create --tree`: creates a store with tables for all programs and debug
 * files in a directory tree.
 */

/* Totals over all files, in memory shared with the child processes. */
struct tree_sums {
	_Atomic uint64_t functions, rows, table, cfi, code, described, written;
	_Atomic uint64_t left_out[CAIRN_SFRAME_LOSSES];
};

struct making_of_tree {
	const struct sframe_making *making;
	struct tree_sums *sums; /* NULL disables the totals */
};

/*
 * Rate a file as a source of call frame information: 2 for a program, 1 for a debug file that
 * contains some, 0 otherwise.
 */
static uint8_t sframe_rate_frames(const struct elf *elf)
{
	struct elf_section section;

	if (elf_find_section(elf, ".eh_frame", &section) &&
	    elf_section_bytes(elf, &section).size > 0)
		return 2;
	return elf_find_section(elf, ".debug_frame", &section);
}

/*
 * Return true if the store contains a file for this build. Files are created atomically, so a file
 * with the right build ID is complete.
 */
static bool is_stored(const char *path, const struct tree_file *file)
{
	struct cairn_fault fault;
	struct rowtable table;
	struct os_file stored;
	struct cairn_bytes id;
	struct elf elf;

	if (os_file_open_regular(path, &stored) != 0)
		return false;
	if (rowtable_open(stored.bytes, &table, &fault) == CAIRN_OK)
		id = table.build_id;
	else if (elf_open(stored.bytes, &elf, &fault) == CAIRN_OK)
		id = elf_build_id(&elf);
	else
		id = (struct cairn_bytes){ file->build_id, 0 };
	const bool whole = id.size == file->size && memcmp(id.data, file->build_id, id.size) == 0;
	os_file_close(&stored);
	return whole;
}

static int make_stored_table(const void *context, const char *input, const char *path)
{
	const struct making_of_tree *m = context;
	struct sframe_making making = *m->making;
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);

	making.quiet = true;
	making.form = FORM_TEXT;
	const int status = sframe_create_file(&making, input, path, &made);
	if (status == EXIT_CLEAN && m->sums) {
		m->sums->functions += made.functions;
		m->sums->rows += made.rows;
		m->sums->table += made.table;
		m->sums->cfi += made.cfi;
		m->sums->code += made.code;
		m->sums->described += made.described;
		m->sums->written += made.written;
		for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
			m->sums->left_out[i] += made.left_out[i];
	}
	return status;
}

static int sframe_create_tree(const struct sframe_creation *creation)
{
	const struct sframe_making *making = &creation->making;
	struct making_of_tree context = { .making = making };
	const struct tree_verb verb = {
		.ending = making->as ? "rows" : "sframe",
		.empty = "without call frame information",
		.empty_key = "no_call_frame_information",
		.nothing = "no file in it has call frame information and a build ID",
		.rate = sframe_rate_frames,
		.is_stored = is_stored,
		.make = make_stored_table,
		.context = &context
	};
	struct tree tree = { .directory = creation->tree,
		             .store = making->out,
		             .verb = &verb,
		             .jobs = (unsigned)creation->jobs,
		             .quiet = making->quiet,
		             .as_json = making->form == FORM_JSON };
	void *shared = mmap(NULL, sizeof(struct tree_sums), PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	context.sums = shared != MAP_FAILED ? shared : NULL;
	const int status = tree_run(&tree);
	if (context.sums && tree.count[TREE_MADE] > 0) {
		struct cairn_sframe_file all = { .table = context.sums->table,
			                         .cfi = context.sums->cfi,
			                         .functions = context.sums->functions,
			                         .rows = context.sums->rows,
			                         .code = context.sums->code,
			                         .described = context.sums->described,
			                         .written = context.sums->written };
		for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
			all.left_out[i] = context.sums->left_out[i];
		sframe_print_made(making, making->out, making->out, &all);
	}
	return status;
}

/*
 * Implements `cairn sframe create --core`: creates a store with tables for the modules of a core.
 */

struct making_of_core {
	const struct sframe_creation *creation;
	struct cairn_bytes build_id;
	const char *output;
	uint64_t done, lost;
	int status;
};

static bool make_of_file(struct making_of_core *m, const char *input)
{
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);

	struct os_file file;
	struct elf elf;
	if (os_file_open_regular(input, &file) != 0)
		return false;
	bool is = false;
	if (elf_opens(file.bytes, &elf)) {
		const struct cairn_bytes id = elf_build_id(&elf);
		is = bytes_equal(id, m->build_id) && sframe_rate_frames(&elf) > 0;
	}
	os_file_close(&file);
	if (!is)
		return false;
	m->status = sframe_create_file(&m->creation->making, input, m->output, &made);
	return true;
}

static bool make_of_trees(struct making_of_core *m, const char *extension)
{
	struct symbol_path places = build_id_trees(m->creation->directory, m->build_id, extension);

	while (symbol_path_next(&places))
		if (make_of_file(m, places.path))
			return true;
	return false;
}

/*
 * Create the table for one module. Modules without a file are skipped, because they belong to the
 * kernel or contain JIT code.
 */
static void make_of_module(struct making_of_core *m, const struct cairn_loaded_module *module)
{
	char output[SFRAME_PATH], input[SFRAME_PATH], id[BUILD_ID_TEXT_MAX];

	if (module->path.size == 0 || module->path.size >= sizeof(input) ||
	    module->path.data[0] != '/' ||
	    !cairn_build_id_path(module->build_id, m->creation->making.out, "sframe", output,
	                         sizeof(output)) ||
	    !build_id_text(module->build_id, id))
		return;
	snprintf(input, sizeof(input), "%.*s", (int)module->path.size,
	         (const char *)module->path.data);
	m->build_id = module->build_id;
	m->output = output;
	m->done++;
	if (cairn_sframe_file_belongs(output, module->build_id))
		return;
	char directory[SFRAME_PATH];
	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(output, '/') - output),
	         output);
	const int error = os_make_directories(directory);
	if (error != 0)
		m->status = fail_with(directory, "cannot create: %s", strerror(error));
	else if (!make_of_file(m, input) && !make_of_trees(m, "") && !make_of_trees(m, "debug")) {
		m->lost++;
		print_diagnostic(input,
		                 "no file with build ID %s contains call frame information; use "
		                 "--directory to specify a directory that contains .build-id",
		                 id);
	}
}

static int sframe_create_core(const struct sframe_creation *creation)
{
	struct making_of_core m = { .creation = creation, .status = EXIT_CLEAN };
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);
	struct cairn_stacks *stacks;
	struct cairn_error error;

	if (cairn_stacks_open_file(creation->core, &stacks, &error) != CAIRN_OK) {
		print_error_diagnostic(&error);
		return EXIT_BROKEN;
	}
	for (size_t i = 0; m.status == EXIT_CLEAN && cairn_stacks_module(stacks, i, &module); i++)
		make_of_module(&m, &module);
	cairn_stacks_close(stacks);
	if (m.done == 0)
		print_diagnostic(creation->core, "no module has both a file and a build ID");
	return m.status == EXIT_CLEAN && (m.done == 0 || m.lost > 0) ? EXIT_MISSING : m.status;
}

/*
 * Implements `cairn sframe convert`: combines the tables in a file into one table of version 2 or
 * 3.
 */

static const char convert_about[] =
	"Rewrite the SFrame tables of FILE, of any version, as one table of version 2 or 3,\n"
	"in place: glibc reads the section of a program, and only version 2. Each address\n"
	"keeps its rule; code whose rule version 2 cannot express has no row (--report counts\n"
	"it). Without -o, FILE itself is replaced. A table larger than the old section does\n"
	"not fit; --side-file writes a separate file with the table, as 'cairn sframe create'\n"
	"does.";
struct conversion {
	struct sframe_making making;
	struct sframe_source source;
	bool side_file;
};

static int convert_bytes(const struct conversion *c, const char *input, struct cairn_bytes file,
                         const char *path)
{
	struct cairn_sframe_options options = sframe_making_options(&c->making);
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;

	options.raw = c->source.raw;
	options.address = c->source.address;
	options.side_file = c->side_file;
	const enum cairn_status status = cairn_sframe_file_convert(file, &options, &made, &fault);
	return status == CAIRN_OK ? sframe_finish_made(&c->making, input, path,
	                                               c->side_file ? NULL : input, &made)
	                          : sframe_report_unmade(input, status, &fault);
}

static int convert_file(const struct conversion *c, const char *input)
{
	struct os_file file;
	char path[SFRAME_PATH];

	if (!sframe_name_output(&c->making, input, c->side_file ? ".sframe" : "", path) ||
	    !input_open(input, &file))
		return EXIT_BROKEN;
	const int status = convert_bytes(c, input, file.bytes, path);
	os_file_close(&file);
	return status;
}

int sframe_convert(int argc, char **argv)
{
	struct conversion c = { .making = { .form = FORM_TEXT } };
	const struct option options[] = {
		OPTION_NUMBER("to", "2|3", "SFrame version of the output", &c.making.version),
		OPTION_FLAG("side-file", "write a separate file instead of a changed program",
		            &c.side_file),
		OPTION_FLAG("raw", "FILE contains the bare bytes of a section", &c.source.raw),
		OPTION_NUMBER("address", "A", "the address of the bare bytes as linked (default 0)",
		              &c.source.address),
		OPTIONS_MADE(&c.making),
	};
	const struct command command =
		COMMAND("cairn sframe convert [OPTION...] --to 2|3 FILE", convert_about, options,
	                OPERANDS(1, 1, "FILE"), .rights = RIGHT_BESIDE);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (c.side_file && c.source.raw)
		return usage_error(&command,
		                   "--side-file requires a program and cannot be used with --raw");
	status = sframe_check_making(&command, &c.making, "--to");
	return status == EXIT_CLEAN ? convert_file(&c, argv[0]) : status;
}

/*
 * Implements `cairn sframe merge`: merges the tables of relocatable files into one table for the
 * program that was linked from them.
 */

static const char merge_about[] =
	"Create one SFrame table for PROGRAM from the tables in the relocatable files it was\n"
	"linked from, sorted and without discarded functions, for programs whose linker\n"
	"dropped or only concatenated the sections. PROGRAM needs its symbol table; a section\n"
	"of an OBJECT is located by a symbol of the program with the same code. Without -o,\n"
	"OUT is PROGRAM.sframe, as 'cairn sframe create' writes it.";
struct merging {
	struct sframe_making making;
	const char *program;
	struct os_file file;
	struct os_file *object;
	struct cairn_bytes *bytes;
	size_t opened;
};

static int merge_opened(struct merging *m, char **names, const char *path)
{
	const struct cairn_sframe_options options = sframe_making_options(&m->making);
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;
	size_t failed = 0;
	const enum cairn_status status = cairn_sframe_file_merge(m->file.bytes, m->bytes, m->opened,
	                                                         &options, &made, &failed, &fault);

	if (status != CAIRN_OK)
		return sframe_report_unmade(failed < m->opened ? names[failed] : m->program, status,
		                            &fault);
	return sframe_finish_made(&m->making, m->program, path, NULL, &made);
}

static int merge_objects(struct merging *m, int count, char **names, const char *path)
{
	int status = EXIT_CLEAN;

	m->object = calloc((size_t)count, sizeof(*m->object));
	m->bytes = calloc((size_t)count, sizeof(*m->bytes));
	if (!m->object || !m->bytes)
		status = fail_with(NULL, "out of memory");
	for (int i = 0; i < count && status == EXIT_CLEAN; i++) {
		if (!input_open(names[i], &m->object[i])) {
			status = EXIT_BROKEN;
		} else {
			m->bytes[i] = m->object[i].bytes;
			m->opened++;
		}
	}
	if (status == EXIT_CLEAN)
		status = merge_opened(m, names, path);
	while (m->opened > 0)
		os_file_close(&m->object[--m->opened]);
	free(m->object);
	free(m->bytes);
	return status;
}

static int merge_program(struct merging *m, int count, char **names)
{
	char path[SFRAME_PATH];

	if (!sframe_name_output(&m->making, m->program, ".sframe", path) ||
	    !input_open(m->program, &m->file))
		return EXIT_BROKEN;
	const int status = merge_objects(m, count, names, path);
	os_file_close(&m->file);
	return status;
}

int sframe_merge(int argc, char **argv)
{
	struct merging m = { .making = { .version = 3, .form = FORM_TEXT } };
	const struct option options[] = {
		OPTION_NUMBER("format", "2|3", "write this version of SFrame (3)",
		              &m.making.version),
		OPTIONS_MADE(&m.making),
	};
	const struct command command =
		COMMAND("cairn sframe merge [OPTION...] PROGRAM OBJECT...", merge_about, options,
	                OPERANDS(2, OPERANDS_MANY, "PROGRAM", "OBJECT"), .rights = RIGHT_BESIDE);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	status = sframe_check_making(&command, &m.making, "--format");
	m.program = argv[0];
	return status == EXIT_CLEAN ? merge_program(&m, argc - 1, argv + 1) : status;
}

static const char about[] =
	"Create an SFrame table from the .eh_frame and .debug_frame of a program, library or\n"
	"debug file, for programs that are shipped without them: a file with the table and\n"
	"the build ID, by which cairn and debuggers with cairn find it. Without -o, OUT is\n"
	"INPUT.sframe. Each row is the rule of the input; code whose rule SFrame cannot\n"
	"express has no row (--report counts it). The same input gives the same bytes. A\n"
	"relocatable file gets the section itself.";
static int create_from(const struct sframe_making *making, const char *input)
{
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	char path[SFRAME_PATH];

	if (!sframe_name_output(making, input, making->as ? ".rows" : ".sframe", path))
		return EXIT_BROKEN;
	return sframe_create_file(making, input, path, &made);
}

static const char *check_creation(const struct sframe_creation *c, int inputs)
{
	if (c->making.as && strcmp(c->making.as, "rows") != 0)
		return "--as must be rows";
	if (c->making.as && (c->making.version != 3 || c->making.share || c->making.join))
		return "--as rows cannot be used with --format 2, --share-rows or --join-functions";
	if (c->core && (c->tree || c->making.as))
		return "--core cannot be used with --tree or --as";
	if (c->directory && !c->core)
		return "--directory requires --core";
	if ((c->tree || c->core) && inputs)
		return c->tree ? "--tree takes no INPUT" : "--core takes no INPUT";
	if ((c->tree || c->core) && (!c->making.out || strcmp(c->making.out, "-") == 0))
		return c->tree ? "--tree requires --output with the directory of the store"
		               : "--core requires --output with the directory of the store";
	if (c->jobs < 1 || c->jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return "--jobs must be from 1 to 256";
	return c->tree || c->core || inputs == 1 ? NULL : "no INPUT";
}

int sframe_create(int argc, char **argv)
{
	struct sframe_creation c = { .making = { .version = 3, .form = FORM_TEXT }, .jobs = 2 };
	const struct option options[] = {
		OPTION_NUMBER("format", "2|3", "write this version of SFrame (3)",
		              &c.making.version),
		OPTION_TEXT("as", "rows", "write a flat table for profilers, INPUT.rows",
		            &c.making.as),
		OPTION_WITH(RIGHT_FINDS, text, 0, "tree", "DIR",
		            "create tables of all programs below DIR; OUT is a store by build ID",
		            &c.tree),
		OPTION_WITH(RIGHT_FINDS, text, 0, "core", "CORE",
		            "create tables of the modules of a core, in a store by build ID",
		            &c.core),
		OPTION_DIRECTORIES(
			"directory", "DIR[:DIR...]",
			"with --core, search these directories for files of its modules too",
			&c.directory),
		OPTION_NUMBER_OF('j', "jobs", "N",
		                 "with --tree, convert N files at a time (number of processors)",
		                 &c.jobs),
		OPTIONS_MADE(&c.making),
	};
	const struct command command =
		COMMAND("cairn sframe create [OPTION...] INPUT|--tree DIR|--core CORE", about,
	                options, OPERANDS(0, 1, "INPUT"), .rights = RIGHT_BESIDE);
	int status = EXIT_CLEAN;

	c.jobs = threads_default();
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const char *wrong = check_creation(&c, argc);
	if (wrong)
		return usage_error(&command, "%s", wrong);
	status = sframe_check_making(&command, &c.making, "--format");
	if (status != EXIT_CLEAN)
		return status;
	if (c.core)
		return sframe_create_core(&c);
	return c.tree ? sframe_create_tree(&c) : create_from(&c.making, argv[0]);
}
