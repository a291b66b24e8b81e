/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the notes of a core file of any machine, which the first byte names (its upper bits: 64 bits, big-endian).
 * Always:
 *   - bodies and texts lie in the notes, and there are fewer notes than bytes;
 *   - what is refused has a reason, and an offset in its body;
 *   - a thread has the registers of its machine, and its general registers alone are read alike;
 *   - there are no more mapped files than claimed.
 */
#include "fuzz.h"

#include "formats/corenotes.h"

#include <string.h>

enum {
	MACHINE = 0x0f, /* of the first byte */
	WIDE = 0x40,
	BIG = 0x80,
	MACHINES = CAIRN_MACHINE_PPC + 1,
	NOTE_HEAD = 12,
	WIDE_SET_AT = 112, /* registers in the status of a thread */
	NARROW_SET_AT = 72,
};

static void check_inside(struct cairn_bytes outer, struct cairn_bytes inner)
{
	if (inner.size == 0)
		return;
	ALWAYS(inner.data >= outer.data && inner.size <= outer.size);
	ALWAYS((size_t)(inner.data - outer.data) <= outer.size - inner.size);
}

static bool check_status(enum cairn_status status, struct cairn_bytes body,
                         const struct cairn_fault *fault)
{
	ALWAYS(status == CAIRN_OK || (fault->what && fault->offset <= body.size));
	return status == CAIRN_OK;
}

static void check_thread(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	const size_t at = layout->wide ? WIDE_SET_AT : NARROW_SET_AT;
	struct corenote_thread thread;
	struct cairn_registers set;
	struct cairn_fault fault;

	if (!check_status(corenote_thread(layout, body, &thread, &fault), body, &fault))
		return;
	ALWAYS(thread.registers.machine == layout->machine);
	ALWAYS(layout->machine != CAIRN_MACHINE_NONE || thread.registers.known == 0);
	const struct cairn_bytes rest = { body.data + at, body.size > at ? body.size - at : 0 };
	if (corenote_registers(layout, rest, &set))
		ALWAYS(set.pc == thread.registers.pc && set.known == thread.registers.known &&
		       memcmp(set.value, thread.registers.value, sizeof(set.value)) == 0);
	ALWAYS(corenote_registers_thread_pointer(layout, rest) == thread.thread_pointer);
}

static void check_process(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	struct corenote_process process;
	struct cairn_fault fault;

	if (!check_status(corenote_process(layout, body, &process, &fault), body, &fault))
		return;
	check_inside(body, process.name);
	check_inside(body, process.arguments);
}

static void check_files(const struct corenotes_layout *layout, struct cairn_bytes body)
{
	struct corenote_files files;
	struct corenote_file file;
	struct cairn_fault fault;

	if (!check_status(corenote_files_open(layout, body, &files, &fault), body, &fault))
		return;
	for (uint64_t left = files.left; corenote_files_next(&files, &file);) {
		ALWAYS(left-- > 0);
		check_inside(body, file.path);
	}
}

static void take_note(const struct corenotes_layout *layout, const struct corenote *note)
{
	struct cairn_registers registers = { .machine = layout->machine };
	struct corenote_signal signal;
	struct cairn_fault fault;

	switch (note->type) {
	case CORENOTE_PRSTATUS:
		check_thread(layout, note->body);
		break;
	case CORENOTE_FPREGSET:
		corenote_fp_registers(layout, note->body, &registers);
		ALWAYS(registers.known == 0 || layout->machine == CAIRN_MACHINE_S390X);
		break;
	case CORENOTE_PRPSINFO:
		check_process(layout, note->body);
		break;
	case CORENOTE_386_TLS:
	case CORENOTE_ARM_TLS:
		(void)corenote_tls_thread_pointer(layout, note->body);
		break;
	case CORENOTE_SIGINFO:
		check_status(corenote_signal(layout, note->body, &signal, &fault), note->body,
		             &fault);
		break;
	case CORENOTE_FILE:
		check_files(layout, note->body);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct corenote note;
	size_t count = 0;

	if (size == 0)
		return 0;
	const struct corenotes_layout layout = { (enum cairn_machine)((data[0] & MACHINE) %
		                                                      MACHINES),
		                                 (data[0] & WIDE) != 0, (data[0] & BIG) != 0 };
	const struct cairn_bytes bytes = { data + 1, size - 1 };
	struct corenotes notes = corenotes_open(bytes, layout.big);
	while (corenotes_next(&notes, &note)) {
		ALWAYS(++count <= size / NOTE_HEAD);
		check_inside(bytes, note.body);
		ALWAYS(note.body.size == 0 || note.body.data == bytes.data + note.offset);
		take_note(&layout, &note);
	}
	ALWAYS(notes.in.fault.status == CAIRN_OK || notes.in.fault.what);
	return 0;
}
