/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: types that all other parts use, such as the status of a call, faults and
 * errors, borrowed bytes, and the target that a host lends. Nothing here depends on a file format.
 *
 *	struct cairn_symbols *symbols;
 *	struct cairn_error error;
 *	if (cairn_symbols_open("a.gsym", NULL, &symbols, &error) != CAIRN_OK)
 *		printf("%s: %s\n", error.path, error.text);
 */
#ifndef CAIRN_INCLUDE_BASE_H
#define CAIRN_INCLUDE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CAIRN_API __attribute__((visibility("default")))
#define CAIRN_MUST_USE __attribute__((warn_unused_result))
#else
#define CAIRN_API
#define CAIRN_MUST_USE
#endif

/* Version of this header, for the preprocessor. docs/stability.md lists the compatibility rules. */
#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 3
#define CAIRN_VERSION_PATCH 0

/* Return the library's version at run time, such as "0.3.0"; the string is a constant. */
CAIRN_API const char *cairn_version(void);

/* Outcome of a call. CAIRN_NOT_FOUND is a valid result, not an error in the data. */
enum cairn_status {
	CAIRN_OK,
	CAIRN_NOT_FOUND,   /* nothing covers the address */
	CAIRN_TRUNCATED,   /* the data ends inside a record */
	CAIRN_MALFORMED,   /* the data contradicts its format */
	CAIRN_UNSUPPORTED, /* well-formed, but cairn does not read this version or feature */
	CAIRN_UNREADABLE,  /* the target has refused to read memory */
	CAIRN_NO_MEMORY,   /* an allocation has failed */
	CAIRN_MISMATCH,    /* valid, but made for a different build */
	CAIRN_CANCELLED,   /* a host callback has requested cancellation */
	CAIRN_LIMIT,       /* a documented limit has been reached */
};

/* Return a lower-case phrase for the status, without a full stop; the string is a constant. */
CAIRN_API const char *cairn_status_text(enum cairn_status status);

/*
 * Return the status name for scripts and --json: "ok", "not-found", "truncated", ... The string is
 * a constant, and names do not change between versions.
 */
CAIRN_API const char *cairn_status_name(enum cairn_status status);

/*
 * A fault in bytes that the caller has passed, with its offset in the section or file. `what` is a
 * constant phrase and is never NULL after a failed call. Calls that open files fill a struct
 * cairn_error instead.
 */
struct cairn_fault {
	enum cairn_status status;
	uint64_t offset;
	const char *what;
};

/*
 * Details of an error in a function that opens files; pass NULL to ignore them. They are valid only
 * after a failed call. `path`, `part` and `text` live until the same thread calls another function
 * with a struct cairn_error, or ends; to keep them, copy them.
 * They may contain bytes from the input: check them with cairn_character_is_printable() before
 * printing. A path longer than 4095 bytes, or a text longer than 511, is truncated.
 */
struct cairn_error {
	enum cairn_status status;
	int system; /* errno of the failed system call; 0 if no system call failed */
	bool has_offset;
	uint64_t offset;  /* number of bytes from the beginning of the file or section */
	const char *next; /* constant phrase that suggests a remedy, or NULL */
	const char *path; /* file that caused the error; may be empty */
	const char *part; /* section of the file with the error; may be empty */
	const char *text; /* lower-case phrase without a full stop */
};

/*
 * Borrowed bytes. In bytes from cairn, `data` is never NULL, even if `size` is 0. In options, the
 * `data` of empty bytes may be NULL; wherever else you pass empty bytes, use CAIRN_NO_BYTES.
 */
struct cairn_bytes {
	const uint8_t *data;
	size_t size;
};
#define CAIRN_NO_BYTES                 \
	{                              \
		(const uint8_t *)"", 0 \
	}

/*
 * Return the length in bytes of the UTF-8 character at the start of `text`, and store its code
 * point in *character. Returns 0 if `text` is empty or starts with invalid UTF-8; overlong forms
 * and surrogates are invalid.
 */
CAIRN_API size_t cairn_character_at(struct cairn_bytes text, uint32_t *character);

/*
 * Return false for control characters and for marks that change the text direction. Names and paths
 * come from files, where such characters could send commands to a terminal or change the order of
 * the displayed characters.
 */
CAIRN_API bool cairn_character_is_printable(uint32_t character);

/*
 * Initializer for a struct whose first member is its size; all other members are 0:
 *
 *	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
 *
 * The size lets a program compiled with an older header work with a newer library, because the
 * library does not touch members beyond that size. A result whose size is 0 stays empty.
 */
#ifdef __cplusplus
}
template <class T> constexpr T cairn_sized()
{
	T sized{};
	sized.size = sizeof(T);
	return sized;
}
extern "C" {
#define CAIRN_SIZED(type) (cairn_sized<type>())
#else
#define CAIRN_SIZED(type)            \
	{                            \
		.size = sizeof(type) \
	}
#endif

/* The half-open range of addresses low <= a < high. It is empty if low == high. */
struct cairn_range {
	uint64_t low, high;
};

/* Machines whose calling conventions cairn implements. */
enum cairn_machine {
	CAIRN_MACHINE_NONE,
	CAIRN_MACHINE_AMD64,
	CAIRN_MACHINE_AARCH64,
	CAIRN_MACHINE_S390X,
	CAIRN_MACHINE_I386,
	/* unwound only with Breakpad files and .debug_frame, not with .ARM.exidx */
	CAIRN_MACHINE_ARM,
	CAIRN_MACHINE_PPC64, /* either byte order */
	CAIRN_MACHINE_RISCV64,
	CAIRN_MACHINE_X32,  /* amd64 with 4-byte addresses */
	CAIRN_MACHINE_S390, /* 31-bit addresses */
	CAIRN_MACHINE_PPC,  /* 32-bit PowerPC */
};

/*
 * Access to the target's memory, which the host lends to cairn. read_memory() copies `size` bytes
 * at `address` (a pc) to `buffer` and returns CAIRN_OK, or returns CAIRN_UNREADABLE if it cannot
 * copy all of these bytes. `size` is never 0, and `context` is passed to it unchanged.
 */
struct cairn_target {
	enum cairn_status (*read_memory)(void *context, uint64_t address, void *buffer,
	                                 size_t size);
	void *context;
};

enum { CAIRN_REGISTERS = 33 };

/*
 * Registers of one frame, indexed by the DWARF register numbers in the machine's ABI; bit n of
 * `known` is set if value[n] is valid. The important numbers are: amd64 rbp 6, rsp 7; aarch64 x29
 * 29, x30 30, sp 31; s390x r11 11, r14 14, r15 15. The link register of ppc64 has DWARF number 65
 * but index 32 here. The program counter has its own field because some ABIs assign it no number.
 */
struct cairn_registers {
	enum cairn_machine machine;
	bool big_endian;
	uint64_t pc;
	uint64_t known;
	uint64_t value[CAIRN_REGISTERS];
};

#ifdef __cplusplus
}
#endif

#endif
