/* SPDX-License-Identifier: MIT */
/*
 * `cairn gsym fetch`: downloads debug files from debuginfod, and stores them as GSYM in the cache.
 * `cairn symbols load -debuginfod` runs this verb as a child process, so that the debugger neither
 * uses the network nor parses downloaded files.
 */
#include "gsym.h"

#include "cli/front/functions.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "os/atomic_file.h"
#include "os/cache.h"
#include "os/file.h"
#include "os/symbol_path.h"
#include "output/escape.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
	"Fetch the debug file of each BUILDID from debuginfod (its cache, then the servers in\n"
	"DEBUGINFOD_URLS) and convert it to GSYM, with the rows that breakpoints need. Print the\n"
	"path of the result: $XDG_CACHE_HOME/cairn/BUILDID.debuginfod.gsym, or below ~/.cache,\n"
	"where cairn and its debugger plugins find it. An existing file is kept unless --force is\n"
	"given.";

enum { ID_BYTES_MAX = 64 };

struct fetching {
	struct debuginfod debuginfod;
	struct functions_input input;
	char directory[OS_CACHE_PATH];
	bool force;
};

struct asked_build {
	const char *text;
	uint8_t bytes[ID_BYTES_MAX];
	struct cairn_bytes id;
	char path[OS_CACHE_PATH];
};

static bool read_build_id(const struct fetching *f, const char *text, struct asked_build *build)
{
	struct cairn_bytes digits = borrow_string(text);
	size_t size = 0, at;

	build->text = text;
	bool good = digits.size <= 2 * sizeof(build->bytes) &&
	            strspn(text, "0123456789abcdefABCDEF") == digits.size &&
	            hex_decode(digits, build->bytes, &size, &at);
	build->id = (struct cairn_bytes){ build->bytes, size };
	if (good && os_cache_path(f->directory, build->id, SYMBOL_PATH_FETCHED, build->path))
		return true;
	print_word_diagnostic(NULL, text, "not a build ID");
	return false;
}

static bool is_in_cache(const struct asked_build *build)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbols *symbols;
	struct cairn_fault fault;
	struct os_file file;

	options.build_id = build->id;
	if (os_file_open_regular(build->path, &file) != 0)
		return false;
	bool good = cairn_symbols_open_bytes(file.bytes, &options, &symbols, &fault) == CAIRN_OK;
	if (good)
		cairn_symbols_free(symbols);
	os_file_close(&file);
	return good;
}

static bool is_of_build(const struct cairn_functions *functions, const struct asked_build *build)
{
	const struct cairn_bytes id = cairn_functions_build_id(functions);

	return bytes_equal(id, build->id);
}

/*
 * Write the file atomically. If the download is damaged, write its undamaged functions, which are
 * still useful.
 */
static int write_gsym(struct fetching *f, struct cairn_functions *functions,
                      struct asked_build *build)
{
	const struct cairn_output output = { sizeof(output), build->path, NULL, NULL };
	struct cairn_gsym_options options = CAIRN_GSYM_OPTIONS;
	struct cairn_error *error = &f->input.error;
	const int failed = os_make_directories(f->directory);

	options.keep_damaged = true;
	if (failed)
		return fail_with(build->path, "cannot be written: %s", strerror(failed));
	if (cairn_functions_write_gsym(functions, &options, &output, NULL, error) == CAIRN_OK)
		return EXIT_CLEAN;
	if (!error->system)
		return functions_input_fail(&f->input);
	return fail_with(build->path, "cannot be written: %s", strerror(error->system));
}

static int fetch_build(struct fetching *f, struct asked_build *build)
{
	const char *path;
	const enum debuginfod_answer answer =
		debuginfod_find(&f->debuginfod, CAIRN_FILE_DEBUG, build->id, &path);

	if (answer == DEBUGINFOD_FOUND) {
		struct cairn_functions *functions = functions_input_open(&f->input, path);
		int status = EXIT_BROKEN;
		if (functions && is_of_build(functions, build))
			status = write_gsym(f, functions, build);
		else if (functions)
			print_diagnostic(path, "ignored: from another build");
		functions_input_close(&f->input, functions);
		return status;
	}
	print_debuginfod_diagnostic(NULL, &f->debuginfod, answer);
	if (answer == DEBUGINFOD_NONE || answer == DEBUGINFOD_UNREACHABLE)
		print_word_diagnostic(NULL, build->text, "debuginfod found no debug file");
	return EXIT_MISSING;
}

static int fetch_builds(struct fetching *f, int count, char **texts)
{
	struct asked_build build;
	int status = EXIT_CLEAN;

	for (int i = 0; i < count; i++) {
		int one = EXIT_BROKEN;
		if (read_build_id(f, texts[i], &build))
			one = !f->force && is_in_cache(&build) ? EXIT_CLEAN
			                                       : fetch_build(f, &build);
		if (one == EXIT_CLEAN)
			print_string_between(stdout, "", build.path, "\n");
		status = choose_worse(status, one);
	}
	return status;
}

int gsym_fetch(int argc, char **argv)
{
	static struct fetching f = { .debuginfod = { .deadline = DEBUGINFOD_DEADLINE },
		                     .input = FUNCTIONS_INPUT };
	bool quiet = false;
	const struct option options[] = {
		OPTION_DEBUGINFOD_DEADLINE(&f.debuginfod.deadline),
		OPTION_FLAG("force", "convert again even if the file exists", &f.force),
		OPTION_NO_PROGRESS(&quiet),
	};
	const struct command command =
		COMMAND("cairn gsym fetch [OPTION...] BUILDID...", about, options,
	                OPERANDS(1, OPERANDS_MANY, "BUILDID"),
	                .rights = RIGHT_FINDS | RIGHT_CACHE | RIGHT_NETWORK | RIGHT_FETCHES);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	f.input.progress = !quiet;
	f.input.quiet = true;
	f.input.options.statements = true;
	if (os_cache_directory(f.directory))
		status = fetch_builds(&f, argc, argv);
	else
		print_diagnostic(NULL, "no cache directory: set XDG_CACHE_HOME or HOME");
	debuginfod_close(&f.debuginfod);
	return f.directory[0] ? status : EXIT_BROKEN;
}
