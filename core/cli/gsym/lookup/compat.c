/* SPDX-License-Identifier: MIT */
/*
 * The output of llvm-gsymutil (19.1.7; 23.1.4 for merged functions), for scripts that are used to
 * it.  That includes what LLVM's reader loses:
 *   - an address is looked for among the functions of the last start alone, and the first without
 *     size or with the address in it is taken;
 *   - an address before the first row, or in a row without file, is an error;
 *   - an inlined call without a known call place is left out, all without a line table;
 *   - offsets have 32 bits;
 *   - a path has a separator between its parts, whatever they are.
 */
#include "lookup.h"

#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 8192, NAME_MAX_BYTES = 1 << 16 };

/* The function that LLVM's reader takes; false when it has none. */
static bool find_llvm_function(const struct gsym *gsym, uint64_t va, struct gsym_function *function)
{
	uint32_t index = gsym_search(gsym, va), first = index;
	struct cairn_fault fault;

	if (index == gsym->functions)
		return false;
	while (first > 0 && gsym_offset(gsym, first - 1) == gsym_offset(gsym, index))
		first--;
	for (; first <= index; first++) {
		if (gsym_function(gsym, first, function, &fault) != CAIRN_OK)
			return false;
		uint64_t end = function->start + function->size;
		if (function->size == 0 || (va >= function->start && va < end))
			return true;
	}
	return false;
}

static bool has_path(const struct cairn_location *l)
{
	return l->directory.size || l->file.size;
}

static void print_path(const struct cairn_location *l)
{
	bool slash = memchr(l->directory.data, '/', l->directory.size) != NULL;
	bool backslash = memchr(l->directory.data, '\\', l->directory.size) != NULL;

	print_plain_location(stdout, l->directory);
	if (l->directory.size)
		putchar(backslash && !slash ? '\\' : '/');
	if (l->file.size)
		print_plain_location(stdout, l->file);
	else
		fputs("<invalid-file>", stdout);
}

/* The name of one location at the place of another. */
static void print_location(const struct cairn_location *named, const struct cairn_location *place)
{
	print_plain_location(stdout, named->function);
	if ((uint32_t)named->offset > 0)
		printf(" + %" PRIu32, (uint32_t)named->offset);
	if (!has_path(place))
		return;
	fputs(" @ ", stdout);
	print_path(place);
	printf(":%" PRIu32, place->line);
}

/* Each location is printed when the next one shows whether LLVM would keep it. */
static void print_locations(struct gsym_lookup *lookup, struct allowance *printed)
{
	struct cairn_location current, next, place;

	gsym_next_location(lookup, &current);
	current = place = printed_location(printed, &current);
	while (gsym_next_location(lookup, &next)) {
		next = printed_location(printed, &next);
		if (lookup->has_lines && has_path(&next)) {
			print_location(&current, &place);
			printf(" [inlined]\n%20s", "");
			place = next;
		}
		current = next;
	}
	print_location(&current, &place);
	putchar('\n');
}

/* What LLVM has to complain about; false when nothing. */
static bool print_error(const struct gsym *gsym, const struct gsym_lookup *lookup)
{
	if (lookup->has_lines && (!lookup->has_row || lookup->row.file == 0))
		printf("error: address 0x%" PRIx64 " is not in the line table\n", lookup->va);
	else if (lookup->has_row && lookup->row.file >= gsym->files)
		printf("error: failed to extract file[%" PRIu32 "]\n", lookup->row.file);
	else
		return false;
	return true;
}

static void print_function(const struct gsym *gsym, const struct gsym_function *function,
                           uint64_t va, struct allowance *printed)
{
	struct gsym_lookup lookup;

	printf("0x%016" PRIx64 ": ", va);
	gsym_lookup_in_function(gsym, function, va, &lookup);
	if (!print_error(gsym, &lookup))
		print_locations(&lookup, printed);
}

static void print_address(const struct gsym *gsym, uint64_t va, struct allowance *printed)
{
	struct gsym_function function;

	if (find_llvm_function(gsym, va, &function))
		print_function(gsym, &function, va, printed);
	else
		printf("0x%016" PRIx64 ": error: address 0x%" PRIx64 " is not in GSYM\n", va, va);
}

bool name_filter_compile(struct name_filter *filter, const struct option_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		if (regcomp(&filter->pattern[i], words->word[i], REG_EXTENDED | REG_NOSUB) != 0) {
			print_word_diagnostic(NULL, words->word[i], "not a regular expression");
			return false;
		}
		filter->count++;
	}
	return true;
}

bool name_filter_matches(const struct name_filter *filter, struct cairn_bytes name)
{
	static char text[NAME_MAX_BYTES + 1];
	size_t size = name.size < NAME_MAX_BYTES ? name.size : NAME_MAX_BYTES;

	if (filter->count == 0)
		return true;
	if (size > 0)
		memcpy(text, name.data, size);
	text[size] = '\0';
	for (size_t i = 0; i < filter->count; i++)
		if (regexec(&filter->pattern[i], text, 0, NULL, 0) == 0)
			return true;
	return false;
}

/* The block of merged functions; false when there is none. */
static bool find_merged(const struct gsym *gsym, const struct gsym_function *function,
                        struct gsym_merged *merged)
{
	struct gsym_blocks blocks = gsym_blocks(gsym, function);
	struct gsym_block block;
	bool found = false;

	while (gsym_next_block(&blocks, &block))
		if (block.type == GSYM_MERGED) {
			*merged = gsym_merged(gsym, function, &block);
			found = true;
		}
	return found;
}

static bool is_wanted(const struct lookup *lookup, const struct gsym_function *function)
{
	return name_filter_matches(lookup->filter, gsym_text(lookup->input.gsym, function->name));
}

/* Each but the last of all is followed by an empty line, even if the last is not wanted. */
static void print_merged(struct lookup *lookup, uint64_t va)
{
	const struct gsym *gsym = lookup->input.gsym;
	struct gsym_function function, other;
	struct gsym_merged merged;

	if (!find_llvm_function(gsym, va, &function))
		return;
	bool more = find_merged(gsym, &function, &merged);
	uint32_t count = is_wanted(lookup, &function);
	struct gsym_merged counted = merged;
	while (more && gsym_next_merged(&counted, &other))
		count += is_wanted(lookup, &other);
	printf("Found %" PRIu32 " function%s at address 0x%016" PRIx64 ":\n", count,
	       count == 1 ? "" : "s", va);
	do {
		bool wanted = is_wanted(lookup, &function);
		if (wanted) {
			fputs("   ", stdout);
			print_function(gsym, &function, va, &lookup->printed);
		}
		more = more && gsym_next_merged(&merged, &function);
		if (wanted && more)
			putchar('\n');
	} while (more);
}

void lookup_print_compat(struct lookup *lookup, uint64_t va)
{
	printed_begin_answer(&lookup->printed);
	if (lookup->merged)
		print_merged(lookup, va);
	else
		print_address(lookup->input.gsym, va, &lookup->printed);
	lookup_end_answer(lookup, va);
}

/* One line "ADDRESS FILE"; the file is opened when it is another than before. */
static int answer_line(char *line, struct lookup *lookup, char *path)
{
	static const struct gsym_source any = { .force = true };
	size_t length = strcspn(line, " ");
	const char *name = line[length] ? line + length + 1 : "";
	int status = EXIT_CLEAN;
	uint64_t va;

	line[length] = '\0';
	if (!lookup->input.symbols || strcmp(name, path) != 0) {
		if (lookup->input.symbols)
			gsym_input_close(&lookup->input);
		lookup->input.symbols = NULL;
		strcpy(path, name);
		if (!gsym_input_open(path, &any, &lookup->input, &status))
			return status;
		lookup->printed = gsym_printed(lookup->input.gsym);
	}
	if (!parse_number(line, &va)) {
		print_string_between(stdout, "error: invalid address ", line,
		                     ", expected: Address GsymFile.\n");
		return EXIT_USAGE;
	}
	lookup->status = EXIT_CLEAN;
	lookup_print_compat(lookup, va);
	putchar('\n');
	return lookup->status;
}

int lookup_run_compat_lines(const struct lookup *like)
{
	static char line[LINE_MAX_BYTES], path[LINE_MAX_BYTES];
	struct lookup lookup = { .merged = like->merged, .filter = like->filter };
	int status = EXIT_CLEAN;

	while (status == EXIT_CLEAN && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\r\n")] = '\0';
		status = answer_line(line, &lookup, path);
		fflush(stdout);
	}
	if (lookup.input.symbols)
		gsym_input_close(&lookup.input);
	return status;
}
