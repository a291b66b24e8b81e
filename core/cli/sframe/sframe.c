/* SPDX-License-Identifier: MIT */
/*
 * Runs the verbs of `cairn sframe`, opens the SFrame section of their input, and prints and parses
 * addresses.
 */
#include "sframe.h"

#include "base/encoding.h"
#include "base/machine.h"
#include "base/text_table.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sframe_print_fault(const struct sframe_input *input, const struct cairn_fault *fault,
                        const char *next)
{
	print_fault_diagnostic(input->path, ".sframe", fault, next);
}

static bool replace_hex(struct sframe_input *input)
{
	struct cairn_bytes text = input->file.bytes;
	uint8_t *bytes = malloc(text.size / 2 + 1);
	size_t size = 0, at = 0;

	if (!bytes)
		return refuse_with(input->path, "out of memory");
	if (!hex_decode(text, bytes, &size, &at)) {
		print_diagnostic(input->path, "not a hexadecimal digit at byte %zu (0x%zx)", at,
		                 at);
		free(bytes);
		return false;
	}
	os_file_close(&input->file);
	input->file = (struct os_file){ .bytes = { bytes, size }, .memory = bytes };
	return true;
}

static int find_section_of_elf(struct sframe_input *input)
{
	input->is_elf = true;
	if (!input_parse_elf(input->path, &input->file, &input->elf))
		return EXIT_BROKEN;
	if (sframe_section_find(&input->elf, &input->section) != CAIRN_OK) {
		print_diagnostic(input->path, "contains no .sframe section; if this is a debug "
		                              "file, use the program instead");
		return EXIT_MISSING;
	}
	input->rules = sframe_section_rules(&input->elf, &input->section);
	return EXIT_CLEAN;
}

static int find_tables(const struct sframe_source *source, struct sframe_input *input)
{
	int status = EXIT_CLEAN;

	if (source->hex && !replace_hex(input))
		return EXIT_BROKEN;
	if (source->raw) {
		input->section = (struct sframe_section){ input->file.bytes, source->address, 0 };
		input->rules = cairn_rules_new(input->file.bytes, source->address);
	} else {
		status = find_section_of_elf(input);
	}
	if (status == EXIT_CLEAN && !input->rules)
		status = fail_with(input->path, "out of memory");
	return status;
}

bool sframe_input_open(const char *path, const struct sframe_source *source,
                       struct sframe_input *input, int *status)
{
	struct sframe_input opened = { .path = path };

	*status = EXIT_BROKEN;
	if (!input_open(path, &opened.file))
		return false;
	*status = find_tables(source, &opened);
	if (*status != EXIT_CLEAN) {
		os_file_close(&opened.file);
		return false;
	}
	*input = opened;
	return true;
}

void sframe_input_close(struct sframe_input *input)
{
	cairn_rules_free(input->rules);
	os_file_close(&input->file);
}

bool sframe_is_relocatable(const struct sframe_input *input)
{
	return input->is_elf && input->elf.type == ELF_TYPE_REL;
}

void sframe_print_va(const struct sframe_input *input, uint64_t va)
{
	struct cairn_bytes name;

	if (!sframe_is_relocatable(input)) {
		printf("0x%" PRIx64, va);
	} else if (va == SFRAME_NO_START) {
		putchar('?');
	} else {
		if (sframe_section_name(input, va, &name))
			print_word(stdout, name);
		printf("+0x%" PRIx64, va & UINT32_MAX);
	}
}

uint64_t sframe_offset(const struct sframe_input *input, uint64_t va)
{
	return sframe_is_relocatable(input) ? va & UINT32_MAX : va;
}

bool sframe_section_name(const struct sframe_input *input, uint64_t va, struct cairn_bytes *name)
{
	struct elf_section section;

	if (!sframe_is_relocatable(input) ||
	    !elf_section(&input->elf, (uint32_t)(va >> 32), &section))
		return false;
	*name = section.name;
	return true;
}

/* Parse NUMBER, NUMBER+NUMBER or NUMBER-NUMBER. */
static bool parse_sum(const char *text, uint64_t *value)
{
	size_t length = strcspn(text, "+-");
	char first[32];
	uint64_t more = 0;

	if (length >= sizeof(first))
		return false;
	memcpy(first, text, length);
	first[length] = '\0';
	if (!parse_number(first, value))
		return false;
	if (text[length] && !parse_number(text + length + 1, &more))
		return false;
	*value = text[length] == '-' ? *value - more : *value + more;
	return true;
}

static bool find_section(const struct elf *elf, const char *name, size_t length, uint32_t *index)
{
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && elf_section(elf, i, &s); i++)
		if (s.name.size == length && memcmp(s.name.data, name, length) == 0) {
			*index = i;
			return true;
		}
	return false;
}

/* Parse SECTION+SUM. The section's name may contain a plus sign. */
static bool parse_section_va(const struct elf *elf, const char *text, uint64_t *va)
{
	uint64_t offset;
	uint32_t section;

	for (const char *plus = text + strlen(text); plus-- > text;)
		if (*plus == '+' && parse_sum(plus + 1, &offset) &&
		    find_section(elf, text, (size_t)(plus - text), &section)) {
			*va = sframe_section_va(section, offset);
			return true;
		}
	return false;
}

bool sframe_parse_va(const struct sframe_input *input, const char *text, uint64_t *va)
{
	return sframe_is_relocatable(input) ? parse_section_va(&input->elf, text, va)
	                                    : parse_sum(text, va);
}

bool sframe_was_rebased(const struct sframe_input *input, const struct sframe_table *table)
{
	struct sframe_table fresh;
	struct cairn_fault fault;
	size_t at = table->offset;

	return table->base != SFRAME_BASE_GIVEN &&
	       sframe_next_table(input->section.bytes, input->section.address, &at, &fresh,
	                         &fault) == CAIRN_OK &&
	       fresh.base != table->base;
}

const char *sframe_machine_name(const struct sframe_table *table)
{
	const struct arch *arch = arch_of(table->machine);

	if (table->machine == CAIRN_MACHINE_AARCH64 && table->big)
		return "aarch64_be";
	return arch ? arch->name : "none";
}

const char *sframe_base_name(enum sframe_base base)
{
	static const char texts[][TEXT_CAPACITY] = {
		[SFRAME_BASE_SECTION] = "section",
		[SFRAME_BASE_FIELD] = "field",
		[SFRAME_BASE_GIVEN] = "reloc",
	};

	return TEXT_AT(texts, base, "?");
}

static const struct verb verbs[] = {
	{ "convert", "write tables as one of another version", sframe_convert },
	{ "create", "create a table from .eh_frame and .debug_frame", sframe_create },
	{ "dump", "print tables, functions and rows", sframe_dump },
	{ "lookup", "print the rule for an address", sframe_lookup },
	{ "merge", "create one table from those of relocatable files", sframe_merge },
	{ "stats", "print the size of each part of a table", sframe_stats },
	{ "verify", "check the structure, and every rule against .eh_frame", sframe_verify },
};

int verb_sframe(int argc, char **argv)
{
	return verbs_run(
		"cairn sframe",
		"Create, read and check SFrame unwind tables of programs, libraries and objects.",
		verbs, COUNT(verbs), argc, argv);
}
