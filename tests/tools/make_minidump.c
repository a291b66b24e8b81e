/* SPDX-License-Identifier: MIT */
/*
 * Writes one small minidump with every stream that cairn reads to standard output, for the corpus of
 * the fuzz targets:
 *
 *	make_minidump x86|amd64|arm|arm-windows|arm64|arm64-breakpad [big]
 */
#include "unit/fixture_minidump.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name;
	uint16_t processor;
	uint32_t platform;
	unsigned word;
} forms[FIXTURE_MINIDUMP_FORMS] = {
	[FIXTURE_MINIDUMP_X86] = { "x86", 0, 0x8201, 4 },
	[FIXTURE_MINIDUMP_AMD64] = { "amd64", 9, 0x8201, 8 },
	[FIXTURE_MINIDUMP_ARM] = { "arm", 5, 0x8203, 4 },
	[FIXTURE_MINIDUMP_ARM_WINDOWS] = { "arm-windows", 5, 2, 4 },
	[FIXTURE_MINIDUMP_ARM64] = { "arm64", 12, 0x8101, 8 },
	[FIXTURE_MINIDUMP_ARM64_BREAKPAD] = { "arm64-breakpad", 0x8003, 0x8201, 8 },
};

static struct fixture_minidump dump;

static void put_list(uint32_t type, uint64_t count, size_t width)
{
	fixture_minidump_open(&dump, type);
	fixture_out_put(&dump.out, count, width);
}

static void put_stream(uint32_t type, const char *text, size_t size)
{
	fixture_minidump_open(&dump, type);
	fixture_out_text(&dump.out, text, size);
	fixture_minidump_close(&dump);
}

static void put_modules(void)
{
	struct fixture_minidump_part elf =
		fixture_minidump_bytes(&dump, "LEpB0123456789abcdefghij", 24);
	struct fixture_minidump_part pdb =
		fixture_minidump_bytes(&dump, "RSDS0123456789abcdef\1\0\0\0a.pdb", 30);
	size_t name = fixture_minidump_text(&dump, "/lib/libx.so");

	put_list(4, 2, 4);
	fixture_minidump_module(&dump, 0x400000, 0x3000, name, elf);
	fixture_minidump_module(&dump, 0x500000, 0x3000, name, pdb);
	fixture_minidump_close(&dump);
}

static void put_memory(struct fixture_minidump_part stack)
{
	put_list(5, 1, 4);
	fixture_out_put(&dump.out, 0x7ff0, 8);
	fixture_minidump_point(&dump, stack);
	fixture_minidump_close(&dump);
	put_list(9, 1, 8);
	fixture_out_put(&dump.out, stack.offset, 8);
	fixture_out_put(&dump.out, 0x8ff0, 8);
	fixture_out_put(&dump.out, stack.size, 8);
	fixture_minidump_close(&dump);
	fixture_minidump_open(&dump, 16);
	fixture_out_put(&dump.out, 16, 4);
	fixture_out_put(&dump.out, 48, 4);
	fixture_out_put(&dump.out, 1, 8);
	for (uint64_t i = 0; i < 6; i++)
		fixture_out_put(&dump.out, i < 3 ? 0x7000 : 0x2000001000 * (i == 4), 8);
	fixture_minidump_close(&dump);
}

static void put_loader(unsigned word)
{
	size_t name = fixture_minidump_text(&dump, "/lib/libx.so"), map = dump.out.size;

	fixture_out_put(&dump.out, 0x400000, word);
	fixture_out_put(&dump.out, name, word);
	fixture_out_put(&dump.out, 0x402000, word);
	put_list(0x4767000a, 1, 4);
	fixture_out_put(&dump.out, map, 4);
	fixture_out_put(&dump.out, 1, word);
	for (int i = 0; i < 3 + 2; i++)
		fixture_out_put(&dump.out, 0, word);
	fixture_minidump_close(&dump);
}

static void put_threads(enum fixture_minidump_form form, struct fixture_minidump_part stack)
{
	uint64_t value[34];

	for (uint64_t i = 0; i < 34; i++)
		value[i] = 0x7ff0;
	value[33] = 0x400010;
	struct fixture_minidump_part context = fixture_minidump_context(&dump, form, value);
	put_list(3, 1, 4);
	fixture_minidump_thread(&dump, 42, 0x7ff0, stack, context);
	fixture_minidump_close(&dump);
	size_t name = fixture_minidump_text(&dump, "worker");
	put_list(24, 1, 4);
	fixture_out_put(&dump.out, 42, 4);
	fixture_out_put(&dump.out, name, 8);
	fixture_minidump_close(&dump);
	fixture_minidump_exception(&dump, 42, 11, 0xdead, context);
}

static void make_dump(size_t form, bool big)
{
	fixture_minidump_begin(&dump, big);
	struct fixture_minidump_part stack =
		fixture_minidump_bytes(&dump, "\x20\0\x40\0\0\0\0\0\x30\0\x40\0\0\0\0\0", 16);
	put_threads((enum fixture_minidump_form)form, stack);
	put_modules();
	put_memory(stack);
	put_loader(forms[form].word);
	fixture_minidump_system(&dump, forms[form].processor, forms[form].platform);
	put_list(15, 24, 4);
	fixture_out_put(&dump.out, 3, 4);
	fixture_out_put(&dump.out, 1234, 4);
	fixture_out_put(&dump.out, 1600000000, 4);
	fixture_minidump_close(&dump);
	put_stream(0x47670006, "prog\0-x", 8);
	put_stream(0x47670009, "00400000-00403000 r-xp 00000000 08:01 9 /lib/libx.so\n", 53);
	put_stream(0x47670004, "Name:\tprog\nPid:\t1234\n", 21);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < FIXTURE_MINIDUMP_FORMS; i++)
		if (strcmp(argv[1], forms[i].name) == 0) {
			make_dump(i, argc > 2);
			struct cairn_bytes bytes = fixture_minidump_finish(&dump);
			return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size
			               ? EXIT_SUCCESS
			               : EXIT_FAILURE;
		}
	fprintf(stderr, "usage: make_minidump FORM [big]\n");
	return EXIT_FAILURE;
}
