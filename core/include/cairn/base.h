/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the types that all other parts use. How a call ended, what was wrong, lent
 * bytes, and the target that a host lends. It says nothing of any format.
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

/* The version of this library, such as "0.1.0". */
CAIRN_API const char *cairn_version(void);

/* How a call ended.  Not finding an address is an outcome, not a failure of the data. */
enum cairn_status {
	CAIRN_OK,
	CAIRN_NOT_FOUND,   /* nothing covers the address */
	CAIRN_TRUNCATED,   /* the data ends inside a record */
	CAIRN_MALFORMED,   /* the data contradicts its format */
	CAIRN_UNSUPPORTED, /* well-formed, but of a version or feature we do not read */
	CAIRN_UNREADABLE,  /* the target refused to read memory */
	CAIRN_NO_MEMORY,
	CAIRN_MISMATCH, /* sound, but made for another build */
};

/* One lower-case phrase for each outcome, without a full stop. */
CAIRN_API const char *cairn_status_text(enum cairn_status status);

/* The name of the outcome as scripts and --json see it: "ok", "not-found", "truncated", ... */
CAIRN_API const char *cairn_status_name(enum cairn_status status);

/* What was wrong, and at which byte of the section or file.  `what` is a constant phrase. */
struct cairn_fault {
	enum cairn_status status;
	uint64_t offset;
	const char *what;
};

/* Borrowed bytes.  `data` is never NULL, not even when `size` is 0. */
struct cairn_bytes {
	const uint8_t *data;
	size_t size;
};

/* Addresses [low, high); equal when there are none. */
struct cairn_range {
	uint64_t low, high;
};

/* The machines whose calling conventions cairn knows. */
enum cairn_machine {
	CAIRN_MACHINE_NONE,
	CAIRN_MACHINE_AMD64,
	CAIRN_MACHINE_AARCH64,
	CAIRN_MACHINE_S390X,
};

/*
 * What the host lends us to look into the target.  read_memory fills the whole buffer or returns
 * CAIRN_UNREADABLE; it is never asked for zero bytes.
 */
struct cairn_target {
	enum cairn_status (*read_memory)(void *context, uint64_t address, void *buffer,
	                                 size_t size);
	void *context;
};

enum { CAIRN_REGISTERS = 33 };

/*
 * Registers of one frame, by DWARF number; bit n of `known` is set when value[n] is valid.  The
 * numbers that matter: amd64 rbp 6, rsp 7; aarch64 x29 29, x30 30, sp 31; s390x r11 11, r14 14,
 * r15 15.  The program counter is apart, because not every machine numbers it.
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
