/* SPDX-License-Identifier: MIT */
/* Finds glibc's variable with the message of an aborted program, and reads the message. */
#include "abort_message.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	HEAD = 4, /* size, which precedes the text */
	WORD_MAX = 8,
};

static bool is_variable(const struct elf *elf, const struct elf_section *table,
                        const struct elf_symbol *symbol, unsigned word)
{
	return symbol->type == ELF_STT_OBJECT && symbol->section != 0 && symbol->size == word &&
	       bytes_are(elf_symbol_name(elf, table, symbol), "__abort_msg");
}

bool abort_message_find_variable(const struct elf *elf, const char *section, unsigned word,
                                 uint64_t *va)
{
	struct elf_section table;
	struct elf_symbol symbol;

	if (!elf_find_section(elf, section, &table))
		return false;
	for (uint64_t i = 0; elf_symbol(elf, &table, i, &symbol); i++) {
		if (is_variable(elf, &table, &symbol, word)) {
			*va = symbol.va;
			return true;
		}
	}
	return false;
}

struct cairn_bytes abort_message_read(const struct snapshot *snapshot, uint64_t variable,
                                      uint8_t text[CAIRN_ABORT_MESSAGE])
{
	struct cairn_bytes message = { text, 0 };
	uint8_t bytes[WORD_MAX];

	if ((snapshot->word != WORD_MAX && snapshot->word != WORD_MAX / 2) ||
	    !memory_read(&snapshot->memory, variable, bytes, snapshot->word))
		return message;
	uint64_t address = bytes_unsigned(bytes, snapshot->word, snapshot->big_endian);
	if (address == 0 || address > UINT64_MAX - HEAD)
		return message;
	size_t size =
		memory_read_some(&snapshot->memory, address + HEAD, text, CAIRN_ABORT_MESSAGE);
	const uint8_t *end = memchr(text, 0, size);
	message.size = end ? (size_t)(end - text) : size;
	while (message.size > 0 && text[message.size - 1] == '\n')
		message.size--;
	return message;
}
