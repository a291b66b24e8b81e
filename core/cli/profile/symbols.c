/* SPDX-License-Identifier: MIT */
/* Creates the symbolizer of profiles from the options, and looks up names. */
#include "profile.h"

#include "cli/front/debuginfod_diagnostic.h"

#include <cairn/dwarf.h>

#include <stdio.h>
#include <stdlib.h>

enum {
	/* modules whose files stay open; locations arrive module by module */
	MODULES_MAX = 1 << 12,
	AFTER_TABLES = 450, /* rank; symbol tables have 400 */
};

static bool fetch_file(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
                       char *path, size_t size)
{
	struct convert *convert = context;
	enum debuginfod_answer answer;
	const bool found =
		debuginfod_fetch(&convert->debuginfod, wanted, build_id, path, size, &answer);

	print_debuginfod_diagnostic(convert->input, &convert->debuginfod, answer);
	return found;
}

/*
 * Add ~/.debug to the searched directories. perf keeps the files of its recordings there, and
 * archives of `perf archive` are unpacked there.
 */
static void add_kept_files(struct convert *convert)
{
	const char *home = getenv("HOME"), *folders = convert->folders;
	const int size = snprintf(convert->kept_files, sizeof(convert->kept_files), "%s%s%s/.debug",
	                          folders ? folders : "", folders ? ":" : "", home ? home : "");

	if (home && size > 0 && (size_t)size < sizeof(convert->kept_files))
		convert->folders = convert->kept_files;
}

struct cairn_symbolizer *profile_symbolizer(struct convert *convert, struct cairn_bytes input)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_source dwarf = *cairn_dwarf_source();
	struct cairn_symbolizer *symbolizer;

	if (convert->no_inline) /* DWARF then only names functions that no other source knows */
		dwarf.rank = AFTER_TABLES;
	if (cairn_recording_recognize(input))
		add_kept_files(convert);
	options.folders = convert->folders;
	options.sysroot = convert->sysroot;
	options.modules_max = MODULES_MAX;
	options.in_order = !cairn_profile_is_stream(input);
	options.ranking = convert->no_inline ? CAIRN_RANK_FIRST : CAIRN_RANK_LINES;
	if (convert->use_debuginfod) {
		options.fetch = fetch_file;
		options.fetch_context = convert;
	}
	symbolizer = cairn_symbolizer_new(&options);
	if (symbolizer && cairn_symbolizer_add(symbolizer, &dwarf) == CAIRN_OK)
		return symbolizer;
	cairn_symbolizer_free(symbolizer);
	print_diagnostic(NULL, "out of memory");
	return NULL;
}

bool profile_give_names(struct convert *convert, struct cairn_profile *profile)
{
	const enum cairn_status status = cairn_profile_symbolize(
		profile, convert->symbolizer,
		(convert->symbolize_all ? CAIRN_PROFILE_AGAIN : 0u) |
			(convert->no_inline ? CAIRN_PROFILE_FUNCTIONS : 0u));

	if (status != CAIRN_OK)
		print_diagnostic(convert->input, "%s", cairn_status_text(status));
	return status == CAIRN_OK;
}
