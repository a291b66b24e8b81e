/* SPDX-License-Identifier: MIT */
/*
 * A snapshot: what is known of a program at one moment, wherever that comes from. An ELF core file,
 * a minidump and a stopped process each fill one; unwinding and printing read it and do not know
 * which it was.
 *
 *	struct snapshot snapshot = { .machine = CAIRN_MACHINE_AMD64 };
 *	struct snapshot_thread *thread = snapshot_add_thread(&snapshot);
 *	thread->tid = 1234;
 *	thread->name = snapshot_keep(&snapshot, name);  copied; or bytes that live as long
 *	...
 *	snapshot_close(&snapshot);
 *
 * Who fills it, the source, promises this:
 *   - each add returns a zeroed entry, good until the next add to the same list; NULL when memory is
 *     short or the list is full (SNAPSHOT_..._MAX). What does not fit is counted in `left_out`;
 *   - every text and every lent byte lives until snapshot_close(): the source's own bytes do, and
 *     snapshot_keep() copies anything else. An empty text has size 0 and data that is not NULL where
 *     the source set it; who reads looks at the size first;
 *   - `memory` reads what the source itself holds, and nothing else: for a core what was dumped, for
 *     a process what was copied. It returns CAIRN_UNREADABLE for the rest. That the rest may be in
 *     the files of modules is for process/snapshot/, which checks their build IDs first;
 *   - a fact that is not known is zero, empty or CAIRN_MACHINE_NONE. Nothing is guessed here;
 *   - all of it may be hostile. Ranges may overlap, wrap or be empty, texts may hold any byte.
 *
 * What the source does not do: it does not open files of modules, does not search for modules in
 * memory (process/snapshot/ does that from the mappings), does not unwind and does not print.
 */
#ifndef CAIRN_MODEL_SNAPSHOT_H
#define CAIRN_MODEL_SNAPSHOT_H

#include <cairn.h>

enum {
	SNAPSHOT_THREADS_MAX =
		1 << 17, /* Linux allows 2^22 task IDs; programs have some thousands */
	SNAPSHOT_MAPPINGS_MAX = 1 << 20, /* the kernel's own default is 65,530 */
	SNAPSHOT_MODULES_MAX = 1 << 12,  /* CAIRN_HOST_MODULES_MAX: as many as a space knows */
	SNAPSHOT_PROBLEMS_MAX = 64,      /* things that were wrong and are reported */

	SNAPSHOT_TEXTS_LEAST = 1 << 24, /* bytes of texts that are read or kept, of any input */
	SNAPSHOT_TEXTS_TIMES = 2,       /* more of them for each byte of the input */
};

/* The operating system, which decides what `signal`, `code` and register sets mean. */
enum snapshot_system {
	SNAPSHOT_SYSTEM_UNKNOWN,
	SNAPSHOT_SYSTEM_LINUX,
	SNAPSHOT_SYSTEM_ANDROID,
	SNAPSHOT_SYSTEM_MACOS,
	SNAPSHOT_SYSTEM_WINDOWS,
};

struct snapshot_thread {
	uint64_t tid;
	struct cairn_bytes name;          /* empty: not known */
	struct cairn_registers registers; /* machine NONE: they could not be had */
	/*
	 * The sets of general registers and of floating point as Linux has them (NT_PRSTATUS, NT_FPREGSET); empty: not
	 * known, or not wanted.
	 */
	struct cairn_bytes general, floats;
	uint32_t signal; /* that it stopped with; 0: none, or not known */
	bool crashed;    /* it is the one that the program ended in; one at most */
	struct cairn_range
		stack;  /* what was captured of its stack, if a source knows it; else empty */
	bool stack_cut; /* more of the stack was in use than was captured */
	uint64_t
		stop_nanoseconds; /* of a process: how long this thread stood still; 0: not known */
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

/* A range of addresses that was mapped. */
struct snapshot_mapping {
	uint64_t low, high;
	unsigned access; /* SNAPSHOT_READ | ...; 0: none, or not known: see has_access */
	bool has_access;
	bool has_file;   /* it is a part of a file, from `offset` on */
	uint64_t offset; /* in bytes of that file */
	struct cairn_bytes
		path; /* of the file as the program saw it, or "[stack]", "[vdso]"; may be empty */
	bool deleted; /* the file was no longer at that path */
};

/*
 * A program, library or other image. Sources that have a list of modules (minidumps) fill it in; of the
 * others process/snapshot/ makes it of mappings and memory.
 */
struct snapshot_module {
	uint64_t low, high; /* pc range, from its first mapped byte to just past its last */
	uint64_t bias;      /* pc = va + bias; only where has_bias */
	bool has_bias;
	bool remapped; /* code of a module that is mapped a second time: no header is before it */
	uint64_t first_low, first_bias; /* of that module; only where remapped */
	struct cairn_bytes path;        /* as the program saw it */
	struct cairn_bytes build_id;    /* of ELF; empty: none, or not known */
	struct cairn_bytes package;     /* the JSON text of .note.package; empty: none */
	struct cairn_bytes debug_id;    /* of Breakpad: the text of the MODULE record's ID */
	struct cairn_bytes debug_name;  /* of Breakpad: the name in that record, such as a .pdb's */
	struct cairn_bytes
		file; /* the bytes of its file, once that was found and checked; else empty */
	struct cairn_bytes file_path; /* where that file is */
	const char *file_why;         /* why there is none, in a phrase; NULL: nobody has looked */
};

/* What ended the program. `known` is false for a program that was merely looked at. */
struct snapshot_crash {
	bool known;
	uint64_t tid;       /* 0: not known */
	uint32_t signal;    /* of Unix; 0: none */
	int32_t code;       /* si_code of that signal */
	uint32_t exception; /* of Windows and macOS: the exception code of a minidump */
	bool has_address;
	uint64_t fault_address; /* what was accessed; with has_address */
	bool has_sender;        /* somebody sent the signal: a process and its user */
	uint64_t sender, sender_user;
};

/* Something that was wrong with the source: what could be had is there all the same. */
struct snapshot_problem {
	const char *part; /* "notes", "segments", "thread list"; a constant */
	struct cairn_fault fault;
};

struct snapshot {
	enum cairn_stacks_kind kind; /* where it came from */
	enum snapshot_system system;
	enum cairn_machine machine; /* NONE: one that cairn does not unwind; see machine_name */
	const char *machine_name;   /* a constant, such as "amd64" or "ppc64"; NULL: not known */
	bool big_endian;
	uint64_t pid;               /* 0: not known */
	uint64_t living;            /* of a running process, as which it is in /proc */
	struct cairn_bytes program; /* path of the executable, or its short name; may be empty */
	struct cairn_bytes command_line; /* arguments joined by blanks; perhaps cut */
	struct cairn_bytes auxv; /* the auxiliary vector, as the kernel wrote it; may be empty */
	unsigned word;           /* bytes of an address in the program: 4 or 8 */
	uint64_t
		signature_bits; /* of aarch64: where code addresses have a signature; 0: not known */
	bool has_other_notes; /* of a core: registers besides the general ones, or a list of files */
	uint64_t running_nanoseconds; /* from the start to the snapshot; 0: not known */
	struct snapshot_crash crash;

	struct snapshot_thread *threads;
	size_t thread_count, thread_room;
	size_t walked; /* number of the thread whose stack is read: copies of other threads may be older or newer */
	struct snapshot_mapping *mappings; /* in the order of the source until snapshot_sort() */
	size_t mapping_count, mapping_room;
	struct snapshot_module *modules;
	size_t module_count, module_room;
	struct snapshot_problem problems[SNAPSHOT_PROBLEMS_MAX];
	size_t problem_count;
	size_t left_out;      /* number of entries that did not fit */
	uint64_t input;       /* bytes of the file that it is made of; 0: it is made of none */
	uint64_t texts_taken; /* by snapshot_take_text() */
	bool texts_over;      /* more was wanted than the input is worth */

	struct cairn_target
		memory; /* what the source holds; read_memory is never NULL once filled */
	void *source;   /* what memory.context needs, given back by close_source() */
	void (*close_source)(void *source); /* may be NULL */
	struct snapshot_text *texts;        /* those of snapshot_keep() */
};

struct snapshot_thread *snapshot_add_thread(struct snapshot *snapshot);
struct snapshot_mapping *snapshot_add_mapping(struct snapshot *snapshot);
struct snapshot_module *snapshot_add_module(struct snapshot *snapshot);

/* Notes what was wrong; `part` and fault.what are constants. More than fit are dropped. */
void snapshot_add_problem(struct snapshot *snapshot, const char *part, struct cairn_fault fault);

/*
 * Entries may share one text: whoever reads one draws its size first, as often as it is read. False: all that the input
 * is worth is used up, which is noted as a problem, and the text is left out.
 */
bool snapshot_take_text(struct snapshot *snapshot, uint64_t size);

/* A copy that lives as long as the snapshot, and is drawn; empty when memory is short or too much was kept. */
struct cairn_bytes snapshot_keep(struct snapshot *snapshot, struct cairn_bytes text);
struct cairn_bytes snapshot_keep_string(struct snapshot *snapshot, const char *text);

/* Mappings by address; empty and wrapping ones are taken out. The source calls it when all are in. */
void snapshot_sort_mappings(struct snapshot *snapshot);

/* The mapping that holds `address`, of sorted ones; NULL for none. */
const struct snapshot_mapping *snapshot_find_mapping(const struct snapshot *snapshot,
                                                     uint64_t address);

/* The first mapping that begins above the address, after snapshot_sort_mappings(); NULL: none does. */
const struct snapshot_mapping *snapshot_next_mapping(const struct snapshot *snapshot,
                                                     uint64_t address);

/*
 * Modules by address. Who fills them calls it when all are in; numbers of modules are those after it.
 */
void snapshot_sort_modules(struct snapshot *snapshot);

/*
 * The module that holds `pc`, of sorted ones; NULL for none. Of modules that overlap, which no program
 * has, the last one that begins at or before `pc` counts.
 */
const struct snapshot_module *snapshot_find_module(const struct snapshot *snapshot, uint64_t pc);

/* From where offsets in the module count: where its first byte is, or would be, had all of it been remapped. */
static inline uint64_t snapshot_module_start(const struct snapshot_module *module)
{
	return module->remapped ? module->first_low - module->first_bias + module->bias
	                        : module->low;
}

/* Frees all that it owns; the struct is zeros afterwards. */
void snapshot_close(struct snapshot *snapshot);

#endif
