/* SPDX-License-Identifier: MIT */
/* `cairn gsym find`: functions by name. */
#include "gsym.h"

#include "cli/front/rights.h"

#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Prints the address of each function called NAME, also of functions that were folded "
	"into\nthe code of another.  Names are those in the file: for C++ usually the mangled "
	"names.\nExit status 1: a NAME was not found.";

struct find {
	struct gsym_input input;
	bool contains;
	enum form form;
	struct json json;
	struct allowance printed; /* names that are searched through, and printed */
	const char *name;
	size_t length;
	uint64_t found;
};

static bool has_part(struct cairn_bytes text, const char *part, size_t length)
{
	for (size_t i = 0; length <= text.size && i <= text.size - length; i++)
		if (memcmp(text.data + i, part, length) == 0)
			return true;
	return false;
}

/* No more of the string table is looked at than the name itself. */
static bool is_name(const struct find *find, uint64_t offset)
{
	struct cairn_bytes all = find->input.gsym->strings;

	if (offset == 0 || offset >= all.size)
		return find->length == 0;
	const uint8_t *start = all.data + offset;
	size_t rest = all.size - (size_t)offset;
	return rest >= find->length && memcmp(start, find->name, find->length) == 0 &&
	       (rest == find->length || start[find->length] == 0);
}

/* Whether the function at this offset of the string table is looked for, and its name. */
static bool matches_name(struct find *find, uint64_t offset, struct cairn_bytes *name)
{
	if (find->printed.over || (!find->contains && !is_name(find, offset)))
		return false;
	*name = gsym_text(find->input.gsym, offset);
	if (find->contains && (!printed_take(&find->printed, name->size) ||
	                       !has_part(*name, find->name, find->length)))
		return false;
	return printed_take(&find->printed, escaped_size(*name));
}

static void print_found(struct find *find, const struct gsym_function *f, struct cairn_bytes name)
{
	find->found++;
	if (find->form == FORM_JSON) {
		json_object(&find->json, NULL);
		json_text(&find->json, "function", name);
		json_address(&find->json, "start", f->start);
		json_number(&find->json, "size", f->size);
		if (f->is_merged)
			json_bool(&find->json, "same_code", true);
		json_end(&find->json);
		return;
	}
	printf("0x%" PRIx64, f->start);
	printf(find->form == FORM_LINES ? " 0x%" PRIx64 " " : "..0x%" PRIx64 " ",
	       f->start + f->size);
	if (find->form == FORM_LINES)
		print_word(stdout, name);
	else
		print_text(stdout, name);
	if (f->is_merged)
		fputs(find->form == FORM_LINES ? " same-code" : " (same code as another)", stdout);
	putchar('\n');
}

static void print_if_match(struct find *find, const struct gsym_function *f)
{
	struct cairn_bytes name;

	if (matches_name(find, f->name, &name))
		print_found(find, f, name);
}

static void print_merged_matches(struct find *find, const struct gsym_function *f)
{
	const struct gsym *g = find->input.gsym;
	struct gsym_blocks blocks = gsym_blocks(g, f);
	struct gsym_block block;
	struct gsym_function other;

	while (gsym_next_block(&blocks, &block)) {
		if (block.type != GSYM_MERGED)
			continue;
		struct gsym_merged merged = gsym_merged(g, f, &block);
		while (gsym_next_merged(&merged, &other))
			print_if_match(find, &other);
	}
}

static int find_name(struct find *find, const char *name)
{
	const struct gsym *g = find->input.gsym;
	struct gsym_walk walk = gsym_walk(g);
	struct gsym_function f;
	struct cairn_fault fault;

	find->name = name;
	find->length = strlen(name);
	find->found = 0;
	find->printed = gsym_printed(g);
	for (uint32_t i = 0; i < g->functions && !find->printed.over; i++) {
		if (gsym_function(g, i, &f, &fault) != CAIRN_OK)
			continue;
		print_if_match(find, &f);
		if (gsym_walk_take(&walk, i, &fault))
			print_merged_matches(find, &f);
	}
	if (find->printed.over) {
		print_diagnostic(find->input.path,
		                 "functions share too many bytes of names; the rest is left out");
		return EXIT_BROKEN;
	}
	if (find->found)
		return EXIT_CLEAN;
	fflush(stdout);
	fputs("cairn: not found: ", stderr);
	print_string(stderr, name);
	fputc('\n', stderr);
	return EXIT_MISSING;
}

int gsym_find_verb(int argc, char **argv)
{
	struct gsym_source source = { .force = false };
	struct find find = { .form = FORM_TEXT, .json = json_to(stdout) };
	const struct option options[] = {
		OPTION_LINES(&find.form),
		OPTION_JSON(&find.form),
		{ .name = "contains",
		  .help = "find functions whose name contains NAME",
		  .flag = &find.contains },
		OPTIONS_GSYM_SOURCE(&source),
	};
	const struct command command = { "cairn gsym find [OPTION...] FILE NAME...", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc < 2)
		return usage_error(&command, "no FILE and NAME");
	if (!gsym_input_open(argv[0], &source, &find.input, &status))
		return status;
	rights_end_search();
	for (int i = 1; i < argc; i++)
		status = choose_worse(status, find_name(&find, argv[i]));
	gsym_input_close(&find.input);
	return status;
}
