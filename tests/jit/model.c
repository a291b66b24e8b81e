/* SPDX-License-Identifier: MIT */
/*
 * A debugger in the program itself: it copies objects when it is told to, as GDB does, and reads the list, as one does that attaches.
 * After each of many changes by chance it must know each function by exactly one symbol and one FDE, nothing of functions
 * whose addresses are somebody else's now, and sections of no two objects may overlap.
 *
 *	model SEED ROUNDS
 *
 * With CAIRN_JIT=events it goes by the events, otherwise by the list.
 */
#include <cairn_jit.h>

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next, *previous;
	const uint8_t *object;
	uint64_t size;
};

struct descriptor {
	uint32_t version, action;
	struct entry *relevant, *first;
};
extern struct descriptor __jit_debug_descriptor;

enum { PLACES = 256, PLACE_BYTES = 64, COPIES_MAX = 4096 };

/* A copy of an object, as the debugger made it. */
static struct copy {
	const struct entry *entry;
	uint8_t *bytes;
} copies[COPIES_MAX];
static size_t copy_count;
static unsigned long events;
static bool by_events;

static uint8_t memory[PLACES * PLACE_BYTES];
static struct place {
	cairn_jit_code *code;
	uint64_t start, size;
	char name[32];
	unsigned symbols, frames;
} places[PLACES];

static void end(const char *what, uint64_t value)
{
	printf("%s: %" PRIx64 "\n", what, value);
	exit(1);
}

static void copy_object(const struct entry *entry)
{
	for (size_t i = 0; i < copy_count; i++)
		if (copies[i].entry == entry)
			end("registered twice", (uintptr_t)entry);
	if (copy_count == COPIES_MAX)
		end("too many objects", copy_count);
	copies[copy_count].entry = entry;
	copies[copy_count].bytes = malloc(entry->size);
	memcpy(copies[copy_count++].bytes, entry->object, entry->size);
}

static void drop_copy(const struct entry *entry)
{
	for (size_t i = 0; i < copy_count; i++)
		if (copies[i].entry == entry) {
			free(copies[i].bytes);
			copies[i] = copies[--copy_count];
			return;
		}
	end("unregistered, but unknown", (uintptr_t)entry);
}

/* What an event calls. */
void __jit_debug_register_code(void);
__attribute__((noinline)) void __jit_debug_register_code(void)
{
	events++;
	if (__jit_debug_descriptor.action == 1)
		copy_object(__jit_debug_descriptor.relevant);
	if (__jit_debug_descriptor.action == 2)
		drop_copy(__jit_debug_descriptor.relevant);
}

static const Elf64_Shdr *find_section(const uint8_t *bytes, uint32_t number)
{
	const Elf64_Ehdr *header = (const void *)bytes;

	return number < header->e_shnum
	               ? (const Elf64_Shdr *)(const void *)(bytes + header->e_shoff) + number
	               : NULL;
}

/* The function that has just these addresses; NULL: none. */
static struct place *find_place(uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < PLACES; i++)
		if (places[i].code && places[i].start == start && places[i].size == size)
			return &places[i];
	return NULL;
}

/* Does it belong to code that is gone?  Then nothing may be there now. */
static void check_stale(const char *what, uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < PLACES; i++)
		if (places[i].code && places[i].start < start + size &&
		    start < places[i].start + places[i].size)
			end(what, start);
}

static void read_symbols(const uint8_t *bytes, const Elf64_Shdr *section)
{
	const char *names = (const char *)bytes + find_section(bytes, section->sh_link)->sh_offset;

	for (uint64_t at = 0; at < section->sh_size; at += sizeof(Elf64_Sym)) {
		const Elf64_Sym *symbol = (const void *)(bytes + section->sh_offset + at);
		struct place *place = find_place(symbol->st_value, symbol->st_size);

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
			continue;
		if (place && strcmp(place->name, names + symbol->st_name) == 0)
			place->symbols++;
		else
			check_stale("an old symbol", symbol->st_value, symbol->st_size);
	}
}

static uint64_t read_number(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

static void read_frames(const uint8_t *bytes, const Elf64_Shdr *section)
{
	const uint8_t *at = bytes + section->sh_offset, *stop = at + section->sh_size;
	uint64_t length;

	for (; at + 4 <= stop && (length = read_number(at, 4)) != 0; at += length + 4) {
		const uint64_t start = read_number(at + 8, 8), size = read_number(at + 16, 8);
		struct place *place = find_place(start, size);

		if (read_number(at + 4, 4) == UINT32_MAX || size == 0)
			continue;
		if (place)
			place->frames++;
		else
			check_stale("an old frame", start, size);
	}
}

static struct {
	uint64_t start, end;
} sections[COPIES_MAX];
static size_t section_count;

static void read_code(const Elf64_Shdr *section)
{
	const uint64_t start = section->sh_addr, stop = start + section->sh_size;

	if (section->sh_size == 0)
		return;
	for (size_t i = 0; i < section_count; i++)
		if (sections[i].start < stop && start < sections[i].end)
			end("sections overlap", start);
	if (section_count == COPIES_MAX)
		end("too many sections", section_count);
	sections[section_count].start = start;
	sections[section_count++].end = stop;
}

static void read_object(const uint8_t *bytes)
{
	const Elf64_Shdr *section;
	const char *names = (const char *)bytes + find_section(bytes, 1)->sh_offset;

	for (uint32_t i = 1; (section = find_section(bytes, i)) != NULL; i++) {
		if (section->sh_type == SHT_SYMTAB)
			read_symbols(bytes, section);
		if (strcmp(names + section->sh_name, ".debug_frame") == 0)
			read_frames(bytes, section);
		if (section->sh_type == SHT_NOBITS)
			read_code(section);
	}
}

static void read_all(void)
{
	section_count = 0;
	for (size_t i = 0; i < PLACES; i++)
		places[i].symbols = places[i].frames = 0;
	if (by_events)
		for (size_t i = 0; i < copy_count; i++)
			read_object(copies[i].bytes);
	else
		for (const struct entry *entry = __jit_debug_descriptor.first; entry;
		     entry = entry->next)
			read_object(entry->object);
}

/* Functions of an unfinished batch are not known yet. */
static void check_all(bool in_batch)
{
	read_all();
	for (size_t i = 0; i < PLACES; i++)
		if (places[i].code && (places[i].symbols != 1 || places[i].frames != 1) &&
		    !(in_batch && places[i].symbols == 0 && places[i].frames == 0))
			end(places[i].symbols ? "known twice, or without a frame" : "not known",
			    places[i].start);
}

/* A function anywhere; one that it overlaps is forgotten by the library, and here. */
static void add_function(unsigned long number)
{
	const uint64_t from = (uint64_t)rand() % (sizeof(memory) - 2 * PLACE_BYTES);
	const uint64_t size = 1 + (uint64_t)rand() % (2 * PLACE_BYTES - 1);
	const uint64_t at = rand() % 2 ? from : from / PLACE_BYTES * PLACE_BYTES;
	const struct cairn_jit_line line = { 0, 7 };
	struct place *free_place = NULL;
	cairn_jit_code *late[PLACES];
	size_t late_count = 0;

	for (size_t i = 0; i < PLACES; i++) {
		struct place *place = &places[i];

		if (place->code && place->start < (uintptr_t)memory + at + size &&
		    (uintptr_t)memory + at < place->start + place->size) {
			if (rand() % 2)
				cairn_jit_remove(place->code);
			else
				late[late_count++] = place->code;
			place->code = NULL;
		}
		if (!place->code)
			free_place = place;
	}
	if (!free_place)
		return;
	/* Handles of functions that the library has forgotten by itself are still to be given back. */
	snprintf(free_place->name, sizeof(free_place->name), "f%lu", number);
	const struct cairn_jit_function function = { .code = memory + at,
		                                     .size = size,
		                                     .name = free_place->name,
		                                     .file = number % 3 ? "a.js" : "b.js",
		                                     .lines = &line,
		                                     .line_count = 1,
		                                     .frame = { .kind = CAIRN_JIT_NO_FRAME } };
	free_place->start = (uintptr_t)function.code;
	free_place->size = size;
	free_place->code = cairn_jit_add(&function);
	if (!free_place->code)
		end("not added", free_place->start);
	while (late_count > 0)
		cairn_jit_remove(late[--late_count]);
}

static void remove_function(void)
{
	struct place *place = &places[rand() % PLACES];

	cairn_jit_remove(place->code);
	place->code = NULL;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
	const char *said = getenv("CAIRN_JIT");
	int depth = 0;

	srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	by_events = said && strstr(said, "events");
	for (unsigned long i = 0; i < rounds; i++) {
		const int what = rand() % 32;

		if (what < 18)
			add_function(i);
		else if (what < 29)
			remove_function();
		else if (what == 29 && depth < 3)
			depth++, cairn_jit_begin();
		else if (what == 30 && depth > 0)
			depth--, cairn_jit_end();
		else if (what == 31 && rand() % 4 == 0)
			cairn_jit_publish();
		if (i % 16 == 0)
			check_all(depth > 0);
	}
	while (depth-- > 0)
		cairn_jit_end();
	check_all(false);
	if (by_events ? events == 0 : events != 0)
		end("events", events);
	for (size_t i = 0; i < PLACES; i++)
		cairn_jit_remove(places[i].code);
	printf("good\n");
	return 0;
}
