/* SPDX-License-Identifier: MIT */
/*
 * `cairn gsym find`, and an index of functions by name: a sorted table with hashes of linkage
 * names. If a name is not in the table, all demangled names are scanned.
 */
#include "gsym.h"

#include "base/hash.h"
#include "base/sort.h"
#include "cli/front/rights.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * maximum number of bytes to hash per name, because many functions in a damaged file may
	 * share one long name
	 */
	HASHED = 1024,
};

static bool is_linkage_name(const struct gsym *gsym, uint64_t offset, struct cairn_bytes name)
{
	const struct cairn_bytes all = gsym->strings;

	if (offset == 0 || offset >= all.size)
		return name.size == 0;
	const uint8_t *start = all.data + offset;
	const size_t rest = all.size - (size_t)offset;
	return rest >= name.size && memcmp(start, name.data, name.size) == 0 &&
	       (rest == name.size || start[name.size] == 0);
}

/*
 * Return true if the demangled name is `name`, with or without parameters. The size of each
 * demangled name counts against `readable`. If demangling fails, the maximum size counts, because
 * the failed attempt may have taken as long.
 */
static bool is_demangled_name(struct cairn_bytes linkage, struct cairn_bytes name,
                              struct allowance *readable)
{
	if (readable->over ||
	    (!bytes_begin_with(linkage, "_Z") && !bytes_begin_with(linkage, "_R") &&
	     !bytes_begin_with(linkage, "$s")))
		return false;
	const struct cairn_bytes text = demangled_name(linkage);
	if (!allowance_draw(readable, text.data == linkage.data ? CAIRN_DEMANGLE_MAX : text.size))
		return false;
	return text.size >= name.size && memcmp(text.data, name.data, name.size) == 0 &&
	       (text.size == name.size || text.data[name.size] == '(');
}

static uint64_t hash_name(struct cairn_bytes name)
{
	if (name.size > HASHED)
		name.size = HASHED;
	return hash_text(name, 0);
}

static struct cairn_bytes find_name_start(const struct gsym *gsym, uint64_t offset)
{
	struct cairn_bytes name = gsym->strings;

	if (offset >= name.size)
		return (struct cairn_bytes){ name.data, 0 };
	name.data += offset;
	name.size -= (size_t)offset;
	if (name.size > HASHED)
		name.size = HASHED;
	const uint8_t *end = memchr(name.data, 0, name.size);
	if (end)
		name.size = (size_t)(end - name.data);
	return name;
}

static int compare_entries(const void *a, const void *b)
{
	const struct name_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool make_table(struct functions_by_name *by_name)
{
	const struct gsym *gsym = by_name->gsym;
	struct gsym_function f;
	struct cairn_fault fault;

	if (by_name->made)
		return by_name->entries != NULL;
	by_name->made = true;
	by_name->readable = gsym_printed(gsym);
	by_name->entries = calloc((size_t)gsym->functions + 1, sizeof(*by_name->entries));
	for (uint32_t i = 0; by_name->entries && i < gsym->functions; i++)
		if (gsym_function(gsym, i, &f, &fault) == CAIRN_OK)
			by_name->entries[by_name->count++] =
				(struct name_entry){ hash_name(find_name_start(gsym, f.name)), i };
	if (by_name->count > 0)
		qsort(by_name->entries, by_name->count, sizeof(*by_name->entries), compare_entries);
	return by_name->entries != NULL;
}

static bool find_linkage(const struct functions_by_name *by_name, struct cairn_bytes name,
                         struct gsym_function *f)
{
	const uint64_t hash = hash_name(name);
	struct cairn_fault fault;

	for (size_t i = SORTED_BELOW(by_name->entries, by_name->count, hash, hash);
	     i < by_name->count && by_name->entries[i].hash == hash; i++)
		if (gsym_function(by_name->gsym, by_name->entries[i].index, f, &fault) ==
		            CAIRN_OK &&
		    is_linkage_name(by_name->gsym, f->name, name))
			return true;
	return false;
}

static bool find_readable(struct functions_by_name *by_name, struct cairn_bytes name,
                          struct gsym_function *f)
{
	const struct gsym *gsym = by_name->gsym;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < gsym->functions && !by_name->readable.over; i++)
		if (gsym_function(gsym, i, f, &fault) == CAIRN_OK &&
		    is_demangled_name(find_name_start(gsym, f->name), name, &by_name->readable))
			return true;
	return false;
}

bool functions_by_name_find(struct functions_by_name *by_name, struct cairn_bytes name,
                            struct gsym_function *function)
{
	return name.size > 0 && make_table(by_name) &&
	       (find_linkage(by_name, name, function) || find_readable(by_name, name, function));
}

void functions_by_name_finish(struct functions_by_name *by_name)
{
	free(by_name->entries);
	*by_name = (struct functions_by_name){ .gsym = NULL };
}

static const char about[] =
	"Print the address of each function NAME, including functions that were folded into\n"
	"another. NAME is the name in the file (mangled for C++ and Rust), or the demangled name\n"
	"with or without parameters. Exit status 1: a NAME was not found.";

struct find {
	struct gsym_input input;
	bool contains, linkage_names;
	bool counts; /* count matches instead of printing them */
	/* true if no linkage name equals NAME, so that demangled names must be compared */
	bool readable;
	enum form form;
	struct json json;
	struct allowance printed;
	struct cairn_bytes name;
	uint64_t found;
};

static bool has_part(struct cairn_bytes text, struct cairn_bytes part)
{
	for (size_t i = 0; part.size <= text.size && i <= text.size - part.size; i++)
		if (memcmp(text.data + i, part.data, part.size) == 0)
			return true;
	return false;
}

/*
 * Return true if the linkage name or the demangled name contains NAME. Each name counts against the
 * print limit, because many functions may share a long name.
 */
static bool contains_name(struct find *find, struct cairn_bytes linkage)
{
	if (!printed_take(&find->printed, linkage.size))
		return false;
	if (has_part(linkage, find->name))
		return true;
	const struct cairn_bytes readable = demangled_name(linkage);
	return readable.data != linkage.data && printed_take(&find->printed, readable.size) &&
	       has_part(readable, find->name);
}

static bool matches_name(struct find *find, uint64_t offset, struct cairn_bytes *name)
{
	const struct gsym *gsym = find->input.gsym;
	bool found = !find->printed.over;

	if (found && !find->contains && !find->readable)
		found = is_linkage_name(gsym, offset, find->name);
	if (!found)
		return false;
	*name = gsym_text(gsym, offset);
	if (find->contains)
		found = contains_name(find, *name);
	else if (find->readable)
		found = is_demangled_name(*name, find->name, &find->printed);
	return found && printed_take(&find->printed, escaped_size(*name));
}

/*
 * Return the demangled name, or `name` if the demangled name would exceed the print limit. Even a
 * short linkage name may have a very long demangled form.
 */
static struct cairn_bytes choose_demangled(struct find *find, struct cairn_bytes name)
{
	const struct cairn_bytes readable = find->form == FORM_LINES ? name : demangled_name(name);

	return readable.data == name.data || printed_take(&find->printed, escaped_size(readable))
	               ? readable
	               : name;
}

static void print_found(struct find *find, const struct gsym_function *f, struct cairn_bytes name)
{
	find->found++;
	if (find->counts)
		return;
	const struct cairn_bytes readable = choose_demangled(find, name);

	if (find->form == FORM_JSON) {
		json_object(&find->json, NULL);
		json_text(&find->json, "function", name);
		json_address(&find->json, "start", f->start);
		json_number(&find->json, "size", f->size);
		if (f->is_merged)
			json_bool(&find->json, "same_code", true);
		if (readable.data != name.data)
			json_text(&find->json, "readable", readable);
		json_end(&find->json);
		return;
	}
	printf("0x%" PRIx64, f->start);
	printf(find->form == FORM_LINES ? " 0x%" PRIx64 " " : "..0x%" PRIx64 " ",
	       f->start + f->size);
	if (find->form == FORM_LINES)
		print_word(stdout, name);
	else
		print_text(stdout, find->linkage_names ? name : readable);
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

static void find_among_all(struct find *find)
{
	const struct gsym *g = find->input.gsym;
	struct gsym_walk walk = gsym_walk(g);
	struct gsym_function f;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < g->functions && !find->printed.over; i++) {
		if (gsym_function(g, i, &f, &fault) != CAIRN_OK)
			continue;
		print_if_match(find, &f);
		if (gsym_walk_take(&walk, i, &fault))
			print_merged_matches(find, &f);
	}
}

static int find_name(struct find *find, const char *name)
{
	find->name = borrow_string(name);
	find->found = 0;
	find->printed = gsym_printed(find->input.gsym);
	find->readable = false;
	find_among_all(find);
	if (find->found == 0 && !find->contains) {
		find->readable = true;
		find_among_all(find);
	}
	if (find->printed.over)
		return fail_with(find->input.path, "function names exceed the size limit; the "
		                                   "remaining functions are omitted");
	if (find->found)
		return EXIT_CLEAN;
	fflush(stdout);
	print_string_between(stderr, "cairn: not found: ", name, "");
	if (!find->contains) {
		find->contains = find->counts = true;
		find_among_all(find);
		find->contains = find->counts = false;
		if (find->found > 0)
			fprintf(stderr, "; --contains finds it in %" PRIu64 " name%s", find->found,
			        find->found == 1 ? "" : "s");
	}
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
		OPTION_LINKAGE_NAMES(&find.linkage_names),
		OPTION_FLAG("contains", "find functions whose name contains NAME", &find.contains),
		OPTIONS_GSYM_SOURCE(&source),
	};
	const struct command command =
		COMMAND("cairn gsym find [OPTION...] FILE NAME...", about, options,
	                OPERANDS(2, OPERANDS_MANY, "FILE", "NAME"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!gsym_input_open(argv[0], &source, &find.input, &status))
		return status;
	rights_end_search();
	for (int i = 1; i < argc; i++)
		status = choose_worse(status, find_name(&find, argv[i]));
	gsym_input_close(&find.input);
	return status;
}
