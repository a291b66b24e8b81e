/* SPDX-License-Identifier: MIT */
/* Writes minidumps for tests: header, directory, records, and registers of each machine. */
#include "fixture_minidump.h"

static void put_zeros(struct fixture_out *o, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fixture_out_put(o, 0, 1);
}

void fixture_minidump_begin(struct fixture_minidump *dump, bool big)
{
	dump->streams = 0;
	dump->out.size = 0;
	dump->out.big = big;
	fixture_out_put(&dump->out, 0x504d444d, 4);
	fixture_out_put(&dump->out, 0x5128a793, 4);
	fixture_out_put(&dump->out, 0, 4);
	fixture_out_put(&dump->out, FIXTURE_MINIDUMP_DIRECTORY, 4);
	fixture_out_put(&dump->out, 0, 4);
	fixture_out_put(&dump->out, 1700000000, 4);
	fixture_out_put(&dump->out, 0, 8);
	put_zeros(&dump->out, FIXTURE_MINIDUMP_DATA - FIXTURE_MINIDUMP_DIRECTORY);
}

static size_t directory_entry(const struct fixture_minidump *dump)
{
	return FIXTURE_MINIDUMP_DIRECTORY + 12 * (size_t)dump->streams;
}

void fixture_minidump_open(struct fixture_minidump *dump, uint32_t type)
{
	assert(dump->streams < FIXTURE_MINIDUMP_STREAMS);
	fixture_out_poke(&dump->out, directory_entry(dump), type, 4);
	fixture_out_poke(&dump->out, directory_entry(dump) + 8, dump->out.size, 4);
}

void fixture_minidump_close(struct fixture_minidump *dump)
{
	size_t entry = directory_entry(dump);
	struct fixture_out *o = &dump->out;
	size_t offset = o->data[entry + (o->big ? 11 : 8)] |
	                (size_t)o->data[entry + (o->big ? 10 : 9)] << 8;

	fixture_out_poke(o, entry + 4, o->size - offset, 4);
	dump->streams++;
}

struct fixture_minidump_part fixture_minidump_bytes(struct fixture_minidump *dump,
                                                    const void *bytes, size_t size)
{
	size_t offset = dump->out.size;

	fixture_out_text(&dump->out, bytes, size);
	return (struct fixture_minidump_part){ offset, size };
}

size_t fixture_minidump_text(struct fixture_minidump *dump, const char *text)
{
	size_t offset = dump->out.size, length = strlen(text);

	fixture_out_put(&dump->out, 2 * length, 4);
	for (size_t i = 0; i <= length; i++)
		fixture_out_put(&dump->out, (uint8_t)text[i], 2);
	return offset;
}

static void put_words(struct fixture_out *o, const uint64_t *value, size_t count, size_t width)
{
	for (size_t i = 0; i < count; i++)
		fixture_out_put(o, value[i], width);
}

static void put_x86(struct fixture_out *o, const uint64_t value[34])
{
	static const uint8_t order[] = { 7, 6, 3, 2, 1, 0, 5 };

	fixture_out_put(o, 0x1003f, 4);
	put_zeros(o, 152);
	for (size_t i = 0; i < sizeof(order); i++)
		fixture_out_put(o, value[order[i]], 4);
	fixture_out_put(o, value[33], 4);
	put_zeros(o, 8);
	fixture_out_put(o, value[4], 4);
	put_zeros(o, 4 + 512);
}

static void put_amd64(struct fixture_out *o, const uint64_t value[34])
{
	static const uint8_t order[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	put_zeros(o, 48);
	fixture_out_put(o, 0x10001f, 4);
	put_zeros(o, 68);
	for (size_t i = 0; i < sizeof(order); i++)
		fixture_out_put(o, value[order[i]], 8);
	put_words(o, value + 8, 8, 8);
	fixture_out_put(o, value[33], 8);
	put_zeros(o, 1232 - 256);
}

static void put_arm(struct fixture_out *o, uint32_t flags, const uint64_t value[34])
{
	fixture_out_put(o, flags, 4);
	put_words(o, value, 15, 4);
	fixture_out_put(o, value[33], 4);
	put_zeros(o, 4 + 296);
}

static void put_arm64(struct fixture_out *o, uint64_t flags, size_t width, const uint64_t value[34])
{
	fixture_out_put(o, flags, width);
	put_zeros(o, 8 - width);
	put_words(o, value, 32, 8);
	fixture_out_put(o, value[33], 8);
	put_zeros(o, width == 8 ? 796 - 272 : 912 - 272);
}

struct fixture_minidump_part fixture_minidump_context(struct fixture_minidump *dump,
                                                      enum fixture_minidump_form form,
                                                      const uint64_t value[34])
{
	size_t offset = dump->out.size;

	switch (form) {
	case FIXTURE_MINIDUMP_X86:
		put_x86(&dump->out, value);
		break;
	case FIXTURE_MINIDUMP_AMD64:
		put_amd64(&dump->out, value);
		break;
	case FIXTURE_MINIDUMP_ARM:
		put_arm(&dump->out, 0x40000006, value);
		break;
	case FIXTURE_MINIDUMP_ARM_WINDOWS:
		put_arm(&dump->out, 0x20200003, value);
		break;
	case FIXTURE_MINIDUMP_ARM64:
		put_arm64(&dump->out, 0x400007, 4, value);
		break;
	case FIXTURE_MINIDUMP_ARM64_BREAKPAD:
		put_arm64(&dump->out, 0x80000006, 8, value);
		break;
	case FIXTURE_MINIDUMP_FORMS:
		break;
	}
	return (struct fixture_minidump_part){ offset, dump->out.size - offset };
}

void fixture_minidump_point(struct fixture_minidump *dump, struct fixture_minidump_part part)
{
	fixture_out_put(&dump->out, part.size, 4);
	fixture_out_put(&dump->out, part.offset, 4);
}

void fixture_minidump_thread(struct fixture_minidump *dump, uint32_t id, uint64_t stack,
                             struct fixture_minidump_part captured,
                             struct fixture_minidump_part context)
{
	fixture_out_put(&dump->out, id, 4);
	put_zeros(&dump->out, 12);
	fixture_out_put(&dump->out, 0x7e57, 8);
	fixture_out_put(&dump->out, stack, 8);
	fixture_minidump_point(dump, captured);
	fixture_minidump_point(dump, context);
}

void fixture_minidump_module(struct fixture_minidump *dump, uint64_t low, uint32_t size,
                             size_t name, struct fixture_minidump_part codeview)
{
	fixture_out_put(&dump->out, low, 8);
	fixture_out_put(&dump->out, size, 4);
	put_zeros(&dump->out, 8);
	fixture_out_put(&dump->out, name, 4);
	put_zeros(&dump->out, 52);
	fixture_minidump_point(dump, codeview);
	put_zeros(&dump->out, 24);
}

void fixture_minidump_system(struct fixture_minidump *dump, uint16_t processor, uint32_t platform)
{
	fixture_minidump_open(dump, 7);
	fixture_out_put(&dump->out, processor, 2);
	put_zeros(&dump->out, 6);
	for (uint32_t i = 1; i <= 3; i++) /* major, minor, build */
		fixture_out_put(&dump->out, i, 4);
	fixture_out_put(&dump->out, platform, 4);
	put_zeros(&dump->out, 32);
	fixture_minidump_close(dump);
}

void fixture_minidump_exception(struct fixture_minidump *dump, uint32_t thread, uint32_t code,
                                uint64_t address, struct fixture_minidump_part context)
{
	fixture_minidump_open(dump, 6);
	fixture_out_put(&dump->out, thread, 4);
	put_zeros(&dump->out, 4);
	fixture_out_put(&dump->out, code, 4);
	fixture_out_put(&dump->out, 2, 4); /* flags */
	fixture_out_put(&dump->out, 0, 8);
	fixture_out_put(&dump->out, address, 8);
	fixture_out_put(&dump->out, 1, 4); /* parameters */
	put_zeros(&dump->out, 4);
	fixture_out_put(&dump->out, 0xabc, 8);
	put_zeros(&dump->out, 8 * 14);
	fixture_minidump_point(dump, context);
	fixture_minidump_close(dump);
}

struct cairn_bytes fixture_minidump_finish(struct fixture_minidump *dump)
{
	fixture_out_poke(&dump->out, 8, dump->streams, 4);
	return fixture_out_bytes(&dump->out);
}
