/* SPDX-License-Identifier: MIT */
/* Prints differences as text: what only the first file has after -, what only the second has after +. */
#include "diff.h"

#include "output/digits.h"
#include "output/escape.h"

#include <inttypes.h>

struct cairn_location diff_place(struct diff *diff, const struct function *function, uint32_t file,
                                 uint32_t line)
{
	const struct function_file *path = &function->files[file];
	const struct cairn_location place = { .directory = path->directory,
		                              .file = path->name,
		                              .function = { path->name.data, 0 },
		                              .line = line };

	return printed_location(&diff->printed, &place);
}

static void print_build_id(struct cairn_bytes bytes)
{
	print_hex(stdout, bytes);
	puts(bytes.size ? "" : "none");
}

void diff_print_build_ids(struct diff *diff)
{
	fputs("- build ID ", stdout);
	print_build_id(diff->first.gsym->uuid);
	fputs("+ build ID ", stdout);
	print_build_id(diff->second.gsym->uuid);
}

/* Ranges of functions without a size end with the next function. */
static void print_range(uint64_t low, uint64_t high)
{
	if (high > low && high != UINT64_MAX)
		printf("0x%" PRIx64 "..0x%" PRIx64 " ", low, high);
	else
		printf("0x%" PRIx64 " ", low);
}

static void print_name(struct diff *diff, struct cairn_bytes name)
{
	print_text(stdout, printed_text(&diff->printed, name));
}

/* The function whose differences follow, before the first of them. */
static void print_head(struct diff *diff, const struct function *function)
{
	if (diff->has_head && diff->head == function->start &&
	    diff->head_name.data == function->name.data &&
	    diff->head_name.size == function->name.size)
		return;
	diff->has_head = true;
	diff->head = function->start;
	diff->head_name = function->name;
	printf("  0x%" PRIx64 " ", function->start);
	print_name(diff, function->name);
	putchar('\n');
}

static void print_whole(struct diff *diff, char sign, const struct function *function)
{
	diff->has_head = false;
	printf("%c ", sign);
	print_range(function->start, function->start + function->size);
	print_name(diff, function->name);
	putchar('\n');
}

static void print_head_field(struct diff *diff, char sign, const struct gsym_difference *difference,
                             const struct function *function)
{
	printf("    %c ", sign);
	if (difference->kind == GSYM_DIFFERENT_RANGE) {
		printf("size 0x%" PRIx64 "\n", function->size);
		return;
	}
	fputs("name ", stdout);
	print_name(diff, function->name);
	putchar('\n');
}

static void print_row(struct diff *diff, char sign, const struct gsym_difference *difference,
                      const struct gsym_difference_side *side)
{
	struct cairn_location place = { .line = 0 };

	if (side->row)
		place = diff_place(diff, side->function, side->row->file, side->row->line);
	printf("    %c ", sign);
	print_range(difference->low, difference->high);
	print_source_location(stdout, &place);
	putchar('\n');
}

static void print_inlined_call(struct diff *diff, char sign,
                               const struct gsym_difference_side *side)
{
	const struct function_inline *call = side->call;

	if (!call)
		return;
	printf("    %c ", sign);
	for (uint32_t i = 0; i < call->ranges; i++)
		print_range(side->function->range[call->range + i].low,
		            side->function->range[call->range + i].high);
	printf("inlined %" PRIu32 " deep: ", call->depth);
	print_name(diff, call->name);
	fputs(" called at ", stdout);
	struct cairn_location place =
		diff_place(diff, side->function, call->call_file, call->call_line);
	print_source_location(stdout, &place);
	putchar('\n');
}

static void print_site(struct diff *diff, char sign, const struct gsym_difference *difference,
                       const struct function_call *site)
{
	if (!site)
		return;
	printf("    %c 0x%" PRIx64 " call site, flags %u:", sign, difference->low, site->flags);
	for (uint32_t i = 0; i < site->callees; i++) {
		putchar(' ');
		print_name(diff, site->callee[i]);
	}
	putchar('\n');
}

static void print_rows(struct diff *diff, const struct gsym_difference *difference)
{
	if (!difference->marks_only) {
		print_row(diff, '-', difference, &difference->first);
		print_row(diff, '+', difference, &difference->second);
		return;
	}
	fputs("    ~ ", stdout);
	print_range(difference->low, difference->high);
	puts("rows or marks for debuggers");
}

static void print_pair(struct diff *diff, const struct gsym_difference *difference)
{
	const struct gsym_difference_side *first = &difference->first,
					  *second = &difference->second;

	print_head(diff, first->function);
	switch (difference->kind) {
	case GSYM_ONLY_FIRST:
	case GSYM_ONLY_SECOND:
		break;
	case GSYM_DIFFERENT_RANGE:
	case GSYM_DIFFERENT_NAME:
		print_head_field(diff, '-', difference, first->function);
		print_head_field(diff, '+', difference, second->function);
		break;
	case GSYM_DIFFERENT_LINES:
		print_rows(diff, difference);
		break;
	case GSYM_DIFFERENT_INLINE:
		print_inlined_call(diff, '-', first);
		print_inlined_call(diff, '+', second);
		break;
	case GSYM_DIFFERENT_CALL:
		print_site(diff, '-', difference, first->site);
		print_site(diff, '+', difference, second->site);
		break;
	}
}

void diff_print_text(struct diff *diff, const struct gsym_difference *difference)
{
	if (!difference->second.function)
		print_whole(diff, '-', difference->first.function);
	else if (!difference->first.function)
		print_whole(diff, '+', difference->second.function);
	else
		print_pair(diff, difference);
}

void diff_print_text_counts(const struct diff *diff)
{
	const struct gsym_diff_counts *c = &diff->counts;

	printf("functions: %" PRIu64 " equal, %" PRIu64 " different, %" PRIu64
	       " only in the first file, %" PRIu64 " only in the second\n",
	       c->equal, c->differ, c->only_first, c->only_second);
}
