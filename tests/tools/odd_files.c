/* SPDX-License-Identifier: MIT */
/*
 * Writes files that make cairn print messages which whole files never do:
 *
 *	odd_files modules|program|core|values|traces|go >FILE
 *
 *	modules  a minidump with more modules than a snapshot keeps
 *	program  a program for amd64 of which the core below was made
 *	core     without the headers of that program, and of a library whose file is not there
 *	values   a core with so many Swift backtraces with so many images that the search stops
 *	traces   a core with more Swift backtraces than are listed in a debugger
 *	go       a Go program whose functions share one table of lines, with a row for each byte of code
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	CODE_AT = 0x400000,
	DATA_AT = 0x401000,
	MODULES = 4200, /* above SNAPSHOT_MODULES_MAX */
	MODULE_BYTES = 108,
	STATUS_BYTES = 336,
	RIP = 112 + 16 * 8, /* in the status */
	VALUES = 300,       /* times IMAGES they are above SWIFT_SCAN_ALL_IMAGES_MAX */
	IMAGES = 16384,
	TRACES = 66000, /* above TRACE_MAX */
	IMAGE_BYTES = 56,
	VALUE_BYTES = 64,
	ARRAY_BYTES = 48,
	GO_FUNCTIONS =
		4000, /* times GO_STEPS they are above what a file of this size may ask for */
	GO_STEPS = 8192,
	GO_HEADER = 72, /* of Go 1.20 */
};

static uint8_t *bytes;
static size_t size;

/* The place of so many bytes more, which are zeros. */
static size_t reserve(size_t more)
{
	const size_t at = size;

	bytes = realloc(bytes, size + more);
	if (!bytes)
		exit(2);
	memset(bytes + at, 0, more);
	size += more;
	return at;
}

static void put(size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_words(size_t at, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(at + 8 * i, words[i], 8);
}

static void write_modules(void)
{
	enum { SYSTEM = 64, NAME = SYSTEM + 56, LIST = NAME + 12 };
	static const uint32_t head[] = { 0x504d444d, 0xa793, 2, 32, 0, 0, 0, 0,
		                         /* the directory */
		                         7, 56, SYSTEM, 4, 4 + MODULES * MODULE_BYTES, LIST };

	reserve(LIST + 4 + MODULES * MODULE_BYTES);
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		put(4 * i, head[i], 4);
	put(SYSTEM, 9, 2); /* amd64 on Linux */
	put(SYSTEM + 20, 0x8201, 4);
	put(NAME, 4, 4);
	put(NAME + 4, 'm', 2);
	put(NAME + 6, 'o', 2);
	put(LIST, MODULES, 4);
	for (size_t i = 0; i < MODULES; i++) {
		const size_t at = LIST + 4 + i * MODULE_BYTES;
		put(at, 0x10000000 + i * 0x10000, 8);
		put(at + 8, i == 0 ? 0 : PAGE, 4);
		put(at + 20, NAME, 4);
	}
}

static void put_header(uint16_t type, uint16_t segments)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		         .e_type = type,
		         .e_machine = EM_X86_64,
		         .e_version = EV_CURRENT,
		         .e_phoff = sizeof(h),
		         .e_ehsize = sizeof(h),
		         .e_phentsize = sizeof(Elf64_Phdr),
		         .e_phnum = segments };

	reserve(PAGE);
	memcpy(bytes, &h, sizeof(h));
}

static void put_segment(size_t number, Elf64_Phdr segment)
{
	memcpy(bytes + sizeof(Elf64_Ehdr) + number * sizeof(segment), &segment, sizeof(segment));
}

static void write_program(void)
{
	put_header(ET_EXEC, 3);
	reserve(PAGE);
	put_segment(0, (Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0, CODE_AT, 0, PAGE, PAGE, PAGE });
	put_segment(1, (Elf64_Phdr){ PT_LOAD, PF_R | PF_W, PAGE, DATA_AT, 0, PAGE, PAGE, PAGE });
	put_segment(2, (Elf64_Phdr){ PT_DYNAMIC, PF_R | PF_W, PAGE, DATA_AT, 0, 32, 32, 8 });
	put(PAGE, DT_DEBUG, 8);
}

static void put_note(size_t at, uint32_t type, uint32_t length)
{
	put(at, 5, 4);
	put(at + 4, length, 4);
	put(at + 8, type, 4);
	memcpy(bytes + at + 12, "CORE", 5);
}

static void write_core(void)
{
	enum {
		AUXV = 20 + STATUS_BYTES,
		NOTES = AUXV + 20 + 80,
		MAP = 0x100,
		FIRST = 0x200,
		SECOND = 0x300,
		NAME = 0x400
	};
	static const uint64_t auxv[] = {
		AT_PHDR, CODE_AT + sizeof(Elf64_Ehdr), AT_PHENT, 56, AT_PHNUM, 3, AT_ENTRY, 0
	};
	static const uint64_t debug[] = { 1, DATA_AT + FIRST };
	static const uint64_t first[] = { 0, DATA_AT + NAME, DATA_AT, DATA_AT + SECOND };
	static const uint64_t second[] = { 0x700000, DATA_AT + NAME + 8, 0x700100, 0 };

	put_header(ET_CORE, 3);
	reserve(2 * PAGE);
	put_segment(0, (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = PAGE, .p_filesz = NOTES });
	put_segment(1, (Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0, CODE_AT, 0, 0, PAGE, PAGE });
	put_segment(2,
	            (Elf64_Phdr){ PT_LOAD, PF_R | PF_W, 2 * PAGE, DATA_AT, 0, PAGE, PAGE, PAGE });
	put_note(PAGE, NT_PRSTATUS, STATUS_BYTES);
	put(PAGE + 20 + RIP, CODE_AT + 0x200, 8);
	put_note(PAGE + AUXV, NT_AUXV, 80);
	put_words(PAGE + AUXV + 20, auxv, 8);
	put(2 * PAGE, DT_DEBUG, 8);
	put(2 * PAGE + 8, DATA_AT + MAP, 8);
	put_words(2 * PAGE + MAP, debug, 2);
	put_words(2 * PAGE + FIRST, first, 4);
	put_words(2 * PAGE + SECOND, second, 4);
	memcpy(bytes + 2 * PAGE + NAME + 8, "/nowhere/libgone.so", 20);
}

/* A value for each array; all have the same images. Offsets are addresses, but for the header's page. */
static void put_values(size_t count, size_t image_count)
{
	const size_t images = PAGE + 64, arrays = images + 32 + image_count * IMAGE_BYTES,
		     values = arrays + count * ARRAY_BYTES, end = values + count * VALUE_BYTES;
	const uint64_t list[] = { PAGE + 32, 3, image_count, 2 * image_count };

	put_header(ET_CORE, 1);
	reserve(end - PAGE);
	put_segment(0, (Elf64_Phdr){ PT_LOAD, PF_R | PF_W, PAGE, PAGE, 0, end - PAGE, end - PAGE,
	                             PAGE });
	put_words(images, list, 4);
	for (size_t i = 0; i < image_count; i++) {
		const uint64_t range[] = { (i + 1) * PAGE, (i + 2) * PAGE };
		put_words(images + 32 + i * IMAGE_BYTES + IMAGE_BYTES - sizeof(range), range, 2);
	}
	for (size_t i = 0; i < count; i++) {
		const size_t array = arrays + i * ARRAY_BYTES;
		const uint64_t header[] = { PAGE, 3, 4, 8 };
		const uint64_t value[] = { 0x34365f363878,
			                   0xe600000000000000,
			                   array,
			                   0,
			                   0xe000000000000000,
			                   images,
			                   2,
			                   0 };
		put_words(array, header, 4);
		put(array + 32, 0x011002, 4);
		put_words(values + i * VALUE_BYTES, value, 8);
	}
}

static void write_values(void)
{
	put_values(VALUES, IMAGES);
}

static void write_traces(void)
{
	put_values(TRACES, 0);
}

/* The table begins at the second page; it has a name, steps, the index of functions, and one function. */
static void write_go(void)
{
	enum {
		TABLE = PAGE,
		LINES = GO_HEADER + 8,
		INDEX = LINES + 2 * GO_STEPS + 8,
		ENTRY = INDEX + (GO_FUNCTIONS + 1) * 8,
		END = ENTRY + 48
	};
	static const uint64_t header[] = {
		0x08010000fffffff1, GO_FUNCTIONS, 0,         CODE_AT, GO_HEADER,
		GO_HEADER,          GO_HEADER,    GO_HEADER, INDEX
	};

	put_header(ET_EXEC, 1);
	reserve(END);
	put_segment(0, (Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0, CODE_AT - PAGE, 0, PAGE + END,
	                             PAGE + END, PAGE });
	put_words(TABLE, header, sizeof(header) / sizeof(*header));
	memcpy(bytes + TABLE + GO_HEADER, "bomb", 4);
	for (size_t i = 0; i < GO_STEPS; i++)
		put(TABLE + LINES + 2 * i, i == 0 ? 0x104 : i % 2 ? 0x102 : 0x101, 2);
	for (size_t i = 0; i <= GO_FUNCTIONS; i++) {
		put(TABLE + INDEX + 8 * i, i * GO_STEPS, 4);
		put(TABLE + INDEX + 8 * i + 4, ENTRY - INDEX, 4);
	}
	put(TABLE + ENTRY + 24, LINES - GO_HEADER, 4);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} kinds[] = { { "modules", write_modules }, { "program", write_program },
		      { "core", write_core },       { "values", write_values },
		      { "traces", write_traces },   { "go", write_go } };

	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		kinds[i].write();
		return fwrite(bytes, 1, size, stdout) == size ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	fprintf(stderr, "usage: odd_files modules|program|core|values|traces|go\n");
	return 2;
}
