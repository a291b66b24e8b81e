/* SPDX-License-Identifier: MIT */
/*
 * Reads jitdump files (jit-PID.dump), in which programs with a JIT compiler record their code with
 * its symbol names, line tables and unwind tables. The format is described in the kernel's
 * tools/perf/Documentation/jitdump-specification.txt.
 *
 *	struct jitdump dump;
 *	if (!jitdump_open(bytes, &dump))
 *		return;
 *	struct jitdump_record record;
 *	while (jitdump_next(&dump, &record))
 *		... record.kind determines which members are set
 *
 * Records with invalid contents are skipped. A record with an invalid size, or one that is still
 * being written, ends the file. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_JITDUMP_H
#define CAIRN_FORMATS_JITDUMP_H

#include <cairn.h>

enum jitdump_kind {
	JITDUMP_LOAD,
	JITDUMP_MOVE,   /* code has been moved from `old` to `start` */
	JITDUMP_LINES,  /* line table of the code at `start`; the LOAD record follows */
	JITDUMP_FRAMES, /* unwind tables of the code in the next LOAD record */
};

struct jitdump {
	struct cairn_bytes in;
	size_t at;
	bool big;
	uint32_t machine; /* ELF machine number */
	uint32_t pid;     /* process ID in the process's own pid namespace */
};

struct jitdump_record {
	enum jitdump_kind kind;
	uint64_t time; /* time of writing in nanoseconds; the process chooses the clock */
	/* JITDUMP_LOAD, JITDUMP_MOVE: `size` is not 0, and start + size does not wrap */
	uint64_t start, size;
	uint64_t old;
	struct cairn_bytes name;  /* JITDUMP_LOAD: not empty, at most JITDUMP_NAME bytes */
	struct cairn_bytes code;  /* JITDUMP_LOAD: the complete machine code, or empty */
	struct cairn_bytes lines; /* JITDUMP_LINES: encoded lines for jitdump_line() */
	/*
	 * JITDUMP_FRAMES: nonempty .eh_frame contents, whose addresses assume that .eh_frame
	 * follows the code, at the next multiple of JITDUMP_FRAMES_ALIGN
	 */
	struct cairn_bytes frames;
};

struct jitdump_line {
	uint64_t address;
	uint32_t line, discriminator;
	struct cairn_bytes file;
};

enum { JITDUMP_NAME = 4096, JITDUMP_FRAMES_ALIGN = 8 };

bool jitdump_open(struct cairn_bytes bytes, struct jitdump *dump);
bool jitdump_next(struct jitdump *dump, struct jitdump_record *record);

/*
 * Remove the next line from *lines and return it in *line. Return false after the last line. Zero
 * *line before the first call and keep it for later calls, because a line may refer to the file of
 * the previous line.
 */
bool jitdump_line(const struct jitdump *dump, struct cairn_bytes *lines, struct jitdump_line *line);

#endif
