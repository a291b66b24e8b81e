/* SPDX-License-Identifier: MIT */
/*
 * jitdump: the files (jit-PID.dump) in which programs that make code at run time record it, with names,
 * lines and unwinding tables, after the kernel's tools/perf/Documentation/jitdump-specification.txt.
 *
 *	struct jitdump dump;
 *	if (!jitdump_open(bytes, &dump))
 *		return;
 *	struct jitdump_record record;
 *	while (jitdump_next(&dump, &record))
 *		... by record.kind
 *
 * A record whose content breaks the format is passed over; one whose size does ends the file, and so does
 * one that is still being written. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_JITDUMP_H
#define CAIRN_FORMATS_JITDUMP_H

#include <cairn.h>

enum jitdump_kind {
	JITDUMP_LOAD,   /* code that is there from now on */
	JITDUMP_MOVE,   /* code that is at `start` now, and was at `old` */
	JITDUMP_LINES,  /* of the code that begins at `start`, which is loaded after this */
	JITDUMP_FRAMES, /* of the code that is loaded next */
};

struct jitdump {
	struct cairn_bytes in;
	size_t at;
	bool big;
	uint32_t machine; /* of ELF */
	uint32_t pid;     /* as the process knows itself */
};

struct jitdump_record {
	enum jitdump_kind kind;
	uint64_t time; /* when it was written: nanoseconds, by the clock that the process chose */
	uint64_t start, size;     /* size: not 0, and not past the end of memory, but for lines */
	uint64_t old;             /* with JITDUMP_MOVE */
	struct cairn_bytes name;  /* with JITDUMP_LOAD; not empty, at most JITDUMP_NAME bytes */
	struct cairn_bytes code;  /* with JITDUMP_LOAD: all of it, or empty */
	struct cairn_bytes lines; /* with JITDUMP_LINES: for jitdump_line() */
	/*
	 * With JITDUMP_FRAMES: an .eh_frame, not empty, as it would be after the code, at the next multiple of
	 * JITDUMP_FRAMES_ALIGN.
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
 * The next line of `lines`, which begin with zeroed *line and are shortened by it; its file is the one before
 * when the record says so. Returns false after the last one.
 */
bool jitdump_line(const struct jitdump *dump, struct cairn_bytes *lines, struct jitdump_line *line);

#endif
