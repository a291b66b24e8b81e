/* SPDX-License-Identifier: MIT */
/*
 * Reads recordings made by perf: a header, event records, and optional sections with information
 * about the recording ("features") (docs/formats/perfdata.md). A recording written to a pipe
 * consists only of records.
 *
 *	struct perfdata recording;
 *	struct perfdata_record record;
 *	if (perfdata_open(bytes, &recording, &fault) != CAIRN_OK)
 *		...
 *	while (perfdata_next(&recording.records, &record))
 *		switch (record.type) {
 *		case PERFDATA_SAMPLE: ... perfdata_read_sample(&record, &attr, &sample)
 *		}
 *	... recording.records.fault
 *
 * To read the records inside compressed records, pass the decompressed bytes to perfdata_records().
 */
#ifndef CAIRN_FORMATS_PERFDATA_H
#define CAIRN_FORMATS_PERFDATA_H

#include "base/reader.h"

#include <cairn.h>

/* Record types that cairn reads. Other types are skipped. */
enum {
	PERFDATA_MMAP = 1,
	PERFDATA_LOST = 2,
	PERFDATA_COMM = 3,
	PERFDATA_EXIT = 4,
	PERFDATA_FORK = 7,
	PERFDATA_SAMPLE = 9,
	PERFDATA_MMAP2 = 10,
	PERFDATA_LOST_SAMPLES = 13,
	PERFDATA_NAMESPACES = 16,
	PERFDATA_DEFERRED = 22, /* PERF_RECORD_CALLCHAIN_DEFERRED, since Linux 6.19 */
	/* records of types from 64 on are written by perf, not the kernel, and lack timestamps */
	PERFDATA_USER = 64,
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

enum {
	PERFDATA_BUILD_IDS = 2,
	PERFDATA_HOST = 3,
	PERFDATA_RELEASE = 4,
	PERFDATA_ARCH = 6,
	PERFDATA_EVENTS = 12,
	PERFDATA_CLOCK = 29,
	PERFDATA_FEATURES = 256,
};

/* Bits in a record's `misc` field. */
enum {
	PERFDATA_MODE = 7,
	PERFDATA_MODE_KERNEL = 1,
	PERFDATA_MODE_USER = 2,
	PERFDATA_EXEC = 1 << 13, /* COMM: the process has called exec */
	/* MMAP2: the record contains a build ID instead of device and inode */
	PERFDATA_HAS_ID = 1 << 14,
	PERFDATA_HAS_SIZE = 1 << 15, /* BUILD_ID: the record contains the size of the build ID */
};

/*
 * PERF_CONTEXT_* markers in a call chain. A marker names the execution mode to which the addresses
 * after it belong.
 */
#define PERFDATA_CONTEXT_FIRST ((uint64_t)-4095)
#define PERFDATA_CONTEXT_KERNEL ((uint64_t)-128)
#define PERFDATA_CONTEXT_USER ((uint64_t)-512)
#define PERFDATA_CONTEXT_DEFERRED ((uint64_t)-640) /* a cookie follows and ends the chain */

enum {
	PERFDATA_ID_MAX = 20,
	PERFDATA_BRANCH_SIZE = 24, /* size of a branch record in bytes: source, target and flags */
};

/*
 * Bit in branch_type. If it is set, the branch stack is a call stack: it contains the calls that
 * have not returned, not all branches.
 */
#define PERFDATA_BRANCH_CALLS ((uint64_t)1 << 11)

struct perfdata_records {
	struct reader in;
};

struct perfdata_record {
	uint32_t type;
	uint16_t misc;
	bool big;
	struct cairn_bytes body;
	struct cairn_bytes data; /* contents of a compressed record, still compressed */
};

struct perfdata {
	struct cairn_bytes bytes;
	bool big, is_pipe;
	struct perfdata_records records;
	/*
	 * event descriptions in the header, each followed by the range of its IDs; empty in a pipe
	 */
	struct cairn_bytes attrs;
	size_t attr_size;
	uint64_t features[PERFDATA_FEATURES / 64];
	uint64_t feature_table; /* file offset of the feature table */
};

/* A recorded event. Its attributes determine the layout of its records. */
struct perfdata_attr {
	uint32_t type;
	uint64_t config, sample_type, read_format, branch_type, user_registers;
	/* sampling period if it is fixed; 0 if each sample contains its own period */
	uint64_t period;
	bool is_inherited;   /* new threads have their own counters with the same IDs */
	bool has_sample_ids; /* all records end with identification fields */
	bool is_monotonic;   /* timestamps use CLOCK_MONOTONIC, as in jitdump files */
	bool big;
	struct cairn_bytes ids; /* array of 8-byte IDs */
};

/*
 * A sample. Fields that the recording does not contain are 0. `chain` is an array of 8-byte
 * addresses, innermost first.
 */
struct perfdata_sample {
	uint64_t ip, time, id, period;
	uint32_t pid, tid;
	bool has_time;
	struct cairn_bytes counts; /* counter values; read with perfdata_sample_count() */
	struct cairn_bytes chain;
	/* branch records of PERFDATA_BRANCH_SIZE bytes, latest first */
	struct cairn_bytes branches;
	uint64_t register_abi; /* ABI of the registers: 0 none, 1 32-bit, 2 64-bit */
	/* array of 8-byte register values, one for each bit set in user_registers */
	struct cairn_bytes registers;
	struct cairn_bytes stack; /* copy of the stack, starting at the stack pointer */
};

struct perfdata_count {
	uint64_t id, value;
};

/* A mapping. Kernel mappings have pid -1. */
struct perfdata_mmap {
	uint32_t pid, tid;
	uint64_t start, size, offset;
	struct cairn_bytes path;
	uint8_t build_id[PERFDATA_ID_MAX];
	size_t id_size; /* 0 if there is no build ID */
	bool is_code;
};

struct perfdata_fork {
	uint32_t pid, parent, tid, parent_tid;
};

/*
 * Deferred user stack. It completes the call chains that end with this cookie in earlier samples of
 * the thread.
 */
struct perfdata_deferred {
	uint64_t cookie;
	uint32_t tid;
	struct cairn_bytes chain; /* array of 8-byte addresses */
};

struct perfdata_comm {
	uint32_t pid, tid;
	struct cairn_bytes name;
	bool is_exec;
};

/*
 * Namespaces of a process, recorded with `perf record --namespaces`. The process's paths are
 * relative to its mount namespace.
 */
struct perfdata_namespaces {
	uint32_t pid, tid;
	uint64_t mount;
};

struct perfdata_build_id {
	struct cairn_bytes path;
	uint8_t id[PERFDATA_ID_MAX];
	size_t size;
};

bool perfdata_recognize(struct cairn_bytes bytes);

CAIRN_MUST_USE enum cairn_status perfdata_open(struct cairn_bytes bytes, struct perfdata *recording,
                                               struct cairn_fault *fault);

struct perfdata_records perfdata_records(struct cairn_bytes bytes, bool big);

/*
 * Read the next record. Return false at the end. If a record is damaged, also return false, and set
 * records->in.fault. If the bytes end within a record, the fault is CAIRN_TRUNCATED and the
 * position stays at the start of the record, so a caller that receives the recording in pieces can
 * continue there with the next piece.
 */
bool perfdata_next(struct perfdata_records *records, struct perfdata_record *record);

bool perfdata_attr(const struct perfdata *recording, size_t index, struct perfdata_attr *attr);

/* Read the event description in a record. Recordings written to a pipe use such records. */
bool perfdata_read_attr(const struct perfdata_record *record, struct perfdata_attr *attr);

/* Get the contents of an optional section. Return false if the recording does not have it. */
bool perfdata_feature(const struct perfdata *recording, unsigned number,
                      struct cairn_bytes *feature);

/*
 * Return the string in an optional section such as HEADER_ARCH, or an empty string if the section
 * is damaged.
 */
struct cairn_bytes perfdata_feature_text(struct cairn_bytes feature, bool big);

/*
 * Each of the following functions reads one type of record, and returns false if the record is
 * damaged.
 */
bool perfdata_read_sample(const struct perfdata_record *record, const struct perfdata_attr *attr,
                          struct perfdata_sample *sample);

/*
 * Read the value of counter `index` in the sampled group; a single event counts as a group of one.
 * Return false if there is no such counter or the counters have no IDs.
 */
bool perfdata_sample_count(const struct perfdata_sample *sample, const struct perfdata_attr *attr,
                           size_t index, struct perfdata_count *count);
bool perfdata_read_mmap(const struct perfdata_record *record, struct perfdata_mmap *mmap);
bool perfdata_read_fork(const struct perfdata_record *record, struct perfdata_fork *fork);
bool perfdata_read_comm(const struct perfdata_record *record, struct perfdata_comm *comm);
bool perfdata_read_namespaces(const struct perfdata_record *record,
                              struct perfdata_namespaces *namespaces);
bool perfdata_read_build_id(const struct perfdata_record *record, struct perfdata_build_id *id);

/*
 * Read a deferred call chain. `first` is the first event, which determines the layout of the
 * identification fields. Also return false if records lack these fields, because the tid is one of
 * them.
 */
bool perfdata_read_deferred(const struct perfdata_record *record, const struct perfdata_attr *first,
                            struct perfdata_deferred *deferred);

/*
 * Return the ID of the event that a sample belongs to. `first` is the first event, which determines
 * the offset of the ID in samples. Return 0 if samples contain no ID.
 */
uint64_t perfdata_sample_event(const struct perfdata_record *record,
                               const struct perfdata_attr *first);

/*
 * Return the timestamp of a record that is not a sample, or 0 if its identification fields contain
 * no timestamp.
 */
uint64_t perfdata_record_time(const struct perfdata_record *record,
                              const struct perfdata_attr *first);

/*
 * Read the next event name in the optional section HEADER_EVENT_DESC, and one of the event's IDs.
 * *at must be 0 before the first call.
 */
bool perfdata_event_name(struct cairn_bytes feature, bool big, size_t *at, uint64_t *id,
                         struct cairn_bytes *name);

static inline uint64_t perfdata_number(struct cairn_bytes list, size_t index, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | list.data[8 * index + (big ? i : 7 - i)];
	return value;
}

#endif
