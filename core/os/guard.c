/* SPDX-License-Identifier: MIT */
/* Handles SIGBUS for truncated mapped files by mapping zero pages over the missing range. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guard.h"

#include "file.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SLOTS = 256, /* maximum number of mapped files; further files are copied */
	TAKEN = 1,   /* value of `low` in a reserved slot; not a valid address */
};

struct slot {
	_Atomic uintptr_t low; /* start of the mapping; 0 if the slot is free */
	atomic_size_t size;
	dev_t device;
	ino_t inode;
	atomic_bool cut;
};

/* The paths are not in struct slot, so that a search of `slots` touches few pages. */
static struct slot slots[SLOTS];
static char paths[SLOTS][PATH_MAX];
static uintptr_t page_size;
static atomic_flag noted = ATOMIC_FLAG_INIT;
static char cut_path[PATH_MAX];
static atomic_bool cut;

static char *get_path(const struct slot *slot)
{
	return paths[slot - slots];
}

/*
 * Flag a file as truncated, and record its path if it is the first truncated file.
 * Async-signal-safe: uses no lock and allocates nothing.
 */
static void mark_cut(struct slot *slot)
{
	atomic_store(&slot->cut, true);
	if (atomic_flag_test_and_set(&noted))
		return;
	memcpy(cut_path, get_path(slot), sizeof(cut_path));
	atomic_store(&cut, true);
}

/*
 * Find the slot whose mapping contains `address`. Another thread may reuse a slot during the
 * search, so that `low` and `size` belong to different files. Reading `low` again detects this.
 */
static struct slot *find_slot_by_address(uintptr_t address)
{
	for (size_t i = 0; i < SLOTS; i++) {
		uintptr_t low = atomic_load(&slots[i].low);
		size_t size = atomic_load(&slots[i].size);
		if (low > TAKEN && address - low < size && atomic_load(&slots[i].low) == low)
			return &slots[i];
	}
	return NULL;
}

static struct slot *find_slot_of(const void *memory)
{
	for (size_t i = 0; i < SLOTS; i++)
		if (atomic_load(&slots[i].low) == (uintptr_t)memory)
			return &slots[i];
	return NULL;
}

/*
 * Map zero pages from `address` to the end of the mapping, because the file lacks this whole range.
 */
static bool map_zero_pages(const struct slot *slot, uintptr_t address)
{
	uintptr_t page = address - address % page_size;
	uintptr_t end = atomic_load(&slot->low) + atomic_load(&slot->size);

	return mmap((void *)page, end - page, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/*
 * Handle SIGBUS. A fault outside mapped files recurs with the default action and ends the process.
 */
static void on_bus(int number, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	struct slot *slot = info->si_code == BUS_ADRERR ? find_slot_by_address(address) : NULL;

	(void)context;
	if (slot && map_zero_pages(slot, address))
		mark_cut(slot);
	else
		signal(number, SIG_DFL);
}

static bool guard_add(const void *memory, size_t size, const struct stat *about, const char *path)
{
	if (strlen(path) >= PATH_MAX)
		return false;
	for (size_t i = 0; i < SLOTS; i++) {
		uintptr_t none = 0;
		if (!atomic_compare_exchange_strong(&slots[i].low, &none, TAKEN))
			continue;
		atomic_store(&slots[i].size, size);
		slots[i].device = about->st_dev;
		slots[i].inode = about->st_ino;
		atomic_store(&slots[i].cut, false);
		strcpy(paths[i], path);
		atomic_store(&slots[i].low, (uintptr_t)memory);
		return true;
	}
	return false;
}

/*
 * Check whether the file has become shorter. The signal handler alone would not detect every
 * truncation, because reads from the last page of a truncated file return zeros without a signal.
 */
static void check_slot(struct slot *slot)
{
	struct stat about;

	if (stat(get_path(slot), &about) == 0 && about.st_dev == slot->device &&
	    about.st_ino == slot->inode && (uintmax_t)about.st_size < atomic_load(&slot->size))
		mark_cut(slot);
}

static void guard_remove(const void *memory)
{
	struct slot *slot = find_slot_of(memory);

	if (!slot)
		return;
	check_slot(slot);
	atomic_store(&slot->low, 0);
}

bool os_guard_start(void)
{
	static const struct os_file_guard guard = { guard_add, guard_remove };
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };
	long size = sysconf(_SC_PAGESIZE);

	if (size <= 0)
		return false;
	page_size = (uintptr_t)size;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, &action, NULL) != 0)
		return false;
	os_file_set_guard(&guard);
	return true;
}

bool os_guard_is_truncated(void)
{
	bool found = false;

	for (size_t i = 0; i < SLOTS; i++) {
		if (atomic_load(&slots[i].low) <= TAKEN)
			continue;
		check_slot(&slots[i]);
		found = found || atomic_load(&slots[i].cut);
	}
	return found;
}

const char *os_guard_truncated_path(void)
{
	os_guard_is_truncated();
	return atomic_load(&cut) ? cut_path : NULL;
}
