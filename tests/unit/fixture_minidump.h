/* SPDX-License-Identifier: MIT */
/*
 * Writes minidumps for tests, in either byte order. What a record points to is put first; the
 * directory has its place from the beginning.
 *
 *	fixture_minidump_begin(&dump, false);
 *	context = fixture_minidump_context(&dump, FIXTURE_MINIDUMP_AMD64, value);
 *	fixture_minidump_open(&dump, 3);
 *	fixture_out_put(&dump.out, 1, 4);
 *	fixture_minidump_thread(&dump, 7, stack_address, stack, context);
 *	fixture_minidump_close(&dump);
 */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_MINIDUMP_H
#define CAIRN_TESTS_UNIT_FIXTURE_MINIDUMP_H

#include "fixture_out.h"

enum {
	FIXTURE_MINIDUMP_STREAMS = 16,
	FIXTURE_MINIDUMP_DIRECTORY = 32,
	FIXTURE_MINIDUMP_DATA = FIXTURE_MINIDUMP_DIRECTORY + 12 * FIXTURE_MINIDUMP_STREAMS,
};

struct fixture_minidump {
	struct fixture_out out;
	unsigned streams;
};

/* A part of the file, as records point to it. */
struct fixture_minidump_part {
	size_t offset, size;
};

/* Forms of contexts. */
enum fixture_minidump_form {
	FIXTURE_MINIDUMP_X86,
	FIXTURE_MINIDUMP_AMD64,
	FIXTURE_MINIDUMP_ARM,
	FIXTURE_MINIDUMP_ARM_WINDOWS,
	FIXTURE_MINIDUMP_ARM64,
	FIXTURE_MINIDUMP_ARM64_BREAKPAD,
	FIXTURE_MINIDUMP_FORMS,
};

void fixture_minidump_begin(struct fixture_minidump *dump, bool big);

/* A stream begins here, and ends where the other is called. */
void fixture_minidump_open(struct fixture_minidump *dump, uint32_t type);
void fixture_minidump_close(struct fixture_minidump *dump);

struct fixture_minidump_part fixture_minidump_bytes(struct fixture_minidump *dump,
                                                    const void *bytes, size_t size);

/* ASCII as a counted text of UTF-16; its offset. */
size_t fixture_minidump_text(struct fixture_minidump *dump, const char *text);

/*
 * The registers: value[n] is the register with DWARF number n, value[33] the pc.
 */
struct fixture_minidump_part fixture_minidump_context(struct fixture_minidump *dump,
                                                      enum fixture_minidump_form form,
                                                      const uint64_t value[34]);

/* Records, where a stream is open. */
void fixture_minidump_point(struct fixture_minidump *dump, struct fixture_minidump_part part);
void fixture_minidump_thread(struct fixture_minidump *dump, uint32_t id, uint64_t stack,
                             struct fixture_minidump_part captured,
                             struct fixture_minidump_part context);
void fixture_minidump_module(struct fixture_minidump *dump, uint64_t low, uint32_t size,
                             size_t name, struct fixture_minidump_part codeview);

/* A whole stream with the system: the processor's and the platform's number. */
void fixture_minidump_system(struct fixture_minidump *dump, uint16_t processor, uint32_t platform);

/* A whole stream with an exception. */
void fixture_minidump_exception(struct fixture_minidump *dump, uint32_t thread, uint32_t code,
                                uint64_t address, struct fixture_minidump_part context);

struct cairn_bytes fixture_minidump_finish(struct fixture_minidump *dump);

#endif
