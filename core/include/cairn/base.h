/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the types that all other parts use: how a call ended, what was wrong, lent
 * bytes, and the target that a host lends.  Nothing here depends on a format.
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

/* The version of this header, for the preprocessor; what a version promises is in docs/stability.md. */
#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 2
#define CAIRN_VERSION_PATCH 0

/* Returns the version of the library that the program runs with, such as "0.2.0"; the text is a constant. */
CAIRN_API const char *cairn_version(void);

/* How a call ended.  CAIRN_NOT_FOUND is an answer, not a failure of the data. */
enum cairn_status {
	CAIRN_OK,
	CAIRN_NOT_FOUND,   /* nothing covers the address */
	CAIRN_TRUNCATED,   /* the data ends inside a record */
	CAIRN_MALFORMED,   /* the data contradicts its format */
	CAIRN_UNSUPPORTED, /* well-formed, but cairn does not read this version or feature */
	CAIRN_UNREADABLE,  /* the target refused to read memory */
	CAIRN_NO_MEMORY,   /* an allocation failed, or a documented limit is reached */
	CAIRN_MISMATCH,    /* sound, but made for another build */
	CAIRN_CANCELLED,   /* a callback of the host asked to stop */
};

/* Returns one lower-case phrase for each outcome, without a full stop; the text is a constant. */
CAIRN_API const char *cairn_status_text(enum cairn_status status);

/*
 * Returns the name of the outcome as scripts and --json see it: "ok", "not-found", "truncated", ...
 * The text is a constant, and names do not change between versions.
 */
CAIRN_API const char *cairn_status_name(enum cairn_status status);

/*
 * What was wrong in bytes that a call was given, and at which byte of the section or file.  `what` is a constant phrase;
 * it is never NULL after a call that failed.  Calls that open files fill a struct cairn_error.
 */
struct cairn_fault {
	enum cairn_status status;
	uint64_t offset;
	const char *what;
};

enum { CAIRN_ERROR_PATH = 4096, CAIRN_ERROR_TEXT = 512, CAIRN_ERROR_PART = 64 };

/*
 * Why a call failed that opens files.  Its texts may contain bytes of the input, and are cut where they would not
 * fit: see cairn_character_is_printable().  A caller who does not want it passes NULL.
 */
struct cairn_error {
	enum cairn_status status;
	int system; /* the errno value of the call of the system that failed; 0: none did */
	bool has_offset;
	uint64_t offset;             /* bytes from the beginning of the file or section */
	const char *next;            /* what to do about it, a constant; NULL: nothing */
	char path[CAIRN_ERROR_PATH]; /* of the file that the error is about; empty: none */
	char part[CAIRN_ERROR_PART]; /* a section of it; empty: none */
	char text[CAIRN_ERROR_TEXT]; /* a lower-case phrase without a full stop */
};

/* Borrowed bytes.  `data` is never NULL, not even when `size` is 0. */
struct cairn_bytes {
	const uint8_t *data;
	size_t size;
};
#define CAIRN_NO_BYTES                 \
	{                              \
		(const uint8_t *)"", 0 \
	}

/*
 * Returns the length of the UTF-8 character at the beginning of `text` and stores it in *character; returns 0 if
 * `text` is empty or begins with bytes that are no UTF-8.  Overlong forms and surrogates are none.
 */
CAIRN_API size_t cairn_character_at(struct cairn_bytes text, uint32_t *character);

/*
 * Returns false for controls, and for marks that change the direction of the text around them: names and paths
 * come from files, and such characters in them drive a terminal or reorder what its user reads.
 */
CAIRN_API bool cairn_character_is_printable(uint32_t character);

/* The addresses low <= a < high.  An empty range has low == high. */
struct cairn_range {
	uint64_t low, high;
};

/* The machines whose calling conventions cairn knows. */
enum cairn_machine {
	CAIRN_MACHINE_NONE,
	CAIRN_MACHINE_AMD64,
	CAIRN_MACHINE_AARCH64,
	CAIRN_MACHINE_S390X,
	CAIRN_MACHINE_I386,
	CAIRN_MACHINE_ARM, /* by Breakpad files and .debug_frame; its own .ARM.exidx is not read */
	CAIRN_MACHINE_PPC64, /* of either byte order */
	CAIRN_MACHINE_RISCV64,
	CAIRN_MACHINE_X32,  /* amd64 with addresses of 4 bytes */
	CAIRN_MACHINE_S390, /* with addresses of 31 bits */
	CAIRN_MACHINE_PPC,  /* of 32 bits */
};

/*
 * How cairn reads the target.  read_memory() copies `size` bytes at `address` (a pc) to `buffer`
 * and returns CAIRN_OK, or returns CAIRN_UNREADABLE if it cannot copy all of them.  cairn never
 * asks for zero bytes, and passes `context` through unchanged.
 */
struct cairn_target {
	enum cairn_status (*read_memory)(void *context, uint64_t address, void *buffer,
	                                 size_t size);
	void *context;
};

enum { CAIRN_REGISTERS = 33 };

/*
 * Registers of one frame, indexed by the DWARF number that the ABI of the machine assigns; bit n of
 * `known` is set when value[n] is valid.  The numbers that matter: amd64 rbp 6, rsp 7; aarch64 x29
 * 29, x30 30, sp 31; s390x r11 11, r14 14, r15 15.  The link register of ppc64, which DWARF calls 65,
 * is 32.  The program counter is a field of its own, because not every machine gives it a number.
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
