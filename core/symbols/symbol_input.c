/* SPDX-License-Identifier: MIT */
/*
 * Detects, opens and reads files in symbol formats. This includes GSYM embedded in ELF and Mach-O
 * files, which may share the container's string table. Also computes FileIDs.
 */
#include "symbol_input.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/fileid.h"
#include "formats/breakpad.h"
#include "formats/elf/elf.h"
#include "formats/macho.h"
#include "symbols/symbfile.h"

#include <cairn.h>
#include <string.h>

struct container {
	struct cairn_bytes file, section, build_id;
	uint64_t section_at;
	const struct elf *elf; /* exactly one of `elf` and `macho` is set */
	const struct macho *macho;
};

static bool is_inside_table(uint64_t at, uint64_t size, uint64_t table_at, uint64_t table_size)
{
	return at >= table_at && at - table_at <= table_size &&
	       size <= table_size - (at - table_at);
}

static bool is_in_elf_strings(const struct elf *elf, uint64_t at, uint64_t size)
{
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &s); i++)
		if (s.type == ELF_SHT_STRTAB && is_inside_table(at, size, s.offset, s.size))
			return true;
	return false;
}

static bool is_in_string_table(const struct container *c, uint64_t at, uint64_t size)
{
	if (c->elf)
		return is_in_elf_strings(c->elf, at, size);
	return is_inside_table(at, size, c->macho->strings_at, c->macho->strings_size);
}

/*
 * Find the string table shared with the container. Its offset is relative either to the GSYM header
 * or to the start of the file.
 */
static bool find_strings(const struct container *c, uint64_t offset, uint64_t size,
                         struct cairn_bytes *strings)
{
	uint64_t relative = c->section_at + offset;

	if (relative >= offset && is_in_string_table(c, relative, size) &&
	    bytes_slice(c->file, relative, size, strings))
		return true;
	return is_in_string_table(c, offset, size) && bytes_slice(c->file, offset, size, strings);
}

static enum cairn_status open_sharing(const struct container *c, struct gsym *gsym,
                                      struct cairn_fault *fault)
{
	uint64_t offset = 0, size = 0;
	struct cairn_fault own = *fault;
	struct cairn_bytes strings;
	enum cairn_status status = gsym_strings_extent(c->section, &offset, &size, fault);

	if (status != CAIRN_OK)
		return status;
	if (!find_strings(c, offset, size, &strings))
		return fault_set_at(fault, CAIRN_MALFORMED, own.offset,
		                    "the strings lie in no string table of the file");
	return gsym_open_with_strings(c->section, strings, gsym, fault);
}

static enum cairn_status open_embedded(const struct container *c, struct gsym_image *image,
                                       struct cairn_fault *fault)
{
	struct gsym_image i = { .embedded = true, .offset = c->section_at };
	enum cairn_status status = gsym_open(c->section, &i.gsym, fault);

	if (status == CAIRN_TRUNCATED) {
		status = open_sharing(c, &i.gsym, fault);
		i.shares_strings = status == CAIRN_OK;
	}
	if (status != CAIRN_OK)
		return status;
	i.build_id = i.gsym.uuid.size ? i.gsym.uuid : c->build_id;
	i.conflicts = c->build_id.size && !bytes_equal(i.build_id, c->build_id);
	*image = i;
	return CAIRN_OK;
}

static enum cairn_status open_gsym_in_elf(struct cairn_bytes file, struct gsym_image *image,
                                          struct cairn_fault *fault)
{
	struct elf elf;
	struct elf_section section;
	enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	if (!elf_find_section(&elf, ".gsym", &section))
		return fault_set(fault, CAIRN_NOT_FOUND, "an ELF file without a .gsym section");
	if (section.flags & ELF_SHF_COMPRESSED)
		return fault_set(fault, CAIRN_UNSUPPORTED, "a compressed .gsym section");
	struct container c = { .file = file,
		               .section = elf_section_bytes(&elf, &section),
		               .build_id = elf_build_id(&elf),
		               .section_at = section.offset,
		               .elf = &elf };
	return open_embedded(&c, image, fault);
}

static enum cairn_status open_gsym_in_macho(struct cairn_bytes file, struct gsym_image *image,
                                            struct cairn_fault *fault)
{
	struct macho macho;
	struct macho_section section;
	enum cairn_status status = macho_open(file, &macho, fault);

	if (status != CAIRN_OK)
		return status;
	if (!macho_find_section(&macho, "__gsym", &section))
		return fault_set(fault, CAIRN_NOT_FOUND, "a Mach-O file without a __gsym section");
	struct container c = { .file = file,
		               .section = section.bytes,
		               .build_id = macho.uuid,
		               .section_at = section.offset,
		               .macho = &macho };
	return open_embedded(&c, image, fault);
}

enum cairn_status gsym_image_open(struct cairn_bytes file, struct gsym_image *image,
                                  struct cairn_fault *fault)
{
	struct gsym_image i = { .offset = 0 };

	if (elf_has_magic(file))
		return open_gsym_in_elf(file, image, fault);
	if (macho_has_magic(file))
		return open_gsym_in_macho(file, image, fault);
	enum cairn_status status = gsym_open(file, &i.gsym, fault);
	if (status != CAIRN_OK)
		return status;
	i.build_id = i.gsym.uuid;
	*image = i;
	return CAIRN_OK;
}

bool symbol_format_of(struct cairn_bytes file, enum cairn_symbol_format *format)
{
	if (elf_has_magic(file))
		*format = CAIRN_SYMBOLS_ELF;
	else if (gsym_has_magic(file))
		*format = CAIRN_SYMBOLS_GSYM;
	else if (symbfile_has_magic(file))
		*format = CAIRN_SYMBOLS_SYMBFILE;
	else if (breakpad_is_likely(file))
		*format = CAIRN_SYMBOLS_BREAKPAD;
	else
		return false;
	return true;
}

static enum cairn_status open_go(struct cairn_bytes file, struct symbol_input *input,
                                 struct cairn_fault *fault)
{
	const enum cairn_status status = go_program_open(file, &input->go, fault);

	if (status == CAIRN_NOT_FOUND)
		return fault_set(fault, status, "not a Go program");
	if (status != CAIRN_OK)
		return status;
	input->has_go = true;
	input->build_id = elf_build_id(&input->go.elf);
	input->go_functions = go_functions_new(&input->go);
	return input->go_functions ? CAIRN_OK : CAIRN_NO_MEMORY;
}

static enum cairn_status open_format(struct cairn_bytes file, struct polling *polling,
                                     struct symbol_input *input, struct cairn_fault *fault)
{
	enum cairn_status status;

	switch (input->format) {
	case CAIRN_SYMBOLS_GSYM:
		status = gsym_image_open(file, &input->gsym, fault);
		if (status == CAIRN_OK)
			input->build_id = input->gsym.build_id;
		return status;
	case CAIRN_SYMBOLS_SYMBFILE:
		status = symbfile_build(&file, 1, polling, &input->symbfile);
		return status == CAIRN_UNSUPPORTED
		               ? fault_set(fault, status,
		                           "the ranges overlap too much to be indexed")
		               : status;
	case CAIRN_SYMBOLS_BREAKPAD:
		input->breakpad = breakpad_file_new(file, polling);
		if (!input->breakpad)
			return CAIRN_NO_MEMORY;
		input->build_id = breakpad_file_build_id(input->breakpad);
		return CAIRN_OK;
	case CAIRN_SYMBOLS_GO:
		return open_go(file, input, fault);
	case CAIRN_SYMBOLS_JIT:
		status = jit_code_read(&input->jit, file, polling);
		if (status == CAIRN_OK)
			jit_code_remove_replaced(&input->jit);
		return status;
	case CAIRN_SYMBOLS_ELF:
		break;
	}
	return fault_set(fault, CAIRN_UNSUPPORTED, "not a symbol file");
}

enum cairn_status symbol_input_open(struct cairn_bytes file, enum cairn_symbol_format format,
                                    struct polling *polling, struct symbol_input *input,
                                    struct cairn_fault *fault)
{
	*input = (struct symbol_input){ .format = format, .build_id = { (const uint8_t *)"", 0 } };
	const enum cairn_status status = open_format(file, polling, input, fault);
	return status == CAIRN_NO_MEMORY ? fault_set(fault, status, "out of memory") : status;
}

void symbol_input_close(struct symbol_input *input)
{
	switch (input->format) {
	case CAIRN_SYMBOLS_SYMBFILE:
		symbfile_built_free(&input->symbfile);
		break;
	case CAIRN_SYMBOLS_BREAKPAD:
		breakpad_file_free(input->breakpad);
		break;
	case CAIRN_SYMBOLS_GO:
		go_functions_free(input->go_functions);
		if (input->has_go)
			go_program_close(&input->go);
		break;
	case CAIRN_SYMBOLS_JIT:
		jit_code_finish(&input->jit);
		break;
	case CAIRN_SYMBOLS_GSYM:
	case CAIRN_SYMBOLS_ELF:
		break;
	}
}

enum cairn_status symbol_input_read(const struct symbol_input *input,
                                    const struct function_sink *sink)
{
	struct breakpad_summary report;
	enum cairn_status status = CAIRN_OK;

	switch (input->format) {
	case CAIRN_SYMBOLS_SYMBFILE:
		return symbfile_functions(&input->symbfile.index, sink);
	case CAIRN_SYMBOLS_BREAKPAD:
		return breakpad_functions(input->breakpad, 0, sink, NULL, &report);
	case CAIRN_SYMBOLS_GO:
		for (uint64_t i = 0; i < input->go.table.functions && status == CAIRN_OK; i++)
			status = go_functions_read(input->go_functions, i, sink);
		return status;
	case CAIRN_SYMBOLS_JIT:
		return jit_functions(&input->jit, sink);
	case CAIRN_SYMBOLS_GSYM:
	case CAIRN_SYMBOLS_ELF:
		break;
	}
	return CAIRN_UNSUPPORTED;
}

_Static_assert(sizeof(((struct cairn_file_id *)0)->bytes) == FILEID_SIZE, "an ID has no room");
_Static_assert(sizeof(((struct cairn_file_id *)0)->text) == FILEID_HEX_SIZE, "nor has its text");

static void copy_file_id(struct cairn_file_id *id, const struct fileid *from)
{
	memcpy(id->bytes, from->bytes, FILEID_SIZE);
	fileid_to_hex(from, id->text);
}

bool cairn_file_id_parse(const char *word, struct cairn_file_id *id)
{
	struct fileid parsed;

	if (!fileid_parse((struct cairn_bytes){ (const uint8_t *)word, strlen(word) }, &parsed))
		return false;
	copy_file_id(id, &parsed);
	return true;
}

bool cairn_file_id_compute(struct cairn_bytes file, struct cairn_bytes build_id,
                           struct cairn_file_id *id)
{
	if (build_id.size > 0 && !elf_is_of_build(file, build_id))
		return false;
	const struct fileid made = fileid_of(file);
	copy_file_id(id, &made);
	return true;
}
