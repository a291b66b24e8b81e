/* SPDX-License-Identifier: MIT */
/*
 * `cairn dwarf dump`: prints all functions as the DWARF reader returns them, for inspection and for
 * comparison with other tools.
 */
#include "dwarf.h"

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "debuginfo/program.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dwo_files {
	/* directory to use instead of the compiler's working directory; may be NULL */
	const char *directory;
	struct allowance *printed;
	struct dwo_file *first;
};

static void dwo_files_close(struct dwo_files *files);

static void print_word_within(struct allowance *printed, struct cairn_bytes name)
{
	print_word(stdout, printed_text(printed, name));
}

static void print_call_place(struct allowance *printed, const struct function *f, uint32_t file,
                             uint32_t line)
{
	struct cairn_location at = { .line = line };

	at.directory = f->files ? f->files[file].directory : (struct cairn_bytes){ NULL, 0 };
	at.file = f->files ? f->files[file].name : (struct cairn_bytes){ NULL, 0 };
	at = printed_location(printed, &at);
	print_source_location(stdout, &at);
}

static void print_inline(struct allowance *printed, const struct function *f,
                         const struct function_inline *call)
{
	printf("  inline %" PRIu32 " ", call->depth);
	print_call_place(printed, f, call->call_file, call->call_line);
	putchar(' ');
	print_word_within(printed, call->name);
	for (uint32_t i = 0; i < call->ranges; i++)
		printf(" 0x%" PRIx64 "-0x%" PRIx64, f->range[call->range + i].low,
		       f->range[call->range + i].high);
	putchar('\n');
}

static void print_call(struct allowance *printed, const struct function *f,
                       const struct function_call *call)
{
	printf("  call 0x%" PRIx64, f->start + call->return_offset);
	for (uint32_t i = 0; i < call->callees; i++) {
		putchar(' ');
		print_word_within(printed, call->callee[i]);
	}
	putchar('\n');
}

void dwarf_print_function(struct allowance *printed, const struct function *f)
{
	printf("function 0x%" PRIx64 " 0x%" PRIx64 " ", f->start, f->start + f->size);
	print_word_within(printed, f->name);
	putchar('\n');
	for (size_t i = 0; i < f->row_count; i++) {
		printf("  row 0x%" PRIx64 " ", f->rows[i].va);
		print_call_place(printed, f, f->rows[i].file, f->rows[i].line);
		if (f->rows[i].statement)
			fputs(" statement", stdout);
		if (f->rows[i].prologue_end)
			fputs(" prologue-end", stdout);
		if (f->rows[i].apart)
			fputs(" apart", stdout);
		putchar('\n');
	}
	for (size_t i = 0; i < f->inline_count; i++)
		print_inline(printed, f, &f->inlines[i]);
	for (size_t i = 0; i < f->call_count; i++)
		print_call(printed, f, &f->calls[i]);
}

struct dwo_file {
	struct dwo_file *next;
	struct os_file file;
};

static bool open_split_file(const struct dwo_files *files, struct cairn_bytes directory,
                            struct cairn_bytes name, struct os_file *file)
{
	struct cairn_location whole = { .directory = directory, .file = name };
	char path[4096];

	if (files->directory)
		whole.directory = borrow_string(files->directory);
	if (name.size > 0 && name.data[0] == '/')
		whole.directory.size = 0;
	if (cairn_location_path(&whole, path, sizeof(path)) >= sizeof(path))
		return false;
	return os_file_open_regular(path, file) == 0;
}

/* Open a .dwo file. This is program_dwo_source.find, and it is not thread-safe. */
static struct cairn_bytes dwo_files_find(void *context, struct cairn_bytes directory,
                                         struct cairn_bytes name, uint64_t id)
{
	struct dwo_files *files = context;
	struct dwo_file *found = calloc(1, sizeof(*found));

	(void)id;
	if (!found || !open_split_file(files, directory, name, &found->file)) {
		free(found);
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	}
	printed_credit(files->printed, found->file.bytes.size);
	found->next = files->first;
	files->first = found;
	return found->file.bytes;
}

static void dwo_files_close(struct dwo_files *files)
{
	while (files->first) {
		struct dwo_file *next = files->first->next;
		os_file_close(&files->first->file);
		free(files->first);
		files->first = next;
	}
}

static const char about[] =
	"Print the functions of each FILE with their lines and inlined calls, unit by unit, from\n"
	"DWARF and the symbol table. Functions are not sorted and are repeated for each unit that\n"
	"contains them. Exit status 1: damaged parts were dropped.";
struct dump_options {
	const char *alt, *package, *directory;
	bool call_sites, every_row, no_symbols, summary, quiet;
};

struct dump {
	struct os_file file, alt, package;
	struct dwo_files split;
	struct aliases aliases;
	struct program *program;
	struct program_reader *reader;
	bool counts_only;
	struct allowance printed;
	struct progress progress;
};

static enum cairn_status print_function(void *context, const struct function *function)
{
	struct dump *dump = context;

	if (!dump->counts_only)
		dwarf_print_function(&dump->printed, function);
	return CAIRN_OK;
}

static int print_summary(const char *path, const struct program_summary *s)
{
	fprintf(stderr,
	        "units %" PRIu64 " (broken %" PRIu64 ", without split half %" PRIu64
	        "), functions %" PRIu64 ", rows %" PRIu64 ", inlined calls %" PRIu64
	        ", calls %" PRIu64 "\n",
	        s->units, s->broken, s->no_split, s->functions, s->rows, s->inlines, s->calls);
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		if (s->dropped[i])
			fprintf(stderr, "dropped: %" PRIu64 " %s\n", s->dropped[i],
			        program_drop_text((enum program_drop)i));
	if (s->damage.fault.status == CAIRN_OK)
		return EXIT_CLEAN;
	print_fault_diagnostic(path, s->damage.section, &s->damage.fault, NULL);
	return EXIT_MISSING;
}

static int dump_units(const char *path, struct dump *dump, bool summary)
{
	struct function_sink sink = { print_function, dump };
	struct program_summary sum = { .units = 0 };

	enum cairn_status status = CAIRN_OK;

	for (size_t i = 0; status == CAIRN_OK && i < program_units(dump->program); i++) {
		progress_update(&dump->progress, i, program_units(dump->program));
		status = program_read(dump->reader, i, &sink);
	}
	progress_end(&dump->progress);
	program_add_summary(dump->reader, &sum);
	fflush(stdout);
	if (dump->printed.over)
		print_diagnostic(
			path,
			"function names exceed the size limit; the remaining names are omitted");
	if (status == CAIRN_MALFORMED)
		print_fault_diagnostic(path, sum.damage.section, &sum.damage.fault,
		                       PROGRAM_EXHAUSTED_NEXT);
	else if (status != CAIRN_OK)
		print_diagnostic(path, "no memory");
	if (status != CAIRN_OK)
		return EXIT_BROKEN;
	if (summary || sum.damage.fault.status != CAIRN_OK)
		return choose_worse(print_summary(path, &sum),
		                    dump->printed.over ? EXIT_BROKEN : EXIT_CLEAN);
	return dump->printed.over ? EXIT_BROKEN : EXIT_CLEAN;
}

static struct cairn_bytes open_beside(const char *path, struct os_file *file)
{
	*file = (struct os_file){ .bytes = { (const uint8_t *)"", 0 } };
	if (path)
		input_open(path, file);
	return file->bytes;
}

static int dump_open(const char *path, struct dump *dump, const struct dump_options *options)
{
	struct program_input input = { .debug = dump->file.bytes,
		                       .alt = open_beside(options->alt, &dump->alt),
		                       .aliases = &dump->aliases,
		                       .call_sites = options->call_sites,
		                       .every_row = options->every_row,
		                       .mapped = dump->file.mapped };
	struct program_damage damage = { .section = NULL };
	struct cairn_fault fault;

	dump->printed = printed_of(input.debug.size);
	printed_credit(&dump->printed, input.alt.size);
	dump->split.directory = options->directory;
	input.split.find = dwo_files_find;
	input.split.context = &dump->split;
	input.split.package = open_beside(options->package, &dump->package);
	printed_credit(&dump->printed, input.split.package.size);
	dump->split.printed = &dump->printed;
	if (!options->no_symbols &&
	    aliases_read(&dump->aliases, input.debug, ALIASES_SYMTAB, &fault) == CAIRN_NOT_FOUND)
		(void)!aliases_read(&dump->aliases, input.debug, ALIASES_DYNSYM, &fault);
	aliases_sort(&dump->aliases);
	enum cairn_status status = program_open(&input, &dump->program, &damage);
	if (status == CAIRN_NOT_FOUND)
		print_diagnostic(path, "no DWARF");
	else if (status != CAIRN_OK)
		print_fault_diagnostic(path, damage.section, &damage.fault, NULL);
	if (status != CAIRN_OK)
		return status == CAIRN_NOT_FOUND ? EXIT_MISSING : EXIT_BROKEN;
	dump->reader = program_reader_new(dump->program);
	return dump->reader ? EXIT_CLEAN : EXIT_BROKEN;
}

static int dump_dwarf_file(const char *path, const struct dump_options *options)
{
	struct dump dump = { .counts_only = options->summary,
		             .progress = progress_begin_aside(path, "units", options->quiet) };

	if (!input_open(path, &dump.file))
		return EXIT_BROKEN;
	int status = dump_open(path, &dump, options);
	if (status == EXIT_CLEAN)
		status = dump_units(path, &dump, options->summary);
	program_reader_free(dump.reader);
	program_close(dump.program);
	aliases_finish(&dump.aliases);
	dwo_files_close(&dump.split);
	os_file_close(&dump.package);
	os_file_close(&dump.alt);
	os_file_close(&dump.file);
	return status;
}

static int dwarf_dump(int argc, char **argv)
{
	struct dump_options o = { .alt = NULL };
	const struct option options[] = {
		OPTION_TEXT("alt", "FILE", "the alternate file (dwz) of FILE", &o.alt),
		OPTION_TEXT("package", "FILE", "the .dwp file of FILE (split DWARF)", &o.package),
		OPTION_WITH(RIGHT_DIRECTORY, text, 0, "split-directory", "DIR",
		            "search DIR for .dwo files", &o.directory),
		OPTION_FLAG("calls", "also print calls that are not inlined", &o.call_sites),
		OPTION_FLAG("statements",
		            "also print rows that share an address, and mark statements",
		            &o.every_row),
		OPTION_FLAG("no-symbols", "use names from DWARF only", &o.no_symbols),
		OPTION_FLAG("summary", "print only counts", &o.summary),
		OPTION_NO_PROGRESS(&o.quiet),
	};
	const struct command command =
		COMMAND("cairn dwarf dump [OPTION...] FILE...", about, options,
	                OPERANDS(1, OPERANDS_MANY, "FILE"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, dump_dwarf_file(argv[i], &o));
	return status;
}

static const struct verb verbs[] = {
	{ "dump", "print functions, rows and inlined calls from DWARF", dwarf_dump },
};

int verb_dwarf(int argc, char **argv)
{
	return verbs_run("cairn dwarf", "Print functions, lines and inlined calls from DWARF.",
	                 verbs, COUNT(verbs), argc, argv);
}
