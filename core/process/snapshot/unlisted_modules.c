/* SPDX-License-Identifier: MIT */
/*
 * Compares files with the memory and mappings of a core that lacks their headers, and adds their
 * modules.
 */
#include "unlisted_modules.h"

#include "base/bytes.h"
#include "base/reader.h"
#include "unwind/target/memory.h"

enum {
	AT_PHDR = 3,
	AT_PHNUM = 5,
	AT_ENTRY = 9,
	DT_NULL = 0,
	DT_DEBUG = 21,
	DYNAMIC_MAX = 512, /* dynamic entries compared; programs have about 40 */
};

static struct snapshot_module *find_module(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = 0; i < snapshot->module_count; i++) {
		struct snapshot_module *module = &snapshot->modules[i];
		if (address - module->low < module->high - module->low)
			return module;
	}
	return NULL;
}

bool snapshot_has_module(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_module *module = find_module(snapshot, address);

	return module && module->has_bias;
}

bool snapshot_lacks_program(const struct snapshot *snapshot)
{
	uint64_t headers;

	return snapshot_auxv(snapshot, AT_PHDR, &headers) &&
	       !snapshot_has_module(snapshot, headers);
}

/* Find the linked address of the program headers, by the segment that contains them. */
static bool find_linked_headers(const struct elf *file, uint64_t *va)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(file, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || file->segments_at - s.offset >= s.file_size)
			continue;
		*va = s.va + (file->segments_at - s.offset);
		return true;
	}
	return false;
}

/*
 * Return true if the core has mappings for all segments, or, if `may_be_cut`, for none: a reduced
 * core may not list the program.
 */
static bool is_mapped(const struct snapshot *snapshot, const struct elf *file, uint64_t bias,
                      bool may_be_cut)
{
	unsigned all = 0, mapped = 0;
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(file, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || s.memory_size == 0)
			continue;
		if (s.memory_size > UINT64_MAX - s.va)
			return false; /* such a segment is invalid */
		all++;
		mapped += snapshot_find_mapping(snapshot, s.va + bias) != NULL;
	}
	return all > 0 && (mapped == all || (may_be_cut && mapped == 0));
}

/*
 * Return true if the entries are equal, or differ by the bias that the dynamic linker adds to
 * addresses.
 */
static bool is_same_entry(const uint8_t *linked, const uint8_t *loaded, size_t word, bool big,
                          uint64_t bias)
{
	const uint64_t mask = word == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t tag = bytes_unsigned(linked, word, big);
	uint64_t before = bytes_unsigned(linked + word, word, big);
	uint64_t after = bytes_unsigned(loaded + word, word, big);

	return bytes_unsigned(loaded, word, big) == tag &&
	       (tag == DT_DEBUG || after == before || after == ((before + bias) & mask));
}

/*
 * Return true if the dynamic section in memory is the file's. A file without one is not rejected.
 */
static bool has_same_dynamic(const struct snapshot *snapshot, const struct elf *file, uint64_t bias)
{
	const size_t word = file->wide ? 8 : 4;
	struct elf_segment s;
	struct cairn_bytes linked;
	uint8_t loaded[16];

	if (!elf_find_segment(file, ELF_PT_DYNAMIC, &s))
		return true;
	if (!bytes_slice(file->bytes, s.offset, s.file_size, &linked))
		return false;
	for (size_t i = 0; i < DYNAMIC_MAX && (i + 1) * 2 * word <= linked.size; i++) {
		const uint8_t *entry = linked.data + i * 2 * word;
		if (!memory_read(&snapshot->memory, s.va + bias + i * 2 * word, loaded, 2 * word) ||
		    !is_same_entry(entry, loaded, word, file->big, bias))
			return false;
		if (bytes_unsigned(entry, word, file->big) == DT_NULL)
			return i > 0;
	}
	return false;
}

/*
 * Return true if the core lacks the file's dynamic section because it was written without the
 * program's variables.
 */
static bool lacks_dynamic(const struct snapshot *snapshot, const struct elf *file, uint64_t bias)
{
	struct elf_segment s;
	struct cairn_bytes linked;
	uint8_t first;

	return elf_find_segment(file, ELF_PT_DYNAMIC, &s) &&
	       bytes_slice(file->bytes, s.offset, s.file_size, &linked) &&
	       !memory_read(&snapshot->memory, s.va + bias, &first, 1);
}

/*
 * Return true if the file matches. A file that the user supplied is trusted where the core has
 * nothing to compare.
 */
static bool is_file_of(const struct snapshot *snapshot, const struct elf *file, uint64_t bias,
                       bool given)
{
	return elf_machine(file) == snapshot->machine && file->big == snapshot->big_endian &&
	       is_mapped(snapshot, file, bias, given) &&
	       (has_same_dynamic(snapshot, file, bias) ||
	        (given && lacks_dynamic(snapshot, file, bias)));
}

bool snapshot_is_program(const struct snapshot *snapshot, const struct elf *file, bool given,
                         uint64_t *bias)
{
	uint64_t headers, count, entry, linked;

	if ((file->type != ELF_TYPE_EXEC && file->type != ELF_TYPE_DYN) ||
	    !snapshot_auxv(snapshot, AT_PHDR, &headers) ||
	    !snapshot_auxv(snapshot, AT_PHNUM, &count) ||
	    !snapshot_auxv(snapshot, AT_ENTRY, &entry) || !find_linked_headers(file, &linked))
		return false;
	uint64_t found = headers - linked;
	if (count != file->segments || entry != file->entry + found ||
	    (file->type == ELF_TYPE_EXEC && found != 0) ||
	    !is_file_of(snapshot, file, found, given))
		return false;
	*bias = found;
	return true;
}

bool snapshot_is_loaded(const struct snapshot *snapshot, const struct elf *file,
                        const struct link_map_entry *entry)
{
	struct elf_segment dynamic;

	return file->type == ELF_TYPE_DYN && elf_find_segment(file, ELF_PT_DYNAMIC, &dynamic) &&
	       dynamic.va + entry->bias == entry->dynamic &&
	       is_file_of(snapshot, file, entry->bias, false);
}

uint64_t snapshot_dynamic_address(const struct elf *file, uint64_t bias)
{
	struct elf_segment dynamic;

	return elf_find_segment(file, ELF_PT_DYNAMIC, &dynamic) ? dynamic.va + bias : 0;
}

struct snapshot_module *snapshot_add_unlisted(struct snapshot *snapshot, const struct elf *file,
                                              uint64_t bias, struct cairn_bytes path)
{
	struct snapshot_module *module;
	struct cairn_range span;

	if (!elf_load_span(file, &span) || span.low + bias >= span.high + bias)
		return NULL;
	module = find_module(snapshot, span.low + bias);
	if (module && module->has_bias)
		return NULL;
	if (!module)
		module = snapshot_add_module(snapshot);
	if (!module)
		return NULL;
	module->low = span.low + bias;
	module->high = span.high + bias;
	module->bias = bias;
	module->has_bias = true;
	if (module->path.size == 0)
		module->path = snapshot_keep(snapshot, path);
	module->build_id = snapshot_keep(snapshot, elf_build_id(file));
	return module;
}
