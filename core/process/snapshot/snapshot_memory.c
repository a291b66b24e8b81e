/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory of a snapshot. Memory that has not been captured is read from the verified files
 * of modules.
 */
#include "snapshot_memory.h"

#include "base/bytes.h"
#include "base/target_memory.h"
#include "formats/elf/elf.h"

#include <string.h>

enum { PAGE = 4096 };

/*
 * Return the bytes of the file that are mapped for a segment. These include bytes around the
 * segment, because whole pages are mapped.
 */
static struct cairn_bytes take_mapped_pages(const struct elf *elf, const struct elf_segment *s)
{
	const struct cairn_bytes all = elf->bytes;
	uint64_t offset = s->offset - s->va % PAGE;
	uint64_t before = s->va % PAGE;

	if (offset >= all.size || s->file_size == 0 || s->file_size > UINT64_MAX - 2 * PAGE)
		return (struct cairn_bytes){ all.data, 0 };
	uint64_t size = (before + s->file_size + PAGE - 1) / PAGE * PAGE;
	uint64_t left = all.size - offset;
	return (struct cairn_bytes){ all.data + offset, (size_t)(size < left ? size : left) };
}

bool snapshot_is_debug_file(struct cairn_bytes file)
{
	struct elf_section text;
	struct elf elf;

	return elf_opens(file, &elf) && elf_find_section(&elf, ".text", &text) &&
	       text.type == ELF_SHT_NOBITS;
}

/*
 * Find the range of the module's file that is mapped read-only at `pc`. Reject debug files, because
 * eu-strip keeps the program's segments in them although their offsets refer to other bytes.
 */
static bool find_in_file(const struct snapshot_module *module, uint64_t pc,
                         struct snapshot_file_part *part)
{
	struct elf_segment s;
	struct elf elf;

	if (module->file.size == 0 || !module->has_bias || !elf_opens(module->file, &elf) ||
	    snapshot_is_debug_file(module->file))
		return false;
	uint64_t va = pc - module->bias;
	for (uint32_t i = 0; elf_segment(&elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || (s.flags & ELF_PF_WRITE) || s.offset < s.va % PAGE)
			continue;
		struct cairn_bytes bytes = take_mapped_pages(&elf, &s);
		uint64_t low = s.va - s.va % PAGE;
		if (va - low >= bytes.size)
			continue;
		*part = (struct snapshot_file_part){ low + module->bias, bytes };
		return true;
	}
	return false;
}

/*
 * Find the range of a file that is mapped at an address. Search for the module's file first if
 * necessary.
 */
static bool find_part(struct snapshot_memory *memory, uint64_t address,
                      struct snapshot_file_part *part)
{
	const struct snapshot_module *module = snapshot_find_module(memory->snapshot, address);

	if (!module)
		return false;
	if (module->file.size == 0 && !module->file_why && memory->want_file)
		memory->want_file(memory->context, (size_t)(module - memory->snapshot->modules));
	return find_in_file(module, address, part);
}

/*
 * Return the cache slot for an address. A walk alternates between the code and the tables of
 * several files, so one slot would not suffice.
 */
static struct snapshot_file_part *slot_of(struct snapshot_memory *memory, uint64_t address)
{
	const uint64_t block = address / (4 * PAGE);

	return &memory->parts[(block ^ block / SNAPSHOT_FILE_PARTS) % SNAPSHOT_FILE_PARTS];
}

static bool read_file(struct snapshot_memory *memory, uint64_t address, uint8_t *out, size_t size)
{
	struct snapshot_file_part *part = slot_of(memory, address);

	if (address - part->at >= part->bytes.size && !find_part(memory, address, part))
		return false;
	const uint64_t at = address - part->at, left = part->bytes.size - at;
	const size_t present = size < left ? size : (size_t)left;
	/* memory after the end of the file is zero up to the end of the last page */
	if (size > ((uint64_t)part->bytes.size + PAGE - 1) / PAGE * PAGE - at)
		return false;
	memcpy(out, part->bytes.data + at, present);
	memset(out + present, 0, size - present);
	memory->bytes_from_files += size;
	return true;
}

static bool read_part(struct snapshot_memory *memory, uint64_t address, uint8_t *out, size_t size)
{
	return memory_read(&memory->snapshot->memory, address, out, size) ||
	       read_file(memory, address, out, size);
}

/*
 * Read from the snapshot or from files. A range may span both, so read it page by page: each page
 * comes from one source.
 */
static enum cairn_status read_snapshot_memory(void *context, uint64_t address, void *buffer,
                                              size_t size)
{
	struct snapshot_memory *memory = context;
	uint8_t *out = buffer;

	if (read_part(memory, address, out, size))
		return CAIRN_OK;
	while (size > 0) {
		size_t part = PAGE - (size_t)(address % PAGE);
		part = part < size ? part : size;
		if (part == size && out == buffer)
			return CAIRN_UNREADABLE;
		if (!read_part(memory, address, out, part))
			return CAIRN_UNREADABLE;
		out += part;
		address += part;
		size -= part;
	}
	return CAIRN_OK;
}

void snapshot_memory_open(struct snapshot_memory *memory, const struct snapshot *snapshot)
{
	*memory = (struct snapshot_memory){ .snapshot = snapshot,
		                            .target = { read_snapshot_memory, memory } };
}

/* Finds the variables with the message of an aborted program, and reads the message. */

enum { WORD_MAX = 8 };

bool abort_message_find_variable(const struct elf *elf, const char *section, unsigned word,
                                 uint64_t *va)
{
	struct elf_symbol symbol;
	const bool found =
		elf_find_symbol(elf, section, "__abort_msg", ELF_STT_OBJECT, word, &symbol) &&
		symbol.size == word;

	*va = found ? symbol.va : 0;
	return found;
}

/* Decode "lea ADDRESS(%rip),%rax" on amd64, or "adrp x0,PAGE; add x0,x0,OFFSET" on aarch64. */
static bool decode_address(enum cairn_machine machine, const uint8_t code[8], uint64_t pc,
                           uint64_t *va)
{
	const uint64_t first = bytes_unsigned(code, 4, false),
		       second = bytes_unsigned(code + 4, 4, false);

	if (machine == CAIRN_MACHINE_AMD64) {
		*va = pc + 7 + (uint64_t)(int64_t)(int32_t)bytes_unsigned(code + 3, 4, false);
		return (first & 0xffffff) == 0x058d48;
	}
	const uint64_t page = (first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3);
	const uint64_t distance = (page ^ 1 << 20) - (1 << 20); /* sign-extend from 21 bits */
	*va = pc - pc % PAGE + distance * PAGE + (second >> 10 & 0xfff);
	return machine == CAIRN_MACHINE_AARCH64 && (first & 0x9f00001f) == 0x90000000 &&
	       (second & 0xffc003ff) == 0x91000000;
}

bool abort_message_find_swift(const struct elf *elf, const char *section, uint64_t *va)
{
	/* number of code bytes to scan after a prologue, and size of the two instructions */
	enum { SCANNED = 16, READ = 8 };
	const enum cairn_machine machine = elf_machine(elf);
	const size_t step = machine == CAIRN_MACHINE_AARCH64 ? 4 : 1;
	struct elf_symbol symbol;
	struct elf_segment s;

	if (!elf_find_symbol(elf, section, "swift_getFatalErrorMessageBuffer", ELF_STT_FUNC, 0,
	                     &symbol))
		return false;
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		const struct cairn_bytes code = elf_segment_bytes(elf, &s);
		const uint64_t at = symbol.va - s.va;
		if (s.type != ELF_PT_LOAD || at >= code.size)
			continue;
		for (size_t k = 0; k < SCANNED && code.size - at >= k + READ; k += step)
			if (decode_address(machine, code.data + at + k, symbol.va + k, va))
				return true;
	}
	return false;
}

struct cairn_bytes abort_message_read(const struct snapshot *snapshot, uint64_t variable,
                                      unsigned head, uint8_t text[CAIRN_ABORT_MESSAGE])
{
	struct cairn_bytes message = { text, 0 };
	uint8_t bytes[WORD_MAX];

	if ((snapshot->word != WORD_MAX && snapshot->word != WORD_MAX / 2) ||
	    !memory_read(&snapshot->memory, variable, bytes, snapshot->word))
		return message;
	uint64_t address = bytes_unsigned(bytes, snapshot->word, snapshot->big_endian);
	if (address == 0 || address > UINT64_MAX - head)
		return message;
	size_t size =
		memory_read_some(&snapshot->memory, address + head, text, CAIRN_ABORT_MESSAGE);
	const uint8_t *end = memchr(text, 0, size);
	message.size = end ? (size_t)(end - text) : size;
	while (message.size > 0 && text[message.size - 1] == '\n')
		message.size--;
	return message;
}
