/* SPDX-License-Identifier: MIT */
/*
 * Writes a 64-bit core file of this machine's byte order as the kernel writes one into a pipe: headers,
 * notes, then the segments in their order, at pages.
 *
 *	kernel_core CORE >OUTPUT
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static unsigned char *bytes;
static size_t size, written;

static void fail(const char *why)
{
	fprintf(stderr, "kernel_core: %s\n", why);
	exit(EXIT_FAILURE);
}

static void read_whole(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail("cannot open the core");
	size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(size);
	if (!bytes || fread(bytes, 1, size, file) != size)
		fail("cannot read the core");
	fclose(file);
}

static void write_bytes(const void *from, size_t count)
{
	if (fwrite(from, 1, count, stdout) != count)
		fail("cannot write");
	written += count;
}

static void write_padding(size_t to)
{
	static const unsigned char zeros[PAGE];

	while (written < to)
		write_bytes(zeros, to - written < PAGE ? to - written : PAGE);
}

static void write_parts(const Elf64_Phdr *from, const Elf64_Phdr *to, unsigned count, unsigned type)
{
	for (unsigned i = 0; i < count; i++) {
		if (from[i].p_type != type)
			continue;
		if (from[i].p_offset > size || from[i].p_filesz > size - from[i].p_offset)
			fail("the core is cut");
		write_padding(to[i].p_offset);
		write_bytes(bytes + from[i].p_offset, from[i].p_filesz);
	}
}

int main(int argc, char **argv)
{
	Elf64_Ehdr header;
	size_t at;

	if (argc != 2)
		fail("usage: kernel_core CORE");
	read_whole(argv[1]);
	if (size < sizeof(header))
		fail("not a core");
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_CORE ||
	    header.e_phnum * sizeof(Elf64_Phdr) > size - header.e_phoff)
		fail("not a core");
	Elf64_Phdr *from = calloc(header.e_phnum, sizeof(*from));
	Elf64_Phdr *to = calloc(header.e_phnum, sizeof(*to));
	if (!from || !to)
		fail("no memory");
	memcpy(from, bytes + header.e_phoff, header.e_phnum * sizeof(*from));
	memcpy(to, from, header.e_phnum * sizeof(*to));
	at = sizeof(header) + header.e_phnum * sizeof(*to);
	for (unsigned i = 0; i < header.e_phnum; i++)
		if (from[i].p_type == PT_NOTE) {
			to[i].p_offset = at;
			at += from[i].p_filesz;
		}
	for (unsigned i = 0; i < header.e_phnum; i++)
		if (from[i].p_type == PT_LOAD) {
			at = (at + PAGE - 1) / PAGE * PAGE;
			to[i].p_offset = at;
			at += from[i].p_filesz;
		}
	header.e_phoff = sizeof(header);
	header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
	write_bytes(&header, sizeof(header));
	write_bytes(to, header.e_phnum * sizeof(*to));
	write_parts(from, to, header.e_phnum, PT_NOTE);
	write_parts(from, to, header.e_phnum, PT_LOAD);
	free(from);
	free(to);
	free(bytes);
	return EXIT_SUCCESS;
}
