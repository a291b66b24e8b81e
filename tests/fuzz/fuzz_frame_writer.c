/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the ELF file of a program whose .sframe, and .eh_frame where debuggers do not find it, becomes a
 * .debug_frame section.  Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - the section tells what the .sframe tells (tests/lib/check_frames.h), and each function that .eh_frame describes has
 *     its row there;
 *   - as a file that was made for a program without tables they give such a section, too, or none;
 *   - functions lie in code that is in the file;
 *   - the work is bounded by the file's size, and so is the section.
 */
#include "held.h"

#include "check_frames.h"

#include "unwind/tables/cfi_coverage.h"
#include "unwind/tables/sframe_rules.h"
#include "unwind/tables/unwind_tables.h"
#include "writers/frames/frame_writer.h"
#include "writers/frames/program_code.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>

enum {
	LIMIT = 1 << 22,
	BYTES_OF_A_ROW =
		64, /* of the section, for each byte of the file, with the head of an FDE */
};

static void check_code(const struct program_image *image, const struct frame_table *table)
{
	for (size_t i = 0; i < table->functions; i++) {
		const struct cairn_range *range = &table->function[i].range;
		ALWAYS(program_image_code_size(image, range->low) >= range->high - range->low);
	}
}

static bool same_rule(const struct cfi_register_rule *a, const struct cfi_register_rule *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset &&
	       a->expression.size == b->expression.size;
}

/*
 * The rows at the functions' starts; those that our decoder does not run are not compared, nor those of two FDEs that overlap, of which a search
 * table finds the one that begins earlier.
 */
static void check_copied(const struct program_image *image, const struct frame_table *table)
{
	const struct cfi_memory view = module_cfi_memory(image->space, image->module);
	struct fde_reader *entries = malloc(sizeof(*entries));
	struct cairn_fault fault;
	struct cfi_row is, copy;

	for (size_t i = 0; entries && i < table->functions; i++) {
		const uint64_t va = table->function[i].range.low;
		const struct cfi_range *range = module_find_cfi(image->space, image->module, va);
		const struct fde_reader_query query = { image->module->cfi.frames,
			                                range ? range->fde : 0, va };
		if (!range ||
		    fde_reader_read_row(entries, &view, &query, &is, &fault) != CAIRN_OK ||
		    entries->fde.start != va || !check_frames_row(table, va, &copy))
			continue;
		ALWAYS(same_rule(&is.cfa, &copy.cfa) &&
		       same_rule(&is.reg[is.ra], &copy.reg[copy.ra]));
	}
	free(entries);
}

static void check_sframe(const struct program_image *image, const struct frame_table *table)
{
	struct cairn_rules *rules = module_rules(image->space, image->module);
	ALWAYS(rules);
	const char *flaw = check_frames(table, rules);
	if (flaw)
		fprintf(stderr, "%s\n", flaw);
	ALWAYS(!flaw);
}

static void take_input(const uint8_t *data, size_t size)
{
	const struct frame_writer_options options = { .limit = LIMIT };
	const struct cairn_bytes file = { data, size };
	struct program_image image = { .space = NULL };
	struct frame_table table;
	enum cairn_status status = frame_table_make(file, &options, &table);

	if (status == CAIRN_OK) {
		ALWAYS(table.functions > 0 && table.section.size <= 256 + BYTES_OF_A_ROW * size);
		ALWAYS(program_image_open(file, &image) == CAIRN_OK);
		if (eh_frames_are_hidden(&image))
			check_copied(&image, &table);
		else
			check_sframe(&image, &table);
		check_code(&image, &table);
	}
	program_image_close(&image);
	frame_table_finish(&table);
}

/* A program of amd64 with code and nothing else, at the addresses that the corpus has. */
static struct bare_program {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	uint8_t code[2048];
} bare = { .head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
	             .e_type = ET_DYN,
	             .e_machine = EM_X86_64,
	             .e_version = EV_CURRENT,
	             .e_phoff = offsetof(struct bare_program, load),
	             .e_ehsize = sizeof(Elf64_Ehdr),
	             .e_phentsize = sizeof(Elf64_Phdr),
	             .e_phnum = 1 },
	   .load = { .p_type = PT_LOAD,
	             .p_flags = PF_R | PF_X,
	             .p_offset = offsetof(struct bare_program, code),
	             .p_filesz = sizeof(bare.code),
	             .p_memsz = sizeof(bare.code) } };

/* The bytes as a file that was made for a program without any table. */
static void take_made_file(const uint8_t *data, size_t size)
{
	const struct frame_writer_options options = { .limit = LIMIT,
		                                      .sframe_file = { data, size } };
	const struct cairn_bytes file = { (const uint8_t *)&bare, sizeof(bare) };
	struct program_image image = { .space = NULL };
	struct frame_table table;
	struct sframe_section section;
	struct cairn_fault fault;
	struct elf elf;

	/* where the code is that the tables describe: the first function's */
	bare.load.p_vaddr = 0x1000;
	if (elf_open(options.sframe_file, &elf, &fault) == CAIRN_OK &&
	    sframe_section_find(&elf, &section) == CAIRN_OK) {
		struct elf_segment s;
		for (uint32_t i = 0; elf_segment(&elf, i, &s); i++)
			if (s.type == ELF_PT_LOAD && s.flags & ELF_PF_EXECUTE)
				bare.load.p_vaddr = s.va;
	}
	if (frame_table_make(file, &options, &table) == CAIRN_OK) {
		ALWAYS(table.functions > 0 &&
		       table.section.size <= 256 + BYTES_OF_A_ROW * (size + sizeof(bare)));
		ALWAYS(program_image_open(file, &image) == CAIRN_OK);
		check_code(&image, &table);
	}
	program_image_close(&image);
	frame_table_finish(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	held_begin();
	take_made_file(data, size);
	held_end(size + sizeof(bare), HELD_PLAIN);
	return 0;
}
