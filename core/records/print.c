/* SPDX-License-Identifier: MIT */
/*
 * Stack records as JSON, with the known members in the order of the tables in read.c, and as text
 * in the format of GDB.
 */
#include "print.h"

#include "base/bytes.h"
#include "base/machine.h"
#include "output/color.h"
#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>

enum { PER_LINE = 4, NAME_SIZE = 8 };

/* DWARF numbers of registers to names; NULL stands for the prefix and the number. */
static const char *const amd64[16] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp" };
static const char *const i386[8] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi" };
static const char *const aarch64[32] = { [31] = "sp" };
static const char *const arm[15] = { [13] = "sp", [14] = "lr" }; /* count excludes r15, the pc */
static const char *const s390[16] = { NULL };
static const char *const power[33] = { [32] = "lr" };
static const char *const riscv64[32] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
	                                 "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	                                 "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
	                                 "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };

#define NAMES(array) array, sizeof(array) / sizeof((array)[0])

static const struct {
	const char *const *names;
	unsigned count;
	char prefix;
} machines[] = {
	[CAIRN_MACHINE_AMD64] = { NAMES(amd64), 'r' },
	[CAIRN_MACHINE_X32] = { NAMES(amd64), 'r' },
	[CAIRN_MACHINE_I386] = { NAMES(i386), 'r' },
	[CAIRN_MACHINE_AARCH64] = { NAMES(aarch64), 'x' },
	[CAIRN_MACHINE_ARM] = { NAMES(arm), 'r' },
	[CAIRN_MACHINE_S390X] = { NAMES(s390), 'r' },
	[CAIRN_MACHINE_S390] = { NAMES(s390), 'r' },
	[CAIRN_MACHINE_PPC64] = { NAMES(power), 'r' },
	[CAIRN_MACHINE_PPC] = { NAMES(power), 'r' },
	[CAIRN_MACHINE_RISCV64] = { NAMES(riscv64), 'r' },
};

_Static_assert(sizeof(machines) / sizeof(machines[0]) == ARCH_MACHINES, "each has a row");

/*
 * Write the name of DWARF register `index`. Return false for registers that are not printed, such
 * as vector registers.
 */
static bool name_register(enum cairn_machine machine, unsigned index, char name[NAME_SIZE])
{
	if ((unsigned)machine >= ARCH_MACHINES || index >= machines[machine].count)
		return false;
	if (machines[machine].names[index])
		snprintf(name, NAME_SIZE, "%s", machines[machine].names[index]);
	else
		snprintf(name, NAME_SIZE, "%c%u", machines[machine].prefix, index);
	return true;
}

static const char *name_pc(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 || machine == CAIRN_MACHINE_X32 ? "rip"
	       : machine == CAIRN_MACHINE_I386                                ? "eip"
	                                                                      : "pc";
}

/*
 * Advance *index to the next register that has a value and a name. Return false if there are no
 * more.
 */
static bool find_register(const struct cairn_registers *registers, unsigned *index,
                          char name[NAME_SIZE])
{
	for (; *index < CAIRN_REGISTERS; ++*index)
		if ((registers->known >> *index & 1) &&
		    name_register(registers->machine, *index, name))
			return true;
	return false;
}

void record_print_registers(FILE *out, const struct cairn_registers *registers)
{
	char name[NAME_SIZE];
	unsigned printed = 0;

	if (registers->machine == CAIRN_MACHINE_NONE)
		return;
	for (unsigned i = 0; find_register(registers, &i, name); i++)
		fprintf(out, "  %3s 0x%016" PRIx64 "%s", name, registers->value[i],
		        ++printed % PER_LINE == 0 ? "\n" : "");
	fprintf(out, "  %3s 0x%016" PRIx64 "\n", name_pc(registers->machine), registers->pc);
}

static void write_members(struct json *json, const void *record, const struct record_member *member,
                          const struct record_member *end)
{
	for (; member < end; member++) {
		const void *field = (const char *)record + member->field;
		const struct record_number *number = field;
		const struct cairn_bytes *bytes = field;
		const enum record_flag *flag = field;
		switch (member->kind) {
		case RECORD_STRING:
			if (bytes->data)
				json_text(json, member->name, *bytes);
			break;
		case RECORD_DIGITS:
			if (bytes->data)
				json_hex(json, member->name, *bytes);
			break;
		case RECORD_NUMBER:
			if (number->known)
				json_number(json, member->name, number->value);
			break;
		case RECORD_SIGNED:
			if (number->known)
				json_signed(json, member->name, (int64_t)number->value);
			break;
		case RECORD_ADDRESS:
			if (number->known)
				json_address(json, member->name, number->value);
			break;
		case RECORD_FLAG:
			if (*flag != RECORD_UNSAID)
				json_bool(json, member->name, *flag == RECORD_YES);
			break;
		case RECORD_VALUE:
			break;
		}
	}
}

static const struct record_member *find_frames(void)
{
	const struct record_member *member = record_thread_members;

	while (member->kind != RECORD_VALUE)
		member++;
	return member;
}

void record_json_begin(struct json *json, const struct record_thread *thread,
                       const struct cairn_registers *registers)
{
	char name[NAME_SIZE];

	json_object(json, NULL);
	write_members(json, thread, record_thread_members, find_frames());
	if (registers && registers->machine != CAIRN_MACHINE_NONE) {
		json_object(json, "registers");
		for (unsigned i = 0; find_register(registers, &i, name); i++)
			json_address(json, name, registers->value[i]);
		json_address(json, name_pc(registers->machine), registers->pc);
		json_end(json);
	}
	json_array(json, find_frames()->name);
}

void record_json_frame(struct json *json, const struct record_frame *frame)
{
	json_object(json, NULL);
	write_members(json, frame, record_frame_members,
	              record_frame_members + RECORD_FRAME_MEMBERS);
	json_end(json);
}

void record_json_end(struct json *json, const struct record_thread *thread)
{
	json_end(json);
	write_members(json, thread, find_frames() + 1,
	              record_thread_members + RECORD_THREAD_MEMBERS);
	json_end(json);
}

void record_print_process(FILE *out, const struct record_thread *t, bool is_process)
{
	if (is_process) {
		fprintf(out, "Process %" PRIu64, t->pid.value);
		/* a process without arguments has only a program path or a short name */
		print_text_between(out, ": ", t->command_line.data ? t->command_line : t->program,
		                   "\n");
	} else if (t->command_line.data) {
		print_text_between(out, "Core was generated by `", t->command_line, "'.\n");
	}
}

void record_print_abort_message(FILE *out, const struct record_thread *t)
{
	if (t->abort_message.data)
		print_text_between(out, "Abort message: ", t->abort_message, "\n");
}

void record_print_crash(FILE *out, const struct record_thread *t, const char *signal)
{
	if (t->crashed != RECORD_YES ||
	    !(t->signal.data || t->exception.known || t->signal_number.known))
		return;
	fputs("Program terminated with ", out);
	if (t->signal.data) {
		print_text_between(out, "signal ", t->signal, ", ");
		fputs(signal, out);
	} else if (t->exception.known) {
		fprintf(out, "exception 0x%08" PRIx64, t->exception.value);
	} else {
		fprintf(out, "signal %" PRIu64, t->signal_number.value);
	}
	if (t->signal_code_name.data)
		print_text_between(out, " (", t->signal_code_name, ")");
	if (t->fault.data) {
		fprintf(out, " at 0x%" PRIx64, t->fault_address.value);
		print_text_between(out, ": ", t->fault, "");
	}
	if (t->sender.value > 0)
		fprintf(out, ", sent by process %" PRIu64 " of user %" PRIu64, t->sender.value,
		        t->sender_user.value);
	fputs(".\n", out);
	record_print_abort_message(out, t);
}

void record_print_thread(FILE *out, const struct record_thread *t, size_t number)
{
	fprintf(out, "\nThread %zu (LWP %" PRIu64, number, t->tid.value);
	if (t->name.data)
		print_text_between(out, " \"", t->name, "\"");
	fputs(t->crashed == RECORD_YES ? ", crashed)" : ")", out);
	if (t->threads.value > 1)
		fprintf(out, " and %" PRIu64 " more with this stack", t->threads.value - 1);
	fputs(":\n", out);
}

static bool is_library(struct cairn_bytes path)
{
	for (; path.size >= 3 && path.data[path.size - 1] != '/'; path.size--)
		if (memcmp(path.data + path.size - 3, ".so", 3) == 0)
			return true;
	return false;
}

static void print_colored(FILE *out, struct cairn_bytes text, bool color, enum text_color which)
{
	color_begin(out, color, which);
	print_text(out, text);
	color_end(out, color);
}

/*
 * Print the frame level and, unless `is_outer`, the pc. Formats by hand because stacks have so many
 * lines that printf() would dominate the run time.
 */
static void print_level_and_address(FILE *out, const struct record_frame *frame, bool is_outer,
                                    bool color)
{
	enum { WIDTH = 16 };
	char text[WIDTH + DIGITS_MAX], *end = text + sizeof(text);
	char *first = digits_before(end - 1, frame->level.value, 10);

	end[-1] = ' ';
	*--first = '#';
	fwrite(first, 1, (size_t)(end - first), out);
	if (frame->level.value < 10)
		fputc(' ', out);
	if (is_outer)
		return;
	color_begin(out, color, TEXT_ADDRESS);
	first = digits_before(end, frame->pc.value, 16);
	while (end - first < WIDTH)
		*--first = '0';
	*--first = 'x';
	*--first = '0';
	fwrite(first, 1, (size_t)(end - first), out);
	color_end(out, color);
	fputs(" in ", out);
}

void record_print_frame(FILE *out, const struct record_frame *frame, bool is_outer, bool color)
{
	const struct cairn_bytes function = frame->function;
	const bool dim = color && is_library(frame->module), is_known = function.data != NULL,
		   is_trampoline = frame->signal == RECORD_YES && !is_outer;

	color_begin(out, dim, TEXT_DIM);
	color &= !dim;
	print_level_and_address(out, frame, is_outer, color);
	/*
	 * Signal trampolines often have no symbol even in libraries with symbols, so `??` would
	 * wrongly suggest that symbols are missing.
	 */
	if (is_trampoline)
		fputs(is_known ? "<signal handler called> " : "<signal handler called>", out);
	if (is_known || !is_trampoline) {
		if (function.size > 0)
			print_colored(out, function, color, TEXT_FUNCTION);
		/*
		 * A name without a parameter list gets "(...)" where the source may have
		 * parameters.
		 */
		if (function.size == 0)
			fputs("?? ()", out);
		else if (!memchr(function.data, '(', function.size))
			fputs(frame->line.value > 0 ? " (...)" : " ()", out);
		if (is_known && (frame->line.value > 0 || frame->file.size > 0)) {
			fputs(" at ", out);
			color_begin(out, color, TEXT_FILE);
			print_source_line(out, frame->file, (uint32_t)frame->line.value);
			color_end(out, color);
		} else if (frame->module.size > 0) {
			fputs(" from ", out);
			print_colored(out, frame->module, color, TEXT_FILE);
		}
		/* print the offset so that the frame can be symbolized elsewhere */
		if (!is_known && frame->module_offset.known)
			fprintf(out, "+0x%" PRIx64, frame->module_offset.value);
	}
	/*
	 * A guessed frame may be a stale return address of an earlier call, so name the method that
	 * found it.
	 */
	if (frame->guessed == RECORD_YES)
		print_text_between(out, " [", frame->found, "]");
	color_end(out, dim);
	fputc('\n', out);
}

void record_print_end(FILE *out, const struct record_thread *t, bool is_cut,
                      const struct cairn_fault *damage)
{
	if (is_cut) {
		fputs("(More stack frames follow...)\n", out);
		return;
	}
	/* A stack with guessed frames is not complete, but it still ends at its outermost frame. */
	if (t->complete == RECORD_YES || bytes_are(t->end, "outermost") || !t->why.data)
		return;
	print_text_between(out, "Backtrace stopped: ", t->why, "");
	if (damage)
		fprintf(out, " (%s, offset 0x%" PRIx64 ")", damage->what, damage->offset);
	if (t->missing.data)
		print_text_between(out, "; ", t->missing, "");
	fputc('\n', out);
}
