/* SPDX-License-Identifier: MIT */
/*
 * Writes a file with an SFrame table. This is either a separate ELF file with the .sframe section,
 * the build ID and the segments of a program (side_file_*), or a copy of a relocatable file to
 * which .sframe and its relocations are added, as an assembler would (object_file_*). Addresses of
 * functions in a relocatable file are formed by sframe_section_va().
 */
#ifndef CAIRN_WRITERS_SFRAME_OUTPUT_H
#define CAIRN_WRITERS_SFRAME_OUTPUT_H

#include "table.h"

#include "formats/elf/elf.h"

struct sframe_work {
	const struct cairn_sframe_options *options; /* points to `own` */
	struct cairn_sframe_options own;
	struct elf elf;
	struct sframe_draft draft;
	struct byte_buffer out;
	struct cairn_sframe_file made;
};

/* Set the address of the table. The table and the file may each have at most `most` bytes. */
void sframe_work_begin(struct sframe_work *work, uint64_t address, uint64_t most);

/* Copy the host's options. Call this first. */
void sframe_work_set_options(struct sframe_work *work, const struct cairn_sframe_options *options);

/* Count an unreadable FDE or function, and store the first error. */
void sframe_work_damage(struct cairn_sframe_file *made, const struct cairn_fault *fault);

/* Move the finished file from work->out to work->made. `table` is the size of its SFrame table. */
void sframe_work_end(struct sframe_work *work, uint64_t table);

/* Move work->made to *made if `status` is CAIRN_OK. Returns `status`. */
enum cairn_status sframe_work_give(struct sframe_work *work, enum cairn_status status,
                                   struct cairn_sframe_file *made);

/*
 * Free everything that sframe_work_give() did not move. Must be called through WITH_CLEANUP()
 * because the host's poll() may throw an exception.
 */
void sframe_work_finish(struct sframe_work *work);

/*
 * Replace the SFrame file in *made with an equivalent file that contains a row table. The size of
 * code whose rules cannot be expressed as rows is subtracted from made->written and added to
 * made->left_out. On failure *made is unchanged.
 */
enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault);

uint64_t side_file_address(const struct elf *elf);

uint64_t side_file_code(const struct elf *elf);

enum cairn_status side_file_check(const struct elf *elf, const struct sframe_format *format,
                                  struct cairn_fault *fault);

enum cairn_status side_file_write(struct sframe_work *work, struct cairn_fault *fault);

enum cairn_status object_file_check(const struct elf *elf, const struct sframe_format *format,
                                    struct cairn_fault *fault);

/* Return true if a single code section contains [low, high). */
bool object_file_has_code(const struct elf *elf, uint64_t low, uint64_t high);

uint64_t object_file_code(const struct elf *elf);

enum cairn_status object_file_write(struct sframe_work *work, struct cairn_fault *fault);

#endif
