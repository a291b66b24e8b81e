/* SPDX-License-Identifier: MIT */
/* Prints the summary of `cairn gsym create` as text or JSON. */
#include "create.h"

#include "os/module/build_id_path.h"
#include "os/module/symbol_folder.h"
#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

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

static size_t find_folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/* The folder to give to a search: of a file at its place in a tree of build IDs that of the tree. */
static size_t find_search_folder(const struct create *create)
{
	const size_t size = strlen(create->path);
	char place[BUILD_ID_PATH_MAX];

	if (!build_id_path(place, sizeof(place), ".", 1,
	                   cairn_functions_build_id(create->functions), "gsym"))
		return find_folder_size(create->path);
	const char *below = place + 1; /* from the slash on */
	const size_t length = strlen(below);
	return size >= length && strcmp(create->path + size - length, below) == 0
	               ? size - length
	               : find_folder_size(create->path);
}

/* Does the name end in .gsym?  Files of such names are looked at first. */
static bool has_gsym_name(const char *path)
{
	static const char extension[] = ".gsym";
	const size_t size = strlen(path), end = sizeof(extension) - 1;

	return size >= end && strcmp(path + size - end, extension) == 0;
}

/* How a search will find the file: beside the program it is for, in a folder that is given, or not at all. */
static void print_finding(const struct create *create, FILE *out)
{
	const char *path = create->path;
	const size_t own = find_folder_size(path);

	if (strcmp(path, "-") == 0 || create->gsym.embed || create->gsym.segment_size ||
	    create->tree)
		return;
	if (cairn_functions_build_id(create->functions).size == 0) {
		fputs("  found: not by itself, because it has no build ID\n", out);
		return;
	}
	if (own == find_folder_size(create->from) && memcmp(path, create->from, own) == 0) {
		fputs("  found: by its build ID, in the folder of the program", out);
	} else {
		const size_t folder = find_search_folder(create);
		fputs("  found: by its build ID, with --directory ", out);
		print_text(out, folder ? (struct cairn_bytes){ (const uint8_t *)path, folder }
		                       : (struct cairn_bytes){ (const uint8_t *)".", 1 });
	}
	if (!has_gsym_name(path))
		fprintf(out, ", if it is among the first %d files there", SYMBOL_FOLDER_FILES);
	fputc('\n', out);
}

void create_print_summary(const struct create *create)
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

void create_print_json(const struct create *create)
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
