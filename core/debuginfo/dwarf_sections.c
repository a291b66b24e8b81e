/* SPDX-License-Identifier: MIT */
/* Locates the DWARF sections of an ELF file, decompresses them and applies their relocations. */
#include "dwarf_sections.h"

#include "unpack.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/invariant.h"
#include "base/machine.h"
#include "base/threads.h"
#include "os/file.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Relocations of debugging sections in relocatable files. Compilers emit only absolute
 * relocations of 4 and 8 bytes there. Where the linker may shorten code (RISC-V, LoongArch),
 * they also emit relocations that add and subtract. The tables below list the types for each
 * machine. Little-endian 64-bit MIPS files, which pack several types into one relocation, are
 * not supported.
 */

enum {
	MACHINE_SPARC = 2,
	MACHINE_M68K = 4,
	MACHINE_MIPS = 8,
	MACHINE_PARISC = 15,
	MACHINE_SPARC32PLUS = 18,
	MACHINE_SH = 42,
	MACHINE_SPARCV9 = 43,
	MACHINE_XTENSA = 94,
	MACHINE_HEXAGON = 164,
	MACHINE_BPF = 247,
	MACHINE_LOONGARCH = 258,
	MACHINE_ALPHA = 0x9026,
};

/*
 * Absolute relocation types of machines for which there is no unwinder; struct arch has the types
 * of the other machines.
 */
static const struct {
	uint16_t machine, word, wide;
} absolute[] = {
	{ MACHINE_SPARC, 3, 0 },        { MACHINE_SPARC, 23, 0 },   { MACHINE_SPARC32PLUS, 3, 0 },
	{ MACHINE_SPARC32PLUS, 23, 0 }, { MACHINE_SPARCV9, 3, 32 }, { MACHINE_SPARCV9, 23, 54 },
	{ MACHINE_LOONGARCH, 1, 2 },    { MACHINE_MIPS, 2, 18 },    { MACHINE_M68K, 1, 0 },
	{ MACHINE_PARISC, 1, 80 },      { MACHINE_SH, 1, 0 },       { MACHINE_XTENSA, 1, 0 },
	{ MACHINE_HEXAGON, 6, 0 },      { MACHINE_BPF, 3, 2 },      { MACHINE_ALPHA, 1, 2 },
};

/* special values of `bits`: a LEB128 number, and the low six bits of a byte */
enum { LEB = 0, SIX = 6 };

enum how { SETS, ADDS, SUBTRACTS };

/* Relocations that come in pairs, which together compute the distance between two addresses. */
static const struct step {
	uint16_t machine, type;
	uint8_t bits;
	enum how how;
} steps[] = {
	{ ELF_EM_RISCV, 33, 8, ADDS },
	{ ELF_EM_RISCV, 34, 16, ADDS },
	{ ELF_EM_RISCV, 35, 32, ADDS },
	{ ELF_EM_RISCV, 36, 64, ADDS },
	{ ELF_EM_RISCV, 37, 8, SUBTRACTS },
	{ ELF_EM_RISCV, 38, 16, SUBTRACTS },
	{ ELF_EM_RISCV, 39, 32, SUBTRACTS },
	{ ELF_EM_RISCV, 40, 64, SUBTRACTS },
	{ ELF_EM_RISCV, 52, SIX, SUBTRACTS },
	{ ELF_EM_RISCV, 53, SIX, SETS },
	{ ELF_EM_RISCV, 54, 8, SETS },
	{ ELF_EM_RISCV, 55, 16, SETS },
	{ ELF_EM_RISCV, 56, 32, SETS },
	{ ELF_EM_RISCV, 60, LEB, SETS },
	{ ELF_EM_RISCV, 61, LEB, SUBTRACTS },
	{ MACHINE_LOONGARCH, 47, 8, ADDS },
	{ MACHINE_LOONGARCH, 48, 16, ADDS },
	{ MACHINE_LOONGARCH, 50, 32, ADDS },
	{ MACHINE_LOONGARCH, 51, 64, ADDS },
	{ MACHINE_LOONGARCH, 52, 8, SUBTRACTS },
	{ MACHINE_LOONGARCH, 53, 16, SUBTRACTS },
	{ MACHINE_LOONGARCH, 55, 32, SUBTRACTS },
	{ MACHINE_LOONGARCH, 56, 64, SUBTRACTS },
	{ MACHINE_LOONGARCH, 105, SIX, ADDS },
	{ MACHINE_LOONGARCH, 106, SIX, SUBTRACTS },
	{ MACHINE_LOONGARCH, 107, LEB, ADDS },
	{ MACHINE_LOONGARCH, 108, LEB, SUBTRACTS },
};

static const struct arch *find_arch(const struct elf *elf)
{
	const struct arch *arch = arch_of(machine_of_elf(elf->machine, true));

	return arch ? arch : arch_of(machine_of_elf(elf->machine, false));
}

static bool find_absolute(uint16_t word, uint16_t wide, uint32_t type, struct step *step)
{
	const bool is_wide = wide && type == wide;

	step->type = (uint16_t)type;
	step->bits = is_wide ? 64 : 32;
	step->how = SETS;
	return is_wide || type == word;
}

static bool find_step(const struct elf *elf, uint32_t type, struct step *step)
{
	const struct arch *arch = find_arch(elf);

	step->machine = elf->machine;
	if (arch && find_absolute(arch->relocates_word, arch->relocates_wide, type, step))
		return true;
	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++)
		if (absolute[i].machine == elf->machine &&
		    find_absolute(absolute[i].word, absolute[i].wide, type, step))
			return true;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].machine == elf->machine && steps[i].type == type) {
			*step = steps[i];
			return true;
		}
	return false;
}

bool dwarf_sections_knows_relocations(const struct elf *elf)
{
	if (elf->machine == MACHINE_MIPS && elf->wide && !elf->big)
		return false;
	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++)
		if (absolute[i].machine == elf->machine)
			return true;
	return find_arch(elf) != NULL;
}

/* Return the size of a field, or 0 if it extends past the end of the section or is too long. */
static size_t measure_field(const struct step *step, const uint8_t *field, size_t left)
{
	enum { LEB_MAX = 10 };
	size_t size = (step->bits + 7u) / 8;

	if (step->bits == LEB)
		for (size = 1; size <= left && size <= LEB_MAX && field[size - 1] & 0x80; size++)
			;
	return size <= left && size <= LEB_MAX ? size : 0;
}

static uint64_t read_field(const struct step *step, const uint8_t *field, size_t size, bool big)
{
	uint64_t value = 0;

	if (step->bits != LEB)
		return bytes_unsigned(field, size, big);
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)(field[i] & 0x7f) << 7 * i;
	return value;
}

/*
 * Write a field. A LEB128 number keeps its size, and a six-bit field keeps the upper two bits of
 * its byte.
 */
static void write_field(const struct step *step, uint8_t *field, uint64_t value, size_t size,
                        bool big)
{
	for (size_t i = 0; i < size; i++) {
		if (step->bits == LEB)
			field[i] = (uint8_t)((field[i] & 0x80) | (value >> 7 * i & 0x7f));
		else if (step->bits == SIX)
			field[i] = (uint8_t)((field[i] & 0xc0) | (value & 0x3f));
		else
			field[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	}
}

static void apply_step(const struct step *step, const struct elf_relocation *relocation,
                       uint8_t *field, size_t size, bool big)
{
	const uint64_t old = read_field(step, field, size, big);
	uint64_t value = relocation->value;

	if (step->how == ADDS || relocation->in_place)
		value += old;
	else if (step->how == SUBTRACTS)
		value = old - value;
	write_field(step, field, value, size, big);
}

void dwarf_sections_relocate(const struct elf *elf, uint32_t target, struct budget *budget,
                             uint8_t *bytes, size_t size)
{
	struct elf_relocation relocation;
	struct step step;
	uint32_t table = 0;
	uint64_t at = 0;

	while (budget_work(budget, 1) &&
	       elf_next_relocation(elf, target, &table, &at, &relocation)) {
		if (!find_step(elf, relocation.type, &step) || relocation.offset >= size)
			continue;
		uint8_t *field = bytes + relocation.offset;
		const size_t width = measure_field(&step, field, size - (size_t)relocation.offset);
		if (width > 0)
			apply_step(&step, &relocation, field, width, elf->big);
	}
}

struct inflate_job {
	struct cairn_bytes section;
	enum inflate_kind kind;
	bool big, mapped; /* `mapped` means that pages may be released after reading */
	uint8_t *out;
	size_t size;
	enum cairn_status status;
	struct cairn_fault fault;
};

/*
 * Decompression on several threads. Pages of compressed sections stay in memory until their section
 * is finished, so decompressing several sections at once would use more memory than decompressing
 * one after another. Therefore an idle thread releases pages periodically; pages that are still
 * needed are loaded again.
 */

enum {
	JOBS_MAX = 16,
	INFLATERS_MAX = 4,
	/* minimum output size, not counting the largest section, for which threads pay off */
	WORTH_THREADS = 1 << 20,
	RELEASE_NANOSECONDS = 8000000,
	SECOND = 1000000000,
};

struct inflating {
	struct inflate_job *job[JOBS_MAX];
	bool done[JOBS_MAX];
	size_t count, next, dones;
	pthread_mutex_t lock;
	pthread_cond_t ended;
};

/*
 * Allocate the claimed size of a section and draw it from the budget. Errors are stored in
 * job->status.
 */
static void inflate_job_prepare(struct inflate_job *job, struct budget *budget)
{
	size_t size = 0;

	job->status = inflate_section_size(job->section, job->kind, job->big, &size, &job->fault);
	if (job->status != CAIRN_OK)
		return;
	job->size = size;
	job->out = budget_inflate(budget, size) ? malloc(size ? size : 1) : NULL;
	if (job->out)
		return;
	job->status = CAIRN_NO_MEMORY;
	job->fault =
		(struct cairn_fault){ CAIRN_NO_MEMORY, 0, "no memory to decompress a section" };
}

static void run_inflate_job(struct inflate_job *job)
{
	job->status = inflate_section_into(job->section, job->kind, job->big, job->out, job->size,
	                                   &job->fault);
	if (job->mapped)
		os_file_release_pages(job->section);
	if (job->status == CAIRN_OK)
		return;
	free(job->out);
	job->out = NULL;
}

static struct timespec find_release_time(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += RELEASE_NANOSECONDS;
	at.tv_sec += at.tv_nsec / SECOND;
	at.tv_nsec %= SECOND;
	return at;
}

/* Until all jobs are done, periodically release the pages read so far. The lock must be held. */
static void release_read_pages(struct inflating *all)
{
	while (all->dones < all->count) {
		const struct timespec until = find_release_time();
		if (pthread_cond_timedwait(&all->ended, &all->lock, &until) == 0)
			continue;
		for (size_t i = 0; i < all->count; i++)
			if (!all->done[i] && all->job[i]->mapped)
				os_file_release_pages(all->job[i]->section);
	}
}

static void *inflate_in_turn(void *context)
{
	struct inflating *all = context;

	pthread_mutex_lock(&all->lock);
	while (all->next < all->count) {
		const size_t number = all->next++;
		pthread_mutex_unlock(&all->lock);
		run_inflate_job(all->job[number]);
		pthread_mutex_lock(&all->lock);
		all->done[number] = true;
		if (++all->dones == all->count)
			pthread_cond_broadcast(&all->ended);
	}
	release_read_pages(all);
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

static void insert_by_size(struct inflating *all, struct inflate_job *job)
{
	size_t at = all->count++;

	for (; at > 0 && all->job[at - 1]->size < job->size; at--)
		all->job[at] = all->job[at - 1];
	all->job[at] = job;
}

/*
 * Return the number of threads that can be kept busy while one thread decompresses the largest
 * section.
 */
static unsigned limit_threads(const struct inflating *all, unsigned threads)
{
	size_t rest = 0;

	for (size_t i = 1; i < all->count; i++)
		rest += all->job[i]->size < WORTH_THREADS ? all->job[i]->size : WORTH_THREADS;
	if (rest < WORTH_THREADS)
		return 1;
	return threads < INFLATERS_MAX ? threads : INFLATERS_MAX;
}

static void inflate_jobs_run(struct inflate_job *job, size_t count, unsigned threads)
{
	struct inflating all = { .count = 0 };

	INVARIANT(count <= JOBS_MAX);
	pthread_mutex_init(&all.lock, NULL);
	pthread_cond_init(&all.ended, NULL);
	for (size_t i = 0; i < count; i++)
		if (job[i].out)
			insert_by_size(&all, &job[i]);
	threads_run(limit_threads(&all, threads), inflate_in_turn, &all);
	pthread_cond_destroy(&all.ended);
	pthread_mutex_destroy(&all.lock);
}

enum { NAME_SIZE = 40 };

static const uint8_t nothing[1];

static const struct {
	const char *name;
	size_t at;
} kinds[DWARF_SECTION_COUNT] = {
	[DWARF_SECTION_INFO] = { ".debug_info", offsetof(struct dwarf_sections, info) },
	[DWARF_SECTION_ABBREV] = { ".debug_abbrev", offsetof(struct dwarf_sections, abbrev) },
	[DWARF_SECTION_LINE] = { ".debug_line", offsetof(struct dwarf_sections, line) },
	[DWARF_SECTION_STR] = { ".debug_str", offsetof(struct dwarf_sections, str) },
	[DWARF_SECTION_LINE_STR] = { ".debug_line_str", offsetof(struct dwarf_sections, line_str) },
	[DWARF_SECTION_STR_OFFSETS] = { ".debug_str_offsets",
	                                offsetof(struct dwarf_sections, str_offsets) },
	[DWARF_SECTION_ADDR] = { ".debug_addr", offsetof(struct dwarf_sections, addr) },
	[DWARF_SECTION_RANGES] = { ".debug_ranges", offsetof(struct dwarf_sections, ranges) },
	[DWARF_SECTION_RNGLISTS] = { ".debug_rnglists", offsetof(struct dwarf_sections, rnglists) },
};

const char *dwarf_sections_name(enum dwarf_section_kind section)
{
	return kinds[section].name;
}

static bool find_named(const struct elf *elf, const char *name, bool split,
                       struct dwarf_section_found *found)
{
	char whole[NAME_SIZE + 4];

	snprintf(whole, sizeof(whole), "%s%s", name, split ? ".dwo" : "");
	if (!elf_find_section(elf, whole, &found->section))
		return false;
	found->bytes = elf_section_bytes(elf, &found->section);
	return found->bytes.size > 0;
}

/*
 * Find a section, or its compressed form .zdebug_* from before SHF_COMPRESSED. Returns false if
 * neither exists.
 */
static bool find_dwarf_section(const struct elf *elf, enum dwarf_section_kind which, bool split,
                               struct dwarf_section_found *found)
{
	char packed[NAME_SIZE] = ".z";

	*found = (struct dwarf_section_found){ .kind = elf->wide ? INFLATE_ELF64 : INFLATE_ELF32 };
	if (find_named(elf, kinds[which].name, split, found)) {
		found->packed = found->section.flags & ELF_SHF_COMPRESSED;
		return true;
	}
	strncat(packed, kinds[which].name + 1, NAME_SIZE - 10);
	found->kind = INFLATE_GNU;
	found->packed = true;
	return find_named(elf, packed, split, found);
}

struct cairn_bytes *dwarf_sections_get(struct dwarf_sections *dwarf, enum dwarf_section_kind which)
{
	return (void *)((uint8_t *)dwarf + kinds[which].at);
}

struct opening {
	struct dwarf_file *plain;
	struct budget *budget;
	struct dwarf_sections_how how;
	struct dwarf_section_found found[DWARF_SECTION_COUNT];
	bool is_there[DWARF_SECTION_COUNT];
	struct inflate_job job[DWARF_SECTION_COUNT];
};

static enum cairn_status copy_section(struct dwarf_section_found *found, struct budget *budget,
                                      void **memory, struct cairn_fault *fault)
{
	*memory = budget_memory(budget, found->bytes.size) ? malloc(found->bytes.size) : NULL;
	if (!*memory)
		return fault_set(fault, CAIRN_NO_MEMORY, "no memory to relocate");
	memcpy(*memory, found->bytes.data, found->bytes.size);
	found->bytes.data = *memory;
	return CAIRN_OK;
}

static void find_sections(struct opening *o)
{
	const struct elf *elf = &o->plain->elf;

	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		struct dwarf_section_found *found = &o->found[i];
		o->is_there[i] =
			find_dwarf_section(elf, (enum dwarf_section_kind)i, o->how.split, found);
		if (!o->is_there[i])
			continue;
		if (o->how.mapped && (found->packed || elf->type == ELF_TYPE_REL))
			os_file_read_soon(found->bytes);
		if (!found->packed)
			continue;
		o->job[i] = (struct inflate_job){ .section = found->bytes,
			                          .kind = found->kind,
			                          .big = elf->big,
			                          .mapped = o->how.mapped };
		inflate_job_prepare(&o->job[i], o->budget);
	}
	inflate_jobs_run(o->job, DWARF_SECTION_COUNT, o->how.threads);
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++)
		o->plain->memory[i] = o->job[i].out;
}

static enum cairn_status open_section(struct opening *o, enum dwarf_section_kind which,
                                      struct cairn_fault *fault)
{
	struct dwarf_file *plain = o->plain;
	struct dwarf_section_found *found = &o->found[which];
	void **memory = &plain->memory[which];
	enum cairn_status status = CAIRN_OK;
	const bool relocatable = plain->elf.type == ELF_TYPE_REL;

	if (found->packed) {
		status = o->job[which].status;
		*fault = o->job[which].fault;
		found->bytes = (struct cairn_bytes){ *memory, o->job[which].size };
	} else if (relocatable) {
		status = copy_section(found, o->budget, memory, fault);
	}
	if (status != CAIRN_OK)
		return status;
	if (relocatable)
		dwarf_sections_relocate(&plain->elf, found->section.index, o->budget, *memory,
		                        found->bytes.size);
	*dwarf_sections_get(&plain->dwarf, which) = found->bytes;
	return CAIRN_OK;
}

static enum cairn_status open_sections(struct opening *o, struct program_damage *damage)
{
	struct dwarf_file *plain = o->plain;

	find_sections(o);
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		enum dwarf_section_kind which = (enum dwarf_section_kind)i;
		struct cairn_fault fault;
		if (!o->is_there[i])
			continue;
		enum cairn_status status = open_section(o, which, &fault);
		if (status == CAIRN_OK)
			continue;
		*damage = (struct program_damage){ fault, kinds[which].name, 0 };
		if (which == DWARF_SECTION_INFO || which == DWARF_SECTION_ABBREV ||
		    status == CAIRN_NO_MEMORY)
			return status;
	}
	if (plain->dwarf.info.size > 0 && plain->dwarf.abbrev.size > 0)
		return CAIRN_OK;
	/* an alternate file may contain nothing but strings for other files */
	if (plain->dwarf.info.size == 0 && plain->dwarf.str.size > 0)
		return CAIRN_OK;
	return fault_set(&damage->fault, CAIRN_NOT_FOUND, "no DWARF");
}

enum cairn_status dwarf_sections_open(struct cairn_bytes file, struct dwarf_sections_how how,
                                      struct budget *budget, struct dwarf_file *plain,
                                      struct program_damage *damage)
{
	struct opening opening = { .plain = plain, .budget = budget, .how = how };
	struct cairn_bytes empty = { nothing, 0 };
	struct elf_section index;

	*plain = (struct dwarf_file){ .package = empty };
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++)
		*dwarf_sections_get(&plain->dwarf, (enum dwarf_section_kind)i) = empty;
	*damage = (struct program_damage){ .section = NULL };
	enum cairn_status status = elf_open(file, &plain->elf, &damage->fault);
	if (status != CAIRN_OK)
		return status;
	if (plain->elf.type == ELF_TYPE_REL && !dwarf_sections_knows_relocations(&plain->elf))
		return fault_set(&damage->fault, CAIRN_NOT_FOUND,
		                 "no DWARF with known relocations");
	plain->dwarf.big = plain->elf.big;
	if (how.split && elf_find_section(&plain->elf, ".debug_cu_index", &index))
		plain->package = elf_section_bytes(&plain->elf, &index);
	status = open_sections(&opening, damage);
	if (status != CAIRN_OK)
		dwarf_sections_close(plain);
	return status;
}

void dwarf_sections_close(struct dwarf_file *plain)
{
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		free(plain->memory[i]);
		plain->memory[i] = NULL;
	}
}
