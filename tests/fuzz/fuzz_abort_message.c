/* SPDX-License-Identifier: MIT */
/*
 * A library of any bytes, which is the memory of the aborted program, too: the variables of glibc and Swift are
 * looked for by both symbol tables, and messages are read, with addresses of 4 and 8 bytes.  Always:
 *   - the text is short, has no NUL, and does not end in a newline;
 *   - it is what memory holds after the head of the message.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "process/snapshot/snapshot_memory.h"

#include <string.h>

enum { LOW = 0x10000, STEPS = 64 };

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct cairn_bytes *bytes = context;
	uint64_t at = address - LOW;

	if (at > bytes->size || size > bytes->size - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, bytes->data + at, size);
	return CAIRN_OK;
}

static void read_message(const struct snapshot *snapshot, const struct cairn_bytes *bytes,
                         uint64_t variable, unsigned head)
{
	uint8_t text[CAIRN_ABORT_MESSAGE];
	struct cairn_bytes message = abort_message_read(snapshot, variable, head, text);

	ALWAYS(message.size <= CAIRN_ABORT_MESSAGE);
	if (message.size == 0)
		return;
	ALWAYS(!memchr(message.data, 0, message.size));
	ALWAYS(message.data[message.size - 1] != '\n');
	ALWAYS(variable >= LOW && variable - LOW <= bytes->size - snapshot->word);
	uint64_t at = bytes_unsigned(bytes->data + (variable - LOW), snapshot->word,
	                             snapshot->big_endian) +
	              head - LOW;
	ALWAYS(at < bytes->size && message.size <= bytes->size - at);
	ALWAYS(memcmp(bytes->data + at, message.data, message.size) == 0);
}

static void read_messages(struct cairn_bytes bytes, const struct elf *elf, unsigned word)
{
	struct snapshot snapshot = { .word = word,
		                     .big_endian = elf ? elf->big : false,
		                     .memory = { .context = &bytes, .read_memory = read_memory } };
	static const char *const tables[] = { ".dynsym", ".symtab" };
	uint64_t va;

	for (size_t i = 0; elf && i < 2; i++) {
		if (abort_message_find_variable(elf, tables[i], word, &va))
			read_message(&snapshot, &bytes, va + LOW, ABORT_MESSAGE_HEAD);
		if (abort_message_find_swift(elf, tables[i], &va))
			read_message(&snapshot, &bytes, va + LOW, 0);
	}
	for (size_t at = 0; at < bytes.size; at += 1 + bytes.size / STEPS) {
		read_message(&snapshot, &bytes, LOW + at, ABORT_MESSAGE_HEAD);
		read_message(&snapshot, &bytes, LOW + at, 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data, size };
	struct cairn_fault fault;
	struct elf elf;
	bool is_elf = elf_open(bytes, &elf, &fault) == CAIRN_OK;

	read_messages(bytes, is_elf ? &elf : NULL, 4);
	read_messages(bytes, is_elf ? &elf : NULL, 8);
	return 0;
}
