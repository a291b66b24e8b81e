/* SPDX-License-Identifier: MIT */
/*
 * A snapshot describes a program at one moment. An ELF core file, a minidump and a stopped process
 * each fill one; unwinding and printing read it without knowing which kind it was.
 *
 *	struct snapshot snapshot = { .machine = CAIRN_MACHINE_AMD64 };
 *	struct snapshot_thread *thread = snapshot_add_thread(&snapshot);
 *	thread->tid = 1234;
 *	thread->name = snapshot_keep(&snapshot, name);  copied; or bytes that live as long
 *	...
 *	snapshot_close(&snapshot);
 *
 * The source, which fills a snapshot, can rely on the following and in turn guarantees:
 * - each add function returns a zeroed entry, valid until the next add to the same list, or NULL if
 *   memory is short or the list is full (SNAPSHOT_..._MAX). Entries that do not fit are counted in
 *   `left_out`;
 * - every string and every borrowed byte lives until snapshot_close(): the source's own bytes do,
 *   and snapshot_keep() copies anything else. An empty string has size 0, and its data is non-NULL
 *   only if the source set it, so readers check the size first;
 * - `memory` reads only bytes that the source itself holds: the dumped memory of a core, the copied
 *   memory of a process. It returns CAIRN_UNREADABLE for the rest. Reading the rest from module
 *   files is left to process/snapshot/, which checks build IDs first;
 * - an unknown fact is zero, empty or CAIRN_MACHINE_NONE. Nothing is guessed here;
 * - all contents may be hostile. Ranges may overlap, wrap or be empty, strings may hold any byte.
 *
 * A source does not open module files, does not search memory for modules (process/snapshot/ does,
 * starting from the mappings), does not unwind and does not print.
 */
#ifndef CAIRN_MODEL_SNAPSHOT_H
#define CAIRN_MODEL_SNAPSHOT_H

#include <cairn.h>

enum {
	/* Linux allows 2^22 task IDs; real programs have thousands */
	SNAPSHOT_THREADS_MAX = 1 << 17,
	SNAPSHOT_MAPPINGS_MAX = 1 << 20, /* the kernel's default limit is 65,530 */
	SNAPSHOT_MODULES_MAX = 1 << 12,  /* equals CAIRN_HOST_MODULES_MAX, the limit of a space */
	SNAPSHOT_PROBLEMS_MAX = 64,

	SNAPSHOT_TEXTS_LEAST = 1 << 24, /* bytes of strings read or kept for any input */
	SNAPSHOT_TEXTS_TIMES = 2,       /* additional string bytes per byte of input */
};

/* Operating system; determines the meaning of `signal`, `code` and register sets. */
enum snapshot_system {
	SNAPSHOT_SYSTEM_UNKNOWN,
	SNAPSHOT_SYSTEM_LINUX,
	SNAPSHOT_SYSTEM_ANDROID,
	SNAPSHOT_SYSTEM_MACOS,
	SNAPSHOT_SYSTEM_WINDOWS,
};

struct snapshot_thread {
	uint64_t tid;
	struct cairn_bytes name;          /* empty if unknown */
	struct cairn_registers registers; /* machine NONE if they could not be read */
	/*
	 * General and floating-point register sets in Linux layout (NT_PRSTATUS, NT_FPREGSET);
	 * empty if unknown or not requested.
	 */
	struct cairn_bytes general, floats;
	uint32_t signal; /* signal that stopped it; 0 if there was no signal or it is unknown */
	bool crashed;    /* the program ended in this thread; set for at most one thread */
	/* captured part of its stack, if the source knows it; otherwise empty */
	struct cairn_range stack;
	bool stack_cut; /* the stack in use is larger than the captured part */
	/* duration for which this thread of a process was stopped; 0: unknown */
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
	unsigned access; /* SNAPSHOT_READ | ...; meaningful only with has_access */
	bool has_access;
	bool has_file; /* maps part of a file, starting at `offset` */
	uint64_t offset;
	/* file name as the program saw it, or "[stack]", "[vdso]"; may be empty */
	struct cairn_bytes path;
	bool deleted;
};

/*
 * A program, library or other image. Sources with a module list (minidumps) fill it in; for the
 * others process/snapshot/ derives it from mappings and memory.
 */
struct snapshot_module {
	uint64_t low, high; /* pc range from the first mapped byte to just past the last */
	uint64_t bias;      /* pc = va + bias; valid only with has_bias */
	bool has_bias;
	bool remapped; /* second mapping of a module's code, without a header before it */
	/* `low` and `bias` of the first mapping; valid only with `remapped` */
	uint64_t first_low, first_bias;
	struct cairn_bytes path;
	struct cairn_bytes build_id;   /* ELF build ID; empty if absent or unknown */
	struct cairn_bytes package;    /* JSON string of .note.package; empty if absent */
	struct cairn_bytes debug_id;   /* Breakpad: ID of the MODULE record */
	struct cairn_bytes debug_name; /* Breakpad: name in that record, such as a .pdb's */
	struct cairn_bytes file; /* contents of its file once found and verified; otherwise empty */
	struct cairn_bytes file_path;
	const char *file_why; /* phrase that says why there is no file; NULL before the search */
};

/* How the program ended. `known` is false if the program was stopped only to be examined. */
struct snapshot_crash {
	bool known;
	uint64_t tid;    /* 0: unknown */
	uint32_t signal; /* Unix signal, or 0 */
	int32_t code;
	uint32_t exception; /* exception code of a minidump from Windows or macOS */
	bool has_address;
	uint64_t fault_address; /* accessed address; valid only with has_address */
	bool has_sender;        /* the signal was sent by a process (`sender`) of a user */
	uint64_t sender, sender_user;
};

/* A defect of the source. Everything that could be read is in the snapshot nevertheless. */
struct snapshot_problem {
	const char *part; /* constant such as "notes", "segments", "thread list" */
	struct cairn_fault fault;
};

struct snapshot {
	enum cairn_stacks_kind kind;
	enum snapshot_system system;
	enum cairn_machine machine; /* NONE if cairn cannot unwind the machine; see machine_name */
	const char *machine_name;   /* constant, such as "amd64" or "ppc64"; NULL: unknown */
	bool big_endian;
	uint64_t pid;
	uint64_t living;                 /* ID under which a running process is found in /proc */
	struct cairn_bytes program;      /* path or short name of the executable; may be empty */
	struct cairn_bytes command_line; /* arguments joined by blanks, perhaps truncated */
	struct cairn_bytes auxv;
	unsigned word; /* address size of the program: 4 or 8 bytes */
	/* aarch64: bits of code addresses that may hold a signature; 0: unknown */
	uint64_t signature_bits;
	/* the core also has registers besides the general ones, or a file list */
	bool has_other_notes;
	uint64_t running_nanoseconds; /* from program start to snapshot; 0: unknown */
	struct snapshot_crash crash;

	struct snapshot_thread *threads;
	size_t thread_count, thread_room;
	/* index of the thread whose stack is read; copies of other threads may be older or newer */
	size_t walked;
	struct snapshot_mapping *mappings; /* in source order until snapshot_sort_mappings() */
	size_t mapping_count, mapping_room;
	struct snapshot_module *modules;
	size_t module_count, module_room;
	struct snapshot_problem problems[SNAPSHOT_PROBLEMS_MAX];
	size_t problem_count;
	size_t left_out;
	uint64_t input; /* size of the input file; 0 if the source is not a file */
	uint64_t texts_taken;
	bool texts_over;

	/* memory that the source holds; read_memory is never NULL once filled */
	struct cairn_target memory;
	void *source; /* owner of memory.context, released by close_source() */
	void (*close_source)(void *source);
	struct snapshot_text *texts;
};

struct snapshot_thread *snapshot_add_thread(struct snapshot *snapshot);
struct snapshot_mapping *snapshot_add_mapping(struct snapshot *snapshot);
struct snapshot_module *snapshot_add_module(struct snapshot *snapshot);

/*
 * Record a problem; `part` and fault.what are constants. Problems beyond SNAPSHOT_PROBLEMS_MAX are
 * dropped.
 */
void snapshot_add_problem(struct snapshot *snapshot, const char *part, struct cairn_fault fault);

/*
 * Charge `size` bytes of strings to the allowance of the input, before each read. Entries may share
 * one string, so a small hostile file could otherwise demand unlimited work. Return false if the
 * allowance is exhausted: the first time this is recorded as a problem, and the caller leaves the
 * string out.
 */
bool snapshot_take_text(struct snapshot *snapshot, uint64_t size);

/*
 * Return a copy that lives as long as the snapshot, charged by snapshot_take_text(); empty if
 * memory is short or the allowance is exhausted.
 */
struct cairn_bytes snapshot_keep(struct snapshot *snapshot, struct cairn_bytes text);
struct cairn_bytes snapshot_keep_string(struct snapshot *snapshot, const char *text);

/*
 * Sort mappings by address and remove those that are empty or wrap. The source calls it after
 * adding the last one.
 */
void snapshot_sort_mappings(struct snapshot *snapshot);

/* Return the mapping that contains `address`, or NULL. Mappings must be sorted. */
const struct snapshot_mapping *snapshot_find_mapping(const struct snapshot *snapshot,
                                                     uint64_t address);

/* Return the first mapping that begins above `address`, or NULL. Mappings must be sorted. */
const struct snapshot_mapping *snapshot_next_mapping(const struct snapshot *snapshot,
                                                     uint64_t address);

/*
 * Sort modules by address. Called once all modules are added; module numbers refer to the sorted
 * order.
 */
void snapshot_sort_modules(struct snapshot *snapshot);

/*
 * Return the module that contains `pc`, or NULL. Modules must be sorted. If modules overlap, which
 * real programs do not show, the last one that begins at or before `pc` is preferred.
 */
const struct snapshot_module *snapshot_find_module(const struct snapshot *snapshot, uint64_t pc);

/*
 * Return the address from which offsets in the module count: the module's first byte, or, if only a
 * part was remapped, the address that the first byte would have if the whole module had been
 * remapped.
 */
static inline uint64_t snapshot_module_start(const struct snapshot_module *module)
{
	return module->remapped ? module->first_low - module->first_bias + module->bias
	                        : module->low;
}

void snapshot_close(struct snapshot *snapshot);

#endif
