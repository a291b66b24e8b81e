/* SPDX-License-Identifier: MIT */
/*
 * Prints stacks as symbolizer markup: modules with build IDs and addresses, then the frames of each
 * thread. `cairn markup` or another tool resolves them elsewhere, where the symbols are.
 */
#include "bt.h"

#include "output/escape.h"

#include <inttypes.h>

/*
 * Replace characters that the format cannot represent in a name: colons, braces and control
 * characters.
 */
static void print_module_path(struct cairn_bytes path)
{
	for (size_t i = 0; i < path.size; i++) {
		const uint8_t c = path.data[i];
		fputc(c < ' ' || c >= 0x7f || c == ':' || c == '{' || c == '}' ? '_' : c, stdout);
	}
}

static void print_module(struct bt *bt, size_t number, const struct cairn_loaded_module *module)
{
	const struct cairn_bytes id = bt_printed_id(bt, module->build_id);

	if (id.size == 0 || !module->has_bias)
		return;
	printf("{{{module:%zu:", number);
	print_module_path(bt_printed(bt, module->path));
	fputs(":elf:", stdout);
	print_hex(stdout, id);
	printf("}}}\n{{{mmap:0x%" PRIx64 ":0x%" PRIx64 ":load:%zu:rx:0x%" PRIx64 "}}}\n",
	       module->low, module->high - module->low, number, module->low - module->bias);
}

static void print_stack(const struct bt *bt, size_t number, const struct bt_stack *stack)
{
	bt_print_thread_head(bt, number, stack);
	for (size_t i = 0; i < stack->count; i++)
		printf("{{{bt:%zu:0x%" PRIx64 ":%s}}}\n", i, stack->frames[i].pc,
		       stack->frames[i].lookup == stack->frames[i].pc ? "pc" : "ra");
	if (stack->end.kind != CAIRN_STACK_OUTERMOST)
		printf("Backtrace stopped: %s\n", stack->end.why);
}

void bt_print_markup(struct bt *bt)
{
	struct cairn_loaded_module module;

	puts("{{{reset}}}");
	for (size_t i = 0; cairn_stacks_module(bt->opened, i, &module); i++)
		print_module(bt, i, &module);
	for (size_t i = 0; i < bt->stack_count; i++)
		if (!bt->stacks[i].repeated)
			print_stack(bt, bt->stacks[i].number, &bt->stacks[i]);
}
