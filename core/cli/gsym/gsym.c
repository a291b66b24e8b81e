/* SPDX-License-Identifier: MIT */
/*
 * Runs the verbs of `cairn gsym`, and opens their input: a GSYM file, a GSYM section, or the GSYM
 * file with a program's build ID.
 */
#include "gsym.h"

#include "base/error.h"
#include "debuginfo/unpack.h"
#include "formats/elf/elf.h"
#include "locate/symbol_files.h"
#include "os/cache.h"
#include "symbols/symbol_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
	struct os_file file;
	struct cairn_bytes build_id;
};

/*
 * Open a compressed .gsym section. As in an uncompressed section, the GSYM data must have the build
 * ID of the file that contains it.
 */
static enum cairn_status open_compressed(struct gsym_input *input, struct cairn_bytes build_id,
                                         struct cairn_fault *fault)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct elf elf;
	struct elf_section section;
	size_t size;

	if (elf_open(input->file.bytes, &elf, fault) != CAIRN_OK ||
	    !elf_find_section(&elf, ".gsym", &section))
		return CAIRN_UNSUPPORTED;
	enum cairn_status status =
		debuginfo_decompress(input->file.bytes, ".gsym", &input->decompressed, &size);
	if (status != CAIRN_OK) {
		*fault = (struct cairn_fault){ status, section.offset,
			                       "a .gsym section that cannot be decompressed" };
		return status;
	}
	struct cairn_bytes id = elf_build_id(&elf);
	struct cairn_bytes bytes = { input->decompressed, size };
	options.build_id = build_id;
	status = cairn_symbols_open_bytes(bytes, &options, &input->symbols, fault);
	if (status == CAIRN_OK) {
		struct cairn_bytes own = cairn_symbols_build_id(input->symbols);
		input->symbols->image.conflicts =
			id.size && own.size &&
			(id.size != own.size || memcmp(id.data, own.data, id.size) != 0);
	}
	return status;
}

static const struct cairn_fault conflict = { CAIRN_MISMATCH, 0,
	                                     "the embedded GSYM data belongs to another build" };

static enum cairn_status open_symbols(struct gsym_input *input, struct cairn_bytes build_id,
                                      struct cairn_fault *fault)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	enum cairn_symbol_format format;

	options.build_id = build_id;
	if (symbol_format_of(input->file.bytes, &format) &&
	    (format == CAIRN_SYMBOLS_BREAKPAD || format == CAIRN_SYMBOLS_SYMBFILE)) {
		return fault_set(
			fault, CAIRN_UNSUPPORTED,
			format == CAIRN_SYMBOLS_BREAKPAD
				? "a Breakpad file, which 'cairn gsym create' converts to GSYM,"
				: "a symbfile, which 'cairn gsym create' converts to GSYM,");
	}
	enum cairn_status status =
		cairn_symbols_open_bytes(input->file.bytes, &options, &input->symbols, fault);

	if (status == CAIRN_UNSUPPORTED && elf_has_magic(input->file.bytes))
		status = open_compressed(input, build_id, fault);
	if (status == CAIRN_OK) {
		input->gsym = &input->symbols->image.gsym;
	} else {
		free(input->decompressed);
		input->decompressed = NULL;
	}
	return status;
}

static bool open_wanted(const struct gsym_source *source, struct wanted *wanted, int *status)
{
	struct elf elf;

	*wanted = (struct wanted){ .build_id = { (const uint8_t *)"", 0 } };
	if (!source->binary)
		return true;
	if (!input_open_elf(source->binary, &wanted->file, &elf)) {
		*status = EXIT_BROKEN;
		return false;
	}
	wanted->build_id = elf_build_id(&elf);
	if (wanted->build_id.size || source->force)
		return true;
	print_diagnostic(source->binary, "the program has no build ID to compare with; use --force "
	                                 "to accept the symbols anyway");
	os_file_close(&wanted->file);
	*status = EXIT_MISSING;
	return false;
}

static int report_unusable_file(const char *path, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_MISMATCH) {
		print_diagnostic(path, "%s; use --force to accept the file anyway", fault->what);
		return EXIT_MISSING;
	}
	if (fault->status == CAIRN_NOT_FOUND) {
		print_diagnostic(path, "%s", fault->what);
		return EXIT_MISSING;
	}
	print_fault_diagnostic(path, NULL, fault, NULL);
	return EXIT_BROKEN;
}

struct candidates {
	struct cairn_bytes build_id;
	const char *directories;
	bool force;
};

/*
 * Try a file as the symbols of the program input->path. On success, input->file becomes this file.
 */
static bool try_candidate(struct gsym_input *input, const char *path,
                          const struct candidates *candidates)
{
	struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct os_file program = input->file;
	struct cairn_fault fault;
	int error = os_file_open_regular(path, &input->file);

	if (error == 0) {
		if ((candidates->force ||
		     os_cache_origin_check(input->file.bytes, input->path, &fault) == CAIRN_OK) &&
		    open_symbols(input, candidates->force ? any : candidates->build_id, &fault) ==
		            CAIRN_OK) {
			snprintf(input->found, sizeof(input->found), "%s", path);
			return true;
		}
		report_unusable_file(path, &fault);
		os_file_close(&input->file);
	} else if (error != ENOENT && error != ENOTDIR) {
		print_diagnostic(path, "cannot read: %s", strerror(error));
	}
	input->file = program;
	return false;
}

static bool try_candidates(struct gsym_input *input, const struct candidates *candidates)
{
	static const struct symbol_files_step order[] = { { SYMBOL_FILES_NAMED, "gsym" },
		                                          { SYMBOL_FILES_DIRECTORIES, NULL },
		                                          { SYMBOL_FILES_END, NULL } };
	struct symbol_files files = { .order = order,
		                      .binary = input->path,
		                      .build_id = candidates->build_id,
		                      .directories = candidates->directories };
	bool found = false;

	while (!found && symbol_files_next(&files))
		found = try_candidate(input, files.path, candidates);
	symbol_files_finish(&files);
	return found;
}

static bool find_gsym_of_program(struct gsym_input *input, const struct gsym_source *source,
                                 int *status)
{
	struct os_file program = input->file;
	struct elf elf;

	*status = EXIT_MISSING;
	if (!elf_opens(program.bytes, &elf))
		return refuse_with(input->path, "contains no GSYM data");
	struct cairn_bytes id = elf_build_id(&elf);
	if (id.size == 0 && !source->force)
		return refuse_with(input->path,
		                   "contains neither GSYM data nor a build ID, so no GSYM file "
		                   "next to it can be verified; use --force to skip this check");
	const struct candidates candidates = { .build_id = id,
		                               .directories = source->directories,
		                               .force = source->force };
	const bool found = try_candidates(input, &candidates);
	if (!found)
		print_diagnostic(input->path,
		                 "contains no GSYM data, and no file with its build ID is next to "
		                 "it, in --directory, in the build-ID trees or in the cache");
	else
		os_file_close(&program);
	*status = found ? EXIT_CLEAN : EXIT_MISSING;
	return found;
}

static bool open_for(const struct gsym_source *source, const struct wanted *wanted,
                     struct gsym_input *input, int *status)
{
	struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_fault fault;

	if (!input_open(input->path, &input->file)) {
		*status = EXIT_BROKEN;
		return false;
	}
	enum cairn_status opened =
		open_symbols(input, source->force ? any : wanted->build_id, &fault);
	bool conflicts = opened == CAIRN_OK && input->symbols->image.conflicts;
	if (opened == CAIRN_OK && (source->force || !conflicts))
		return true;
	if (opened == CAIRN_NOT_FOUND && !source->binary) {
		if (find_gsym_of_program(input, source, status))
			return true;
	} else {
		*status = report_unusable_file(input->path, conflicts ? &conflict : &fault);
	}
	cairn_symbols_free(input->symbols);
	free(input->decompressed);
	os_file_close(&input->file);
	return false;
}

bool gsym_input_open(const char *path, const struct gsym_source *source, struct gsym_input *input,
                     int *status)
{
	struct wanted wanted;

	*input = (struct gsym_input){ .path = path };
	*status = EXIT_CLEAN;
	if (!open_wanted(source, &wanted, status))
		return false;
	bool opened = open_for(source, &wanted, input, status);
	os_file_close(&wanted.file);
	return opened;
}

bool gsym_input_try(const char *path, struct gsym_input *input, struct cairn_fault *fault,
                    int *status)
{
	struct cairn_bytes any = { (const uint8_t *)"", 0 };

	*input = (struct gsym_input){ .path = path };
	*status = EXIT_BROKEN;
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	if (!input_open(path, &input->file))
		return false;
	if (open_symbols(input, any, fault) == CAIRN_OK) {
		*status = EXIT_CLEAN;
		return true;
	}
	os_file_close(&input->file);
	return false;
}

void gsym_input_close(struct gsym_input *input)
{
	cairn_symbols_free(input->symbols);
	free(input->decompressed);
	os_file_close(&input->file);
}

struct cairn_bytes gsym_text(const struct gsym *gsym, uint64_t offset)
{
	struct cairn_bytes text;

	gsym_string(gsym, offset, &text);
	return text;
}

static const struct verb verbs[] = {
	{ "create", "create a file from DWARF, symbols or Breakpad", gsym_create },
	{ "diff", "compare two files, or a file and a program", gsym_diff_verb },
	{ "dump", "print everything in a file", gsym_dump },
	{ "fetch", "create files for builds that debuginfod has", gsym_fetch },
	{ "find", "find functions by name", gsym_find_verb },
	{ "lookup", "print function, file and line of addresses, with inlined calls",
	  gsym_lookup_verb },
	{ "stats", "print the size of each part", gsym_stats },
	{ "verify", "check the structure of a file", gsym_verify },
};

int verb_gsym(int argc, char **argv)
{
	return verbs_run(
		"cairn gsym",
		"Create, read and check GSYM files: symbols, lines and inlined calls by address.",
		verbs, COUNT(verbs), argc, argv);
}
