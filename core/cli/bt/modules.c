/* SPDX-License-Identifier: MIT */
/* Prints modules, their build IDs, and problems of the input. */
#include "bt.h"

#include "base/bytes.h"
#include "base/sort.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_module_json(struct bt *bt, const struct cairn_loaded_module *module)
{
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_address(&json, "low", module->low);
	json_address(&json, "high", module->high);
	if (module->has_bias)
		json_address(&json, "bias", module->bias);
	if (module->remapped)
		json_bool(&json, "remapped", true);
	json_text(&json, "module", bt_printed(bt, module->path));
	if (module->build_id.size > 0)
		json_hex(&json, "build_id", bt_printed_id(bt, module->build_id));
	if (module->package.size > 0)
		json_text(&json, "package", bt_printed(bt, module->package));
	if (module->file.size > 0)
		json_text(&json, "file", bt_printed(bt, module->file));
	else if (module->file_missing)
		json_string(&json, "file_missing", module->file_missing);
	json_end(&json);
}

static void print_module_text(struct bt *bt, const struct cairn_loaded_module *module)
{
	const struct cairn_bytes id = bt_printed_id(bt, module->build_id);

	printf("0x%016" PRIx64 " 0x%016" PRIx64 " ", module->low, module->high);
	print_hex_word(stdout, id);
	fputc(' ', stdout);
	print_word(stdout, bt_printed(bt, module->path));
	if (module->file.size == 0 && module->file_missing)
		printf(" (%s)", module->file_missing);
	fputc('\n', stdout);
}

void bt_print_modules(struct bt *bt)
{
	struct cairn_loaded_module module;

	cairn_stacks_find_files(bt->opened);
	for (size_t i = 0; cairn_stacks_module(bt->opened, i, &module); i++)
		if (bt->options.form == FORM_JSON)
			print_module_json(bt, &module);
		else
			print_module_text(bt, &module);
}

/* Print a problem of the input. For a process, its offset is a thread ID. */
static void print_problem(const struct bt *bt, const struct cairn_source_problem *problem)
{
	static const char next[] = "what could be read follows";

	if (bt->process.kind == CAIRN_STACKS_PROCESS)
		print_diagnostic(bt->path, "%s: %s (LWP %" PRIu64 "); %s", problem->part,
		                 problem->fault.what, problem->fault.offset, next);
	else
		print_fault_diagnostic(bt->path, problem->part, &problem->fault, next);
}

void bt_print_problems(const struct bt *bt)
{
	const struct cairn_process *process = &bt->process;
	struct cairn_source_problem problem;

	for (size_t i = 0; cairn_stacks_problem(bt->opened, i, &problem); i++)
		print_problem(bt, &problem);
	if (process->left_out > 0)
		print_diagnostic(
			bt->path,
			"%zu threads, mappings or modules are left out, because there are too many",
			process->left_out);
	if (process->machine == CAIRN_MACHINE_NONE && process->machine_name)
		print_diagnostic(bt->path, "a program %s%s, whose stacks cairn does not unwind",
		                 process->machine_name[0] == 'o' ? "" : "for ",
		                 process->machine_name);
}

/*
 * Return the index of the module that contains `pc`, or `count`. The modules are sorted by address.
 */
static size_t find_module_number(const struct bt *bt, size_t count, uint64_t pc)
{
	struct cairn_loaded_module module;
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, cairn_stacks_module(bt->opened, search.middle, &module) &&
		                               module.low <= pc);
	return search.low > 0 && cairn_stacks_module(bt->opened, search.low - 1, &module) &&
	                       pc - module.low < module.high - module.low
	               ? search.low - 1
	               : count;
}

static bool is_repeated(const struct bt *bt, const bool *seen, size_t number, struct cairn_bytes id)
{
	struct cairn_loaded_module module;

	for (size_t i = 0; i < number && cairn_stacks_module(bt->opened, i, &module); i++)
		if (seen[i] && bytes_equal(module.build_id, id))
			return true;
	return false;
}

bool bt_print_build_ids(struct bt *bt)
{
	const size_t count = cairn_stacks_modules(bt->opened);
	bool *seen = calloc(count + 1, sizeof(*seen));
	struct cairn_loaded_module module;
	bool any = false;

	if (!seen)
		return false;
	/* seen[count] is for frames outside all modules */
	for (size_t i = 0; i < bt->stack_count; i++)
		for (size_t k = 0; k < bt->stacks[i].count; k++)
			seen[find_module_number(bt, count, bt->stacks[i].frames[k].lookup)] = true;
	for (size_t k = 0; cairn_stacks_module(bt->opened, k, &module); k++) {
		/* no file exists for the vDSO, which is in the core itself */
		if (!seen[k] || module.build_id.size == 0 || module.path.size == 0 ||
		    module.path.data[0] == '[' || is_repeated(bt, seen, k, module.build_id))
			continue;
		const struct cairn_bytes id = bt_printed_id(bt, module.build_id);
		print_hex(stdout, id);
		putchar('\n');
		any = true;
	}
	free(seen);
	return any;
}
