/* SPDX-License-Identifier: MIT */
/*
 * Finds backtrace frames in log lines, in the formats of programs, run-time libraries, the kernel
 * and systemd (docs/formats/captured_text.md).
 *
 *	struct captured_text text = captured_text_open();
 *	struct captured_line line;
 *	if (captured_text_line(&text, bytes, &line) == CAPTURED_FRAME)
 *		take_frame(&line.frame);
 *
 * A line contains at most one frame, possibly after a prefix such as a timestamp or a container
 * name. All strings are borrowed from the line; only numbers are kept between lines. Nothing is
 * allocated.
 */
#ifndef CAIRN_FORMATS_CAPTURED_TEXT_H
#define CAIRN_FORMATS_CAPTURED_TEXT_H

#include <cairn.h>

#include <string.h>

enum {
	/* maximum line length in bytes; longer lines are skipped */
	CAPTURED_LINE_MAX = 1 << 14,
	CAPTURED_RETURNS_MAX = 1024,
	/* maximum number of positions in a line where the parser tries to read a frame */
	CAPTURED_ANCHORS = 8,
};

enum captured_source {
	CAPTURED_SANITIZER,
	CAPTURED_COREDUMP, /* systemd-coredump */
	CAPTURED_DEBUGGER, /* GDB, eu-stack */
	CAPTURED_GLIBC,
	CAPTURED_GO,
	CAPTURED_RUST,
	CAPTURED_KERNEL_TRACE,
	CAPTURED_KERNEL_FAULT, /* fault in a user program, logged by the kernel */
	CAPTURED_LLVM,
	CAPTURED_VALGRIND,
	CAPTURED_PERF,
	CAPTURED_HOTSPOT, /* OpenJDK's JVM */
	CAPTURED_NODE,
	CAPTURED_ANDROID,
	CAPTURED_GLOG,
	CAPTURED_BOOST,    /* Boost.Stacktrace and C++23's <stacktrace> */
	CAPTURED_PYTHON,   /* C stack printed by Python's faulthandler */
	CAPTURED_BACKWARD, /* backward-cpp, which prints the outermost frame first */
	CAPTURED_SWIFT,    /* crash reports and other stacks printed by Swift's run-time library */
};

/*
 * Meaning of an address in the log: an exact pc, a return address, some address within the call
 * instruction, or the first byte of the code with which an asynchronous caller resumes.
 */
enum captured_pc {
	CAPTURED_PC_EXACT,
	CAPTURED_PC_RETURN,
	CAPTURED_PC_CALL,
	CAPTURED_PC_RESUME,
};

/* Base of a frame's offset. */
enum captured_origin {
	CAPTURED_NO_OFFSET,
	CAPTURED_FROM_ZERO,    /* the offset is a link-time address */
	CAPTURED_FROM_MODULE,  /* lowest address of the module */
	CAPTURED_FROM_FILE,    /* start of the module's file */
	CAPTURED_FROM_MAPPING, /* start of the mapping that contains the module's code */
	CAPTURED_FROM_SYMBOL,  /* start of `function` */
};

/* A frame. Strings are empty and numbers are 0 if the line does not contain them. */
struct captured_frame {
	enum captured_source source;
	enum captured_pc pc;
	/* the frame as printed, without prefix and suffix */
	struct cairn_bytes text;
	bool numbered, has_address;
	/*
	 * the kernel printed "?": the address was found on the stack, but may not belong to a frame
	 */
	bool unreliable;
	/*
	 * the address comes from a kernel message ("WARNING: ", "BUG: ") or the link register, not
	 * from the stack; the trace that follows contains the frame again
	 */
	bool mentioned;
	uint64_t number;           /* frame number, valid if `numbered`; 0 is the innermost frame */
	uint64_t address;          /* address in the process, valid if `has_address` */
	struct cairn_bytes module; /* path or file name */
	struct cairn_bytes id;     /* build ID in hexadecimal digits */
	enum captured_origin origin;
	uint64_t offset;
	struct cairn_bytes function; /* name as printed */
	/* placeholder in `text` that Swift prints in place of an unknown name */
	struct cairn_bytes unknown;
	/* size of `function` in bytes, for CAPTURED_FROM_SYMBOL */
	uint64_t function_size;
	struct cairn_bytes file;
	uint64_t line;
	/* Go only: lowest address and end of the stack frame */
	uint64_t stack_pointer, frame_end;
};

enum captured_kind {
	CAPTURED_OTHER,
	CAPTURED_BLANK,
	CAPTURED_FRAME,
	CAPTURED_HEADING, /* `text` is the title of a stack, whose frames follow */
	/* `text` is the name of a function, whose source location is on the next line */
	CAPTURED_FUNCTION,
	CAPTURED_MODULE, /* `module` and `id` apply to the frames that follow */
	CAPTURED_REPORT, /* start of a Swift report; `text` contains the reason */
	/* `module` with `id` was loaded at `pcs`; applies to the frames since CAPTURED_REPORT */
	CAPTURED_IMAGE,
	CAPTURED_REPORT_END,
};

struct captured_line {
	enum captured_kind kind;
	struct captured_frame frame;
	struct cairn_bytes text, module, id;
	struct cairn_range pcs;
	bool crashed; /* this CAPTURED_HEADING starts the stack of the thread that crashed */
};

/* Line that the parser expects next in a goroutine's trace. */
enum captured_go {
	CAPTURED_GO_NONE,
	CAPTURED_GO_WAITS,
	CAPTURED_GO_FUNCTION,
	CAPTURED_GO_INLINED,
	CAPTURED_GO_SIGNAL,  /* location of runtime.sigpanic */
	CAPTURED_GO_CREATED, /* location of the statement that started the goroutine */
};

struct captured_text {
	/* an error line has announced `head`, the pc of the next frame */
	bool has_head;
	uint64_t head;
	enum captured_go go;
	bool in_signal; /* the previous frame was runtime.sigpanic */
	bool in_swift;  /* frames of a thread in a Swift report may follow */
	/* size of the prefix, such as a timestamp, before the heading of the Swift thread */
	size_t swift_prefix;
	/*
	 * format of the frame or function on the previous line; CAPTURED_SANITIZER if that line
	 * contains neither
	 */
	enum captured_source list;
};

struct captured_text captured_text_open(void);

/* Parse the next line, without its line feed, and return its kind. */
enum captured_kind captured_text_line(struct captured_text *text, struct cairn_bytes line,
                                      struct captured_line *out);

/* Return true if the text may contain color sequences, which hide frames from the parser. */
static inline bool captured_is_colored(struct cairn_bytes text)
{
	return text.size > 0 && memchr(text.data, '\033', text.size) != NULL;
}

/*
 * Copy `text` without color sequences to `plain`, which has a capacity of text.size bytes. Return
 * the size of the copy.
 */
size_t captured_strip_colors(struct cairn_bytes text, uint8_t *plain);

static inline bool captured_frame_is_in(const struct captured_frame *frame, uint64_t base,
                                        uint64_t end)
{
	const uint64_t lookup = frame->address - (frame->pc == CAPTURED_PC_RETURN);

	return lookup >= base && lookup < end;
}

/* Assign the frame to the image that contains it. `id` consists of hexadecimal digits. */
static inline void captured_frame_assign(struct captured_frame *frame, uint64_t base,
                                         struct cairn_bytes path, struct cairn_bytes id)
{
	frame->module = path;
	frame->id = id;
	frame->origin = CAPTURED_FROM_MODULE;
	frame->offset = frame->address - base;
}

/* Return addresses collected from a log. Initialize to zeros. */
struct captured_returns {
	struct captured_text text;
	uint64_t address[CAPTURED_RETURNS_MAX];
	size_t count, tried;
	size_t bare; /* number of frames whose line does not name a module */
	bool listed; /* the log lists the load address of the file, so there is nothing to infer */
};

/*
 * Collect return addresses from which the load address of the file `name` can be inferred: frames
 * in `name` that have no offset, and frames without a path. Consume *lines until the array is full.
 * Return true if an attempt to infer the load address is worthwhile, because the array has just
 * become full, or the number of addresses has grown by more than a quarter since the last attempt.
 */
bool captured_returns_read(struct captured_returns *returns, struct cairn_bytes *lines,
                           struct cairn_bytes name);

/*
 * Convert a frame to the input of cairn_markup_file_locate(). Return false if the frame has no
 * offset. The build ID stays empty, because the frame contains it only as hexadecimal digits.
 */
bool captured_frame_place(const struct captured_frame *frame, struct cairn_markup_place *place);

#endif
