/* SPDX-License-Identifier: MIT */
/*
 * A C library of any bytes, which is the memory of the aborted program, too: its variable is looked for by
 * both symbol tables, and its message is read, with addresses of 4 and 8 bytes.  Always:
 *   - the text is short, has no NUL, and does not end in a newline;
 *   - it is what memory holds after the head of the message.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "process/snapshot/snapshot_memory.h"

#include <string.h>

enum { LOW = 0x10000, HEAD = 4, STEPS = 64 };

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
                         uint64_t variable)
{
	uint8_t text[CAIRN_ABORT_MESSAGE];
	struct cairn_bytes message = abort_message_read(snapshot, variable, text);

	ALWAYS(message.size <= CAIRN_ABORT_MESSAGE);
	if (message.size == 0)
		return;
	ALWAYS(!memchr(message.data, 0, message.size));
	ALWAYS(message.data[message.size - 1] != '\n');
	ALWAYS(variable >= LOW && variable - LOW <= bytes->size - snapshot->word);
	uint64_t at = bytes_unsigned(bytes->data + (variable - LOW), snapshot->word,
	                             snapshot->big_endian) +
	              HEAD - LOW;
	ALWAYS(at < bytes->size && message.size <= bytes->size - at);
	ALWAYS(memcmp(bytes->data + at, message.data, message.size) == 0);
}

static void read_messages(struct cairn_bytes bytes, const struct elf *elf, unsigned word)
{
	struct snapshot snapshot = { .word = word,
		                     .big_endian = elf ? elf->big : false,
		                     .memory = { .context = &bytes, .read_memory = read_memory } };
	uint64_t va;

	if (elf && abort_message_find_variable(elf, ".dynsym", word, &va))
		read_message(&snapshot, &bytes, va + LOW);
	if (elf && abort_message_find_variable(elf, ".symtab", word, &va))
		read_message(&snapshot, &bytes, va + LOW);
	for (size_t at = 0; at < bytes.size; at += 1 + bytes.size / STEPS)
		read_message(&snapshot, &bytes, LOW + at);
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
