/* SPDX-License-Identifier: MIT */
/* Locates the DWARF sections of an ELF file, decompresses them and applies their relocations. */
#include "dwarf_sections.h"
#include "compressed_sections.h"

#include "base/error.h"
#include "base/invariant.h"
#include "base/threads.h"
#include "os/file/file.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct inflate_job {
	struct cairn_bytes section; /* empty if there is nothing to do */
	enum inflate_kind kind;
	bool big, mapped; /* `mapped`: pages may be released */
	uint8_t *out;
	size_t size;
	enum cairn_status status;
	struct cairn_fault fault;
};

/*
 * Decompression on several threads. The pages that are read stay in memory until their section is
 * finished, so decompressing several sections at once would use more memory than one after another.
 * A thread without work therefore releases pages periodically; those still needed are read again.
 */

enum {
	JOBS_MAX = 16,
	INFLATERS_MAX = 4,
	WORTH_THREADS = 1 << 20,       /* minimum total output of all sections but the largest */
	RELEASE_NANOSECONDS = 8000000, /* time in which about 8 MB are produced */
	SECOND = 1000000000,
};

struct inflating {
	struct inflate_job *job[JOBS_MAX]; /* largest first */
	bool done[JOBS_MAX];
	size_t count, next, dones;
	pthread_mutex_t lock; /* protects the fields above */
	pthread_cond_t ended;
};

/*
 * Allocate the claimed size of a section, drawn from the budget. Errors are stored in job->status.
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

/* Release pages periodically until all jobs are done. The lock must be held. */
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

/* Return the useful number of threads, given that one thread is busy with the largest section. */
static unsigned limit_threads(const struct inflating *all, unsigned threads)
{
	size_t rest = 0;

	for (size_t i = 1; i < all->count; i++)
		rest += all->job[i]->size < WORTH_THREADS ? all->job[i]->size : WORTH_THREADS;
	if (rest < WORTH_THREADS)
		return 1;
	return threads < INFLATERS_MAX ? threads : INFLATERS_MAX;
}

/* Run all prepared jobs, largest first. Each gets a status, and no memory if it failed. */
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

/* Name of each section, and its offset in struct dwarf_sections. */
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
 * Find a section, also as .zdebug_*, the form of compression before SHF_COMPRESSED. Returns false
 * if not found.
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
	struct inflate_job job[DWARF_SECTION_COUNT]; /* for compressed sections */
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
	/* an alternate file may contain nothing but strings of other files */
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
		                 "no DWARF whose relocations are known");
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
