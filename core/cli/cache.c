/* SPDX-License-Identifier: MIT */
/* `cairn cache`: lists and clears the cache of converted files. */
#include "cli/front/cli.h"

#include "os/cache.h"
#include "os/symbol_path.h"
#include "output/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct listing {
	const char *directory;
	struct json json;
	enum form form;
	uint64_t files, bytes;
	int error;
};

static bool print_file(void *context, const struct os_cache_file *file)
{
	struct listing *l = context;

	l->files++;
	l->bytes += file->size;
	if (l->form == FORM_JSON) {
		json_object(&l->json, NULL);
		json_string(&l->json, "file", file->name);
		json_number(&l->json, "bytes", file->size);
		json_signed(&l->json, "modified", file->modified);
		json_end(&l->json);
	} else {
		printf("%12" PRIu64 "  %s\n", file->size, file->name);
	}
	return true;
}

static bool remove_file(void *context, const struct os_cache_file *file)
{
	struct listing *l = context;

	l->error = os_cache_remove(l->directory, file->name);
	l->files += l->error == 0;
	l->bytes += l->error == 0 ? file->size : 0;
	return l->error == 0;
}

static int visit_cached_files(int argc, char **argv, const struct command *command,
                              struct listing *listing,
                              bool (*do_it)(void *context, const struct os_cache_file *file))
{
	static char directory[OS_CACHE_PATH];
	int status = EXIT_CLEAN;

	if (!options_parse(command, &argc, argv, &status))
		return status;
	if (!os_cache_directory(directory))
		return fail_with(NULL, "no cache directory: set XDG_CACHE_HOME or HOME");
	listing->directory = directory;
	if (os_cache_for_each(directory, "gsym", do_it, listing) &&
	    os_cache_for_each(directory, SYMBOL_PATH_FETCHED, do_it, listing))
		return EXIT_CLEAN;
	return fail_with(directory, "%s",
	                 listing->error ? strerror(listing->error) : "cannot be read");
}

static int cache_list(int argc, char **argv)
{
	struct listing listing = { .json = json_to(stdout) };
	const struct option options[] = { OPTION_JSON(&listing.form) };
	const struct command command = COMMAND("cairn cache list [OPTION...]",
	                                       "List the files of the cache and their sizes.",
	                                       options, .rights = RIGHT_ALL);
	int status = visit_cached_files(argc, argv, &command, &listing, print_file);

	if (status == EXIT_CLEAN && listing.directory && listing.form == FORM_TEXT)
		printf("%12" PRIu64 "  bytes in %" PRIu64 " files of %s\n", listing.bytes,
		       listing.files, listing.directory);
	return status;
}

static int cache_clear(int argc, char **argv)
{
	struct listing listing = { .files = 0 };
	const struct command command = {
		"cairn cache clear",
		"Remove the files of the cache. cairn creates them again when it needs them.", NULL,
		0, .rights = RIGHT_ALL
	};
	int status = visit_cached_files(argc, argv, &command, &listing, remove_file);

	if (status == EXIT_CLEAN && listing.directory)
		printf("removed %" PRIu64 " files, %" PRIu64 " bytes\n", listing.files,
		       listing.bytes);
	return status;
}

int verb_cache(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "clear", "remove the files", cache_clear },
		{ "list", "list the files", cache_list },
	};

	return verbs_run("cairn cache", "Show or clear the cache of converted files.", verbs,
	                 COUNT(verbs), argc, argv);
}
