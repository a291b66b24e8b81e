/* SPDX-License-Identifier: MIT */
/*
 * Writes an ELF core of a 32-bit program of any machine, from values that are given: cores of machines
 * that nothing here can run.
 *
 *	make_core OUT MACHINE little|big BYTES-OF-A-REGISTER REGISTERS BYTES-OF-PRPSINFO
 *	          [NUMBER=VALUE | auxv:TYPE=VALUE | note:OWNER | ADDRESS:SIZE | ADDRESS:SIZE@FILE | *ADDRESS=VALUE]...
 *
 * NUMBER is a register's place in the structure of the kernel. ADDRESS:SIZE is memory that was not written
 * to the core, with @FILE it was, and is like the start of that file; *ADDRESS=VALUE is a word of a stack
 * of 4096 bytes, which begins at the page of the first of them. note:OWNER is an empty note of type 0.
 * Numbers are as in C.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CAPACITY = 1 << 16,
	MAPS = 8,
	AUXV = 16,
	STACK_SIZE = 4096,
	HEADER = 52,
	PROGRAM_HEADER = 32,
	REGISTERS_AT = 72
};
enum { PT_LOAD = 1, PT_NOTE = 4 };

struct map {
	uint32_t address, size;
	const char *file;
};

static uint8_t out[CAPACITY], stack[STACK_SIZE], registers[512];
static size_t at;
static int big;
static struct map maps[MAPS];
static uint32_t auxv[AUXV][2], stack_at;
static size_t map_count, auxv_count;
static const char *owner;

static void poke(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
}

static void put(uint64_t value, size_t size)
{
	poke(out + at, value, size);
	at += size;
}

static void put_note(uint32_t type, const uint8_t *body, size_t size)
{
	put(5, 4);
	put(size, 4);
	put(type, 4);
	memcpy(out + at, "CORE\0\0\0", 8);
	memcpy(out + at + 8, body, size);
	at += 8 + (size + 3) / 4 * 4;
}

static void put_segment(uint32_t type, size_t offset, uint32_t address, uint32_t present,
                        uint32_t size, uint32_t access)
{
	const uint32_t fields[] = { type, (uint32_t)offset, address, 0, present, size, access, 1 };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		put(fields[i], 4);
}

static void put_header(uint16_t machine)
{
	memcpy(out, "\177ELF\1\1\1", 7);
	out[5] = big ? 2 : 1;
	at = 16;
	put(4, 2);
	put(machine, 2);
	put(1, 4);
	put(0, 4);
	put(HEADER, 4);
	put(0, 8);
	put(HEADER, 2);
	put(PROGRAM_HEADER, 2);
	put(map_count + 2, 2);
	at = HEADER;
}

static void put_notes(size_t registers_size, size_t process_size)
{
	static uint8_t thread[REGISTERS_AT + sizeof(registers) + 4], process[256], vector[AUXV * 8];

	poke(thread + 12, 11, 2);
	poke(thread + 24, 4321, 4);
	memcpy(thread + REGISTERS_AT, registers, registers_size);
	put_note(1, thread, REGISTERS_AT + registers_size + 4);
	poke(process + process_size - 112, 4321, 4);
	memcpy(process + process_size - 96, "narrow", 6);
	memcpy(process + process_size - 80, "./narrow", 8);
	put_note(3, process, process_size);
	for (size_t i = 0; i < auxv_count; i++) {
		poke(vector + 8 * i, auxv[i][0], 4);
		poke(vector + 8 * i + 4, auxv[i][1], 4);
	}
	if (auxv_count > 0)
		put_note(6, vector, 8 * (auxv_count + 1));
	if (owner) {
		put(strlen(owner) + 1, 4);
		put(0, 8);
		memcpy(out + at, owner, strlen(owner) + 1);
		at += (strlen(owner) + 4) / 4 * 4;
	}
}

static void put_file(const struct map *map)
{
	FILE *in = fopen(map->file, "rb");

	if (!in || at + map->size > CAPACITY)
		exit(2);
	if (fread(out + at, 1, map->size, in) == 0)
		exit(2);
	at += map->size;
	fclose(in);
}

static void take_argument(char *text, size_t register_size)
{
	char *rest;

	if (strncmp(text, "note:", 5) == 0) {
		owner = text + 5;
		return;
	}
	if (strncmp(text, "auxv:", 5) == 0) {
		auxv[auxv_count][0] = (uint32_t)strtoul(text + 5, &rest, 0);
		auxv[auxv_count++][1] = (uint32_t)strtoul(rest + 1, NULL, 0);
		return;
	}
	const int word = *text == '*';
	const uint32_t number = (uint32_t)strtoul(text + word, &rest, 0);
	const uint64_t value = strtoull(rest + 1, &rest, 0);
	if (word) {
		stack_at = stack_at ? stack_at : number / STACK_SIZE * STACK_SIZE;
		poke(stack + (number - stack_at) % STACK_SIZE, value, register_size);
	} else if (strchr(text, '=')) {
		poke(registers + number * register_size, value, register_size);
	} else {
		maps[map_count++] =
			(struct map){ number, (uint32_t)value, *rest == '@' ? rest + 1 : NULL };
	}
}

int main(int argc, char **argv)
{
	if (argc < 7)
		return 2;
	big = argv[3][0] == 'b';
	const size_t size = strtoul(argv[4], NULL, 0), count = strtoul(argv[5], NULL, 0);
	for (int i = 7; i < argc; i++)
		take_argument(argv[i], size);
	put_header((uint16_t)strtoul(argv[2], NULL, 0));
	size_t headers = at;
	at += PROGRAM_HEADER * (map_count + 2);
	size_t notes = at;
	put_notes(size * count, strtoul(argv[6], NULL, 0));
	size_t end = at;
	at = headers;
	put_segment(PT_NOTE, notes, 0, (uint32_t)(end - notes), 0, 4);
	size_t offset = end;
	for (size_t i = 0; i < map_count; i++) {
		const uint32_t present = maps[i].file ? maps[i].size : 0;
		put_segment(PT_LOAD, offset, maps[i].address, present, maps[i].size, 5);
		offset += present;
	}
	put_segment(PT_LOAD, offset, stack_at, STACK_SIZE, STACK_SIZE, 6);
	at = end;
	for (size_t i = 0; i < map_count; i++)
		if (maps[i].file)
			put_file(&maps[i]);
	memcpy(out + at, stack, STACK_SIZE);
	FILE *file = fopen(argv[1], "wb");
	return !file || fwrite(out, 1, at + STACK_SIZE, file) != at + STACK_SIZE ||
	       fclose(file) != 0;
}
