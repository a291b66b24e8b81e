/* SPDX-License-Identifier: MIT */
/*
 * Recordings of perf: a header, records of what happened, and features of the recording, described in
 * docs/formats/perfdata.md. Written to a pipe, a recording is records alone.
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
 * Records inside of compressed ones are read in the same way, by perfdata_records() of what was unpacked.
 */
#ifndef CAIRN_FORMATS_PERFDATA_H
#define CAIRN_FORMATS_PERFDATA_H

#include <cairn.h>

#include "base/reader.h"

/* Records that are read; those of other types are passed over by their size. */
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
	PERFDATA_DEFERRED = 22, /* CALLCHAIN_DEFERRED, since Linux 6.19 */
	PERFDATA_USER = 64,     /* those of perf itself begin here, and have no time */
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

/* Features. */
enum {
	PERFDATA_BUILD_IDS = 2,
	PERFDATA_HOST = 3,
	PERFDATA_RELEASE = 4,
	PERFDATA_ARCH = 6,
	PERFDATA_EVENTS = 12,
	PERFDATA_CLOCK = 29,
	PERFDATA_FEATURES = 256,
};

/* Bits of a record's `misc`. */
enum {
	PERFDATA_MODE = 7,
	PERFDATA_MODE_KERNEL = 1,
	PERFDATA_MODE_USER = 2,
	PERFDATA_EXEC = 1 << 13,     /* of COMM: the program was replaced */
	PERFDATA_HAS_ID = 1 << 14,   /* of MMAP2: a build ID in place of the file's numbers */
	PERFDATA_HAS_SIZE = 1 << 15, /* of a build ID: its size is told */
};

/* Where the entries of a chain change from one part of the machine to another one. */
#define PERFDATA_CONTEXT_FIRST ((uint64_t)-4095)
#define PERFDATA_CONTEXT_KERNEL ((uint64_t)-128)
#define PERFDATA_CONTEXT_USER ((uint64_t)-512)
#define PERFDATA_CONTEXT_DEFERRED ((uint64_t)-640) /* a cookie follows, and nothing else */

enum {
	PERFDATA_ID_MAX = 20,      /* bytes of a build ID */
	PERFDATA_BRANCH_SIZE = 24, /* from where, to where, and flags */
};

/* A bit of branch_type: the processor has kept the calls that have not returned yet, in place of all branches. */
#define PERFDATA_BRANCH_CALLS ((uint64_t)1 << 11)

/* A run of records; `big` is their byte order. */
struct perfdata_records {
	struct reader in;
};

struct perfdata_record {
	uint32_t type;
	uint16_t misc;
	bool big;
	struct cairn_bytes body; /* after its header */
	struct cairn_bytes data; /* of compressed records, what is packed */
};

struct perfdata {
	struct cairn_bytes bytes;
	bool big, is_pipe;
	struct perfdata_records records;
	struct cairn_bytes attrs; /* those of the header, each with its IDs; empty in a pipe */
	size_t attr_size;
	uint64_t features[PERFDATA_FEATURES / 64];
	uint64_t feature_table; /* offset */
};

/* An event that was recorded: what its records hold. */
struct perfdata_attr {
	uint32_t type;
	uint64_t config, sample_type, read_format, branch_type, user_registers;
	uint64_t period; /* of samples that do not tell their own; 0: those do */
	bool is_inherited; /* threads that were made later have counters of their own, with the same IDs */
	bool has_sample_ids; /* all records end with what identifies them */
	bool is_monotonic;   /* times are those of CLOCK_MONOTONIC, which jitdumps have, too */
	bool big;
	struct cairn_bytes ids; /* numbers of 8 bytes */
};

/* A sample; what it does not hold is 0. `chain` are numbers of 8 bytes, the leaf first. */
struct perfdata_sample {
	uint64_t ip, time, id, period;
	uint32_t pid, tid;
	bool has_time;
	struct cairn_bytes counts; /* see perfdata_sample_count() */
	struct cairn_bytes chain;
	struct cairn_bytes branches;  /* the latest first; see perfdata_branch() */
	uint64_t register_abi;        /* 0: no registers; 1: of 32 bits; 2: of 64 */
	struct cairn_bytes registers; /* numbers of 8 bytes, one for each bit of user_registers */
	struct cairn_bytes stack;     /* from the stack pointer on */
};

/* The value that the counter of an event had at a sample. */
struct perfdata_count {
	uint64_t id, value;
};

/* A part of a file that was mapped: the kernel's have the pid -1. */
struct perfdata_mmap {
	uint32_t pid, tid;
	uint64_t start, size, offset; /* pc, bytes, bytes in the file */
	struct cairn_bytes path;
	uint8_t build_id[PERFDATA_ID_MAX];
	size_t id_size; /* 0: none is told */
	bool is_code;
};

struct perfdata_fork {
	uint32_t pid, parent, tid, parent_tid;
};

/* The user stack of the samples of a thread that ended with this cookie. */
struct perfdata_deferred {
	uint64_t cookie;
	uint32_t tid;
	struct cairn_bytes chain; /* numbers of 8 bytes */
};

struct perfdata_comm {
	uint32_t pid, tid;
	struct cairn_bytes name;
	bool is_exec;
};

/* Where a process is, for `perf record --namespaces`: the number of its mount namespace, in which its paths are. */
struct perfdata_namespaces {
	uint32_t pid, tid;
	uint64_t mount;
};

/* The build ID of a file; `pid` is -1 for the kernel's. */
struct perfdata_build_id {
	struct cairn_bytes path;
	uint8_t id[PERFDATA_ID_MAX];
	size_t size;
};

/* Are these bytes a recording? */
bool perfdata_recognize(struct cairn_bytes bytes);

CAIRN_MUST_USE enum cairn_status perfdata_open(struct cairn_bytes bytes, struct perfdata *recording,
                                               struct cairn_fault *fault);

/* Records in any bytes, such as those that were unpacked. */
struct perfdata_records perfdata_records(struct cairn_bytes bytes, bool big);

/*
 * The next record; false at the end, or where they are damaged, which is in records->in.fault. The last one of bytes that
 * another piece follows may be cut off: it stays to be read, and the fault is TRUNCATED.
 */
bool perfdata_next(struct perfdata_records *records, struct perfdata_record *record);

/* Reads the event number `index` of the header; false if the header has fewer events, or that one is damaged. */
bool perfdata_attr(const struct perfdata *recording, size_t index, struct perfdata_attr *attr);

/* An event that comes as a record, as in a pipe. */
bool perfdata_read_attr(const struct perfdata_record *record, struct perfdata_attr *attr);

/* A feature of the header; false: the recording does not have it. */
bool perfdata_feature(const struct perfdata *recording, unsigned number,
                      struct cairn_bytes *feature);

/* The text of a feature that is one, such as ARCH; empty: it is damaged. */
struct cairn_bytes perfdata_feature_text(struct cairn_bytes feature, bool big);

/* Readers of records: false if one is damaged. */
bool perfdata_read_sample(const struct perfdata_record *record, const struct perfdata_attr *attr,
                          struct perfdata_sample *sample);

/* Reads counter `index` of the group that was sampled, or the only one.  False: it has no such counter, or no IDs of them. */
bool perfdata_sample_count(const struct perfdata_sample *sample, const struct perfdata_attr *attr,
                           size_t index, struct perfdata_count *count);
bool perfdata_read_mmap(const struct perfdata_record *record, struct perfdata_mmap *mmap);
bool perfdata_read_fork(const struct perfdata_record *record, struct perfdata_fork *fork);
bool perfdata_read_comm(const struct perfdata_record *record, struct perfdata_comm *comm);
bool perfdata_read_namespaces(const struct perfdata_record *record,
                              struct perfdata_namespaces *namespaces);
bool perfdata_read_build_id(const struct perfdata_record *record, struct perfdata_build_id *id);

/* `first` is the first event, whose fields identify the thread. Fails if records have none. */
bool perfdata_read_deferred(const struct perfdata_record *record, const struct perfdata_attr *first,
                            struct perfdata_deferred *deferred);

/* The ID by which a sample's event is found, where all events have it; 0: they do not. */
uint64_t perfdata_sample_event(const struct perfdata_record *record,
                               const struct perfdata_attr *first);

/* The time of a record other than a sample, which is among its last fields; 0 if the recording has no times there. */
uint64_t perfdata_record_time(const struct perfdata_record *record,
                              const struct perfdata_attr *first);

/* The next name of an event in the feature EVENTS, and one of its IDs; `at` is 0 at first. */
bool perfdata_event_name(struct cairn_bytes feature, bool big, size_t *at, uint64_t *id,
                         struct cairn_bytes *name);

/* Number `index` of a list of numbers of 8 bytes. */
static inline uint64_t perfdata_number(struct cairn_bytes list, size_t index, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | list.data[8 * index + (big ? i : 7 - i)];
	return value;
}

#endif
