/* SPDX-License-Identifier: MIT */
/*
 * Uses each class of cairn.hpp, for install.sh. Prints the version if all results are as expected.
 *
 *	install MINIDUMP GSYM-FILE [PROGRAM OUTPUT]
 *
 * If built with WITH_DWARF, also writes the functions of PROGRAM to OUTPUT as a GSYM file.
 */
#include <cairn.hpp>
#ifdef WITH_DWARF
#include <cairn/functions.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	std::printf("not as expected: %s\n", what);
	std::exit(1);
}

static const uint64_t work = 0x400110; /* an address in the function `work` of the GSYM file */

static void check_symbols(const std::string &path)
{
	static_assert(!std::is_copy_constructible_v<cairn::symbols>);
	static_assert(std::is_nothrow_move_constructible_v<cairn::symbols>);
	auto opened = cairn::symbols::open(path);
	const auto symbols = std::move(opened);
	const auto locations = symbols.find(work);

	expect(!opened.get() && symbols.get(), "moved symbols");
	expect(locations.size() == 1 && locations[0].name() == "work", "work");
	expect(locations[0].path() == "src/prog.c" && locations[0].line == 19, "src/prog.c:19");
	expect(symbols.find(1).empty(), "an address without symbols");
	expect(!symbols.build_id().empty(), "a build ID");
	expect(cairn::demangle("_ZN1a1bEv") == "a::b()" && cairn::demangle("main") == "main", "demangling");

	cairn::symbolizer symbolizer;
	cairn_symbol_source source;
	cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	cairn_symbols_as_source(symbols.get(), 0, &source);
	symbolizer.add(source);
	const auto answers = symbolizer.find(module, { work, 1 });
	expect(answers.size() == 2 && answers[0].status == CAIRN_OK && answers[1].count == 0, "answers");
	for (cairn::location location : answers[0])
		expect(location.demangled() == "work", "the location of an answer");
}

template <class Function> static void expect_error(Function function, cairn_status status, const char *path)
{
	try {
		function();
	} catch (const cairn::error &error) {
		expect(error.status == status && error.path == path && !error.text.empty(), "an error");
		expect(std::strstr(error.what(), error.text.c_str()), "the text of an error");
		return;
	}
	expect(false, "no error");
}

static void check_errors()
{
	expect_error([] { cairn::symbols::open("/nowhere/a.gsym"); }, CAIRN_UNREADABLE, "/nowhere/a.gsym");
	expect_error([] { cairn::symbols::open_bytes("neither"); }, CAIRN_MALFORMED, "");
	expect_error([] { cairn::stacks::open_file("/nowhere/core"); }, CAIRN_UNREADABLE, "/nowhere/core");
	expect_error([] { cairn::profile::open("neither"); }, CAIRN_UNSUPPORTED, "");
}

static void check_stacks(const std::string &path)
{
	const auto stacks = cairn::stacks::open_file(path);
	const auto threads = stacks.threads();
	size_t frames = 0;

	expect(!threads.empty() && threads[0].registers.machine == CAIRN_MACHINE_AMD64, "threads");
	expect(!stacks.modules().empty() && stacks.modules()[0].high > stacks.modules()[0].low, "modules");
	expect(stacks.process().kind == CAIRN_STACKS_MINIDUMP && stacks.crash().known, "a crash");
	for (const auto &frame : stacks.walk(0)) {
		expect(frame.level == frames++, "levels");
		for (const auto &location : frame.names())
			expect(!location.name().empty(), "a name");
	}
	expect(frames > 1, "more than one frame");
	const auto stack = stacks.walk(0, 1);
	expect(stack.frames.size() == 1 && stack.ended.kind == CAIRN_STACK_GOES_ON, "a limit");
	expect(stacks.walk(threads.size()).frames.empty(), "a thread that does not exist");
}

static void check_space()
{
	const uint64_t stack[] = { 0x7010, 0x400020 };
	const auto memory = [&](uint64_t address, void *buffer, size_t size) {
		if (address < 0x7000 || size > sizeof(stack) || address - 0x7000 > sizeof(stack) - size)
			return false;
		std::memcpy(buffer, reinterpret_cast<const char *>(stack) + (address - 0x7000), size);
		return true;
	};
	cairn::space space(memory);
	cairn_registers frame = {};

	frame.machine = CAIRN_MACHINE_AMD64;
	expect(space.unwind(frame, CAIRN_FRAME_PC).stop == CAIRN_STOP_NO_MODULE, "no module");
	const auto failing = [](uint64_t, void *, size_t) -> bool { throw 7; };
	cairn::space unreadable(failing);
	try {
		cairn_registers caller = frame;
		caller.pc = 0x400010;
		caller.known = 1 << 6 | 1 << 7;
		caller.value[6] = caller.value[7] = 0x7000;
		unreadable.unwind(caller, CAIRN_FRAME_PC);
		expect(false, "an exception of a callback");
	} catch (int thrown) {
		expect(thrown == 7, "the exception of a callback");
	}
}

struct log {
	std::string output;
	cairn_location location = {};

	void write(std::string_view text) { output += text; }
	bool code(const cairn_markup_query &question, cairn_markup_result &answer)
	{
		expect(question.va == 0x1010, "a question");
		location.function = cairn::bytes("named");
		answer.locations = &location;
		answer.count = 1;
		return true;
	}
};

static void check_markup()
{
	log log;
	cairn::markup markup(log);

	markup.feed("{{{reset}}}\n{{{module:0:a.so:elf:0102}}}\n{{{mmap:0x40");
	markup.feed("0000:0x1000:load:0:rx:0x1000}}}\n{{{bt:0:0x400010:pc}}}\n");
	markup.pause();
	markup.finish();
	expect(log.output.find("named") != std::string::npos, "markup");
}

static void check_profile()
{
	/* a sample type, and the string table: "", "samples", "count" */
	static const char pprof[] = "\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x07samples\x32\x05" "count";
	cairn::symbolizer symbolizer;
	auto profile = cairn::profile::open({ pprof, sizeof(pprof) - 1 });
	std::string output;
	const auto append = [&](std::string_view piece) { output += piece; };

	profile.symbolize(symbolizer);
	profile.write(CAIRN_PROFILE_PPROF, append);
	expect(output.find("samples") != std::string::npos, "a profile");
	try {
		const auto fail = [](std::string_view) { throw 8; };
		profile.write(CAIRN_PROFILE_PPROF, fail);
		expect(false, "an exception of a sink");
	} catch (int thrown) {
		expect(thrown == 8, "the exception of a sink");
	}
}

int main(int argc, char **argv)
{
	expect(argc >= 3, "arguments");
	check_symbols(argv[2]);
	check_errors();
	check_stacks(argv[1]);
	check_space();
	check_markup();
	check_profile();
#ifdef WITH_DWARF
	const auto functions = cairn::functions::open(argv[3]);
	expect(functions.write_gsym(argv[4]).functions > 0, "functions");
	expect(!cairn::symbols::open(argv[4]).build_id().empty(), "written symbols");
	expect_error([] { cairn::functions::open("/nowhere/a"); }, CAIRN_UNREADABLE, "/nowhere/a");
#endif
	std::printf("%s\n", cairn_version());
	return 0;
}
