/* SPDX-License-Identifier: MIT */
/* Prints a function with its rows, inlined calls and calls. */
#include "print_function.h"

#include "cli/front/printed.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdio.h>

static void print_word_within(struct allowance *printed, struct cairn_bytes name)
{
	print_word(stdout, printed_text(printed, name));
}

static void print_call_place(struct allowance *printed, const struct function *f, uint32_t file,
                             uint32_t line)
{
	struct cairn_location at = { .line = line };

	at.directory = f->files ? f->files[file].directory : (struct cairn_bytes){ NULL, 0 };
	at.file = f->files ? f->files[file].name : (struct cairn_bytes){ NULL, 0 };
	at = printed_location(printed, &at);
	print_source_location(stdout, &at);
}

static void print_inline(struct allowance *printed, const struct function *f,
                         const struct function_inline *call)
{
	printf("  inline %" PRIu32 " ", call->depth);
	print_call_place(printed, f, call->call_file, call->call_line);
	putchar(' ');
	print_word_within(printed, call->name);
	for (uint32_t i = 0; i < call->ranges; i++)
		printf(" 0x%" PRIx64 "-0x%" PRIx64, f->range[call->range + i].low,
		       f->range[call->range + i].high);
	putchar('\n');
}

static void print_flags(const struct function_row *row)
{
	if (row->statement)
		fputs(" statement", stdout);
	if (row->prologue_end)
		fputs(" prologue-end", stdout);
	if (row->apart)
		fputs(" apart", stdout);
}

static void print_call(struct allowance *printed, const struct function *f,
                       const struct function_call *call)
{
	printf("  call 0x%" PRIx64, f->start + call->return_offset);
	for (uint32_t i = 0; i < call->callees; i++) {
		putchar(' ');
		print_word_within(printed, call->callee[i]);
	}
	putchar('\n');
}

void dwarf_print_function(struct allowance *printed, const struct function *f)
{
	printf("function 0x%" PRIx64 " 0x%" PRIx64 " ", f->start, f->start + f->size);
	print_word_within(printed, f->name);
	putchar('\n');
	for (size_t i = 0; i < f->row_count; i++) {
		printf("  row 0x%" PRIx64 " ", f->rows[i].va);
		print_call_place(printed, f, f->rows[i].file, f->rows[i].line);
		print_flags(&f->rows[i]);
		putchar('\n');
	}
	for (size_t i = 0; i < f->inline_count; i++)
		print_inline(printed, f, &f->inlines[i]);
	for (size_t i = 0; i < f->call_count; i++)
		print_call(printed, f, &f->calls[i]);
}
