/* SPDX-License-Identifier: MIT */
/*
 * Converts a perf recording to a profile. The records are sorted by time and replayed. The replay
 * tracks the mappings of all processes and adds each sample to tables of distinct items.
 *
 *	open.c       entry point, and release of file contents that were read
 *	load.c       reading and sorting of records
 *	processes.c  mappings of processes over time
 *	stack.c      stack of a sample, from its call chain or by unwinding, and memory of a process
 *	names.c      names of JIT code and of kernel code
 *	message.c    output as an OpenTelemetry message
 */
#ifndef CAIRN_PROFILES_RECORDING_RECORDING_H
#define CAIRN_PROFILES_RECORDING_RECORDING_H

#include "base/allowance.h"
#include "base/table.h"
#include "formats/perfdata.h"
#include "profiles/lookup.h"
#include "symbols/jit_code.h"

enum {
	/* maximum number of frames per stack; perf copies at most 64 KiB of a stack */
	RECORDING_FRAMES_MAX = 4096,
	/* maximum number of files whose contents are loaded; less than the symbolizer keeps open */
	RECORDING_IMAGES_MAX = 200,
	RECORDING_ATTRS_MAX = 1 << 12,
	/* maximum number of mappings per process; Linux allows 65530 */
	RECORDING_MAPS_MAX = 1 << 16,
	/*
	 * Maximum number of maps that are copied, moved or passed to the unwinder: LEAST for every
	 * recording, plus TIMES per byte of the recording.
	 */
	RECORDING_MOVES_LEAST = 1 << 26,
	RECORDING_MOVES_TIMES = 64,
	/*
	 * Maximum number of bytes for maps: LEAST for every recording, plus TIMES per byte of the
	 * recording. A child process shares its parent's maps until either process changes its
	 * maps.
	 */
	RECORDING_MAP_BYTES_LEAST = 1 << 24,
	RECORDING_MAP_BYTES_TIMES = 3,
	/*
	 * Maximum number of frames in deferred user stacks, because any number of samples may share
	 * one stack.
	 */
	RECORDING_DEFERRED_LEAST = 1 << 24,
	RECORDING_DEFERRED_TIMES = 4,
	RECORDING_SPACES_MAX = 64,
};
#define RECORDING_IMAGE_BYTES ((uint64_t)512 << 20) /* maximum total size of loaded files */
#define RECORDING_KERNEL UINT32_MAX                 /* pseudo-pid for the kernel's mappings */

struct recorded_attr {
	struct perfdata_attr attr;
	uint32_t name;
	bool is_time; /* the event's period is in nanoseconds */
};

/* A record in time order. Kept small, because a recording may consist of records without a body. */
struct recorded_event {
	uint64_t time;
	const uint8_t *body;
	uint32_t number; /* position in the file */
	/* index plus 1 of the record with the sample's deferred user stack, or 0 */
	uint32_t deferred;
	uint16_t type, misc, size;
};

struct recorded_file {
	uint32_t path; /* string index */
	uint8_t id[PERFDATA_ID_MAX];
	size_t id_size;
	bool looked; /* the file has been looked up, successfully or not */
	struct cairn_bytes bytes;
	struct profile_place *place; /* NULL if the file is not available */
};

struct recorded_map {
	uint64_t start, end, offset;
	uint32_t file;
	bool is_code;
};

/* Disjoint maps sorted by address. Processes share them and copy them before any change. */
struct recorded_maps {
	size_t count, capacity, users;
	struct recorded_map map[];
};

struct recording;

/* Address range at which a process has mapped a file; pc = va + bias. */
struct recorded_image {
	uint64_t low, high, bias;
	uint32_t file;
};

/* Names of a process's JIT code, from its jitdump or perf map. */
struct recorded_code {
	/* contents of the file; empty if neither file is available */
	struct cairn_bytes bytes;
	struct jit_history history;
};

struct kernel_symbol {
	uint64_t address;
	struct cairn_bytes name;
	bool is_local;
};

struct recorded_kernel {
	bool looked;
	struct cairn_bytes bytes;     /* contents of kallsyms; empty if not found */
	struct cairn_bytes reference; /* symbol whose address is in the recording; may be empty */
	uint64_t reference_address;
	/* host name and kernel release in the recording; may be empty */
	struct cairn_bytes host, release;
	struct kernel_symbol *symbols;
	size_t count, capacity;
};

/*
 * The function, file and line of an address. Names are string indices, and 0 denotes an unknown
 * value.
 */
struct code_name {
	uint32_t name, file, line;
};

/* A process's unwinder state, and the stack of the current sample. */
struct recorded_memory {
	struct cairn_space *space;
	struct recorded_process *process;
	struct recorded_image *images;
	size_t image_count, image_capacity;
	uint64_t stack_start;
	struct cairn_bytes stack;
};

/* Kept small, because each fork record, which takes only 32 bytes, creates such a struct. */
struct recorded_process {
	uint32_t pid;
	uint32_t name;  /* string index */
	uint64_t mount; /* mount namespace; 0 if unknown */
	/* path of the jitdump that the process has mapped; may be empty */
	struct cairn_bytes jitdump;
	struct recorded_code *code; /* NULL until needed */
	struct recorded_maps *maps;
	/* NULL before the first use, and after the slot has been reused for a different process */
	struct recorded_memory *memory;
	struct recording *recording;
	bool changed; /* the maps have changed since they were passed to the space */
};

/* equal samples, with the sum of their values and a list of their times */
struct recorded_sample {
	uint32_t attr, pid, tid, name, stack;
	uint64_t value, count;
	size_t first_time, last_time; /* one-based indices in `times` */
};

struct recorded_time {
	uint64_t time;
	size_t next; /* index plus 1; 0 ends the list */
};

struct recording {
	struct perfdata file;
	const struct cairn_recording_options *options;
	enum cairn_status status;
	struct cairn_fault *fault;
	void **unpacked;
	size_t unpacked_count, unpacked_capacity;
	enum cairn_machine machine;
	int64_t clock_offset; /* number to add to a recorded time to get nanoseconds since 1970 */

	struct recorded_attr *attrs;
	struct number_map attr_ids; /* map event ids to indices plus 1 */
	struct recorded_event *events;
	struct cairn_bytes *packed;
	size_t attr_count, attr_capacity, event_count, event_capacity, packed_count,
		packed_capacity, packed_next;

	struct string_pool texts, id_paths, file_keys;
	struct perfdata_build_id *ids; /* build IDs, in the order of the paths in id_paths */
	struct recorded_file *files;   /* files, in the order of their keys in file_keys */
	size_t id_count, id_capacity, file_count, file_capacity, image_count;
	uint64_t image_bytes;

	/* pointers, because a space keeps the address of its process */
	struct recorded_process **processes;
	uint64_t mount;         /* perf's own mount namespace; 0 if unknown */
	struct number_map pids; /* maps pid + 1 to a one-based index in `processes` */
	struct number_map thread_names;
	size_t process_count, process_capacity;

	/*
	 * Tables of distinct items. An item's key is its contents, and item 0 of each table means
	 * "none".
	 */
	struct string_pool mappings, functions, locations, stacks, samples, counters;
	struct recorded_kernel kernel;
	uint64_t now;
	bool is_monotonic;
	/* one element per item of the table `samples`, with the same index */
	struct recorded_sample *sample;
	struct recorded_time *times;
	/* latest value of each counter, with the same index as in the table `counters` */
	uint64_t *counter;
	size_t counter_count, counter_capacity;
	size_t sample_count, sample_capacity, time_count, time_capacity;
	uint32_t frames[RECORDING_FRAMES_MAX];
	size_t frame_count;

	bool has_deferred;
	uint64_t without_user; /* number of samples whose deferred user stack is lost */
	struct recorded_memory *memories[RECORDING_SPACES_MAX];
	size_t next_memory;
	uint64_t map_bytes, map_bytes_max;
	bool maps_over;
	uint64_t read_bytes; /* number of record bytes since the last call to done_with */
	struct allowance moves_left, deferred_left;
	struct cairn_recording_counts counts;
};

struct mapping_key {
	uint64_t start, end, offset;
	uint32_t file, unused;
};

struct function_key {
	uint32_t name, file;
};

struct location_key {
	uint64_t address;
	uint32_t mapping;
	uint32_t is_kernel;
	uint32_t function; /* 0 until it has been looked up */
	uint32_t line;
};

void recording_begin_tables(struct recording *r);

/*
 * Set recording->status after a failed allocation. If an allowance is exhausted, report that
 * instead.
 */
void recording_lack_memory(struct recording *r);

/* additional files of a recording that is a directory */
struct recording_parts {
	const struct cairn_bytes *bytes;
	size_t count;
};
struct recording_parts recording_parts(const struct cairn_recording_options *options);

void recording_done(struct recording *r, const struct perfdata_record *record);

/* Like recording_take_sample(), these functions set recording->status if they fail. */
void recording_load(struct recording *r);
void recording_take_record(struct recording *r,
                           const struct perfdata_record *record); /* any record but a sample */

/*
 * Add a sample. `deferred` is the record with the sample's user stack, or NULL if that record is
 * lost; it is ignored if its cookie differs from the sample's.
 */
void recording_take_sample(struct recording *r, const struct perfdata_record *record,
                           const struct perfdata_record *deferred);

struct perfdata_record recorded_event_record(const struct recording *r,
                                             const struct recorded_event *event);

uint32_t recording_attr_number(const struct recording *r, const struct perfdata_record *record);

/* Return the index of a string, after replacing invalid UTF-8. */
uint32_t recording_text(struct recording *r, struct cairn_bytes text);

uint32_t recording_item(struct recording *r, struct string_pool *table, const void *key,
                        size_t size);

struct recorded_process *recording_process(struct recording *r, uint32_t pid);
const struct recorded_map *recorded_process_map(const struct recorded_process *process,
                                                uint64_t address);

/* Return true if the map belongs to a file, as opposed to JIT code. */
bool recording_is_in_file(const struct recording *r, const struct recorded_map *map);

/*
 * Return the name of a kernel address, or of JIT code at the time of the sample. `map` is the map
 * that contains the address, or NULL. Sets recording->status if allocation fails.
 */
struct code_name recording_name_code(struct recording *r, struct recorded_process *process,
                                     const struct recorded_map *map, uint64_t address);
void recorded_process_drop_code(struct recorded_process *process);
void recorded_process_drop_maps(struct recorded_process *process);
void recorded_kernel_finish(struct recorded_kernel *kernel);

void recorded_memory_finish(struct recorded_memory *memory);

/* Return an OTLP message, which the caller frees, or NULL if allocation fails. */
uint8_t *recording_message(struct recording *r, size_t *size);

#endif
