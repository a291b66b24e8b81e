/* SPDX-License-Identifier: MIT */
/*
 * Decodes minidumps of Windows, Breakpad and Crashpad. docs/formats/minidump.md describes the
 * format and the origin of each rule.
 *
 *	struct minidump dump;
 *	struct minidump_list list;
 *	struct minidump_thread thread;
 *	if (minidump_open(bytes, &dump, &fault) == CAIRN_OK) {
 *		list = minidump_list(&dump, MINIDUMP_THREADS);
 *		while (minidump_next_thread(&list, &thread))
 *			... thread.id, thread.context
 *		if (list.in.fault.status != CAIRN_OK)
 *			... the rest of the list could not be read, and the fault has the reason
 *	}
 *
 * As much as possible is read from a damaged dump: a list returns the entries before the first
 * truncated one, and a file range that extends past the end of the file is truncated. Every entry
 * consumes bytes of the file, so a wrong count cannot cause an endless loop. Nothing here
 * allocates. All offsets are file offsets.
 */
#ifndef CAIRN_FORMATS_MINIDUMP_H
#define CAIRN_FORMATS_MINIDUMP_H

#include "base/byte_buffer.h"
#include "base/reader.h"

#include <cairn.h>

#include <stdbool.h>
#include <stdint.h>

enum minidump_stream_type {
	MINIDUMP_THREADS = 3,
	MINIDUMP_MODULES = 4,
	MINIDUMP_MEMORY = 5,
	MINIDUMP_EXCEPTION = 6,
	MINIDUMP_SYSTEM = 7,
	MINIDUMP_MEMORY64 = 9,
	MINIDUMP_MISC = 15,
	MINIDUMP_REGIONS = 16,
	MINIDUMP_THREAD_NAMES = 24,
	/* contents of the files status, cmdline, auxv and maps in /proc/PID */
	MINIDUMP_LINUX_STATUS = 0x47670004,
	MINIDUMP_LINUX_COMMAND = 0x47670006,
	MINIDUMP_LINUX_AUXV = 0x47670008,
	MINIDUMP_LINUX_MAPS = 0x47670009,
	/* list of loaded images that the dynamic loader keeps for debuggers */
	MINIDUMP_LINUX_DSO = 0x4767000a,
};

enum minidump_platform {
	MINIDUMP_PLATFORM_WINDOWS_NT = 2,
	MINIDUMP_PLATFORM_MACOS = 0x8101,
	MINIDUMP_PLATFORM_IOS = 0x8102,
	MINIDUMP_PLATFORM_LINUX = 0x8201,
	MINIDUMP_PLATFORM_ANDROID = 0x8203,
};

/* Machines. Registers are read for all machines except UNKNOWN and OTHER. */
enum minidump_machine {
	MINIDUMP_MACHINE_UNKNOWN,
	MINIDUMP_MACHINE_X86,
	MINIDUMP_MACHINE_AMD64,
	MINIDUMP_MACHINE_ARM,
	MINIDUMP_MACHINE_ARM64,
	/* known machine whose registers cairn cannot read */
	MINIDUMP_MACHINE_OTHER,
};

struct minidump {
	struct cairn_bytes bytes;
	bool big;
	uint32_t time; /* time of writing, in seconds since 1970 */
	uint64_t flags;
	uint32_t streams;
	size_t directory;
};

/* A file range that a record refers to by offset and size. */
struct minidump_part {
	uint64_t offset;
	struct cairn_bytes bytes; /* contents, as far as the file contains them */
	bool cut;                 /* the range extends past the end of the file */
};

bool minidump_has_magic(struct cairn_bytes bytes);

/*
 * Open a dump. Return CAIRN_MALFORMED if it is not a minidump, CAIRN_UNSUPPORTED for another
 * version, and CAIRN_TRUNCATED if the header is truncated or the directory lies outside the file. A
 * truncated directory is accepted, see minidump_streams().
 */
CAIRN_MUST_USE enum cairn_status minidump_open(struct cairn_bytes bytes, struct minidump *dump,
                                               struct cairn_fault *fault);

/*
 * Return the number of directory entries in the file, which is less than dump->streams if the
 * directory is truncated.
 */
uint32_t minidump_streams(const struct minidump *dump);

/* Find the first nonempty stream of a type. Return false if there is no such stream. */
bool minidump_find_stream(const struct minidump *dump, uint32_t type, struct minidump_part *part);

/*
 * Return the UTF-16 string whose length is at `offset`. It is empty if the offset is 0 or invalid.
 */
struct minidump_part minidump_text(const struct minidump *dump, uint64_t offset);

/* Write the string as UTF-8. Unpaired surrogates become U+FFFD. */
void minidump_put_text(const struct minidump *dump, const struct minidump_part *text,
                       struct sink *out);

struct minidump_system {
	uint16_t processor; /* PROCESSOR_ARCHITECTURE_... */
	enum minidump_machine machine;
	uint32_t platform;
	uint32_t major, minor, build;
	/* offset of the OS version string for minidump_text(), 0 if absent */
	uint64_t version_text;
};

/* Read the system stream. Return false if it is missing or truncated; missing fields are then 0. */
bool minidump_read_system(const struct minidump *dump, struct minidump_system *system);

/* Return the name of a processor, such as "amd64" or "ppc64", or NULL if it is unknown. */
const char *minidump_processor_name(uint16_t processor);

enum { MINIDUMP_PARAMETERS_MAX = 15 };

/* The exception that ended the program. On Linux, `code` is the signal and `flags` its si_code. */
struct minidump_exception {
	uint32_t thread;
	uint32_t code, flags;
	uint64_t record, address;
	uint32_t parameters;
	uint64_t parameter[MINIDUMP_PARAMETERS_MAX];
	struct minidump_part context; /* registers of the thread at the time of the exception */
};

bool minidump_read_exception(const struct minidump *dump, struct minidump_exception *exception);

struct minidump_process {
	uint32_t id;      /* process ID, 0 if unknown */
	uint32_t started; /* start time of the process in seconds since 1970, 0 if unknown */
};

bool minidump_read_process(const struct minidump *dump, struct minidump_process *process);

struct minidump_list {
	const struct minidump *dump;
	/*
	 * reader over the file from the next record to the end of the list; its fault is set if the
	 * list ended early
	 */
	struct reader in;
	uint64_t left;
	size_t record;
	uint64_t data; /* MEMORY64: file offset of the contents of the next range */
	bool wide;     /* the list is MEMORY64, or the DSO list of a 64-bit program */
	/*
	 * fault to report after the last record, if the list contains fewer records than announced
	 */
	struct cairn_fault short_of;
};

/*
 * Open the list in a stream of type THREADS, MODULES, MEMORY, MEMORY64, REGIONS or THREAD_NAMES. If
 * the stream is missing, the list is empty and its fault is CAIRN_NOT_FOUND.
 */
struct minidump_list minidump_list(const struct minidump *dump, enum minidump_stream_type type);

struct minidump_thread {
	uint32_t id;
	uint64_t block; /* address of the thread environment block (TEB) */
	uint64_t stack; /* lowest captured address of the stack */
	/* captured stack contents; if empty, search the memory lists */
	struct minidump_part captured;
	struct minidump_part context;
};

bool minidump_next_thread(struct minidump_list *list, struct minidump_thread *thread);

struct minidump_module {
	uint64_t low;
	uint32_t size; /* low + size may wrap in a damaged dump */
	uint32_t checksum, time;
	uint64_t name; /* offset of the name for minidump_text() */
	struct minidump_part codeview;
};

bool minidump_next_module(struct minidump_list *list, struct minidump_module *module);

/*
 * Captured memory contents at `address`, from a MEMORY or MEMORY64 list. The range may wrap in a
 * damaged dump.
 */
struct minidump_memory {
	uint64_t address;
	struct minidump_part part;
};

bool minidump_next_memory(struct minidump_list *list, struct minidump_memory *memory);

/* Pages with the same protection. The dump need not contain the contents of these pages. */
struct minidump_region {
	uint64_t address, size; /* address + size may wrap in a damaged dump */
	uint32_t state, protection;
};

enum { MINIDUMP_REGION_FREE = 0x10000 }; /* value of `state` for unmapped pages */

/*
 * Kinds of access. Each value is the mask of the protections that allow this access. A region has
 * exactly one protection.
 */
enum minidump_access {
	MINIDUMP_READ = 0xee,
	MINIDUMP_WRITE = 0xcc,
	MINIDUMP_EXECUTE = 0xf0,
};

/* Return true if the protection of a region allows the access. Guard pages do not allow any. */
bool minidump_region_allows(const struct minidump_region *region, enum minidump_access access);

bool minidump_next_region(struct minidump_list *list, struct minidump_region *region);

struct minidump_thread_name {
	uint32_t thread;
	uint64_t name; /* offset of the name for minidump_text() */
};

bool minidump_next_thread_name(struct minidump_list *list, struct minidump_thread_name *name);

/* An image that the Linux dynamic loader has loaded. */
struct minidump_dso {
	uint64_t bias; /* address in the process minus link-time address */
	uint64_t name; /* offset of the path for minidump_text() */
	uint64_t dynamic;
};

/* Open the DSO list. `word` is the address size of the program, 4 or 8 bytes. */
struct minidump_list minidump_dso_list(const struct minidump *dump, unsigned word);
bool minidump_next_dso(struct minidump_list *list, struct minidump_dso *dso);

enum minidump_debug_kind {
	MINIDUMP_DEBUG_NONE,
	/*
	 * GUID in `id`; for ELF files, older Breakpad versions store the start of the build ID
	 * there
	 */
	MINIDUMP_DEBUG_PDB70,
	MINIDUMP_DEBUG_PDB20,
	MINIDUMP_DEBUG_ELF,
	MINIDUMP_DEBUG_OTHER,
};

/* The CodeView record of a module, which identifies its debug information. */
struct minidump_debug {
	enum minidump_debug_kind kind;
	struct cairn_bytes id; /* PDB70: GUID in file byte order; ELF: build ID */
	uint32_t stamp, age;   /* PDB20 has both values, PDB70 has only the age */
	/* PDB70, PDB20: name of the debug file, without NUL */
	struct cairn_bytes name;
};

struct minidump_debug minidump_read_debug(const struct minidump *dump,
                                          const struct minidump_module *module);

enum { MINIDUMP_ID_MAX = 2 * 16 + 8 };

/*
 * Write the module's ID as in a Breakpad MODULE record: upper-case digits without NUL. Return the
 * number of digits, or 0 if the module does not have an ID.
 */
size_t minidump_debug_id(const struct minidump *dump, const struct minidump_debug *debug,
                         char id[MINIDUMP_ID_MAX]);

/* Registers by DWARF number. The pc is separate, as in struct cairn_registers. */
struct minidump_registers {
	enum minidump_machine machine;
	uint64_t pc;
	uint64_t known; /* bit n is set if value[n] is valid */
	uint64_t value[CAIRN_REGISTERS];
};

/*
 * Read the registers in a context record. `machine` is the result of minidump_read_system(); if it
 * is MINIDUMP_MACHINE_UNKNOWN, the machine is inferred from the record. Return CAIRN_TRUNCATED if
 * the record is truncated, CAIRN_MALFORMED if it belongs to another machine or lacks the pc and
 * stack pointer, CAIRN_UNSUPPORTED if the machine is not supported, and CAIRN_NOT_FOUND if there is
 * no record.
 */
CAIRN_MUST_USE enum cairn_status minidump_read_registers(const struct minidump *dump,
                                                         enum minidump_machine machine,
                                                         const struct minidump_part *context,
                                                         struct minidump_registers *registers,
                                                         struct cairn_fault *fault);

/* Contents of a context record other than the integer registers. */
struct minidump_context_rest {
	bool known;
	uint32_t flags;      /* amd64: eflags; arm64: cpsr */
	uint16_t segment[6]; /* amd64: cs ds es fs gs ss; 0 if unknown */
	/* amd64: 512-byte FXSAVE area; arm64: v0 to v31; empty if unknown */
	struct cairn_bytes vectors;
	uint32_t fp_control, fp_status; /* arm64: fpcr and fpsr; valid if `vectors` is not empty */
};

/*
 * Read the rest of a little-endian amd64 or arm64 context record, after minidump_read_registers()
 * has succeeded. Registers past the end of a truncated record are unknown. `vectors` points into
 * the dump.
 */
void minidump_read_context_rest(const struct minidump *dump, enum minidump_machine machine,
                                const struct minidump_part *context,
                                struct minidump_context_rest *rest);

/*
 * Flags in a context record, which identify its machine and the groups of registers that are valid.
 */

enum {
	CONTEXT_CONTROL = 1,  /* control group: pc, sp and, on x86, the frame pointer */
	CONTEXT_INTEGER = 2,  /* integer group: other integer registers */
	CONTEXT_SEGMENTS = 4, /* segment registers of amd64 */
	CONTEXT_AMD64_FLOATS = 8,
	CONTEXT_ARM64_FLOATS = 4,
	CONTEXT_GROUPS = 0xffff,
	/* offset of the flags in an amd64 record; in other records, the flags come first */
	CONTEXT_AMD64_FLAGS_AT = 48,
};

#define CONTEXT_X86 UINT32_C(0x00010000)
#define CONTEXT_AMD64 UINT32_C(0x00100000)
#define CONTEXT_ARM_WINDOWS UINT32_C(0x00200000)
#define CONTEXT_ARM64 UINT32_C(0x00400000)
#define CONTEXT_ARM_BREAKPAD UINT32_C(0x40000000)
#define CONTEXT_ARM64_BREAKPAD UINT32_C(0x80000000)
/*
 * mask of the flags that identify the machine on Windows; higher bits describe how the context was
 * obtained
 */
#define CONTEXT_WINDOWS UINT32_C(0x07ff0000)

static inline bool context_has_windows_flag(uint32_t flags, uint32_t machine)
{
	return (flags & CONTEXT_WINDOWS) == machine;
}

/*
 * Return true if the record has the flag that Breakpad chose for this machine before Windows
 * defined one.
 */
static inline bool context_has_breakpad_flag(uint32_t flags, uint32_t machine)
{
	return (flags & CONTEXT_WINDOWS) == 0 && (flags & machine);
}

/*
 * Return the valid register groups. Dumps from macOS have no group flags; all groups are valid
 * then.
 */
static inline uint32_t context_groups(uint32_t flags)
{
	return flags & CONTEXT_GROUPS ? flags & CONTEXT_GROUPS : CONTEXT_GROUPS;
}

#endif
