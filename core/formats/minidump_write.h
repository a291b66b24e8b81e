/* SPDX-License-Identifier: MIT */
/*
 * Writes the records of a Linux minidump, little-endian, as described in docs/formats/minidump.md.
 * Each function writes one record; the caller decides where to place it.
 */
#ifndef CAIRN_FORMATS_MINIDUMP_WRITE_H
#define CAIRN_FORMATS_MINIDUMP_WRITE_H

#include "minidump.h"

enum {
	MINIDUMP_HEADER_SIZE = 32,
	MINIDUMP_ENTRY_SIZE = 12,
	MINIDUMP_SYSTEM_SIZE = 56,
	MINIDUMP_MISC_SIZE = 24,
	MINIDUMP_EXCEPTION_SIZE = 168,
	MINIDUMP_COUNT_SIZE = 4, /* size of the count that precedes the records in a list */
	MINIDUMP_THREAD_SIZE = 48,
	MINIDUMP_MODULE_SIZE = 108,
	MINIDUMP_MEMORY_SIZE = 16,
	MINIDUMP_NAME_SIZE = 12,
	/* sizes for 64-bit programs, including the padding that C++ writers insert */
	MINIDUMP_DSO_HEAD_SIZE = 40,
	MINIDUMP_DSO_SIZE = 24,
};

/* Breakpad's exception code for dumps requested while the program was running normally. */
#define MINIDUMP_REQUESTED UINT32_C(0xffffffff)

/* Range of file offsets. The size is 0 if the range is absent. */
struct minidump_location {
	uint32_t offset, size;
};

/* Write the header. The stream directory must follow it immediately. */
void minidump_put_header(struct sink *out, uint32_t streams, uint32_t time);
void minidump_put_entry(struct sink *out, uint32_t type, struct minidump_location place);

/*
 * Write the system record for Linux on amd64 or arm64. `text` is the offset of the OS version
 * string, which minidump_put_text16() writes.
 */
void minidump_put_system(struct sink *out, enum minidump_machine machine, uint32_t text);

void minidump_put_misc(struct sink *out, uint32_t pid, uint32_t started);
void minidump_put_exception(struct sink *out, const struct minidump_exception *exception,
                            struct minidump_location context);

/*
 * Write a thread record. `stack` is the address of the first captured byte of the stack, and
 * `captured` the file range that contains the captured bytes.
 */
void minidump_put_thread(struct sink *out, uint32_t id, uint64_t stack,
                         struct minidump_location captured, struct minidump_location context);
void minidump_put_module(struct sink *out, uint64_t low, uint32_t size, uint32_t name,
                         struct minidump_location codeview);
void minidump_put_memory(struct sink *out, uint64_t address, struct minidump_location place);
void minidump_put_thread_name(struct sink *out, uint32_t thread, uint64_t name);

/*
 * Write the CodeView record, which identifies an ELF file by its build ID. minidump_codeview_size()
 * returns the size of the record.
 */
size_t minidump_codeview_size(struct cairn_bytes build_id);
void minidump_put_codeview(struct sink *out, struct cairn_bytes build_id);

/* Write a UTF-8 string as a counted UTF-16 string. Invalid bytes become U+FFFD. */
void minidump_put_text16(struct sink *out, struct cairn_bytes text);

/*
 * Write the dynamic loader's list of images: first the header, which the program's dynamic section
 * must follow, then the entries.
 */
void minidump_put_dso_head(struct sink *out, uint32_t map, uint32_t count, uint64_t brk,
                           uint64_t loader, uint64_t dynamic);
void minidump_put_dso(struct sink *out, uint64_t bias, uint32_t name, uint64_t dynamic);

/* Return the size of a context record, or 0 if records for the machine cannot be written. */
size_t minidump_context_size(enum minidump_machine machine);

void minidump_put_context(struct sink *out, const struct minidump_registers *registers,
                          const struct minidump_context_rest *rest);

#endif
