/* SPDX-License-Identifier: MIT */
/*
 * Copies a shared library of this machine's kind with a table of symbols that is nowhere, so that the dynamic
 * loader crashes when it looks one up:
 *
 *	break_library LIBRARY BROKEN
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__LP64__)
typedef Elf64_Ehdr header;
typedef Elf64_Phdr segment;
typedef Elf64_Dyn entry;
#else
typedef Elf32_Ehdr header;
typedef Elf32_Phdr segment;
typedef Elf32_Dyn entry;
#endif

enum { CAPACITY = 64 << 20 };

/* The entry is a word of the file; nothing else of it is looked at. */
static int move_symbols(unsigned char *file, size_t at, size_t size)
{
	entry e;

	for (size_t end = at + size; at + sizeof(e) <= end; at += sizeof(e)) {
		memcpy(&e, file + at, sizeof(e));
		if (e.d_tag != DT_SYMTAB)
			continue;
		e.d_un.d_ptr = 0x70000000;
		memcpy(file + at, &e, sizeof(e));
		return 1;
	}
	return 0;
}

static int break_file(unsigned char *file, size_t size)
{
	header h;
	segment s;

	memcpy(&h, file, sizeof(h));
	for (size_t i = 0; i < h.e_phnum; i++) {
		size_t at = (size_t)h.e_phoff + i * sizeof(s);
		if (at + sizeof(s) > size)
			return 0;
		memcpy(&s, file + at, sizeof(s));
		if (s.p_type == PT_DYNAMIC && s.p_offset + s.p_filesz <= size)
			return move_symbols(file, (size_t)s.p_offset, (size_t)s.p_filesz);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned char *file = malloc(CAPACITY);
	FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
	FILE *out = in ? fopen(argv[2], "wb") : NULL;

	if (!file || !out)
		return 2;
	size_t size = fread(file, 1, CAPACITY, in);
	if (size < sizeof(header) || !break_file(file, size))
		return 1;
	return fwrite(file, 1, size, out) == size && fclose(out) == 0 ? 0 : 2;
}
