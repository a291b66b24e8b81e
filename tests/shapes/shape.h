/* SPDX-License-Identifier: MIT */
/*
 * Files of shapes that make readers work: one long text that many records share, lists whose counts lie or whose
 * parts overlap, compressed sections whose headers lie.  What is drawn depends on the seed alone.
 */
#ifndef CAIRN_TESTS_SHAPES_SHAPE_H
#define CAIRN_TESTS_SHAPES_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that grows. */
struct shape {
	uint8_t *data;
	size_t size, capacity;
	uint64_t state; /* of the numbers that are drawn */
	const char *
		path; /* a file that the kind wants: to be named in it, or to be changed; or a count */
};

/* How the names of a list share their characters. */
enum sharing {
	SHARING_ONE,    /* all are the same text */
	SHARING_TAILS,  /* each begins a little after the one before it */
	SHARING_NEARLY, /* each has its own text, and the last characters alone differ */
	SHARING_LIED,   /* the same text, whose length goes past the end of the file */
	SHARINGS,
};

void shape_put(struct shape *s, uint64_t value, size_t width);
void shape_put_zeros(struct shape *s, size_t size);
void shape_put_text(struct shape *s, const char *text);
void shape_set(struct shape *s, size_t at, uint64_t value, size_t width);

/* A number below `bound`, which is not 0. */
uint64_t shape_draw(struct shape *s, uint64_t bound);

/* One of a few hundred or some thousands, more often a small one: records of a list. */
uint64_t shape_draw_count(struct shape *s);

/* A number that readers may trip over: around a power of two, or around `size`. */
uint64_t shape_draw_lie(struct shape *s, uint64_t size);

/* Frame records from `stack` on, whose return addresses lie in `code_size` bytes of code. */
void shape_put_frames(struct shape *s, size_t count, uint64_t stack, uint64_t code,
                      uint64_t code_size);

/* The kinds. */
void shape_minidump_modules(struct shape *s);
void shape_minidump_loader(struct shape *s);
void shape_minidump_threads(struct shape *s);
void shape_minidump_memory(struct shape *s);
void shape_minidump_lists(struct shape *s);
void shape_core_files(struct shape *s);
void shape_core_notes(struct shape *s);
void shape_core_loader(struct shape *s);
void shape_core_named(struct shape *s);
void shape_breakpad(struct shape *s);
void shape_jitdump(struct shape *s);
void shape_sframe(struct shape *s);
void shape_perfmap(struct shape *s);
void shape_chdr(struct shape *s);
void shape_go(struct shape *s);
void shape_perf_chain(struct shape *s);
void shape_perf_star(struct shape *s);
void shape_perf_files(struct shape *s);
void shape_otlp_stacks(struct shape *s);
void shape_otlp_labels(struct shape *s);
void shape_otlp_names(struct shape *s);
void shape_log_modules(struct shape *s);

#endif
