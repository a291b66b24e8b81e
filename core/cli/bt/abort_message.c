/* SPDX-License-Identifier: MIT */
/*
 * What the C library wrote before it ended the program, such as a failed assertion or a damaged heap:
 * glibc keeps it for debuggers.
 *
 *	__abort_msg = address:W       a variable of libc, or of a static program; 0: no message
 *	message     = size:4 text NUL
 */
#include "bt.h"

#include "base/bytes.h"
#include "engine/target/memory.h"

#include <string.h>

enum {
	SIGNAL_ABORT = 6,
	TYPE_OBJECT = 1, /* STT_OBJECT */
	HEAD = 4,        /* the size, before the text */
	WORD_MAX = 8,
	STATIC_MODULES = 2, /* of a static program: itself and the vDSO */
};

static bool is_variable(const struct elf *elf, const struct elf_section *table,
                        const struct elf_symbol *symbol, unsigned word)
{
	static const char wanted[] = "__abort_msg";

	if (symbol->type != TYPE_OBJECT || symbol->section == 0 || symbol->size != word)
		return false;
	struct cairn_bytes name = elf_symbol_name(elf, table, symbol);
	return name.size == sizeof(wanted) - 1 && memcmp(name.data, wanted, name.size) == 0;
}

/* Its va, by a symbol table of the file. */
static bool find_variable(const struct elf *elf, const char *section, unsigned word, uint64_t *va)
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

/* The text that a word of the program points to; size 0 when there is none. */
static struct cairn_bytes read_message(const struct bt *bt, uint64_t variable,
                                       uint8_t text[BT_MESSAGE_MAX])
{
	const struct snapshot *snapshot = &bt->snapshot;
	struct cairn_bytes message = { text, 0 };
	uint8_t bytes[WORD_MAX];

	if (!memory_read(&snapshot->memory, variable, bytes, snapshot->word))
		return message;
	uint64_t address = bytes_unsigned(bytes, snapshot->word, snapshot->big_endian);
	if (address == 0 || address > UINT64_MAX - HEAD)
		return message;
	size_t size = memory_read_some(&snapshot->memory, address + HEAD, text, BT_MESSAGE_MAX);
	const uint8_t *end = memchr(text, 0, size);
	message.size = end ? (size_t)(end - text) : size;
	while (message.size > 0 && text[message.size - 1] == '\n')
		message.size--;
	return message;
}

static bool is_libc(struct cairn_bytes path)
{
	static const char name[] = "/libc.so.6";
	const size_t length = sizeof(name) - 1;

	return path.size >= length && memcmp(path.data + path.size - length, name, length) == 0;
}

static bool find_in_module(struct bt *bt, size_t index, const char *section, uint64_t *variable)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	struct cairn_fault fault;
	struct elf elf;
	uint64_t va;

	bt_find_file(bt, index);
	if (!module->has_bias || module->file.size == 0 ||
	    elf_open(module->file, &elf, &fault) != CAIRN_OK ||
	    !find_variable(&elf, section, bt->snapshot.word, &va))
		return false;
	*variable = va + module->bias;
	return true;
}

struct cairn_bytes bt_find_abort_message(struct bt *bt, uint8_t text[BT_MESSAGE_MAX])
{
	const struct snapshot *snapshot = &bt->snapshot;
	const struct cairn_bytes none = { text, 0 };
	uint64_t variable;

	if (snapshot->crash.signal != SIGNAL_ABORT ||
	    (snapshot->word != WORD_MAX && snapshot->word != WORD_MAX / 2))
		return none;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (is_libc(snapshot->modules[i].path) &&
		    find_in_module(bt, i, ".dynsym", &variable))
			return read_message(bt, variable, text);
	for (size_t i = 0; snapshot->module_count <= STATIC_MODULES && i < snapshot->module_count;
	     i++)
		if (find_in_module(bt, i, ".symtab", &variable))
			return read_message(bt, variable, text);
	return none;
}
