/* SPDX-License-Identifier: MIT */
/*
 * Stacks without a target: snapshots FOLDER.
 *
 * FOLDER/snapshots.txt holds registers and stack words of the programs in FOLDER, and the frames
 * that must come out, in the form that the folder's README gives.  Each frame, and how the walk
 * ends, counts as one case.
 */
#include "../lib/steps.h"

#include <cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_WORDS = 1 << 16,
	MAX_FRAMES = 1 << 10,
	MAX_LOADS = 16,
	MAX_FILE = 1 << 26,
};

struct word {
	uint64_t address, value;
};

struct load {
	uint64_t va, offset, size;
};

struct snapshot {
	char name[4096]; /* the S line, for messages */
	uint8_t *file;
	size_t file_size;
	struct load loads[MAX_LOADS];
	unsigned load_count;
	bool big;
	uint64_t bias, low, high; /* and the stack */
	struct word words[MAX_WORDS];
	size_t word_count;
	struct cairn_registers registers;
	char expected[MAX_FRAMES][128];
	size_t expected_count;
};

static unsigned passed;

static uint64_t field(const uint8_t *p, unsigned size, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | p[big ? i : size - 1 - i];
	return value;
}

/* The loadable segments of the file: enough to serve its bytes where a loader would put them. */
static void read_loads(struct snapshot *s)
{
	const uint8_t *f = s->file;

	s->load_count = 0;
	s->big = f[5] == 2;
	uint64_t at = field(f + 32, 8, s->big);
	uint64_t count = field(f + 56, 2, s->big);
	for (uint64_t i = 0; i < count && s->load_count < MAX_LOADS; i++) {
		const uint8_t *p = f + at + 56 * i;
		if (field(p, 4, s->big) == 1)
			s->loads[s->load_count++] =
				(struct load){ field(p + 16, 8, s->big), field(p + 8, 8, s->big),
				               field(p + 32, 8, s->big) };
	}
}

static bool load_file(struct snapshot *s, const char *directory, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *in = fopen(path, "rb");
	if (!in)
		return false;
	s->file_size = fread(s->file, 1, MAX_FILE, in);
	fclose(in);
	if (s->file_size < 64)
		return false;
	read_loads(s);
	return true;
}

static bool file_byte(const struct snapshot *s, uint64_t address, uint8_t *byte)
{
	for (unsigned i = 0; i < s->load_count; i++) {
		uint64_t start = s->loads[i].va & ~(uint64_t)4095; /* whole pages are mapped */
		uint64_t into = address - s->bias - start;
		uint64_t offset = s->loads[i].offset - (s->loads[i].va - start) + into;
		if (into < s->loads[i].size + (s->loads[i].va - start) + 4096 &&
		    into / 4096 <= (s->loads[i].va - start + s->loads[i].size - 1) / 4096) {
			*byte = offset < s->file_size ? s->file[offset] : 0;
			return true;
		}
	}
	return false;
}

static bool one_byte(const struct snapshot *s, uint64_t address, uint8_t *byte)
{
	for (size_t i = 0; i < s->word_count; i++)
		if (address - s->words[i].address < 8) {
			unsigned n = (unsigned)(address - s->words[i].address);
			*byte = (uint8_t)(s->words[i].value >> 8 * (s->big ? 7 - n : n));
			return true;
		}
	if (address - s->low < s->high - s->low) {
		*byte = 0;
		return true;
	}
	return file_byte(s, address, byte);
}

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct snapshot *s = context;
	uint8_t *bytes = buffer;

	for (size_t i = 0; i < size; i++)
		if (!one_byte(s, address + i, &bytes[i]))
			return CAIRN_UNREADABLE;
	return CAIRN_OK;
}

static void check(const struct snapshot *s, size_t number, const char *got)
{
	const char *expected = number < s->expected_count ? s->expected[number] : "nothing more";

	if (strcmp(expected, got) == 0) {
		passed++;
		return;
	}
	printf("sframe: snapshots.txt: %s: frame %zu: expected %s, got %s\n", s->name, number,
	       expected, got);
}

static void set_sp_fp_lr(struct snapshot *s, const uint64_t values[3], const bool have[3])
{
	static const uint8_t numbers[][3] = {
		[CAIRN_MACHINE_AMD64] = { 7, 6, 16 },
		[CAIRN_MACHINE_AARCH64] = { 31, 29, 30 },
		[CAIRN_MACHINE_S390X] = { 15, 11, 14 },
	};

	for (unsigned i = 0; i < 3; i++) {
		uint8_t n = numbers[s->registers.machine][i];
		if (!have[i])
			continue;
		s->registers.value[n] = values[i];
		s->registers.known |= (uint64_t)1 << n;
	}
}

/* A frame as the file writes it; a signal frame and the last one have no CFA. */
static void show(char *text, size_t size, uint64_t pc, const struct cairn_step *step, bool cfa)
{
	if (step->signal || !cfa)
		snprintf(text, size, "0x%" PRIx64 " -%s", pc, step->signal ? " signal" : "");
	else
		snprintf(text, size, "0x%" PRIx64 " 0x%" PRIx64, pc, step->cfa);
}

static void walk(struct snapshot *s)
{
	struct cairn_target target = { read_memory, s };
	struct cairn_space *space = cairn_space_new(&target);
	enum cairn_frame_kind kind = CAIRN_FRAME_PC;
	struct cairn_registers frame = s->registers;
	struct cairn_step step;
	char text[128];
	size_t number = 0;
	bool more = true;

	for (; more && number < MAX_FRAMES; number++) {
		more = step_by_sframe(space, &frame, kind, &step);
		bool has_cfa = more || step.stop == CAIRN_STOP_RA_IMPLAUSIBLE ||
		               step.stop == CAIRN_STOP_LINK_UNKNOWN;
		show(text, sizeof(text), frame.pc, &step, has_cfa);
		check(s, number, text);
		if (more) {
			kind = step.caller_kind;
			frame = step.caller;
		}
	}
	if (step.stop == CAIRN_STOP_RA_IMPLAUSIBLE)
		snprintf(text, sizeof(text), "E bad-pc 0x%" PRIx64, step.caller.pc);
	else
		snprintf(text, sizeof(text), "E %s", cairn_stop_name(step.stop));
	check(s, number, text);
	cairn_space_free(space);
}

/* "S FILE ARGUMENT name=value ..." */
static bool start(struct snapshot *s, const char *directory, char *line)
{
	uint64_t values[3] = { 0 };
	bool have[3] = { false };
	char *rest;
	const char *name = strtok_r(line + 2, " ", &rest);

	s->word_count = s->expected_count = 0;
	s->registers = (struct cairn_registers){ .known = 0 };
	const char *argument = strtok_r(NULL, " ", &rest);
	if (!name || !argument)
		return false;
	snprintf(s->name, sizeof(s->name), "%s %s", name, argument);
	if (!load_file(s, directory, name))
		return false;
	for (char *word; (word = strtok_r(NULL, " \n", &rest));) {
		char *value = strchr(word, '=');
		uint64_t number = value ? strtoull(value + 1, &value, 0) : 0;
		static const char *const names[] = { "sp=", "fp=", "lr=" };
		for (unsigned i = 0; i < 3; i++)
			if (strncmp(word, names[i], 3) == 0) {
				values[i] = number;
				have[i] = true;
			}
		if (strncmp(word, "bias=", 5) == 0)
			s->bias = number;
		if (strncmp(word, "pc=", 3) == 0)
			s->registers.pc = number;
		if (strncmp(word, "stack=", 6) == 0) {
			s->low = number;
			s->high = strtoull(value + 2, NULL, 0);
		}
	}
	uint64_t machine = field(s->file + 18, 2, s->big);
	s->registers.machine = machine == 62    ? CAIRN_MACHINE_AMD64
	                       : machine == 183 ? CAIRN_MACHINE_AARCH64
	                                        : CAIRN_MACHINE_S390X;
	s->registers.big_endian = s->big;
	set_sp_fp_lr(s, values, have);
	return true;
}

/* "G rN=value ..." */
static void registers(struct snapshot *s, char *line)
{
	char *rest;

	for (char *word = strtok_r(line + 2, " \n", &rest); word;
	     word = strtok_r(NULL, " \n", &rest)) {
		char *end;
		unsigned long number = strtoul(word + 1, &end, 10);
		if (*word != 'r' || *end != '=' || number >= CAIRN_REGISTERS)
			continue;
		s->registers.value[number] = strtoull(end + 1, NULL, 0);
		s->registers.known |= (uint64_t)1 << number;
	}
}

/* What a line expects: "X PC CFA symbol" without the symbol, but for `signal`. */
static void expect(struct snapshot *s, char *line)
{
	char *text = s->expected[s->expected_count++];
	char pc[32] = "", cfa[32] = "", symbol[512] = "";

	if (line[0] == 'E') {
		line[strcspn(line, "\n")] = '\0';
		snprintf(text, sizeof(s->expected[0]), "%.120s", line);
		if (strncmp(line, "E bad-pc", 8) != 0)
			text[strcspn(text + 2, " ") + 2] = '\0';
		return;
	}
	sscanf(line, "X %31s %31s %511s", pc, cfa, symbol);
	snprintf(text, sizeof(s->expected[0]), "%s %s%s", pc, cfa,
	         strcmp(symbol, "signal") == 0 ? " signal" : "");
}

int main(int argc, char **argv)
{
	static struct snapshot s;
	char line[4096];
	bool good = false;
	char path[4096];

	snprintf(path, sizeof(path), "%s/snapshots.txt", argc == 2 ? argv[1] : ".");
	FILE *in = fopen(path, "r");
	s.file = calloc(1, MAX_FILE);
	if (!in || !s.file) {
		fprintf(stderr, "usage: snapshots FOLDER\n");
		return 2;
	}
	while (fgets(line, sizeof(line), in)) {
		unsigned long long address, value;
		if (line[0] == 'S') {
			good = start(&s, argv[1], line);
			if (!good) {
				printf("sframe: snapshots.txt: cannot use %s", line);
			}
		} else if (line[0] == 'G') {
			registers(&s, line);
		} else if (sscanf(line, "M %llx %llx", &address, &value) == 2 &&
		           s.word_count < MAX_WORDS) {
			s.words[s.word_count++] = (struct word){ address, value };
		} else if ((line[0] == 'X' || line[0] == 'E') && s.expected_count < MAX_FRAMES) {
			expect(&s, line);
		}
		if (line[0] == 'E' && good)
			walk(&s);
	}
	fclose(in);
	free(s.file);
	printf("PASS %u\n", passed);
	return 0;
}
