/* SPDX-License-Identifier: MIT */
/* `cairn store`: adds symbol files to a directory that any web server can serve, and checks it. */
#include "os/store.h"
#include "cli/front/cli.h"
#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4096 };

static const char about_add[] =
	"Add each FILE to the store under the names that clients of debuginfod and Breakpad\n"
	"request: programs, debug files, GSYM, SFrame and Breakpad files. The names come from\n"
	"the content, which is checked; a file appears complete or not at all. FILE.dwp is\n"
	"stored beside FILE, which must be given too. Print the names. Exit status 1: another\n"
	"file of the same build is already there and stays; 3: a file is damaged.";

static const char about_check[] = "Read every file of the store, and print those that are damaged "
				  "or belong to another build\n"
				  "than their name says. Exit status 1: there are such files.";

struct adding {
	const char *store;
	bool replace;
};

static int add_key(const struct adding *adding, const char *path, const char *key,
                   struct cairn_bytes bytes)
{
	enum store_outcome outcome = STORE_ADDED;
	const int error = store_put(adding->store, key, bytes, adding->replace, &outcome);

	if (error)
		return fail_with(adding->store, "cannot write %s: %s", key, strerror(error));
	if (outcome == STORE_DIFFERS) {
		print_diagnostic(path,
		                 "the store already contains a different file as %s; use --replace "
		                 "to overwrite that file",
		                 key);
		return EXIT_MISSING;
	}
	fputs(outcome == STORE_ADDED  ? "added\t"
	      : outcome == STORE_SAME ? "there\t"
	                              : "replaced\t",
	      stdout);
	print_string_between(stdout, "", key, "\n");
	return EXIT_CLEAN;
}

/*
 * Store PROGRAM.dwp beside each name of PROGRAM in the store, because split DWARF has no build ID
 * and debuggers search for it beside the program. PROGRAM must also be an operand, because the
 * sandbox only allows opening operands.
 */
static int add_package(const struct adding *adding, const char *path, struct cairn_bytes bytes)
{
	const size_t length = strlen(path), end = strlen(STORE_PACKAGE);
	char program[PATH_MAX_BYTES], key[STORE_KEY_CAPACITY + sizeof(STORE_PACKAGE)];
	struct store_keys keys = { .count = 0 };
	struct cairn_fault fault;
	struct os_file file;
	int status = EXIT_CLEAN;

	if (length > end && length < sizeof(program) &&
	    strcmp(path + length - end, STORE_PACKAGE) == 0) {
		snprintf(program, sizeof(program), "%.*s", (int)(length - end), path);
		if (os_file_open_regular(program, &file) == 0) {
			(void)store_keys_read(file.bytes, &keys, &fault);
			os_file_close(&file);
		}
	}
	if (keys.count == 0)
		return fail_with(path, "a split DWARF file has no build ID of its own; add PROGRAM "
		                       "and PROGRAM.dwp with the same command");
	for (size_t i = 0; i < keys.count && status != EXIT_BROKEN; i++) {
		snprintf(key, sizeof(key), "%s" STORE_PACKAGE, keys.key[i]);
		status = choose_worse(status, add_key(adding, path, key, bytes));
	}
	return status;
}

static int add_symbol_file(const char *path, const void *context)
{
	const struct adding *adding = context;
	struct cairn_fault fault;
	struct store_keys keys;
	struct os_file file;
	int status = EXIT_CLEAN;

	if (!input_open(path, &file))
		return EXIT_BROKEN;
	keys.count = 0;
	if (store_is_package(file.bytes)) {
		status = add_package(adding, path, file.bytes);
	} else if (store_keys_read(file.bytes, &keys, &fault) != CAIRN_OK) {
		print_fault_diagnostic(path, NULL, &fault, NULL);
		status = EXIT_BROKEN;
	}
	for (size_t i = 0; i < keys.count && status != EXIT_BROKEN; i++)
		status = choose_worse(status, add_key(adding, path, keys.key[i], file.bytes));
	os_file_close(&file);
	return status;
}

static int store_add_verb(int argc, char **argv)
{
	struct adding adding = { .store = NULL };
	const struct option options[] = {
		OPTION_WITH(RIGHT_STORE, text, 0, "store", "DIR",
		            "directory of the store; created if missing", &adding.store),
		OPTION_FLAG("replace", "replace another file of the same build", &adding.replace),
	};
	const struct command command =
		COMMAND("cairn store add [OPTION...] --store DIR FILE...", about_add, options,
	                OPERANDS(1, OPERANDS_MANY, "FILE"));
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!adding.store)
		return usage_error(&command, "--store is required");
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, add_symbol_file(argv[i], &adding));
	return status;
}

struct checking {
	const char *directory;
	uint64_t files, bytes, wrong;
};

static void tell_wrong(struct checking *checking, const char *path, const char *why)
{
	checking->wrong++;
	print_string(stdout, path);
	printf(": %s\n", why);
}

static const char *find_fault(struct checking *checking, const char *path, struct cairn_bytes bytes)
{
	struct cairn_fault fault = { CAIRN_OK, 0, "" };
	struct store_keys keys;

	const size_t length = strlen(path), end = strlen(STORE_PACKAGE);

	checking->bytes += bytes.size;
	if (length > end && strcmp(path + length - end, STORE_PACKAGE) == 0)
		return store_is_package(bytes) ? NULL : "not a split DWARF package";
	if (store_keys_read(bytes, &keys, &fault) != CAIRN_OK)
		return fault.what;
	for (size_t i = 0; i < keys.count; i++)
		if (strcmp(keys.key[i], path) == 0)
			return NULL;
	return "its build or type is not what its name says";
}

static void check_file(void *context, const char *path)
{
	struct checking *checking = context;
	struct os_file file;
	char whole[PATH_MAX_BYTES];
	const char *why;

	checking->files++;
	if (snprintf(whole, sizeof(whole), "%s/%s", checking->directory, path) >=
	    (int)sizeof(whole)) {
		tell_wrong(checking, path, "the path is too long");
		return;
	}
	const int error = os_file_open_regular(whole, &file);
	if (error) {
		tell_wrong(checking, path, strerror(error));
		return;
	}
	why = find_fault(checking, path, file.bytes);
	if (why)
		tell_wrong(checking, path, why);
	os_file_close(&file);
}

static int store_check_verb(int argc, char **argv)
{
	const struct command command = { "cairn store check [OPTION...] DIR", about_check, NULL, 0,
		                         .operands = { 1, 1, { "DIR" } } };
	struct checking checking = { .files = 0 };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	checking.directory = argv[0];
	const int error = store_walk(argv[0], check_file, &checking);
	if (error)
		return fail_with(argv[0], "cannot read: %s", strerror(error));
	printf("%" PRIu64 " files, %" PRIu64 " bytes, %" PRIu64 " wrong\n", checking.files,
	       checking.bytes, checking.wrong);
	return checking.wrong > 0 ? EXIT_MISSING : EXIT_CLEAN;
}

static const struct verb verbs[] = {
	{ "add", "add symbol files to a store", store_add_verb },
	{ "check", "check all files of a store", store_check_verb },
};

int verb_store(int argc, char **argv)
{
	return verbs_run("cairn store",
	                 "Keep symbols in a directory that any web server can serve.", verbs,
	                 COUNT(verbs), argc, argv);
}
