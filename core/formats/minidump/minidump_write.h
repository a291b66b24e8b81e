/* SPDX-License-Identifier: MIT */
/*
 * The records of a minidump of Linux as bytes, little-endian, as docs/formats/minidump.md lays them out: the other
 * direction of minidump.h. Each function puts one record; where the records go is up to the caller.
 */
#ifndef CAIRN_FORMATS_MINIDUMP_WRITE_H
#define CAIRN_FORMATS_MINIDUMP_WRITE_H

#include "minidump.h"

/* Bytes of the records. */
enum {
	MINIDUMP_HEADER_SIZE = 32,
	MINIDUMP_ENTRY_SIZE = 12,
	MINIDUMP_SYSTEM_SIZE = 56,
	MINIDUMP_MISC_SIZE = 24,
	MINIDUMP_EXCEPTION_SIZE = 168,
	MINIDUMP_COUNT_SIZE = 4, /* before the records of a list */
	MINIDUMP_THREAD_SIZE = 48,
	MINIDUMP_MODULE_SIZE = 108,
	MINIDUMP_MEMORY_SIZE = 16,
	MINIDUMP_NAME_SIZE = 12,
	MINIDUMP_DSO_HEAD_SIZE = 40, /* of a 64-bit program, with the gap of writers in C++ */
	MINIDUMP_DSO_SIZE = 24,
};

/* The code of an exception that stands for a dump of a program that did not crash, as Breakpad has it. */
#define MINIDUMP_REQUESTED UINT32_C(0xffffffff)

/* Where a part of the file is; size 0: there is none. */
struct minidump_place {
	uint32_t offset, size;
};

/* The directory is right after the header. */
void minidump_put_header(struct sink *out, uint32_t streams, uint32_t time);
void minidump_put_entry(struct sink *out, uint32_t type, struct minidump_place place);

/* Linux on the machine, AMD64 or ARM64; `text` is where minidump_put_text16() put the version of the system. */
void minidump_put_system(struct sink *out, enum minidump_machine machine, uint32_t text);

void minidump_put_misc(struct sink *out, uint32_t pid, uint32_t started);
void minidump_put_exception(struct sink *out, const struct minidump_exception *exception,
                            struct minidump_place context);

/* `stack` is the address of its first captured byte, and `captured` where these bytes are. */
void minidump_put_thread(struct sink *out, uint32_t id, uint64_t stack,
                         struct minidump_place captured, struct minidump_place context);
void minidump_put_module(struct sink *out, uint64_t low, uint32_t size, uint32_t name,
                         struct minidump_place codeview);
void minidump_put_memory(struct sink *out, uint64_t address, struct minidump_place place);
void minidump_put_thread_name(struct sink *out, uint32_t thread, uint64_t name);

/* The record that identifies an ELF file: a build ID. */
size_t minidump_codeview_size(struct cairn_bytes build_id);
void minidump_put_codeview(struct sink *out, struct cairn_bytes build_id);

/* UTF-8 as a counted text of UTF-16; a byte that is part of no character becomes U+FFFD. */
void minidump_put_text16(struct sink *out, struct cairn_bytes text);

/* The loader's list: its head, which the program's dynamic section follows, and an entry of what it points to. */
void minidump_put_dso_head(struct sink *out, uint32_t map, uint32_t count, uint64_t brk,
                           uint64_t loader, uint64_t dynamic);
void minidump_put_dso(struct sink *out, uint64_t bias, uint32_t name, uint64_t dynamic);

/* Bytes of a context; 0: those of the machine are not written. */
size_t minidump_context_size(enum minidump_machine machine);

void minidump_put_context(struct sink *out, const struct minidump_registers *registers,
                          const struct minidump_context_rest *rest);

#endif
