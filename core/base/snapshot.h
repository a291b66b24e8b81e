/* SPDX-License-Identifier: MIT */
/*
 * A snapshot describes a program at one moment. It is filled in from an ELF core file, a minidump
 * or a stopped process; the code that unwinds and prints does not depend on the kind of source.
 *
 *	struct snapshot snapshot = { .machine = CAIRN_MACHINE_AMD64 };
 *	struct snapshot_thread *thread = snapshot_add_thread(&snapshot);
 *	thread->tid = 1234;
 *	thread->name = snapshot_keep(&snapshot, name);  or bytes that live as long as the snapshot
 *	...
 *	snapshot_close(&snapshot);
 *
 * The following rules apply to the source, the code that fills a snapshot:
 * - each add function returns a zeroed entry, valid until the next add to the same list, or NULL if
 *   memory is short or the list is full (SNAPSHOT_..._MAX). Entries that do not fit are counted in
 *   `left_out`;
 * - every string and every borrowed byte must live until snapshot_close(). The source's own bytes
 *   do, and anything else must be copied by snapshot_keep(). An empty string has size 0, and its
 *   data is non-NULL only if the source set it, so readers check the size first;
 * - `memory` reads only bytes that the source itself holds: the dumped memory of a core, the copied
 *   memory of a process. It returns CAIRN_UNREADABLE for the rest. Reading the rest from module
 *   files is left to process/snapshot/, which checks build IDs first;
 * - an unknown fact is zero, empty or CAIRN_MACHINE_NONE. The source does not guess;
 * - all contents may be hostile. Ranges may overlap, wrap or be empty, strings may hold any byte.
 *
 * A source does not open module files, does not search memory for modules (process/snapshot/ does,
 * starting from the mappings), does not unwind and does not print.
 */
#ifndef CAIRN_BASE_SNAPSHOT_H
#define CAIRN_BASE_SNAPSHOT_H

#include <cairn.h>

enum {
	/* real programs have at most a few thousand threads, although Linux allows 2^22 task IDs */
	SNAPSHOT_THREADS_MAX = 1 << 17,
	SNAPSHOT_MAPPINGS_MAX = 1 << 20, /* 16 times Linux's default vm.max_map_count */
	SNAPSHOT_MODULES_MAX = 1 << 12,  /* same as CAIRN_HOST_MODULES_MAX */
	SNAPSHOT_PROBLEMS_MAX = 64,

	/* number of string bytes that may be read or copied for an input of any size */
	SNAPSHOT_TEXTS_LEAST = 1 << 24,
	SNAPSHOT_TEXTS_TIMES = 2, /* additional string bytes per byte of input */
};

/*
 * Operating system of the program, which determines the meaning of `signal`, `code` and register
 * sets.
 */
enum snapshot_system {
	SNAPSHOT_SYSTEM_UNKNOWN,
	SNAPSHOT_SYSTEM_LINUX,
	SNAPSHOT_SYSTEM_ANDROID,
	SNAPSHOT_SYSTEM_MACOS,
	SNAPSHOT_SYSTEM_WINDOWS,
};

struct snapshot_thread {
	uint64_t tid;
	struct cairn_bytes name;
	/* registers.machine is CAIRN_MACHINE_NONE if the registers could not be read */
	struct cairn_registers registers;
	/*
	 * General and floating-point register sets in Linux layout (NT_PRSTATUS, NT_FPREGSET);
	 * empty if unknown or not requested.
	 */
	struct cairn_bytes general, floats;
	/* signal that stopped the thread; 0 if there was no signal or it is unknown */
	uint32_t signal;
	bool crashed; /* the program crashed in this thread; set for at most one thread */
	/* captured part of the thread's stack; empty if the source does not know it */
	struct cairn_range stack;
	bool stack_cut; /* only part of the used stack was captured */
	/* time for which the thread of a running process was stopped to capture it; 0 if unknown */
	uint64_t stop_nanoseconds;
};

enum snapshot_access {
	SNAPSHOT_READ = 1,
	SNAPSHOT_WRITE = 2,
	SNAPSHOT_EXECUTE = 4,
};

static inline unsigned snapshot_access_of(bool readable, bool writable, bool executable)
{
	return (readable ? SNAPSHOT_READ : 0u) | (writable ? SNAPSHOT_WRITE : 0u) |
	       (executable ? SNAPSHOT_EXECUTE : 0u);
}

struct snapshot_mapping {
	uint64_t low, high;
	unsigned access; /* bit mask of SNAPSHOT_READ and others; valid only with has_access */
	bool has_access;
	bool has_file; /* the mapping is backed by a file, starting at file offset `offset` */
	uint64_t offset;
	/*
	 * file name as seen by the program, or a name such as "[stack]" or "[vdso]"; may be empty
	 */
	struct cairn_bytes path;
	bool deleted;
};

/*
 * A program, library or other image. Sources with a module list (minidumps) fill it in; for the
 * others process/snapshot/ derives it from mappings and memory.
 */
struct snapshot_module {
	uint64_t low, high; /* address range from the first mapped byte to just past the last */
	uint64_t bias;
	bool has_bias;
	/*
	 * the module is a second mapping of code from another module's file, without an ELF header
	 */
	bool remapped;
	/* `low` and `bias` of the first mapping of the file; valid only with `remapped` */
	uint64_t first_low, first_bias;
	struct cairn_bytes path;
	struct cairn_bytes build_id;
	struct cairn_bytes package; /* JSON string of .note.package; empty if absent */
	/*
	 * identifier and file name (for example of a .pdb file) that the module's Breakpad file has
	 * in its MODULE record
	 */
	struct cairn_bytes debug_id;
	struct cairn_bytes debug_name;
	/* contents of the module's file once it has been found and verified; otherwise empty */
	struct cairn_bytes file;
	struct cairn_bytes file_path;
	/* phrase that explains why no file was found; NULL before the search */
	const char *file_why;
};

/* How the program ended. `known` is false if the program was only stopped for examination. */
struct snapshot_crash {
	bool known;
	uint64_t tid;
	uint32_t signal; /* Unix signal; 0 if the program did not end by a signal */
	int32_t code;
	uint32_t exception; /* exception code in a minidump from Windows or macOS */
	bool has_address;
	uint64_t fault_address;
	bool has_sender; /* process `sender` of user `sender_user` sent the signal */
	uint64_t sender, sender_user;
};

/* A defect in the source. The snapshot nevertheless contains everything that could be read. */
struct snapshot_problem {
	const char *part; /* constant string such as "notes", "segments", "thread list" */
	struct cairn_fault fault;
};

struct snapshot {
	enum cairn_stacks_kind kind;
	enum snapshot_system system;
	/* CAIRN_MACHINE_NONE if cairn cannot unwind this machine; see `machine_name` */
	enum cairn_machine machine;
	const char *machine_name; /* constant name such as "amd64" or "ppc64"; NULL if unknown */
	bool big_endian;
	uint64_t pid;
	uint64_t living;            /* ID of a live thread of the running process; 0 for a file */
	struct cairn_bytes program; /* path or short name of the executable; may be empty */
	struct cairn_bytes command_line; /* arguments joined by spaces; may be truncated */
	struct cairn_bytes auxv;
	unsigned word; /* address size of the program: 4 or 8 bytes */
	/* mask of the bits in aarch64 code addresses that may contain a signature; 0 if unknown */
	uint64_t signature_bits;
	/*
	 * true if the core also contains a list of mapped files, or registers other than the
	 * general ones
	 */
	bool has_other_notes;
	uint64_t running_nanoseconds; /* time from program start to snapshot; 0 if unknown */
	struct snapshot_crash crash;

	struct snapshot_thread *threads;
	size_t thread_count, thread_capacity;
	/*
	 * index of the thread whose stack is being unwound; captured memory for other threads may
	 * be older or newer
	 */
	size_t walked;
	/* in the source's order until snapshot_sort_mappings() is called */
	struct snapshot_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct snapshot_module *modules;
	size_t module_count, module_capacity;
	struct snapshot_problem problems[SNAPSHOT_PROBLEMS_MAX];
	size_t problem_count;
	size_t left_out;
	uint64_t input; /* size of the input file; 0 if the source is not a file */
	uint64_t texts_taken;
	bool texts_over;

	/* access to captured memory; read_memory is never NULL once the snapshot is filled in */
	struct cairn_target memory;
	/*
	 * Set *part to the first captured range that ends above `address`, and *bytes to its
	 * contents. `context` is memory.context. Returns false if there is no such range. The
	 * callback is NULL if the source does not know its ranges.
	 */
	bool (*find_part)(const void *context, uint64_t address, struct cairn_range *part,
	                  struct cairn_bytes *bytes);
	void *source; /* owner of memory.context, to be released with close_source() */
	void (*close_source)(void *source);
	struct snapshot_text *texts;
};

struct snapshot_thread *snapshot_add_thread(struct snapshot *snapshot);
struct snapshot_mapping *snapshot_add_mapping(struct snapshot *snapshot);
struct snapshot_module *snapshot_add_module(struct snapshot *snapshot);

/*
 * Record a problem. `part` and fault.what are constant strings. Problems beyond
 * SNAPSHOT_PROBLEMS_MAX are dropped.
 */
void snapshot_add_problem(struct snapshot *snapshot, const char *part, struct cairn_fault fault);

/*
 * Count `size` bytes against the snapshot's allowance for strings. Call this before reading a
 * string, because entries may share one string, so a small hostile file could otherwise demand
 * unlimited work. Return false if the allowance is exhausted; the caller then omits the string. The
 * first failure is recorded as a problem.
 */
bool snapshot_take_text(struct snapshot *snapshot, uint64_t size);

/*
 * Return a copy that lives as long as the snapshot. Its size is counted by snapshot_take_text().
 * The copy is empty if allocation fails or the allowance is exhausted.
 */
struct cairn_bytes snapshot_keep(struct snapshot *snapshot, struct cairn_bytes text);
struct cairn_bytes snapshot_keep_string(struct snapshot *snapshot, const char *text);

/*
 * Sort mappings by address and remove those that are empty or wrap. The source calls this after it
 * has added the last mapping; lookups require sorted mappings.
 */
void snapshot_sort_mappings(struct snapshot *snapshot);

const struct snapshot_mapping *snapshot_find_mapping(const struct snapshot *snapshot,
                                                     uint64_t address);

/* Return the first mapping that begins above `address`, or NULL. */
const struct snapshot_mapping *snapshot_next_mapping(const struct snapshot *snapshot,
                                                     uint64_t address);

/*
 * Sort modules by address. Call this after all modules have been added; module numbers refer to the
 * sorted order.
 */
void snapshot_sort_modules(struct snapshot *snapshot);

/*
 * Return the module that contains `pc`, or NULL. Modules must be sorted. If modules overlap, which
 * does not occur in real programs, the last one that begins at or before `pc` is preferred.
 */
const struct snapshot_module *snapshot_find_module(const struct snapshot *snapshot, uint64_t pc);

/*
 * Return the address that offsets in the module are relative to: the module's first byte or, for a
 * remapped module, the address that this byte would have if the whole file had been mapped again.
 */
static inline uint64_t snapshot_module_start(const struct snapshot_module *module)
{
	return module->remapped ? module->first_low - module->first_bias + module->bias
	                        : module->low;
}

void snapshot_close(struct snapshot *snapshot);

#endif
