/* SPDX-License-Identifier: MIT */
/* Stacks and modules as JSON: one object a line for each thread, or each module. */
#include "bt.h"

#include "output/digits.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <string.h>

static void print_location_keys(struct json *json, struct bt *bt, const struct cairn_location *l)
{
	static struct location_path path;

	json_text(json, "function", bt_printed(bt, readable_name(l->function)));
	json_number(json, "offset", l->offset);
	location_path(&path, l);
	json_place(json, bt_printed(bt, path.text), l->line, l->column);
}

static void print_module_keys(struct json *json, struct bt *bt, const struct bt_frame *frame)
{
	struct cairn_loaded_module module;

	if (!cairn_stacks_module_at(bt->opened, frame->lookup, &module))
		return;
	if (module.has_bias)
		json_address(json, "va", frame->pc - module.bias);
	json_text(json, "module", bt_printed(bt, module.path));
	if (module.build_id.size > 0)
		json_hex(json, "build_id", bt_printed_id(bt, module.build_id));
	json_address(json, "module_offset", frame->pc - module.start);
}

static void print_frame(struct json *json, struct bt *bt, const struct bt_frame *frame,
                        size_t *level)
{
	size_t count;
	const struct cairn_location *locations = bt_find_names(bt, frame->lookup, &count);

	for (size_t i = 0; i < (count ? count : 1); i++) {
		json_object(json, NULL);
		json_number(json, "level", (*level)++);
		json_address(json, "pc", frame->pc);
		if (count)
			print_location_keys(json, bt, &locations[i]);
		print_module_keys(json, bt, frame);
		json_address(json, "cfa", frame->cfa);
		json_string(json, "by", cairn_unwind_method_name(frame->by));
		json_string(json, "found",
		            frame->found ? cairn_unwind_method_name(frame->found) : "context");
		json_bool(json, "cfi", frame->by == CAIRN_UNWIND_METHOD_CFI);
		json_bool(json, "inlined", count && locations[i].inlined);
		if (frame->signal)
			json_bool(json, "signal", true);
		if (frame->guessed)
			json_bool(json, "guessed", true);
		json_end(json);
	}
}

static void print_crash_keys(struct json *json, struct bt *bt)
{
	struct cairn_crash crash;

	cairn_stacks_crash(bt->opened, &crash);
	if (crash.name)
		json_string(json, "signal", crash.name);
	if (crash.exception)
		json_address(json, "exception", crash.exception);
	else {
		json_number(json, "signal_number", crash.signal);
		json_signed(json, "signal_code", crash.code);
	}
	if (crash.code_name)
		json_string(json, "signal_code_name", crash.code_name);
	if (crash.accessed[0]) {
		json_address(json, "fault_address", crash.address);
		json_string(json, "fault", crash.accessed);
	}
	if (crash.has_sender && crash.sender != 0) {
		json_number(json, "sender", crash.sender);
		json_number(json, "sender_user", crash.sender_user);
	}
}

static void print_process_keys(struct json *json, struct bt *bt)
{
	json_string(json, "core", bt->path);
	json_text(json, "program", bt_printed(bt, bt->process.program));
	if (bt->process.command_line.size > 0)
		json_text(json, "command_line", bt_printed(bt, bt->process.command_line));
	json_number(json, "pid", bt->process.pid);
}

static void print_thread_keys(struct json *json, struct bt *bt, const struct bt_stack *stack,
                              const struct cairn_thread *thread)
{
	const bool handles = bt_handles_signal(stack);
	char text[CAIRN_ABORT_MESSAGE], signature[CAIRN_ADDRESS_SIGNATURE];

	json_number(json, "tid", thread->tid);
	if (thread->name.size > 0)
		json_text(json, "name", thread->name);
	json_bool(json, "crashed", thread->crashed);
	if (thread->stop_nanoseconds > 0)
		json_number(json, "stopped_nanoseconds", thread->stop_nanoseconds);
	if (thread->stack_cut)
		json_bool(json, "stack_cut", true);
	if (thread->crashed)
		print_crash_keys(json, bt);
	/* of a thread in a process only a handler tells of a crash */
	if ((thread->crashed || handles) &&
	    cairn_stacks_address_signature(bt->opened, stack->thread, signature))
		json_string(json, "address_signature", signature);
	if (thread->crashed || (bt->process.kind == CAIRN_STACKS_PROCESS && handles)) {
		const struct cairn_bytes message = bt_find_abort_message(bt, text);
		if (message.size > 0)
			json_text(json, "abort_message", message);
	}
	if (bt->options.dedup)
		json_number(json, "threads", stack->equal + 1);
	if (bt->options.registers)
		bt_print_register_keys(json, &thread->registers);
}

void bt_print_stack_json(struct json *json, struct bt *bt, const struct bt_stack *stack)
{
	struct cairn_thread thread;
	size_t level = 0;

	if (!cairn_stacks_thread(bt->opened, stack->thread, &thread))
		return;
	json_object(json, NULL);
	print_process_keys(json, bt);
	print_thread_keys(json, bt, stack, &thread);
	json_array(json, "frames");
	for (size_t i = 0; i < stack->count; i++)
		print_frame(json, bt, &stack->frames[i], &level);
	json_end(json);
	json_bool(json, "complete", stack->end.complete);
	json_string(json, "end", stack->end.name);
	json_string(json, "why", stack->end.why);
	if (stack->end.missing)
		json_string(json, "missing", stack->end.missing);
	json_end(json);
}

void bt_print_json(struct bt *bt)
{
	struct json json = json_to(stdout);

	for (size_t i = 0; i < bt->stack_count; i++)
		if (!bt->stacks[i].repeated)
			bt_print_stack_json(&json, bt, &bt->stacks[i]);
}

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

/* In a process the place of a problem is a thread. */
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
