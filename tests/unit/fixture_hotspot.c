/* SPDX-License-Identifier: MIT */
/* Makes a code cache of HotSpot. */
#include "fixture_hotspot.h"

#include "fixture_elf.h"

#include "formats/elf/elf.h"

#include <string.h>

void fixture_hotspot_put(struct fixture_hotspot *f, uint64_t at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		f->memory[at - JVM_LOW + i] = (uint8_t)(value >> 8 * i);
}

uint64_t fixture_hotspot_put_text(struct fixture_hotspot *f, const char *text)
{
	const uint64_t at = JVM_TEXTS + f->texts;

	memcpy(f->memory + (at - JVM_LOW), text, strlen(text) + 1);
	f->texts += strlen(text) + 1;
	return at;
}

static void put_field(struct fixture_hotspot *f, const char *type, const char *name, bool is_static,
                      uint64_t value)
{
	const uint64_t at = JVM_TABLES + 48 * f->entries++;

	fixture_hotspot_put(f, at, fixture_hotspot_put_text(f, type), 8);
	fixture_hotspot_put(f, at + 8, fixture_hotspot_put_text(f, name), 8);
	fixture_hotspot_put(f, at + 24, is_static, 4);
	fixture_hotspot_put(f, at + (is_static ? 40 : 32), value, 8);
}

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct fixture_hotspot *f = context;
	const uint64_t at = address - JVM_LOW;

	if (at > f->size || size > f->size - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, f->memory + at, size);
	return CAIRN_OK;
}

static void put_blob(struct fixture_hotspot *f, uint64_t block, unsigned size, unsigned words,
                     bool is_new)
{
	const uint64_t blob = block + (is_new ? JVM_HEADER_25 : JVM_HEADER_17);

	fixture_hotspot_put(f, blob + 24, size, 4);
	fixture_hotspot_put(f, blob + 28, words, 4);
	fixture_hotspot_put(f, blob + 32, 16, is_new ? 2 : 4);
	fixture_hotspot_put(f, blob + 40, is_new ? JVM_BODY - JVM_HEADER_25 : block + JVM_BODY,
	                    is_new ? 4 : 8);
	fixture_hotspot_put(f, JVM_MAP + (block - JVM_CODE) / 128, 0, 1);
	for (unsigned i = 1; i < size / 128; i++)
		fixture_hotspot_put(f, JVM_MAP + (block - JVM_CODE) / 128 + i, i, 1);
}

void fixture_hotspot_make(struct fixture_hotspot *f, bool is_new)
{
	*f = (struct fixture_hotspot){ .size = JVM_SIZE };
	memset(f->memory + (JVM_MAP - JVM_LOW), 0xff, 0x20);
	memset(f->memory + (JVM_STACK - JVM_LOW), 0x11, JVM_SIZE - (JVM_STACK - JVM_LOW));
	put_field(f, "Klass", "_name", false, 24);
	put_field(f, "CodeCache", "_heaps", true, JVM_POINTERS + 16);
	put_field(f, "AbstractInterpreter", "_code", true, JVM_POINTERS + 24);
	put_field(f, is_new ? "GrowableArrayBase" : "GenericGrowableArray", "_len", false, 0);
	put_field(f, "GrowableArray<int>", "_data", false, 8);
	put_field(f, "CodeHeap", "_memory", false, 0);
	put_field(f, "CodeHeap", "_segmap", false, 32);
	put_field(f, "CodeHeap", "_log2_segment_size", false, 64);
	put_field(f, "VirtualSpace", "_low", false, 8);
	put_field(f, "VirtualSpace", "_high", false, 16);
	put_field(f, "StubQueue", "_stub_buffer", false, 8);
	put_field(f, "StubQueue", "_buffer_limit", false, 16);
	put_field(f, "CodeBlob", "_size", false, 24);
	put_field(f, "CodeBlob", "_frame_size", false, 28);
	put_field(f, "CodeBlob", "_frame_complete_offset", false, 32);
	put_field(f, "CodeBlob", is_new ? "_code_offset" : "_code_begin", false, 40);
	fixture_hotspot_put(f, JVM_TYPES, fixture_hotspot_put_text(f, "HeapBlock"), 8);
	fixture_hotspot_put(f, JVM_TYPES + 32, is_new ? JVM_HEADER_25 : JVM_HEADER_17, 8);
	fixture_hotspot_put(f, JVM_POINTERS, JVM_TABLES, 8);
	fixture_hotspot_put(f, JVM_POINTERS + 8, JVM_TYPES, 8);
	fixture_hotspot_put(f, JVM_POINTERS + 16, JVM_LIST, 8);
	fixture_hotspot_put(f, JVM_POINTERS + 24, JVM_QUEUE, 8);
	fixture_hotspot_put(f, JVM_QUEUE + 8, JVM_INTERPRETER, 8);
	fixture_hotspot_put(f, JVM_QUEUE + 16, 0x400, 4);
	fixture_hotspot_put(f, JVM_LIST, 1, 4);
	fixture_hotspot_put(f, JVM_LIST + 8, JVM_LIST + 16, 8);
	fixture_hotspot_put(f, JVM_LIST + 16, JVM_HEAP, 8);
	fixture_hotspot_put(f, JVM_HEAP + 8, JVM_CODE, 8);
	fixture_hotspot_put(f, JVM_HEAP + 16, JVM_CODE + 0xc00, 8);
	fixture_hotspot_put(f, JVM_HEAP + 32 + 8, JVM_MAP, 8);
	fixture_hotspot_put(f, JVM_HEAP + 32 + 16, JVM_MAP + 0x18, 8);
	fixture_hotspot_put(f, JVM_HEAP + 64, 7, 4);
	put_blob(f, JVM_COMPILED, 0x300, 6, is_new);
	put_blob(f, JVM_STUBS, 0x100, 0, is_new);
}

struct snapshot_module fixture_hotspot_module(void)
{
	static const char names[] = "\0gHotSpotVMStructs\0gHotSpotVMTypes\0";
	struct fixture_out table = { .size = 0 };
	static struct fixture_out file;
	struct fixture_elf_places places;

	for (unsigned i = 0; i < 3; i++) {
		fixture_out_put(&table, i == 0 ? 0 : i == 1 ? 1 : 19, 4);
		fixture_out_put(&table, 1, 2);
		fixture_out_put(&table, i > 0, 2);
		fixture_out_put(&table, JVM_POINTERS - 0x1000 + (i == 2 ? 8 : 0), 8);
		fixture_out_put(&table, 8, 8);
	}
	file = (struct fixture_out){ .size = 0 };
	const struct fixture_section sections[] = {
		{ ".dynsym", ELF_SHT_DYNSYM, 0, fixture_out_bytes(&table), 2, 1 },
		{ ".dynstr", 3, 0, { (const uint8_t *)names, sizeof(names) - 1 }, 0, 0 },
	};
	const struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0,
		                          0,    NULL,  2,     sections };
	fixture_elf(&file, &made, &places);
	return (struct snapshot_module){ .has_bias = true,
		                         .bias = 0x1000,
		                         .file = fixture_out_bytes(&file) };
}

struct cairn_target fixture_hotspot_target(struct fixture_hotspot *f)
{
	return (struct cairn_target){ read_memory, f };
}
