/* SPDX-License-Identifier: MIT */
/*
 * Makes Breakpad files whose names, addresses or numbers of files would meet in one place of
 * a hash table, if its hash were one that anybody can compute:
 *
 *	collisions KIND COUNT >FILE
 *
 * Each file is sound.  The kinds are names, starts and files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t mixer = 0x9e3779b97f4a7c15;

static uint64_t next_random(void)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* The number that times mixer is `product`, modulo 2^64. */
static uint64_t divide_by_mixer(uint64_t product)
{
	uint64_t inverse = mixer; /* right for 3 bits, and each step doubles that */

	for (int i = 0; i < 5; i++)
		inverse *= 2 - mixer * inverse;
	return product * inverse;
}

static int is_printed(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == 0 || text[i] == '\n' || text[i] == '\r' || text[i] == ' ')
			return 0;
	return 1;
}

/* 16 bytes: the second word undoes what the first one did to the hash. */
static void put_name(void)
{
	const uint64_t last = 0x4141414141414141;
	char text[16];

	do {
		for (int i = 0; i < 8; i++)
			text[i] = (char)('a' + next_random() % 26);
		uint64_t word;
		memcpy(&word, text, sizeof(word));
		uint64_t hash = (sizeof(text) * mixer ^ word) * mixer;
		word = (hash ^ hash >> 32) ^ last;
		memcpy(text + 8, &word, sizeof(word));
	} while (!is_printed(text, sizeof(text)));
	fwrite(text, 1, sizeof(text), stdout);
}

/* An address whose bits above the 16 below, times mixer, have no bits from 32 to 51. */
static uint64_t make_start(void)
{
	uint64_t product = next_random() & ~UINT64_C(0x000fffff00000000);
	uint64_t mixed = divide_by_mixer(product), start = mixed;

	for (int i = 0; i < 4; i++)
		start = mixed ^ start >> 16;
	return start;
}

static void put_functions(unsigned long count, int names, int starts)
{
	for (unsigned long i = 0; i < count; i++) {
		uint64_t start = starts ? make_start() : 0x1000 + 16 * i;
		if (start > UINT64_MAX - 16)
			continue;
		printf("FUNC %" PRIx64 " 10 0 ", start);
		if (names)
			put_name();
		else
			printf("f%lu", i);
		putchar('\n');
	}
}

/* Numbers of files, each one more than a number that times mixer is below 2^60. */
static void put_files(unsigned long count)
{
	uint32_t number = 0;

	printf("FUNC 1000 10 0 f\n");
	for (unsigned long i = 0; i < count; number++)
		if ((number + 1) * mixer >> 60 == 0) {
			printf("FILE %" PRIu32 " %lu.c\n", number, i);
			i++;
		}
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";
	unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	puts("MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 collisions");
	if (strcmp(kind, "names") == 0)
		put_functions(count, 1, 0);
	else if (strcmp(kind, "starts") == 0)
		put_functions(count, 0, 1);
	else if (strcmp(kind, "files") == 0)
		put_files(count);
	else
		return 2;
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
