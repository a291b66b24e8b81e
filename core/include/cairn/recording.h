/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: opens recordings of perf as profiles.
 *
 *	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
 *	options.symbolizer = symbolizer;
 *	status = cairn_profile_open_recording(bytes, &options, &profile, &fault);
 *	if (status == CAIRN_OK) {
 *		status = cairn_profile_symbolize(profile, symbolizer, 0);
 *		...
 *		cairn_profile_close(profile);
 *	}
 */
#ifndef CAIRN_INCLUDE_RECORDING_H
#define CAIRN_INCLUDE_RECORDING_H

#include <cairn/base.h>
#include <cairn/profiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* kinds of files that a perf recording refers to but does not contain */
enum cairn_recorded_kind {
	CAIRN_RECORDED_KALLSYMS, /* the kernel's symbol list, in the format of /proc/kallsyms */
	CAIRN_RECORDED_JITDUMP,  /* jit-PID.dump, which a process has mapped */
	CAIRN_RECORDED_PERF_MAP, /* perf-PID.map, which a process may have written */
};
struct cairn_recorded_request {
	enum cairn_recorded_kind kind;
	uint64_t pid;                /* process ID in the recording */
	struct cairn_bytes path;     /* path under which the process has mapped its jitdump */
	struct cairn_bytes build_id; /* the kernel's build ID, as bytes; empty if unknown */
	/* node name and kernel release of the recorded machine, from uname(2); empty if unknown */
	struct cairn_bytes host, release;
};

/*
 * Locations in which to search for files to which a perf recording refers. `recording` is the path
 * of the recording, whose directory is searched, or NULL if it was read from a pipe. `directories`
 * ("DIR:DIR") are searched too, and may be NULL. `kallsyms` is the path of a file with kernel
 * symbols that are known to match the recording; if it is NULL, cairn searches for such a file.
 */
struct cairn_recorded_search {
	size_t size; /* sizeof(struct cairn_recorded_search) */
	const char *recording, *directories, *kallsyms;
};

/*
 * Read a file to which a perf recording refers into *bytes, which the caller frees with free().
 * Returns false if no acceptable file is found.
 *
 * A perf map or a jitdump in one of `search`'s directories is accepted without a check. Any user
 * can create such files beside the recording, in /tmp or at the path where a jitdump was mapped. A
 * file found there must belong to the recording's owner or root, and must not be newer than the
 * recording unless its process is still running and was started before the recording ended.
 *
 * Kernel symbols are read from search->kallsyms; if that is NULL, from the copy of kallsyms that
 * perf has saved in the directories, which must be build-ID trees; otherwise from /proc/kallsyms,
 * if the running kernel has the requested build ID and shows its addresses. Recordings that are
 * compressed or come from a pipe contain no build ID. In that case the host name and the kernel
 * release of this machine must match the recording, and the recording must not be older than the
 * machine's last boot.
 */
CAIRN_API bool cairn_recorded_read(const struct cairn_recorded_search *search,
                                   const struct cairn_recorded_request *request,
                                   struct cairn_bytes *bytes);

/*
 * Options for opening a perf recording. Initialize with CAIRN_RECORDING_OPTIONS. Stacks that the
 * kernel has copied are unwound with tables from the modules' files, which the symbolizer finds.
 * Without a symbolizer, only the innermost frame of a copied stack is kept.
 */
struct cairn_recording_options {
	size_t size;
	struct cairn_symbolizer *symbolizer;
	/*
	 * Decompress a zstd stream into a buffer of *size bytes allocated with malloc(). next()
	 * returns the stream piece by piece, then an empty piece. The stream has no end marker.
	 * Returns UNSUPPORTED if it cannot be decompressed, or if the result would exceed the size
	 * limit for its input. If NULL, compressed recordings are unsupported.
	 */
	enum cairn_status (*unpack)(void *context, struct cairn_bytes (*next)(void *pieces),
	                            void *pieces, void **memory, size_t *size);
	void *context;
	/*
	 * Read a file to which the recording refers into *bytes, allocated with malloc(), which
	 * cairn frees. Returns false if the file is not found or not acceptable. Hosts without a
	 * policy of their own call cairn_recorded_read() here. If NULL, kernel and JIT code is not
	 * symbolized.
	 */
	bool (*read)(void *context, const struct cairn_recorded_request *request,
	             struct cairn_bytes *bytes);
	/*
	 * Called repeatedly with bytes of the recording that will not be read for a while. A host
	 * that has mapped the file can then release their pages. NULL disables the callback.
	 */
	void (*done_with)(void *context, struct cairn_bytes bytes);
	/*
	 * Additional files of a recording that is a directory (`perf record --threads`), or NULL.
	 * Such a recording has its header in the file `data`, which is opened as the recording, and
	 * more records in data.0, data.1 and so on, which are listed here and borrowed like the
	 * first file.
	 */
	const struct cairn_bytes *parts;
	size_t part_count;
};
#define CAIRN_RECORDING_OPTIONS CAIRN_SIZED(struct cairn_recording_options)

/* Return true if the bytes start like a perf recording (perf.data). */
CAIRN_API bool cairn_recording_recognize(struct cairn_bytes bytes);

/*
 * Open a perf recording as a profile; perf may have written it to a file or to a pipe. `bytes` and
 * *options are borrowed only during the call. Return addresses are decremented by one so that they
 * lie within the call. The profile's format is OTLP, and its sample types are "samples" and the
 * types of the recorded events. The statuses are the same as for cairn_profile_open().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_open_recording(
	struct cairn_bytes bytes, const struct cairn_recording_options *options,
	struct cairn_profile **profile, struct cairn_fault *fault);

struct cairn_recording_counts {
	size_t size; /* sizeof(struct cairn_recording_counts), set by the caller */
	/* numbers of samples, of samples dropped by the kernel, and of damaged records */
	uint64_t samples, lost, damaged;
	uint64_t dumps; /* number of samples with a copied stack */
	uint64_t whole; /* number of copied stacks that were unwound up to their outermost frames */
	/* the recording ends within a record, or everything after some record is damaged */
	bool is_cut;
};

/*
 * Store counts of the recording's contents in *counts. Returns false if the profile is not a
 * recording.
 */
CAIRN_API bool cairn_profile_recording(const struct cairn_profile *profile,
                                       struct cairn_recording_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
