/* SPDX-License-Identifier: MIT */
/*
 * A code cache of HotSpot in made memory, with the structures of JDK 17 or those of JDK 25, as the tests and the fuzz target
 * of process/stacks/hotspot.h read it.
 */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_HOTSPOT_H
#define CAIRN_TESTS_UNIT_FIXTURE_HOTSPOT_H

#include "base/snapshot.h"

enum {
	JVM_LOW = 0x10000,
	JVM_SIZE = 0x1e00,
	JVM_TABLES = JVM_LOW, /* gHotSpotVMStructs, and gHotSpotVMTypes behind them */
	JVM_TYPES = JVM_LOW + 0x600,
	JVM_TEXTS = JVM_LOW + 0x700,
	JVM_POINTERS = JVM_LOW + 0xb00, /* the variables of libjvm */
	JVM_QUEUE = JVM_LOW + 0xb40,
	JVM_LIST = JVM_LOW + 0xb80,
	JVM_HEAP = JVM_LOW + 0xc00,
	JVM_MAP = JVM_LOW + 0xd00,
	JVM_CODE = JVM_LOW + 0x1000, /* segments of 128 bytes */
	JVM_INTERPRETER = JVM_CODE + 0x800,
	JVM_COMPILED = JVM_CODE + 0x100, /* a blob of 0x300 bytes with a frame of 6 words */
	JVM_STUBS = JVM_CODE + 0x400,    /* a blob without a frame */
	JVM_STACK = JVM_CODE + 0xc00,
	JVM_HEADER_17 = 16,
	JVM_HEADER_25 = 8,
	JVM_BODY = 0x80, /* from the block to its code, whose frame is complete after 16 bytes */
};

struct fixture_hotspot {
	uint8_t memory[JVM_SIZE];
	size_t size; /* bytes of it that can be read */
	size_t texts, entries;
};

/* Write a number, least significant byte first. */
void fixture_hotspot_put(struct fixture_hotspot *f, uint64_t at, uint64_t value, size_t size);

/* Write a string behind those written before; return its address. */
uint64_t fixture_hotspot_put_text(struct fixture_hotspot *f, const char *text);

/* Make the whole cache; its stack is filled with 0x11. */
void fixture_hotspot_make(struct fixture_hotspot *f, bool is_new);

/* Return a libjvm.so whose variables are at JVM_POINTERS, and the memory, for hotspot_open(). */
struct snapshot_module fixture_hotspot_module(void);
struct cairn_target fixture_hotspot_target(struct fixture_hotspot *f);

#endif
