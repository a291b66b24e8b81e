/* SPDX-License-Identifier: MIT */
/*
 * The readers of one kind of frame each.  They get a line that is trimmed and not too long, and return false if they
 * find no frame of their kind in it.
 *
 *	numbered.c   "#3 0x..." of sanitizers, systemd-coredump and debuggers
 *	glibc.c      "prog(func+0x12) [0x...]"
 *	kernel.c     "func+0x12/0x34 [module]", "segfault at ..."
 *	languages.c  Go and Rust
 *	tools.c      valgrind, perf script, the JVM, Node.js, Python, Android, and libraries for stack traces
 */
#ifndef CAIRN_FORMATS_CAPTURED_TEXT_PARTS_H
#define CAIRN_FORMATS_CAPTURED_TEXT_PARTS_H

#include "cursor.h"

/* `in` stands at a number sign. */
bool captured_read_numbered(struct captured_text *text, struct cursor in,
                            struct captured_frame *frame);
bool captured_read_glibc(struct cursor in, struct captured_frame *frame);
bool captured_read_fault(struct cursor in, struct captured_frame *frame);

/* `in` is the whole line, and `plus` the place of a "+0x" in it. */
bool captured_read_trace(struct cursor in, const uint8_t *plus, struct captured_frame *frame);
bool captured_read_go(struct captured_text *text, struct cursor in, struct captured_frame *frame);
bool captured_read_rust(struct cursor in, struct captured_frame *frame);

bool captured_read_valgrind(struct cursor in, struct captured_frame *frame);
bool captured_read_perf(const struct captured_text *text, struct cursor in,
                        struct captured_frame *frame);
bool captured_read_hotspot(const struct captured_text *text, struct cursor in,
                           struct captured_frame *frame);
bool captured_read_node(struct cursor in, struct captured_frame *frame);
bool captured_read_glog(struct cursor in, struct captured_frame *frame);
bool captured_read_boost(struct cursor in, struct captured_frame *frame);
bool captured_read_python(struct cursor in, struct captured_frame *frame);

/* `in` stands at a number sign. */
bool captured_read_android(struct cursor in, struct captured_frame *frame);
bool captured_read_backward(struct cursor in, struct captured_frame *frame);

/* A function of the JVM's list that has no place in a module: it was compiled or is interpreted. */
bool captured_read_hotspot_function(const struct captured_text *text, struct cursor in,
                                    struct cairn_bytes *name);

/* A line of Go with the name of a function, which the next line goes on with. */
bool captured_read_go_function(struct cursor in, struct cairn_bytes *name);

/* "file:line" or "file:line:column" up to the end. */
bool captured_read_source(struct cairn_bytes text, struct captured_frame *frame);

#endif
