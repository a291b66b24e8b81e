/* SPDX-License-Identifier: MIT */
/*
 * Frames of backtraces in the lines of a log, as programs, run-time libraries, the kernel and systemd print
 * them, after docs/formats/captured_text.md.
 *
 *	struct captured_text text = captured_text_open();
 *	struct captured_line line;
 *	if (captured_text_line(&text, bytes, &line) == CAPTURED_FRAME)
 *		take_frame(&line.frame);
 *
 * A line has one frame at most, after any prefix (a time, the name of a container).  All that comes out is borrowed
 * from the line; what is remembered from one line to the next are numbers.  Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_CAPTURED_TEXT_H
#define CAIRN_FORMATS_CAPTURED_TEXT_H

#include <cairn.h>

enum {
	CAPTURED_LINE_MAX = 1 << 14, /* bytes; a longer line holds no frame */
	CAPTURED_RETURNS_MAX = 1024,
	CAPTURED_ANCHORS =
		8, /* places of a line at which a frame may begin; others are not looked at */
};

/* A frame was printed by one of these. */
enum captured_source {
	CAPTURED_SANITIZER, /* AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer and the like */
	CAPTURED_COREDUMP, /* systemd-coredump */
	CAPTURED_DEBUGGER, /* GDB, eu-stack */
	CAPTURED_GLIBC,    /* backtrace_symbols() */
	CAPTURED_GO,
	CAPTURED_RUST,
	CAPTURED_KERNEL_TRACE, /* of the kernel itself */
	CAPTURED_KERNEL_FAULT, /* of a program that the kernel stopped */
	CAPTURED_LLVM,
	CAPTURED_VALGRIND,
	CAPTURED_PERF,    /* perf script */
	CAPTURED_HOTSPOT, /* the JVM of OpenJDK */
	CAPTURED_NODE,
	CAPTURED_ANDROID,
	CAPTURED_GLOG,     /* and Abseil */
	CAPTURED_BOOST,    /* and the library of C++23 */
	CAPTURED_PYTHON,   /* the C stack of faulthandler */
	CAPTURED_BACKWARD, /* backward-cpp, which prints the outermost frame first */
};

/* What an address is: where the code was, where it will go on after a call, or a byte of the call. */
enum captured_pc {
	CAPTURED_PC_EXACT,
	CAPTURED_PC_RETURN,
	CAPTURED_PC_CALL,
};

/* From where the offset of a frame counts. */
enum captured_origin {
	CAPTURED_NO_OFFSET,
	CAPTURED_FROM_ZERO,    /* it is the address as linked */
	CAPTURED_FROM_MODULE,  /* from the lowest address of the module */
	CAPTURED_FROM_FILE,    /* in bytes of the module's file */
	CAPTURED_FROM_MAPPING, /* from the mapping of the module's code */
	CAPTURED_FROM_SYMBOL,  /* from the beginning of `function` */
};

struct captured_frame {
	enum captured_source source;
	enum captured_pc pc;
	struct cairn_bytes
		text; /* all of the frame in its line: what is before and after it is not its own */
	bool numbered, has_address;
	bool unreliable; /* the kernel's "?": the word was found on the stack */
	bool mentioned; /* by a sentence of the kernel or its link register: not a frame of a stack */
	uint64_t number;           /* if it is numbered; 0 is the innermost */
	uint64_t address;          /* in the process, if it has one */
	struct cairn_bytes module; /* a path or a name; may be empty */
	struct cairn_bytes id;     /* the build ID, as hexadecimal digits; may be empty */
	enum captured_origin origin;
	uint64_t offset;
	struct cairn_bytes function; /* as printed; may be empty */
	uint64_t function_size;      /* bytes, of CAPTURED_FROM_SYMBOL; 0: not known */
	struct cairn_bytes file;     /* of the source; may be empty */
	uint64_t line;               /* 0: not known */
	uint64_t stack_pointer,
		frame_end; /* of Go: the lowest address of the frame, and its end; 0: not known */
};

enum captured_kind {
	CAPTURED_OTHER,
	CAPTURED_BLANK, /* nothing but white space */
	CAPTURED_FRAME,
	CAPTURED_HEADING,  /* a stack begins; `text` names it */
	CAPTURED_FUNCTION, /* of the frame on the next line; `text` is its name */
	CAPTURED_MODULE,   /* `module` and `id` of the frames that follow */
};

struct captured_line {
	enum captured_kind kind;
	struct captured_frame frame;
	struct cairn_bytes text, module, id;
};

/* Where in the trace of a goroutine the reader is. */
enum captured_go {
	CAPTURED_GO_NONE,
	CAPTURED_GO_WAITS,    /* for a function */
	CAPTURED_GO_FUNCTION, /* the place of a function comes next, */
	CAPTURED_GO_INLINED,  /* of one that was inlined, */
	CAPTURED_GO_SIGNAL,   /* of runtime.sigpanic, */
	CAPTURED_GO_CREATED,  /* or of the statement that began the goroutine */
};

struct captured_text {
	bool has_head; /* the pc of an error was seen, and no frame after it */
	uint64_t head;
	enum captured_go go;
	bool in_signal; /* the function of the frame before was runtime.sigpanic */
	enum captured_source
		list; /* the line before was a frame of this source, or a function of it; else of none that matters */
};

struct captured_text captured_text_open(void);

/* Reads the next line, without its line feed. */
enum captured_kind captured_text_line(struct captured_text *text, struct cairn_bytes line,
                                      struct captured_line *out);

/* Addresses of a log to which calls return; begins with zeros. */
struct captured_returns {
	struct captured_text text;
	uint64_t address[CAPTURED_RETURNS_MAX];
	size_t count, tried;
	size_t bare; /* frames that name no module */
};

/*
 * Adds the addresses of frames that may be in the file of this name but do not say where in it; takes the lines that it has read.  Returns true when it is full,
 * or at the end of the lines if it is worth while to judge the addresses again.
 */
bool captured_returns_read(struct captured_returns *returns, struct cairn_bytes *lines,
                           struct cairn_bytes name);

/*
 * The place in a module that a frame names, for cairn_markup_file_locate(); false: it names none.  The build ID is empty, because
 * a frame has its digits alone.
 */
bool captured_frame_place(const struct captured_frame *frame, struct cairn_markup_place *place);

#endif
