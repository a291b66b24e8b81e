/* SPDX-License-Identifier: MIT */
/*
 * The entry point of the LLDB plugin, and LLDB's implementation of struct debugger. Keeps one
 * session per debugger and registers the shared commands in LLDB, which answers queries
 * immediately. A capture's core is shown in a target of its own, beside the target being debugged.
 *
 * The plugin is not linked to liblldb. All LLDB functions called in this directory exist in LLDB 13
 * and later, except for weak symbols. LLDB calls PluginInitialize() for each `plugin load` and
 * never unloads a plugin.
 */
#include "session.h"

#include "common/commands/commands.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>

/*
 * Return the number of the capture that the target shows, or 0. Captures have increasing numbers of
 * their own, because LLDB identifies targets by an index, which changes when another target is
 * deleted.
 */
static uint64_t find_number(lldb_session *s, const lldb::SBTarget &target)
{
	for (auto &view : s->views)
		if (view.second.shown == target)
			return view.first;
	return 0;
}

/*
 * Create a target for the capture's program, because LLDB finds the program only if the core
 * contains its path.
 */
static lldb::SBTarget make_target(lldb_session *s, const struct cairn_capture_summary *summary,
                                  lldb::SBError &error)
{
	return s->lldb.CreateTarget(summary->program, nullptr, nullptr, false, error);
}

enum answer show_lldb_capture(struct command_call *call, struct shown_capture *shown)
{
	lldb_session *s = get_lldb_session(call);
	struct cairn_capture_summary summary = {};
	lldb::SBError error;

	summary.size = sizeof(summary);
	cairn_capture_describe(shown->capture, &summary);
	lldb::SBTarget before = s->lldb.GetSelectedTarget();
	lldb::SBTarget target = make_target(s, &summary, error);
	if (!target.IsValid() || !target.LoadCore(summary.core, error).IsValid()) {
		if (target.IsValid())
			s->lldb.DeleteTarget(target);
		reply_error(call, "LLDB failed to open the core%s%s",
		            error.GetCString() ? ": " : "",
		            error.GetCString() ? error.GetCString() : "");
		return ANSWER_FAILED;
	}
	shown->before = find_number(s, before);
	shown->view = ++s->last_view;
	shown->is_shown = true;
	s->views[shown->view] = { target, before };
	s->lldb.SetSelectedTarget(target);
	return ANSWER_READY;
}

enum answer find_lldb_view(struct command_call *call, uint64_t *view)
{
	lldb_session *s = get_lldb_session(call);

	*view = find_number(s, s->lldb.GetSelectedTarget());
	return ANSWER_READY;
}

/*
 * Delete the capture's target and select the previous target. The user may already have deleted
 * either of them.
 */
enum answer hide_lldb_capture(struct command_call *call, const struct shown_capture *shown)
{
	lldb_session *s = get_lldb_session(call);
	capture_view view = s->views[shown->view];
	const bool is_selected = view.shown == s->lldb.GetSelectedTarget();

	s->views.erase(shown->view);
	if (!view.shown.IsValid())
		return ANSWER_READY;
	s->target.Clear();
	if (is_selected && view.before.IsValid())
		s->lldb.SetSelectedTarget(view.before);
	s->lldb.DeleteTarget(view.shown);
	return ANSWER_READY;
}

static bool is_process_running(const struct session *session)
{
	lldb::SBTarget target = static_cast<const lldb_session *>(session)->target;
	lldb::StateType state = target.GetProcess().GetState();

	return state == lldb::eStateRunning || state == lldb::eStateStepping;
}

static void describe_lldb(const struct session *session, struct debugger_status *status)
{
	const char *version = lldb::SBDebugger::GetVersionString();
	const char *digits = version ? strpbrk(version, "0123456789") : nullptr;

	*status = debugger_status();
	status->name = "LLDB";
	status->key = "lldb";
	status->reports = true;
	status->running = is_process_running(session);
	status->major = digits ? atoi(digits) : 0;
}

/* Parse a number literal. Returns false for other expressions, which LLDB must evaluate. */
static bool parse_number(const char *word, uint64_t *value)
{
	char *end;
	const char *digits = word + (*word == '-');

	if (*digits < '0' || *digits > '9')
		return false;
	*value = strtoull(word, &end, 0);
	return *end == '\0';
}

static lldb::SBFrame find_innermost(const lldb_session *s)
{
	lldb::SBTarget target = s->target;

	if (!is_process_stopped(s))
		return lldb::SBFrame();
	return target.GetProcess().GetSelectedThread().GetFrameAtIndex(0);
}

static lldb::SBFrame find_selected(const lldb_session *s)
{
	lldb::SBTarget target = s->target;

	if (!is_process_stopped(s))
		return lldb::SBFrame();
	return target.GetProcess().GetSelectedThread().GetSelectedFrame();
}

/*
 * Find a function or symbol with this name. *value receives its load address, or its file address
 * if there is no process.
 */
static bool find_function_start(lldb::SBTarget &target, const char *name, uint64_t *value)
{
	lldb::SBSymbolContextList list = target.FindFunctions(name);

	if (list.GetSize() == 0)
		return false;
	lldb::SBSymbolContext context = list.GetContextAtIndex(0);
	lldb::SBAddress start = context.GetFunction().IsValid()
	                                ? context.GetFunction().GetStartAddress()
	                                : context.GetSymbol().GetStartAddress();
	uint64_t loaded = start.GetLoadAddress(target);
	*value = loaded != LLDB_INVALID_ADDRESS ? loaded : start.GetFileAddress();
	return *value != LLDB_INVALID_ADDRESS;
}

/*
 * Find a function plus an offset, such as "main + 4", which is how cairn prints locations. LLDB
 * cannot evaluate the sum of a function and a number.
 */
static bool find_function_place(lldb::SBTarget &target, const std::string &text, uint64_t *value)
{
	size_t sign = text.find_last_of("+-");
	uint64_t distance = 0;

	if (find_function_start(target, text.c_str(), value))
		return true;
	if (sign == std::string::npos || sign == 0)
		return false;
	size_t last = text.find_last_not_of(' ', sign - 1),
	       number = text.find_first_not_of(' ', sign + 1);
	if (last == std::string::npos || number == std::string::npos || text[number] == '-' ||
	    !parse_number(text.c_str() + number, &distance) ||
	    !find_function_start(target, text.substr(0, last + 1).c_str(), value))
		return false;
	*value += text[sign] == '+' ? distance : 0 - distance;
	return true;
}

/* Convert a value to a number. As in C, an array is converted to its address. */
static bool read_number(lldb::SBValue &value, lldb::SBError &error, uint64_t *number)
{
	if (value.GetType().IsArrayType())
		*number = value.GetLoadAddress();
	else if (value.GetType().GetTypeFlags() & lldb::eTypeIsSigned)
		*number = (uint64_t)value.GetValueAsSigned(error, 0);
	else
		*number = value.GetValueAsUnsigned(error, 0);
	return error.Success();
}

/*
 * Return the first line of LLDB's message that is marked as an error, because a title or note may
 * precede it. If no line is marked as an error, return the first line.
 */
static std::string describe_error(const lldb::SBError &error)
{
	const std::string mark = "error: ";
	const char *text = error.GetCString();
	std::string said = text ? text : "no value";
	size_t at = ("\n" + said).find("\n" + mark);

	if (at != std::string::npos)
		said.erase(0, at + mark.size());
	return said.substr(0, said.find('\n'));
}

/*
 * Evaluate the expression without LLDB's automatic corrections (fix-its), which would turn "1 2"
 * into 2.
 */
static lldb::SBValue evaluate_text(const lldb_session *s, const std::string &expression)
{
	lldb::SBTarget target = s->target;
	lldb::SBFrame frame = find_selected(s);
	lldb::SBExpressionOptions options;

	options.SetAutoApplyFixIts(false);
	options.SetUnwindOnError(true);
	options.SetIgnoreBreakpoints(true);
	options.SetSuppressPersistentResult(true); /* do not assign a variable such as $0 */
	options.SetLanguage(frame.GetCompileUnit().GetLanguage());
	return frame.IsValid() ? frame.EvaluateExpression(expression.c_str(), options)
	                       : target.EvaluateExpression(expression.c_str(), options);
}

static enum answer evaluate_expression(struct command_call *call, const char *expression,
                                       uint64_t *value)
{
	lldb_session *s = get_lldb_session(call);
	lldb::SBValue result = evaluate_text(s, expression);
	lldb::SBError error = result.GetError();

	/* evaluate the address of an array separately, because LLDB loses it in a core */
	if (error.Success() && result.GetType().IsArrayType()) {
		lldb::SBValue address = evaluate_text(s, std::string("&(") + expression + ")");
		if (address.GetError().Success())
			result = address;
	}

	if (error.Success() && result.IsValid() && read_number(result, error, value))
		return ANSWER_READY;
	if (find_function_place(s->target, expression, value))
		return ANSWER_READY;
	reply_error(call, "%s", describe_error(error).c_str());
	return ANSWER_FAILED;
}

static enum answer evaluate_words(struct command_call *call, struct word_range words,
                                  uint64_t *value, struct code_location *)
{
	lldb_session *s = get_lldb_session(call);
	struct text *expression = &s->expression;

	text_reset(expression);
	words_join(call->words, words, expression);
	const char *text = expression->size ? expression->data : "";
	if (parse_number(text, value))
		return ANSWER_READY;
	if (*text == '$') {
		lldb::SBError error;
		lldb::SBValue one = find_selected(s).FindRegister(text + 1);
		if (one.IsValid() && read_number(one, error, value))
			return ANSWER_READY;
	}
	return evaluate_expression(call, text, value);
}

static enum frame_state read_frame(struct command_call *call, struct cairn_registers *registers)
{
	lldb_session *s = get_lldb_session(call);

	complete_core(call);
	lldb::SBFrame frame = find_innermost(s);
	if (frame.IsValid()) {
		read_lldb_registers(s->target, frame, registers);
		return registers->machine == CAIRN_MACHINE_NONE ? FRAME_UNREADABLE : FRAME_KNOWN;
	}
	return is_process_running(s) ? FRAME_RUNNING : FRAME_NONE;
}

static void set_spot_function(lldb::SBTarget &target, struct code_location *spot,
                              lldb::SBSymbolContext &context)
{
	lldb::SBFunction function = context.GetFunction();
	lldb::SBSymbol symbol = context.GetSymbol();
	const char *name = function.IsValid()                          ? function.GetName()
	                   : symbol.IsValid() && !symbol.IsSynthetic() ? symbol.GetName()
	                                                               : nullptr;
	lldb::SBAddress start =
		function.IsValid() ? function.GetStartAddress() : symbol.GetStartAddress();
	uint64_t low = start.GetLoadAddress(target);

	if (low == LLDB_INVALID_ADDRESS)
		low = start.GetFileAddress();
	if (!name)
		return;
	if (low != LLDB_INVALID_ADDRESS && low < spot->lookup)
		snprintf(spot->function, sizeof(spot->function), "%.200s + %" PRIu64, name,
		         spot->lookup - low);
	else
		snprintf(spot->function, sizeof(spot->function), "%.200s", name);
}

static void set_spot_line(struct code_location *spot, lldb::SBSymbolContext &context,
                          bool full_path)
{
	lldb::SBLineEntry entry = context.GetLineEntry();
	lldb::SBFileSpec file = entry.GetFileSpec();
	const char *name = file.GetFilename(), *directory = file.GetDirectory();

	if (!entry.IsValid() || entry.GetLine() == 0 || !name)
		return;
	spot->line = entry.GetLine();
	if (full_path && directory && *directory)
		snprintf(spot->file, sizeof(spot->file), "%s/%s", directory, name);
	else
		snprintf(spot->file, sizeof(spot->file), "%s", name);
}

/* Resolve an address. Without a process, it is a file address. */
static lldb::SBAddress resolve_address(lldb::SBTarget &target, uint64_t pc)
{
	lldb::SBAddress address = target.ResolveLoadAddress(pc);

	if (address.GetSection().IsValid() || target.GetProcess().IsValid())
		return address;
	return target.GetModuleAtIndex(0).ResolveFileAddress(pc);
}

static void name_spot(lldb::SBTarget &target, struct code_location *spot, bool full_path)
{
	lldb::SBAddress address = resolve_address(target, spot->lookup);
	lldb::SBSymbolContext context = target.ResolveSymbolContextForAddress(
		address, lldb::eSymbolContextFunction | lldb::eSymbolContextSymbol |
				 lldb::eSymbolContextLineEntry);

	set_spot_function(target, spot, context);
	set_spot_line(spot, context, full_path);
}

static enum answer name_spots(struct command_call *call, struct trace *trace, bool full_path)
{
	trace_find_same(trace);
	for (size_t i = 0; i < trace->count; i++)
		if (trace->spots[i].same == i && !trace->spots[i].named) {
			poll_interrupt(call->session);
			name_spot(get_lldb_session(call)->target, &trace->spots[i], full_path);
		}
	trace_copy_same(trace);
	for (size_t i = 0; i < trace->count; i++)
		trace->spots[i].named = true;
	return ANSWER_READY;
}

/* Do nothing, because the modules were added when the command began. */
static enum answer name_modules(struct command_call *)
{
	return ANSWER_READY;
}

static enum answer find_memory_ranges(struct command_call *call, enum memory_access access,
                                      struct range_list *ranges)
{
	lldb::SBProcess process = get_lldb_session(call)->target.GetProcess();
	if (is_process_running(call->session)) {
		reply_error(call, "cannot read memory: the process is running; stop it first");
		return ANSWER_FAILED;
	}
	lldb::SBMemoryRegionInfoList list = process.GetMemoryRegions();

	for (uint32_t i = 0; i < list.GetSize(); i++) {
		lldb::SBMemoryRegionInfo region;
		if (!list.GetMemoryRegionAtIndex(i, region) || !region.IsMapped() ||
		    !(access == MEMORY_READABLE ? region.IsReadable() : region.IsWritable()) ||
		    region.GetRegionBase() >= region.GetRegionEnd())
			continue;
		if (range_list_add(ranges, { region.GetRegionBase(), region.GetRegionEnd() }))
			continue;
		reply_error(call, "out of memory");
		return ANSWER_FAILED;
	}
	return ANSWER_READY;
}

static void append_escaped(std::string &output, const char *bytes, size_t size)
{
	char escaped[8];

	for (size_t i = 0; i < size; i++) {
		snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned)(unsigned char)bytes[i]);
		output += escaped;
	}
}

/* Append a character, colour mark, or invalid byte. Returns the number of bytes consumed. */
static size_t append_next(std::string &output, const struct text *line, size_t at)
{
	static const char *const escapes[] = { "\x1b[33m", "\x1b[32m", "\x1b[34m", "\x1b[m" };
	const char *p = line->data + at;
	const struct text_piece piece = text_next_piece(p, line->size - at);
	int color = piece.is_character ? -1 : text_color_mark(line, (unsigned char)*p);

	if (color >= 0)
		output += escapes[color];
	else if (piece.is_shown)
		output.append(p, piece.size);
	else
		append_escaped(output, p, piece.size);
	return piece.size;
}

/*
 * Print a line. Truncation, or untrusted bytes that look like colour marks, may leave a colour on,
 * so always switch it off at the end of the line.
 */
static void print_line(struct command_call *call, const struct text *line)
{
	auto *c = static_cast<lldb_call *>(call);
	bool open = false;

	poll_interrupt(call->session);
	for (size_t at = 0; at < line->size;) {
		int color = text_color_mark(line, (unsigned char)line->data[at]);
		open = color < 0 ? open : color < COLORS;
		at += append_next(c->output, line, at);
	}
	c->output += open ? "\x1b[m\n" : "\n";
}

/*
 * Limit a command's output, because LLDB prints it only when the command has ended, and cannot be
 * interrupted while printing.
 */
static bool is_below_limit(struct command_call *call)
{
	/* maximum number of output bytes; LLDB needs 8 to 26 seconds to print 19 MB */
	enum { SHOWN_MAX = 8 << 20 };

	return static_cast<lldb_call *>(call)->output.size() < SHOWN_MAX;
}

static void set_number(struct command_call *, const char *, uint64_t)
{
}

/*
 * Set the command's error. LLDB prints the error itself, so remove the last line of the output,
 * which contains the same error.
 */
static void set_string(struct command_call *call, const char *name, const char *value)
{
	auto *c = static_cast<lldb_call *>(call);

	if (strcmp(name, "cairn_error") != 0)
		return;
	size_t last = c->output.rfind('\n', c->output.size() < 2 ? 0 : c->output.size() - 2);
	size_t begin = last == std::string::npos ? 0 : last + 1;
	if (!call->json)
		c->output.erase(begin);
	struct text message = text();
	std::string printable;
	text_add(&message, value);
	for (size_t at = 0; at < message.size;)
		at += append_next(printable, &message, at);
	text_finish(&message);
	c->fail(printable.c_str());
}

static constexpr struct debugger make_debugger()
{
	struct debugger d = {};

	d.loader = &lldb_loader;
	d.view_name = "Capture";
	d.describe = describe_lldb;
	d.evaluate = evaluate_words;
	d.read_frame = read_frame;
	d.name_spots = name_spots;
	d.name_modules = name_modules;
	d.memory_ranges = find_memory_ranges;
	d.show_capture = show_lldb_capture;
	d.find_view = find_lldb_view;
	d.hide_capture = hide_lldb_capture;
	d.print_line = print_line;
	d.is_below_limit = is_below_limit;
	d.set_number = set_number;
	d.set_string = set_string;
	return d;
}

constexpr struct debugger lldb_debugger = make_debugger();

/*
 * List of sessions. A debugger that loads the plugin again keeps its session. LLDB's callbacks get
 * a debugger's ID instead of a pointer, because the plugin is not notified when a debugger is
 * destroyed.
 */
static struct session_list {
	std::mutex lock;
	std::map<lldb::user_id_t, std::weak_ptr<lldb_session>> of_debugger;

	/*
	 * Only some versions of LLDB free commands, and the sessions that the commands own, at
	 * exit. Therefore remove the captures' files here.
	 */
	~session_list()
	{
		for (auto &entry : of_debugger)
			if (std::shared_ptr<lldb_session> session = entry.second.lock())
				captures_finish(&session->captures);
	}
} sessions;

std::shared_ptr<lldb_session> find_lldb_session(lldb::user_id_t debugger)
{
	std::lock_guard<std::mutex> guard(sessions.lock);

	return sessions.of_debugger[debugger].lock();
}

void keep_lldb_session(lldb::user_id_t debugger, const std::shared_ptr<lldb_session> &session)
{
	std::lock_guard<std::mutex> guard(sessions.lock);

	sessions.of_debugger[debugger] = session;
}

/*
 * Begin a command on the selected target. If the process has changed, discard all data about the
 * previous one.
 */
static void begin_target(lldb_session *s, lldb::SBDebugger &debugger)
{
	s->target = debugger.GetSelectedTarget();
	lldb::SBProcess process = s->target.GetProcess();
	uint32_t number = process.IsValid() ? process.GetUniqueID() : 0;

	if (number != s->process) {
		cairn_space_reset(s->space);
		s->named = named_builds();
		s->local.forget();
	}
	s->process = number;
	cairn_space_begin_query(s->space);
	if (is_process_stopped(s))
		report_lldb_modules(s);
}

static void run_steps(lldb_call *call, const struct command *command)
{
	lldb_session *s = get_lldb_session(call);

	text_reset(&s->line);
	s->line.colored = s->color == COLOR_ON || (s->color == COLOR_AUTO && s->lldb.GetUseColor());
	call->line = &s->line;
	if (command_begin(call, command))
		command_continue(call);
}

static void begin_and_run(lldb_session *s, const struct command *command, lldb_call *call)
{
	begin_target(s, s->lldb);
	if (s->hooked)
		locator_adopt(s);
	run_steps(call, command);
	if (s->hooked)
		locator_update(s);
}

/* Run a command and catch all exceptions, because an exception would terminate LLDB. */
void run_lldb_command(lldb_session *s, const struct command *command, const struct words *words,
                      lldb_call *call)
{
	call->session = s;
	call->words = words;
	if (s->busy.test_and_set()) {
		call->fail("another command of cairn is running");
		return;
	}
	s->interruptible = true;
	try {
		begin_and_run(s, command, call);
	} catch (const interruption &) {
		call->fail("interrupted");
	} catch (const std::exception &e) {
		call->fail(e.what());
	} catch (...) {
		call->fail("unknown exception");
	}
	s->interruptible = false;
	s->busy.clear();
}

bool run_in_lldb(lldb_session *s, const std::string &line)
{
	lldb::SBCommandReturnObject result;

	s->lldb.GetCommandInterpreter().HandleCommand(line.c_str(), result, false);
	return result.Succeeded();
}

static const struct command *const commands[] = {
	&command_status,
	&command_modules,
	&command_where,
	&command_bt,
	&command_sframe,
	&command_demangle,
	&command_cbf,
	&command_markup,
	&command_find_cbf,
	&command_open,
	&command_close,
	&command_add_gsym,
	&command_add_symbfile,
	&command_add_breakpad,
	&command_add_sframe,
	&command_symbols_load,
	&command_symbols_unload,
	&command_symbols_follow,
	&command_set_lldb_auto_symbols,
	&command_show_auto_symbols,
	&command_set_directory,
	&command_show_directory,
	&command_set_color,
	&command_show_color,
};

static void split_words(char **typed, struct words *words)
{
	*words = {};
	for (; typed && *typed; typed++) {
		words->too_many = words->count == WORDS_MAX;
		if (words->too_many)
			return;
		words->word[words->count++] = *typed;
	}
}

/* Replace the names of settings with their LLDB forms: "set cairn X" becomes "cairn set X". */
static std::string reword_settings(std::string text)
{
	static const char *const verbs[] = { "set", "show" };

	for (const char *verb : verbs) {
		std::string there = std::string(verb) + " cairn ",
			    here = std::string("cairn ") + verb + " ";
		for (size_t at = 0; (at = text.find(there, at)) != std::string::npos;
		     at += here.size())
			text.replace(at, there.size(), here);
	}
	return text;
}

static void give_result(const lldb_call &call, lldb::SBCommandReturnObject &result)
{
	if (!call.output.empty())
		result.PutCString(call.output.c_str(), (int)call.output.size());
	if (call.failed)
		result.SetError(reword_settings(call.error).c_str());
	else
		result.SetStatus(call.output.empty() ? lldb::eReturnStatusSuccessFinishNoResult
		                                     : lldb::eReturnStatusSuccessFinishResult);
}

class Command : public lldb::SBCommandPluginInterface
{
      public:
	Command(std::shared_ptr<lldb_session> session, const struct command *command)
	    : session(std::move(session)), command(command)
	{
	}

	bool DoExecute(lldb::SBDebugger debugger, char **typed,
	               lldb::SBCommandReturnObject &result) override
	{
		struct words words;
		lldb_call call;

		(void)debugger;
		split_words(typed, &words);
		run_lldb_command(session.get(), command, &words, &call);
		give_result(call, result);
		return result.Succeeded();
	}

      private:
	std::shared_ptr<lldb_session> session;
	const struct command *command;
};

/*
 * Return the name without the word "cairn". For example, "set cairn color" becomes "set color",
 * because LLDB groups all commands under "cairn".
 */
static std::string name_after_cairn(const std::string &name)
{
	static const char prefix[] = "cairn ";
	size_t at = name.find(prefix);

	return at == std::string::npos ? name
	                               : name.substr(0, at) + name.substr(at + strlen(prefix));
}

static std::string describe_command(const struct command *command)
{
	const char *rest = strchr(command->help, '\n');
	std::string text = rest ? std::string(rest + 1) + "\n" : "";

	if (command->example)
		text += std::string("Example: ") + command->example + "\n";
	return reword_settings(text);
}

static const char *describe_group(const std::string &name)
{
	return name == "symbols" ? "Symbols that cairn loads into LLDB."
	       : name == "set"   ? "Change a setting of cairn."
	                         : "Show a setting of cairn.";
}

/*
 * Return the group that contains the command, creating it if necessary, and remove the group's name
 * from `word`: "cairn symbols load" is the command "load" in the group "symbols".
 */
static lldb::SBCommand find_group(lldb::SBCommand top,
                                  std::map<std::string, lldb::SBCommand> &groups, std::string &word)
{
	size_t blank = word.find(' ');

	if (blank == std::string::npos)
		return top;
	std::string name = word.substr(0, blank);
	word.erase(0, blank + 1);
	if (groups.count(name) == 0)
		groups[name] = top.AddMultiwordCommand(name.c_str(), describe_group(name));
	return groups[name];
}

static void add_command(lldb::SBCommand group, const std::string &word,
                        const std::shared_ptr<lldb_session> &session, const struct command *command)
{
	std::string help =
		reword_settings(std::string(command->help, strcspn(command->help, "\n")));
	std::string syntax = "cairn " + name_after_cairn(command->name) + " " + command->usage;
	auto *body = new Command(session, command); /* owned by LLDB */

	lldb::SBCommand added =
		group.AddCommand(word.c_str(), body, help.c_str(), syntax.c_str(), nullptr);
	std::string text = describe_command(command);
	if (added.IsValid() && !text.empty())
		added.SetHelpLong(text.c_str());
}

bool add_lldb_commands(const std::shared_ptr<lldb_session> &session)
{
	std::map<std::string, lldb::SBCommand> groups;
	lldb::SBCommand top = session->lldb.GetCommandInterpreter().AddMultiwordCommand(
		"cairn", "Call stacks and symbols for programs without debug information.");

	if (!top.IsValid())
		return false;
	for (const struct command *command : commands)
		for (const char *name : { command->name, command->old_name }) {
			if (!name)
				continue;
			std::string word = name_after_cairn(name);
			lldb::SBCommand group = find_group(top, groups, word);
			add_command(group, word, session, command);
		}
	return true;
}

static void free_session(lldb_session *s)
{
	while (s->sources.objects > 0)
		sources_drop(&s->sources, s->sources.objects - 1);
	captures_finish(&s->captures);
	side_files_finish(&s->side_files);
	cairn_space_free(s->space);
	delete s;
}

/*
 * Make LLDB read the list of JIT code that a program has registered through GDB's JIT interface. On
 * Linux LLDB does so only if this setting is on. A value set by the user is kept.
 */
static void enable_jit_loader(lldb_session *s)
{
	static const char setting[] = "plugin.jit-loader.gdb.enable";
	lldb::SBStringList value =
		lldb::SBDebugger::GetInternalVariableValue(setting, s->lldb.GetInstanceName());

	if (value.GetSize() > 0 && std::string(value.GetStringAtIndex(0)) == "default")
		run_in_lldb(s, std::string("settings set ") + setting + " on");
}

static std::shared_ptr<lldb_session> make_session(lldb::SBDebugger &debugger)
{
	std::shared_ptr<lldb_session> s(new lldb_session(), free_session);
	const struct cairn_target target = { read_lldb_memory, s.get() };

	s->lldb = debugger;
	s->debugger = &lldb_debugger;
	s->locator = make_locator();
	s->sources.poll = { poll_interrupt, s.get() };
	s->space = cairn_space_new(&target);
	if (!s->space)
		throw std::bad_alloc();
	enable_jit_loader(s.get());
	return s;
}

static std::shared_ptr<lldb_session> open_session(lldb::SBDebugger &debugger)
{
	std::shared_ptr<lldb_session> session = find_lldb_session(debugger.GetID());

	if (session)
		return session;
	session = make_session(debugger);
	keep_lldb_session(debugger.GetID(), session);
	return session;
}

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	try {
		return add_lldb_commands(open_session(debugger));
	} catch (...) {
		return false;
	}
}
} // namespace lldb
