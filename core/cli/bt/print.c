/* SPDX-License-Identifier: MIT */
/*
 * Prints stacks as text, JSON, folded lines and symbolizer markup. The markup consists of the
 * modules with build IDs and addresses, followed by the frames of each thread. `cairn markup` or
 * another tool can symbolize it on a machine that has the symbols.
 */
#include "bt.h"

#include "base/bytes.h"
#include "output/escape.h"
#include "output/location.h"
#include "output/record_print.h"
#include "output/rule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void bt_print_thread_head(struct bt *bt, size_t number, const struct bt_stack *stack);

static void print_module(struct bt *bt, size_t number, const struct cairn_loaded_module *module)
{
	const struct cairn_bytes id = bt_printed_id(bt, module->build_id);

	if (id.size == 0 || !module->has_bias)
		return;
	printf("{{{module:%zu:", number);
	/* replace the characters that markup cannot represent in a module name */
	const struct cairn_bytes path = bt_printed(bt, module->path);
	for (size_t i = 0; i < path.size; i++) {
		const uint8_t c = path.data[i];
		fputc(c < ' ' || c >= 0x7f || c == ':' || c == '{' || c == '}' ? '_' : c, stdout);
	}
	fputs(":elf:", stdout);
	print_hex(stdout, id);
	printf("}}}\n{{{mmap:0x%" PRIx64 ":0x%" PRIx64 ":load:%zu:rx:0x%" PRIx64 "}}}\n",
	       module->low, module->high - module->low, number, module->low - module->bias);
}

static void print_markup_stack(struct bt *bt, size_t number, const struct bt_stack *stack)
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
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

	puts("{{{reset}}}");
	for (size_t i = 0; cairn_stacks_module(bt->opened, i, &module); i++)
		print_module(bt, i, &module);
	for (size_t i = 0; i < bt->stack_count; i++)
		if (!bt->stacks[i].repeated)
			print_markup_stack(bt, bt->stacks[i].number, &bt->stacks[i]);
}

static struct cairn_bytes text_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, text ? strlen(text) : 0 };
}

static struct cairn_bytes text_if(struct cairn_bytes text)
{
	return text.size > 0 ? text : (struct cairn_bytes){ NULL, 0 };
}

/*
 * Return the string, or an empty one once the print limit is reached. Its data is never NULL,
 * because NULL would mean that the string is unknown.
 */
static struct cairn_bytes known_text(struct bt *bt, struct cairn_bytes text)
{
	text = bt_printed(bt, text);
	return text.data ? text : text_of("");
}

static enum record_flag yes_if(bool value)
{
	return value ? RECORD_YES : RECORD_UNSAID;
}

struct thread_texts {
	struct record_thread record;
	struct cairn_thread thread;
	struct cairn_task task;
	struct cairn_crash crash;
	char message[CAIRN_ABORT_MESSAGE], signature[CAIRN_ADDRESS_SIGNATURE];
};

static void fill_crash(const struct bt *bt, struct thread_texts *t)
{
	const struct cairn_crash *crash = &t->crash;
	struct record_thread *r = &t->record;

	t->crash.size = sizeof(t->crash);
	cairn_stacks_crash(bt->opened, &t->crash);
	r->signal = text_of(crash->name);
	r->exception = record_count(crash->exception);
	if (!crash->exception) {
		r->signal_number = record_number(crash->signal);
		r->signal_code = record_number((uint64_t)crash->code);
	}
	r->signal_code_name = text_of(crash->code_name);
	if (crash->accessed[0]) {
		r->fault_address = record_number(crash->address);
		r->fault = text_of(crash->accessed);
	}
	if (crash->has_sender && crash->sender != 0) {
		r->sender = record_number(crash->sender);
		r->sender_user = record_number(crash->sender_user);
	}
}

static bool fill_task(struct bt *bt, const struct bt_stack *stack, struct thread_texts *t)
{
	static const char *const states[] = { [CAIRN_TASK_RUNNING] = "running",
		                              [CAIRN_TASK_WAITING] = "waiting",
		                              [CAIRN_TASK_ENQUEUED] = "enqueued" };
	static const char *const waits[] = { [CAIRN_TASK_WAITS_TASK] = "task",
		                             [CAIRN_TASK_WAITS_CONTINUATION] = "continuation",
		                             [CAIRN_TASK_WAITS_GROUP] = "group",
		                             [CAIRN_TASK_WAITS_EXECUTOR] = "executor" };
	const struct cairn_task *task = &t->task;

	t->task.size = sizeof(t->task);
	if (!cairn_stacks_task(bt->opened, stack->thread, &t->task))
		return false;
	t->thread = (struct cairn_thread){ .tid = task->tid };
	t->record = (struct record_thread){
		.tid = record_count(task->tid),
		.name = text_if(bt_printed(
			bt, (struct cairn_bytes){ (const uint8_t *)task->name, task->name_size })),
		.threads = record_count(bt->options.dedup ? stack->equal + 1 : 0),
		.complete = record_flag(stack->end.complete),
		.end = text_of(stack->end.name),
		.why = text_of(stack->end.why),
		.kind = text_of("task"),
		.task = record_number(task->id),
		.state = text_of(states[task->state]),
		.parent = record_count(task->parent),
		.priority = record_number(task->priority),
		.waits_for = text_of(waits[task->waits_for]),
		.on = record_count(task->on),
		.actor = text_if(bt_printed(bt, text_of(task->actor))),
		.cancelled = record_flag(task->cancelled),
	};
	return true;
}

static bool fill_thread(struct bt *bt, const struct bt_stack *stack, struct thread_texts *t)
{
	struct record_thread *r = &t->record;

	if (stack->is_task)
		return fill_task(bt, stack, t);
	t->thread.size = sizeof(t->thread);
	if (!cairn_stacks_thread(bt->opened, stack->thread, &t->thread))
		return false;
	*r = (struct record_thread){
		.tid = record_number(t->thread.tid),
		.name = text_if(t->thread.name),
		.crashed = record_flag(t->thread.crashed),
		.stopped_nanoseconds = record_count(t->thread.stop_nanoseconds),
		.stack_cut = yes_if(t->thread.stack_cut),
		.threads = record_count(bt->options.dedup ? stack->equal + 1 : 0),
		.complete = record_flag(stack->end.complete),
		.end = text_of(stack->end.name),
		.why = text_of(stack->end.why),
		.missing = text_of(stack->end.missing),
		.task = record_count(stack->task),
	};
	return true;
}

/* `module` may be NULL: the frame is in no module, or its line of text does not show one. */
static void fill_frame(struct bt *bt, const struct bt_frame *frame, const struct cairn_location *l,
                       const struct cairn_loaded_module *module, uint64_t level,
                       struct record_frame *r)
{
	static struct location_path path;
	const bool is_text = bt->options.form == FORM_TEXT;

	*r = (struct record_frame){
		.level = record_number(level),
		.pc = record_number(frame->pc),
		.cfa = record_number(frame->cfa),
		.inlined = record_flag(l && l->inlined),
		.signal = yes_if(frame->signal),
		.guessed = yes_if(frame->guessed),
		.async = yes_if(frame->async),
	};
	r->cfa.known = !frame->async;
	if (!frame->async && (!is_text || frame->guessed)) {
		r->by = text_of(cairn_unwind_method_name(frame->by));
		r->found =
			text_of(frame->found ? cairn_unwind_method_name(frame->found) : "context");
		r->cfi = record_flag(frame->by == CAIRN_UNWIND_METHOD_CFI);
	}
	/* count the strings against the print limit in the order in which they are printed */
	if (l) {
		struct cairn_location place = *l;
		r->function = known_text(bt, demangled_name(l->function));
		r->offset = record_number(l->offset);
		if (is_text) {
			place.directory = bt_printed(bt, l->directory);
			place.file = bt_printed(bt, l->file);
		}
		location_path(&path, &place);
		r->file = text_if(is_text ? path.text : bt_printed(bt, path.text));
		r->line = record_count(l->line);
		r->column = record_count(l->column);
	}
	if (!module)
		return;
	r->module_offset = record_number(frame->pc - module->start);
	if (is_text) {
		r->module = bt_printed(bt, module->path);
		return;
	}
	if (module->has_bias)
		r->va = record_number(frame->pc - module->bias);
	r->module = known_text(bt, module->path);
	if (module->build_id.size > 0)
		r->build_id = bt_printed_id(bt, module->build_id);
}

/* Print an empty line and a heading such as `Thread 1 (LWP 4711 "name", crashed):`. */
static void bt_print_thread_head(struct bt *bt, size_t number, const struct bt_stack *stack)
{
	struct thread_texts t;

	if (fill_thread(bt, stack, &t))
		record_print_thread(stdout, &t.record, number);
}

static void explain_frame(struct bt *bt, const struct bt_frame *frame,
                          const struct cairn_rule *used)
{
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);
	const struct rule_text rule = rule_text(used);
	const bool has_rule =
		frame->by == CAIRN_UNWIND_METHOD_CFI || frame->by == CAIRN_UNWIND_METHOD_SFRAME;

	printf("     found by %s",
	       frame->found ? cairn_unwind_method_name(frame->found) : "the thread's registers");
	if (frame->guessed && frame->found != CAIRN_UNWIND_METHOD_SCAN)
		fputs(" (a guess: no readable code confirms it)", stdout);
	printf("; its caller by %s", cairn_unwind_method_name(frame->by));
	if (has_rule)
		printf(", cfa %s, ra %s, fp %s", rule.cfa, rule.ra, rule.fp);
	printf(", cfa is 0x%" PRIx64, frame->cfa);
	(void)cairn_stacks_module_at(bt->opened, frame->lookup, &module);
	if (module.file.size > 0)
		print_text_between(stdout, ", file ", bt_printed(bt, module.file), "");
	else if (module.file_missing)
		printf(", %s", module.file_missing);
	fputc('\n', stdout);
}

/* Print one line per inlined call, and one for the frame itself. `json` is NULL for text output. */
static void print_frame(struct bt *bt, const struct bt_frame *frame, uint64_t *level,
                        struct json *json)
{
	struct cairn_loaded_module module;
	struct record_frame record;
	size_t count;
	const struct cairn_location *locations = bt_find_names(bt, frame->lookup, &count);

	if (count == 0 && !frame->signal && !json)
		bt_note_nameless(bt, frame->lookup);
	/*
	 * an async caller's address is the first byte of its function, so it is not in an inlined
	 * call, even if the line table says so
	 */
	if (frame->async && count > 1)
		locations += count - 1, count = 1;
	bool is_known = false, has_module = false;
	for (size_t i = 0; i < (count ? count : 1); i++) {
		const struct cairn_location *l = count ? &locations[i] : NULL;
		const bool shows_module = json || bt->color || !l || l->function.size == 0 ||
		                          (l->line == 0 && l->file.size == 0);
		if (shows_module && !is_known) {
			module.size = sizeof(module);
			has_module = cairn_stacks_module_at(bt->opened, frame->lookup, &module);
			is_known = true;
		}
		fill_frame(bt, frame, l, shows_module && has_module ? &module : NULL, (*level)++,
		           &record);
		if (json)
			record_json_frame(json, &record);
		else
			record_print_frame(stdout, &record, i > 0, bt->color);
	}
}

static void print_stack(struct bt *bt, const struct bt_stack *stack)
{
	const struct cairn_stack_end *end = &stack->end;
	struct thread_texts t;
	uint64_t level = 0;

	if (!fill_thread(bt, stack, &t))
		return;
	record_print_thread(stdout, &t.record, stack->number);
	if (bt->options.registers)
		record_print_registers(stdout, &t.thread.registers);
	for (size_t i = 0; i < stack->count; i++) {
		print_frame(bt, &stack->frames[i], &level, NULL);
		if (stack->rules)
			explain_frame(bt, &stack->frames[i], &stack->rules[i]);
	}
	const bool is_damaged = end->kind == CAIRN_STACK_UNKNOWN && end->fault.what &&
	                        strcmp(end->name, cairn_stop_name(CAIRN_STOP_BAD_TABLE)) == 0;
	record_print_end(stdout, &t.record, bt_ends_as_asked(bt, stack),
	                 is_damaged ? &end->fault : NULL);
}

static void fill_process(const struct bt *bt, struct record_thread *r)
{
	r->core = text_of(bt->path);
	r->program = bt->process.program;
	r->command_line = text_if(bt->process.command_line);
	r->pid = record_number(bt->process.pid);
}

void bt_print_text(struct bt *bt)
{
	const bool is_process = bt->process.kind == CAIRN_STACKS_PROCESS;
	struct thread_texts t = { .record.crashed = RECORD_UNSAID };

	fill_process(bt, &t.record);
	fill_crash(bt, &t);
	t.record.crashed = record_flag(t.crash.known);
	if (is_process || t.crash.known)
		t.record.abort_message = text_if(bt_find_abort_message(bt, t.message));
	record_print_process(stdout, &t.record, is_process);
	if (is_process)
		record_print_abort_message(stdout, &t.record);
	record_print_crash(stdout, &t.record, t.crash.text);
	for (size_t i = 0; i < bt->stack_count; i++)
		if (!bt->stacks[i].repeated)
			print_stack(bt, &bt->stacks[i]);
	if (bt->options.explain)
		bt_explain_nameless(bt);
	bt_report_nameless(bt);
}

void bt_print_stack_json(struct json *json, struct bt *bt, const struct bt_stack *stack)
{
	const bool handles = bt_handles_signal(stack),
		   is_process = bt->process.kind == CAIRN_STACKS_PROCESS;
	struct thread_texts t;
	uint64_t level = 0;

	if (!fill_thread(bt, stack, &t))
		return;
	fill_process(bt, &t.record);
	t.record.program = known_text(bt, t.record.program);
	if (t.record.command_line.data)
		t.record.command_line = bt_printed(bt, t.record.command_line);
	if (t.thread.crashed)
		fill_crash(bt, &t);
	/* in a running process, a thread has only crashed if it is in a signal handler */
	if ((t.thread.crashed || handles) &&
	    cairn_stacks_address_signature(bt->opened, stack->thread, t.signature))
		t.record.address_signature = text_of(t.signature);
	if (t.thread.crashed || (is_process && handles))
		t.record.abort_message = text_if(bt_find_abort_message(bt, t.message));
	record_json_begin(json, &t.record, bt->options.registers ? &t.thread.registers : NULL);
	for (size_t i = 0; i < stack->count; i++)
		print_frame(bt, &stack->frames[i], &level, json);
	record_json_end(json, &t.record);
}

void bt_print_json(struct bt *bt)
{
	struct json json = json_to(stdout);

	for (size_t i = 0; i < bt->stack_count; i++)
		if (!bt->stacks[i].repeated)
			bt_print_stack_json(&json, bt, &bt->stacks[i]);
}

/*
 * Print a name in a folded line, where ';' separates frames and a space precedes the count. In the
 * name, both characters are replaced with '_'.
 */
static void print_folded_name(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++) {
		const uint8_t c = name.data[i];
		print_text(stdout, (struct cairn_bytes){ c == ';' || c == ' ' ? (const uint8_t *)"_"
		                                                              : name.data + i,
		                                         1 });
	}
}

void bt_print_folded(struct bt *bt)
{
	for (size_t i = 0; i < bt->stack_count; i++) {
		const struct bt_stack *stack = &bt->stacks[i];
		const struct cairn_bytes name = bt->process.program;
		if (stack->repeated)
			continue;
		print_folded_name(name.size ? name : text_of("-"));
		for (size_t k = stack->count; k-- > 0;) {
			const struct bt_frame *frame = &stack->frames[k];
			size_t count;
			const struct cairn_location *l = bt_find_names(bt, frame->lookup, &count);
			for (size_t n = count; n-- > 0;) {
				fputc(';', stdout);
				print_folded_name(bt_printed(bt, demangled_name(l[n].function)));
			}
			if (count == 0)
				printf(";0x%" PRIx64, frame->pc);
		}
		printf(" %zu\n", stack->equal + 1);
	}
}
