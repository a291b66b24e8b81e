/* SPDX-License-Identifier: MIT */
/*
 * Writes a file with an SFrame table: an ELF file with the .sframe section, the build ID and the
 * segments of a program (side_file_), or a relocatable file with a section .sframe and its
 * relocations added, as an assembler does (object_file_). The addresses of functions in a
 * relocatable file are as described in unwind/tables/sframe_section.h.
 */
#ifndef CAIRN_WRITERS_SFRAME_OUTPUT_H
#define CAIRN_WRITERS_SFRAME_OUTPUT_H

#include "table.h"

#include "formats/elf/elf.h"

struct sframe_work {
	const struct cairn_sframe_options *options;
	struct elf elf;
	struct sframe_draft draft;
	struct byte_buffer out;
	struct cairn_sframe_file made;
};

/* Set the address of the table, and the maximum size of the table and of the file. */
void sframe_work_begin(struct sframe_work *work, uint64_t address, uint64_t most);

/* Count an unreadable item and keep the first error. */
void sframe_work_damage(struct cairn_sframe_file *made, const struct cairn_fault *fault);

/* Move the finished file from work->out to work->made. `table` is the size of its table. */
void sframe_work_end(struct sframe_work *work, uint64_t table);

/* Move work->made to *made if `status` is CAIRN_OK. Return `status`. */
enum cairn_status sframe_work_give(struct sframe_work *work, enum cairn_status status,
                                   struct cairn_sframe_file *made);

/*
 * Free everything that was not handed over. Use WITH_CLEANUP() for this, because the host's poll()
 * is called in between and may leave by an exception.
 */
void sframe_work_finish(struct sframe_work *work);

/*
 * Replace the file with an SFrame table in *made by a row table with the same rules. Code whose
 * rules a row cannot express is moved from `written` to `left_out`. On failure the file is
 * unchanged.
 */
enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault);

/* Return the va of the section, which is after all segments of the program. */
uint64_t side_file_address(const struct elf *elf);

uint64_t side_file_code(const struct elf *elf);

/* Return CAIRN_OK if a table of this format can be written for the program. */
enum cairn_status side_file_check(const struct elf *elf, const struct sframe_format *format,
                                  struct cairn_fault *fault);

enum cairn_status side_file_write(struct sframe_work *work, struct cairn_fault *fault);

/* Return CAIRN_OK if a section can be added. */
enum cairn_status object_file_check(const struct elf *elf, const struct sframe_format *format,
                                    struct cairn_fault *fault);

/* Return true if [low, high) is in one code section. */
bool object_file_has_code(const struct elf *elf, uint64_t low, uint64_t high);

uint64_t object_file_code(const struct elf *elf);

enum cairn_status object_file_write(struct sframe_work *work, struct cairn_fault *fault);

#endif
