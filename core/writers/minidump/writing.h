/* SPDX-License-Identifier: MIT */
/*
 * State of the minidump writer. Each part is produced twice by the same code, first to measure it,
 * which determines all offsets, and then to write it.
 */
#ifndef CAIRN_WRITERS_MINIDUMP_WRITING_H
#define CAIRN_WRITERS_MINIDUMP_WRITING_H

#include "formats/minidump_write.h"
#include "minidump_writer.h"

/*
 * Parts of the file in their order. The parts before WRITING_STREAMS are streams and are listed in
 * the stream directory.
 */
enum writing_part {
	WRITING_SYSTEM,
	WRITING_MISC,
	WRITING_EXCEPTION,
	WRITING_THREADS,
	WRITING_MODULES,
	WRITING_MEMORY,
	WRITING_NAMES,
	WRITING_DSO,
	WRITING_AUXV,
	WRITING_COMMAND,
	WRITING_MAPS,
	WRITING_STREAMS,
	WRITING_CONTEXTS = WRITING_STREAMS,
	WRITING_TEXTS,
	WRITING_CODEVIEWS,
	WRITING_DSO_MAP,
	WRITING_BYTES,
	WRITING_PARTS,
};

enum { WRITING_BUFFER = 1 << 14, WRITING_TEXT_MAX = 4096 };

struct writing {
	const struct minidump_draft *draft;
	const struct snapshot *snapshot;
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	int error;
	enum minidump_machine machine;
	size_t first_thread; /* index of the crashed thread; past the end if no thread crashed */
	bool counts;         /* measure only, do not write */
	uint64_t at;         /* current file offset */
	uint8_t buffer[WRITING_BUFFER];
	size_t used;
	struct {
		uint64_t offset, size;
	} part[WRITING_PARTS];
	uint64_t *text_at; /* offset of each module's name */
	uint64_t *codeview_at;
	uint64_t *name_at;
	uint64_t *range_at; /* offset of each range's contents */
};

void writing_put(struct writing *w, const void *bytes, size_t size);
void writing_put_zeros(struct writing *w, size_t size);

void writing_flush(struct writing *w);

static inline void writing_put_sink(struct writing *w, const struct sink *out)
{
	writing_put(w, out->data, out->size);
}

/*
 * Return true if the module gets an entry. Another mapping of a part of a listed module does not.
 */
static inline bool writing_lists_module(const struct snapshot_module *module)
{
	return !module->remapped && module->high > module->low;
}

/*
 * Return the index of the thread or module at `position` in the file, where the crashed thread or
 * the program comes first.
 */
size_t writing_thread(const struct writing *w, size_t position);
size_t writing_module(const struct writing *w, size_t position);

void writing_put_maps(struct writing *w);

/*
 * Return the registers in the order of a minidump context, and set *rest to the other registers in
 * Linux's sets.
 */
struct minidump_registers writing_registers(const struct writing *w,
                                            const struct snapshot_thread *thread,
                                            struct minidump_context_rest *rest);

void writing_put_system(struct writing *w);
void writing_put_misc(struct writing *w);
void writing_put_exception(struct writing *w);
void writing_put_threads(struct writing *w);
void writing_put_modules(struct writing *w);
void writing_put_memory(struct writing *w);
void writing_put_names(struct writing *w);
void writing_put_dso(struct writing *w);
void writing_put_auxv(struct writing *w);
void writing_put_command(struct writing *w);
void writing_put_contexts(struct writing *w);
void writing_put_texts(struct writing *w);
void writing_put_codeviews(struct writing *w);
void writing_put_dso_map(struct writing *w);
void writing_put_bytes(struct writing *w);

#endif
