/* SPDX-License-Identifier: MIT */
/*
 * A minidump that is being written. Every part is put twice by the same code: once to be counted, which tells where
 * everything is, and once for its bytes.
 */
#ifndef CAIRN_WRITERS_MINIDUMP_WRITING_H
#define CAIRN_WRITERS_MINIDUMP_WRITING_H

#include "formats/minidump/minidump_write.h"
#include "minidump_writer.h"

/* What the file consists of, in its order; the first ones are streams, which the directory names. */
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
	int error; /* of write() */
	enum minidump_machine machine;
	size_t first_thread; /* number of the crashed one; past the last: none crashed */
	bool counts;         /* nothing is written */
	uint64_t at;         /* bytes of the file that were put */
	uint8_t buffer[WRITING_BUFFER];
	size_t used;
	struct {
		uint64_t offset, size;
	} part[WRITING_PARTS];
	uint64_t *text_at;     /* of each module's name */
	uint64_t *codeview_at; /* of each module */
	uint64_t *name_at;     /* of each thread's name */
	uint64_t *range_at;    /* of the bytes of each range */
};

void writing_put(struct writing *w, const void *bytes, size_t size);
void writing_put_zeros(struct writing *w, size_t size);

/* Passes on what was put. */
void writing_flush(struct writing *w);

/* Puts what a sink over a buffer has stored. */
static inline void writing_put_sink(struct writing *w, const struct sink *out)
{
	writing_put(w, out->data, out->size);
}

/* Is it one that a minidump lists?  A part of a module that is mapped twice is none of its own. */
static inline bool writing_lists_module(const struct snapshot_module *module)
{
	return !module->remapped && module->high > module->low;
}

/* The numbers of threads and modules in the order of the file: that of the first one, then the others. */
size_t writing_thread(const struct writing *w, size_t position);
size_t writing_module(const struct writing *w, size_t position);

/* Puts the texts of /proc: the mappings. */
void writing_put_maps(struct writing *w);

/* Registers as Linux has them, in the order of a context. */
struct minidump_registers writing_registers(const struct writing *w,
                                            const struct snapshot_thread *thread,
                                            struct minidump_context_rest *rest);

/* One for each part, in its order. */
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
