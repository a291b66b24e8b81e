/* SPDX-License-Identifier: MIT */
/*
 * Minidumps as Windows, Breakpad and Crashpad write them: bytes to plain facts. The format, and
 * where each rule comes from, is described in docs/formats/minidump.md.
 *
 *	struct minidump dump;
 *	struct minidump_list list;
 *	struct minidump_thread thread;
 *	if (minidump_open(bytes, &dump, &fault) == CAIRN_OK) {
 *		list = minidump_list(&dump, MINIDUMP_THREADS);
 *		while (minidump_next_thread(&list, &thread))
 *			... thread.id, thread.context
 *		if (list.in.fault.status != CAIRN_OK)
 *			... what follows could not be read, and why
 *	}
 *
 * A damaged dump gives what can be had: a list gives the entries before the first one that is cut
 * off, and a part that reaches past the end of the file is lent as far as it is there. Nothing here
 * allocates; each entry costs the bytes of its record, so that no count makes a loop longer than
 * the file. All offsets are of the file.
 */
#ifndef CAIRN_FORMATS_MINIDUMP_H
#define CAIRN_FORMATS_MINIDUMP_H

#include <cairn.h>

#include "base/reader.h"
#include "base/sink.h"

/* Streams that cairn reads. The numbers are those of the format. */
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
	MINIDUMP_LINUX_STATUS = 0x47670004, /* text of /proc/PID/status */
	MINIDUMP_LINUX_COMMAND =
		0x47670006,               /* of /proc/PID/cmdline: arguments, each with its NUL */
	MINIDUMP_LINUX_AUXV = 0x47670008, /* of /proc/PID/auxv */
	MINIDUMP_LINUX_MAPS = 0x47670009, /* text of /proc/PID/maps */
	MINIDUMP_LINUX_DSO = 0x4767000a,  /* what the dynamic loader gives to a debugger */
};

enum minidump_platform {
	MINIDUMP_PLATFORM_WINDOWS_NT = 2,
	MINIDUMP_PLATFORM_MACOS = 0x8101,
	MINIDUMP_PLATFORM_IOS = 0x8102,
	MINIDUMP_PLATFORM_LINUX = 0x8201,
	MINIDUMP_PLATFORM_ANDROID = 0x8203,
};

/* Machines whose registers are read. */
enum minidump_machine {
	MINIDUMP_MACHINE_UNKNOWN,
	MINIDUMP_MACHINE_X86,
	MINIDUMP_MACHINE_AMD64,
	MINIDUMP_MACHINE_ARM,
	MINIDUMP_MACHINE_ARM64,
	MINIDUMP_MACHINE_OTHER, /* it has a name, but its registers are not read */
};

struct minidump {
	struct cairn_bytes bytes;
	bool big;
	uint32_t time; /* seconds since 1970 when it was written */
	uint64_t flags;
	uint32_t streams;
	size_t directory; /* offset of the first of them */
};

/* A part of the file that a record points to. */
struct minidump_part {
	uint64_t offset;
	struct cairn_bytes bytes; /* what there is of it */
	bool cut;                 /* it reaches past the end of the file */
};

bool minidump_has_magic(struct cairn_bytes bytes);

/*
 * MALFORMED: not a minidump. UNSUPPORTED: of another version. TRUNCATED: the header is cut off, or
 * the directory is outside the file. A directory that is cut off opens: see minidump_streams().
 */
CAIRN_MUST_USE enum cairn_status minidump_open(struct cairn_bytes bytes, struct minidump *dump,
                                               struct cairn_fault *fault);

/* How many entries of the directory are in the file: dump->streams, or fewer. */
uint32_t minidump_streams(const struct minidump *dump);

/* The first stream of a type that is not empty; false when there is none. */
bool minidump_find_stream(const struct minidump *dump, uint32_t type, struct minidump_part *part);

/* UTF-16 text at an offset, with its length before it; empty where there is none. */
struct minidump_part minidump_text(const struct minidump *dump, uint64_t offset);

/* The same as UTF-8; what is not a character becomes U+FFFD. */
void minidump_put_text(const struct minidump *dump, const struct minidump_part *text,
                       struct sink *out);

/* The system of the program. */
struct minidump_system {
	uint16_t processor; /* as written: PROCESSOR_ARCHITECTURE_... */
	enum minidump_machine machine;
	uint32_t platform;
	uint32_t major, minor, build;
	uint64_t version_text; /* offset for minidump_text(); 0: none */
};

/* False when the stream is missing or cut off; then all is zero, as far as it was not read. */
bool minidump_read_system(const struct minidump *dump, struct minidump_system *system);

/* A name for it, such as "amd64" or "ppc64"; NULL for one that is not known. */
const char *minidump_processor_name(uint16_t processor);

enum { MINIDUMP_PARAMETERS_MAX = 15 };

/* What ended the program. On Linux the code is the signal and the flags are its si_code. */
struct minidump_exception {
	uint32_t thread;
	uint32_t code, flags;
	uint64_t record, address;
	uint32_t parameters; /* at most MINIDUMP_PARAMETERS_MAX */
	uint64_t parameter[MINIDUMP_PARAMETERS_MAX];
	struct minidump_part context; /* registers of the thread when it happened */
};

bool minidump_read_exception(const struct minidump *dump, struct minidump_exception *exception);

/* What else is known of the process. */
struct minidump_process {
	uint32_t id;      /* 0: not known */
	uint32_t started; /* seconds since 1970; 0: not known */
};

bool minidump_read_process(const struct minidump *dump, struct minidump_process *process);

/* A list of records, on the way. */
struct minidump_list {
	const struct minidump *dump;
	struct reader
		in; /* over the file up to the end of the list; its fault gives the reason why it ended */
	uint64_t left; /* records that are in the file */
	size_t record; /* bytes of one */
	uint64_t data; /* MEMORY64: where the bytes of the next range are */
	bool wide;     /* MEMORY64; or DSO of a 64-bit program */
	struct cairn_fault
		short_of; /* there are fewer records than it claims: reported at the end */
};

/*
 * The list in a stream of type THREADS, MODULES, MEMORY, MEMORY64, REGIONS or THREAD_NAMES. One that
 * is not there is empty, with the fault NOT_FOUND.
 */
struct minidump_list minidump_list(const struct minidump *dump, enum minidump_stream_type type);

struct minidump_thread {
	uint32_t id;
	uint64_t block; /* of the thread, in its memory: TEB */
	uint64_t stack; /* address of the lowest byte that was captured */
	struct minidump_part
		captured; /* what was captured of it; empty: look in the memory lists */
	struct minidump_part context;
};

bool minidump_next_thread(struct minidump_list *list, struct minidump_thread *thread);

struct minidump_module {
	uint64_t low;
	uint32_t size; /* low + size may wrap in a damaged dump */
	uint32_t checksum, time;
	uint64_t name; /* offset for minidump_text() */
	struct minidump_part codeview;
};

bool minidump_next_module(struct minidump_list *list, struct minidump_module *module);

/* Memory from `address` on, of MEMORY or MEMORY64; it may wrap in a damaged dump. */
struct minidump_memory {
	uint64_t address;
	struct minidump_part part;
};

bool minidump_next_memory(struct minidump_list *list, struct minidump_memory *memory);

/* Pages of the program with one protection, whether captured or not. */
struct minidump_region {
	uint64_t address, size; /* address + size may wrap in a damaged dump */
	uint32_t state, protection;
};

enum { MINIDUMP_REGION_FREE = 0x10000 }; /* state: nothing is mapped there */

/* Each kind of access is a set of the protections that allow it, of which a region has one. */
enum minidump_access {
	MINIDUMP_READ = 0xee,
	MINIDUMP_WRITE = 0xcc,
	MINIDUMP_EXECUTE = 0xf0,
};

/* A guard page allows nothing. */
bool minidump_region_allows(const struct minidump_region *region, enum minidump_access access);

bool minidump_next_region(struct minidump_list *list, struct minidump_region *region);

struct minidump_thread_name {
	uint32_t thread;
	uint64_t name; /* offset for minidump_text() */
};

bool minidump_next_thread_name(struct minidump_list *list, struct minidump_thread_name *name);

/* An image that the dynamic loader of Linux knew. */
struct minidump_dso {
	uint64_t bias; /* what was added to the addresses as linked */
	uint64_t name; /* offset for minidump_text() */
	uint64_t dynamic;
};

/* Lists those images, for a program whose addresses have `word` bytes, 4 or 8. */
struct minidump_list minidump_dso_list(const struct minidump *dump, unsigned word);
bool minidump_next_dso(struct minidump_list *list, struct minidump_dso *dso);

enum minidump_debug_kind {
	MINIDUMP_DEBUG_NONE,
	MINIDUMP_DEBUG_PDB70, /* also of ELF files, by older Breakpad: id is the build ID's start */
	MINIDUMP_DEBUG_PDB20,
	MINIDUMP_DEBUG_ELF, /* id is the build ID */
	MINIDUMP_DEBUG_OTHER,
};

/* A module's CodeView record: which debug information belongs to it. */
struct minidump_debug {
	enum minidump_debug_kind kind;
	struct cairn_bytes id;   /* PDB70: the GUID as it is in the file; ELF */
	uint32_t stamp, age;     /* PDB20: both; PDB70: the age */
	struct cairn_bytes name; /* PDB70, PDB20: of the file with debug information, no NUL */
};

struct minidump_debug minidump_read_debug(const struct minidump *dump,
                                          const struct minidump_module *module);

enum { MINIDUMP_ID_MAX = 2 * 16 + 8 };

/*
 * The ID of the MODULE record in the Breakpad file that belongs to a module, in upper-case digits,
 * without a NUL: how many characters, or 0 when the module has none.
 */
size_t minidump_debug_id(const struct minidump *dump, const struct minidump_debug *debug,
                         char id[MINIDUMP_ID_MAX]);

/* Registers by DWARF number; pc apart, as in struct cairn_registers. */
struct minidump_registers {
	enum minidump_machine machine;
	uint64_t pc;
	uint64_t known; /* bit n: value[n] is valid */
	uint64_t value[CAIRN_REGISTERS];
};

/*
 * Reads the registers of a context record. `machine` comes from minidump_read_system(); if UNKNOWN it is
 * given by the record itself. TRUNCATED: the record is cut off. MALFORMED: it is of another machine,
 * or without pc and stack pointer. UNSUPPORTED: the machine is not known. NOT_FOUND: no record.
 */
CAIRN_MUST_USE enum cairn_status minidump_read_registers(const struct minidump *dump,
                                                         enum minidump_machine machine,
                                                         const struct minidump_part *context,
                                                         struct minidump_registers *registers,
                                                         struct cairn_fault *fault);

/* What a context holds beside the integer registers; it may be missing. */
struct minidump_context_rest {
	bool known;
	uint32_t flags;             /* eflags, cpsr */
	uint16_t segment[6];        /* cs ds es fs gs ss, of amd64; 0: not known */
	struct cairn_bytes vectors; /* amd64: the 512 bytes of FXSAVE; arm64: v0 to v31; or empty */
	uint32_t fp_control, fp_status; /* of arm64, with `vectors` */
};

/*
 * Reads the other registers of a context record of amd64 or arm64, in little endian, whose integer registers were read. Registers past the
 * end of a record that is cut off are not known. `vectors` points into the dump.
 */
void minidump_read_context_rest(const struct minidump *dump, enum minidump_machine machine,
                                const struct minidump_part *context,
                                struct minidump_context_rest *rest);

#endif
